"""Values of channels follow the record: states, signals, and courses that things publish."""

import pytest

from drycell.kernel import Kernel
from drycell.looks import COURSES, Course, FixedValue, InState, SignalValue, TimeInState
from drycell.record import LiveRecord
from drycell.world import World


@pytest.fixture
def record() -> LiveRecord:
    """A machine that works from 1 s to 3 s and from 5 s on, and a belt that starts at 2 s with 0.5 m/s²."""
    kernel = Kernel()
    states = kernel.tracks.track("states", "mill")
    for time, state in ((0, "idle"), (1_000_000, "working"), (3_000_000, "idle"), (5_000_000, "working")):
        states.append(time, state)
    course = kernel.tracks.track(COURSES, "mill.travel")
    course.append(2_000_000, (0.0, 0.0, 0.5))
    course.append(4_000_000, (1.0, 1.0, 0.0))
    kernel.signal("mill.level", 2.5)
    kernel.signal("eye", False)
    return LiveRecord(kernel, World(kernel))


def test_a_state_is_one_exactly_while_the_thing_is_in_it(record: LiveRecord) -> None:
    working = InState(("working",))
    times = (0, 999_999, 1_000_000, 2_999_999, 3_000_000, 6_000_000)
    assert [working.at(record, "mill/door", t) for t in times] == [0, 0, 1, 1, 0, 1]
    assert InState(("working",)).at(record, "other", 0) == 0.0


def test_time_in_a_state_stands_still_outside_it(record: LiveRecord) -> None:
    turns = TimeInState(("working",), rate=10.0)
    assert [turns.at(record, "mill", t * 1_000_000) for t in (0, 2, 3, 4, 6)] == [0.0, 10.0, 20.0, 20.0, 30.0]


def test_a_course_is_a_value_a_rate_and_an_acceleration(record: LiveRecord) -> None:
    travel = Course("travel")
    assert [travel.at(record, "mill", t * 1_000_000) for t in (0, 2, 3, 4, 6)] == [0.0, 0.0, 0.25, 1.0, 3.0]


def test_signals_are_numbers_or_differ_from_rest(record: LiveRecord) -> None:
    assert SignalValue("level").at(record, "mill", 0) == 2.5
    assert SignalValue(rest=0.0).at(record, "eye", 0) == 0.0
    assert SignalValue("none").at(record, "mill", 0) == 0.0
    assert FixedValue(0.5).at(record, "mill", 0) == 0.5
