"""Distance sampling: few samples give the same collisions and near misses as a sample at every instant."""

import math

import pytest
from hypothesis import given, settings, strategies as st

from drycell.geometry import TOUCH
from drycell.world import LiveBody
from drycell.world.distance_sampling import DistanceSampling, PairInterval
from drycell.world.pair_state import Observation, PairState, PairTracker

CYCLE, MARGIN = 1000, 0.02
PAIR = (LiveBody("a"), LiveBody("b"))


class Story:
    """Records the reports; distances are a given function of time."""

    def __init__(self) -> None:
        self.report: list[tuple[object, ...]] = []

    def began(self, collision) -> None:
        self.report.append(("collision", collision.time))

    def ended(self, collision) -> None:
        self.report.append(("over", collision.time, collision.end))

    def missed(self, miss) -> None:
        self.report.append(("near", miss.time, miss.end, round(miss.distance, 9)))


class At:
    """The answers of a scene that a pair state needs."""

    point_a = point_b = (0.0, 0.0, 0.0)

    def __init__(self, distance: float) -> None:
        self.distance = distance


def story(observations, measure, end):
    report = Story()
    tracker = PairTracker(CYCLE, lambda a, b, t: At(measure(t)), lambda a, b, t: True, report)
    tracker.take(PAIR, observations)
    tracker.settle(end)
    tracker.close(end)
    return report.report


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.floats(1, 40), st.floats(0, 6.3), st.floats(0.001, 0.02)), min_size=1, max_size=3),
    st.floats(-0.005, 0.02),
    st.sampled_from([0.0, 0.005, 0.02]),
    st.floats(1.0, 4.0),
)
def test_few_samples_give_the_same_result_as_all(waves, middle, near, loose):
    def measure(t):
        return middle + sum(size * math.sin(speed * t * 1e-6 + phase) for speed, phase, size in waves)

    closing = loose * sum(speed * size for speed, _, size in waves)
    end = 700_000
    looked: list[int] = []

    def look(t):
        looked.append(t)
        return measure(t)

    some = DistanceSampling(look, PairInterval(0, end, closing, near, TOUCH), CYCLE).observations([], PairState(PAIR))
    every = [Observation(t, t, measure(t), near) for t in range(0, end, CYCLE) if measure(t) <= MARGIN]
    assert story(some, measure, end) == story(every, measure, end)
    assert len(set(looked)) == len(looked) <= end // CYCLE


def test_a_straight_approach_takes_few_samples():
    looked: list[int] = []

    def look(t):
        looked.append(t)
        return 0.05 - 0.06e-6 * t  # 60 mm/s from 50 mm: there after 833 ms, looked at until it is 2 mm away

    DistanceSampling(look, PairInterval(0, 800_000, 0.06, 0.005, TOUCH), CYCLE).observations([], PairState(PAIR))
    assert len(looked) < 40


def test_closing_distance_adds_up_over_intervals_of_different_speed():
    interval = PairInterval(0, 1_000_000, 0.1, 0.0, TOUCH)
    interval.extend(3_000_000, 0.3)
    assert interval.travel(500_000, 2_000_000) == pytest.approx(0.05 + 0.3)
