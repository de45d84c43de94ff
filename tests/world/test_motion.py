import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from drycell.base import Pose, WorldError
from drycell.world import Fall, Rest, Sampled, Travel

numbers = st.floats(-2.0, 2.0)
vectors = st.tuples(numbers, numbers, numbers)
poses = st.builds(Pose.of_rotation_vector, vectors, vectors)
spans = st.tuples(st.integers(0, 3_000_000), st.integers(1, 3_000_000))


@st.composite
def sampled(draw):
    steps = draw(st.lists(st.integers(1_000, 500_000), min_size=1, max_size=5))
    times = [draw(st.integers(0, 1_000_000))]
    for step in steps:
        times.append(times[-1] + step)
    return Sampled(times, [draw(poses) for _ in times])


motions = st.one_of(
    st.builds(Rest, poses),
    st.builds(lambda span, pose, v: Travel(span[0], span[0] + span[1], pose, v), spans, poses, vectors),
    st.builds(lambda span, pose, v: Fall(span[0], span[0] + span[1], pose, v), spans, poses, vectors),
    sampled(),
)
instants = st.lists(st.integers(0, 7_000_000), min_size=2, max_size=20, unique=True).map(sorted)


def test_a_part_on_a_belt_has_constant_velocity():
    ride = Travel(1_000_000, 3_000_000, Pose(0.0, 0.5, 0.0), (0.1, 0.0, 0.0))
    assert ride.pose(0).position == (0.0, 0.5, 0.0)
    assert ride.pose(2_000_000).position == pytest.approx((0.1, 0.5, 0.0))
    assert ride.pose(9_000_000).position == pytest.approx((0.2, 0.5, 0.0))


def test_a_fall_follows_galileo():
    fall = Fall(0, 1_000_000, Pose(0.0, 0.0, 5.0), gravity=(0.0, 0.0, -10.0))
    assert fall.pose(500_000).z == pytest.approx(5.0 - 0.5 * 10.0 * 0.25)
    assert fall.bound(0, 500_000) == (pytest.approx(5.0), 0.0)
    assert fall.bound(1_000_000, 2_000_000) == (0.0, 0.0)


def test_a_sampled_motion_goes_straight_between_its_poses():
    turn = Sampled([0, 1_000_000], [Pose(), Pose(1.0) @ Pose.turn_z(1.0)])
    assert turn.pose(500_000).position == (0.5, 0.0, 0.0)
    assert turn.pose(500_000).rotation_vector == pytest.approx((0.0, 0.0, 0.5))


def test_half_a_turn_is_bounded_too():
    turn = Sampled([0, 1_000_000], [Pose(), Pose.turn_z(math.pi - 1e-9)])
    assert turn.bound(0, 1_000_000)[1] >= math.pi - 1e-9


def test_impossible_motions_are_refused():
    with pytest.raises(WorldError, match="cannot end at 5 µs, before its start at 10 µs"):
        Travel(10, 5, Pose(), (1, 0, 0))
    with pytest.raises(WorldError, match="needs at least two poses, one for each time: 1 times, 1 poses"):
        Sampled([0], [Pose()])
    with pytest.raises(WorldError, match="must increase"):
        Sampled([0, 0], [Pose(), Pose()])


@given(motions, instants, vectors)
def test_no_point_is_ever_faster_than_the_bound(motion, times, arm):
    speed, turn = motion.bound(times[0], times[-1])
    top = speed + turn * math.hypot(*arm)
    points = [motion.pose(t).point(arm) for t in times]
    for a, b, p, q in zip(times, times[1:], points, points[1:], strict=False):
        assert math.dist(p, q) <= top * (b - a) * 1e-6 + 1e-9


@given(motions, instants)
def test_a_batch_is_the_poses(motion, times):
    rotations, positions = motion.batch(np.array(times))
    for t, R, p in zip(times, rotations, positions, strict=True):
        assert np.allclose(R, motion.pose(t).rotation, atol=1e-9)
        assert np.allclose(p, motion.pose(t).translation, atol=1e-9)
