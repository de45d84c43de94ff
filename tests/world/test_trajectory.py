import numpy as np
import pytest
from hypothesis import given, strategies as st

from drycell.base import WorldError
from drycell.world import JointTrajectory, hold

coefficient = st.floats(-5.0, 5.0)


@st.composite
def trajectories(draw, dof=2):
    """Pieces that join: each begins where the last one ended."""
    spans = draw(st.lists(st.floats(0.01, 0.7), min_size=1, max_size=5))
    pieces, at = [], [draw(coefficient) for _ in range(dof)]
    for span in spans:
        rest = [[draw(coefficient) for _ in range(dof)] for _ in range(3)]
        pieces.append([list(at), *rest])
        at = [a + span * (b + span * (c + span * d)) for a, b, c, d in zip(at, *rest, strict=True)]
    start = draw(st.integers(0, 2_000_000))
    return JointTrajectory(start, np.concatenate([[0.0], np.cumsum(spans)]), np.array(pieces))


instants = st.lists(st.integers(0, 6_000_000), min_size=2, max_size=15, unique=True).map(sorted)


def one_joint(*pieces, breaks):
    return JointTrajectory(1_000_000, np.array(breaks), np.array(pieces, dtype=float)[:, :, None])


def test_values_come_from_the_polynomial():
    cubic = one_joint((1, 2, 3, 4), (10, -2, 0, 0), breaks=(0.0, 1.0, 2.0))
    assert cubic.joints(0) == [1.0]
    assert cubic.joints(1_500_000) == [pytest.approx(1 + 1 + 0.75 + 0.5)]
    assert cubic.velocity(1_500_000) == [pytest.approx(2 + 3 + 3)]
    assert cubic.acceleration(1_500_000) == [pytest.approx(6 + 12)]
    assert cubic.joints(2_500_000) == [pytest.approx(9.0)]
    assert cubic.joints(9_000_000) == [pytest.approx(8.0)]
    assert cubic.velocity(9_000_000) == cubic.acceleration(9_000_000) == cubic.velocity(999_999) == [0.0]
    assert cubic.duration == 2.0


def test_the_vertex_of_a_speed_parabola_is_found():
    # Speed 6u − 6u² is 0 at both ends and greatest in the middle.
    bump = one_joint((0, 0, 3, -2), breaks=(0.0, 1.0))
    assert bump.speed_bound(1_000_000, 2_000_000) == [pytest.approx(1.5)]


def test_the_last_instant_is_rounded_up_to_a_whole_tick():
    assert JointTrajectory(0, np.array([0.0, 1e-6 * 2.5]), np.zeros((1, 4, 1))).end == 3
    assert JointTrajectory(0, np.array([0.0, 1.0]), np.zeros((1, 4, 1))).end == 1_000_000


def test_pieces_and_breaks_must_fit():
    with pytest.raises(WorldError, match=r"3 breaks do not fit coefficients of shape \(1, 4, 2\)"):
        JointTrajectory(0, np.zeros(3), np.zeros((1, 4, 2)))


def test_the_content_of_a_trajectory_is_independent_of_its_start():
    a, b = one_joint((1, 2, 3, 4), breaks=(0.0, 1.0)), one_joint((1, 2, 3, 4), breaks=(0.0, 1.0))
    b = JointTrajectory(5, b.breaks, b.coefficients)
    assert a.content == b.content
    assert a.content != a.cut(1_500_000).content


def test_hold_sets_the_joints_and_never_moves():
    held = hold(7, [0.5, -0.5])
    assert held.joints(0) == held.joints(99) == [0.5, -0.5]
    assert held.speed_bound(0, 100) == [0.0, 0.0]
    assert held.end == held.start == 7


@given(trajectories(), instants)
def test_no_joint_is_ever_faster_than_the_bound(trajectory, times):
    top = trajectory.speed_bound(times[0], times[-1])
    joints = [trajectory.joints(t) for t in times]
    for a, b, p, q in zip(times, times[1:], joints, joints[1:], strict=False):
        for x, y, limit in zip(p, q, top, strict=True):
            assert abs(x - y) <= limit * (b - a) * 1e-6 + 1e-9


@given(trajectories(), instants)
def test_bounds_over_many_intervals_at_once_are_the_bounds(trajectory, times):
    times = np.array(times)
    together = trajectory.speed_bounds(times[:-1], times[1:])
    for row, a, b in zip(together, times, times[1:], strict=False):
        assert row.tolist() == trajectory.speed_bound(int(a), int(b))


@given(trajectories(), instants)
def test_a_batch_is_the_joints(trajectory, times):
    batch = trajectory.joints_batch(np.array(times))
    assert np.allclose(batch, [trajectory.joints(t) for t in times], atol=1e-9)


@given(trajectories(), st.integers(0, 6_000_000), instants)
def test_a_cut_motion_is_unchanged_until_the_cut_and_rests_after(trajectory, cut, times):
    short = trajectory.cut(cut)
    assert short.end == max(trajectory.start, min(cut, trajectory.end))
    for t in times:
        assert short.joints(t) == trajectory.joints(min(t, max(cut, trajectory.start)))
    assert short.speed_bound(short.end, short.end + 1) == [0.0, 0.0]
