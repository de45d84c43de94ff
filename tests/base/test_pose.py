"""Poses form a group, other representations convert back to them, and a few are checked by hand."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from drycell.base import IDENTITY, GeometryError, Pose, align_z, deg, mm
from drycell.base.pose import chain

lengths = st.floats(-10.0, 10.0)
angles = st.floats(-math.pi, math.pi)
vectors = st.tuples(lengths, lengths, lengths)
# Values near the edges of every formula, and anywhere else.
awkward = st.sampled_from(
    [0.0, 1e-13, -1e-9, 1e-7, math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-8, math.pi, math.pi - 1e-9]
)
turns = angles | awkward
poses = st.builds(lambda r, p, y, at: Pose.of_rpy(r, p, y, at), turns, turns, turns, vectors)


def gap(a: Pose, b: Pose) -> float:
    """The largest difference of any of the twelve numbers."""
    return max(abs(p - q) for p, q in zip(a.rows, b.rows, strict=True))


@given(poses, poses, poses)
def test_composition_is_associative(a: Pose, b: Pose, c: Pose) -> None:
    assert gap((a @ b) @ c, a @ (b @ c)) < 1e-12


@given(poses)
def test_the_identity_changes_nothing(a: Pose) -> None:
    assert gap(a @ IDENTITY, a) == 0.0
    assert gap(IDENTITY @ a, a) == 0.0


@given(poses)
def test_the_inverse_cancels_from_both_sides(a: Pose) -> None:
    assert gap(a @ a.inverse(), IDENTITY) < 1e-13
    assert gap(a.inverse() @ a, IDENTITY) < 1e-13


@given(poses, poses, vectors)
def test_a_point_can_be_transformed_in_one_step_or_two(a: Pose, b: Pose, p: tuple[float, float, float]) -> None:
    assert (a @ b).point(p) == pytest.approx(a.point(b.point(p)), abs=1e-12)


@given(poses, vectors, vectors)
def test_a_direction_is_the_difference_of_points(
    a: Pose, p: tuple[float, float, float], q: tuple[float, float, float]
) -> None:
    between = a.direction([v - u for u, v in zip(p, q, strict=True)])
    assert between == pytest.approx(np.subtract(a.point(q), a.point(p)), abs=1e-12)


@given(poses)
def test_rotations_stay_rotations(a: Pose) -> None:
    R = a.rotation
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-15 * 8
    assert np.linalg.det(R) == pytest.approx(1.0)


@given(poses)
def test_quaternion_round_trip(a: Pose) -> None:
    q = a.quaternion
    assert q[0] >= 0.0
    assert math.hypot(*q) == pytest.approx(1.0, abs=1e-15)
    assert gap(Pose.of_quaternion(q, a.position), a) < 1e-14


@given(poses)
def test_rotation_vector_round_trip(a: Pose) -> None:
    vector = a.rotation_vector
    assert math.hypot(*vector) <= math.pi * (1 + 1e-15)
    assert gap(Pose.of_rotation_vector(vector, a.position), a) < 1e-14


@given(poses)
def test_roll_pitch_yaw_round_trip(a: Pose) -> None:
    roll, pitch, yaw = a.rpy
    assert abs(pitch) <= math.pi / 2
    # At a pitch of 90°, roll is 0 by convention; within 1e-12 of that, the convention costs about as much accuracy.
    assert gap(Pose.of_rpy(roll, pitch, yaw, a.position), a) < 2e-12


@given(angles, st.floats(-1.5, 1.5), angles)
def test_away_from_straight_up_roll_pitch_yaw_are_the_ones_given(roll: float, pitch: float, yaw: float) -> None:
    found = Pose.of_rpy(roll, pitch, yaw).rpy
    for got, given_ in zip(found, (roll, pitch, yaw), strict=True):
        assert math.remainder(got - given_, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)


@given(poses, poses)
def test_interpolation_starts_and_ends_at_the_poses(a: Pose, b: Pose) -> None:
    assert gap(a.towards(b, 0.0), a) < 1e-14
    assert gap(a.towards(b, 1.0), b) < 1e-13


@given(poses, poses)
def test_the_midpoint_is_equally_far_from_both_ends(a: Pose, b: Pose) -> None:
    half = a.towards(b, 0.5)
    whole, first, second = a.distance_to(b), a.distance_to(half), half.distance_to(b)
    assert first == pytest.approx((whole[0] / 2, whole[1] / 2), abs=1e-9)
    assert second == pytest.approx((whole[0] / 2, whole[1] / 2), abs=1e-9)


@given(poses, poses, poses)
def test_distance_does_not_depend_on_the_frame(a: Pose, b: Pose, c: Pose) -> None:
    assert (c @ a).distance_to(c @ b) == pytest.approx(a.distance_to(b), abs=1e-7)


@given(st.floats(0.0, math.pi))
def test_angular_distance_is_at_most_half_a_turn(angle: float) -> None:
    assert IDENTITY.distance_to(Pose.turn_y(angle))[1] == pytest.approx(angle, abs=1e-15)


@given(st.lists(poses, max_size=5))
def test_a_chain_is_the_product_left_to_right(many: list[Pose]) -> None:
    product = np.eye(4)
    for pose in many:
        product = product @ pose.matrix
    assert np.abs(chain(many).matrix - product).max() < 1e-12


@given(poses)
def test_a_pose_is_a_value(a: Pose) -> None:
    twin = Pose.of(a.rotation, a.translation)
    assert twin == a
    assert hash(twin) == hash(a)
    assert pickle.loads(pickle.dumps(a)) == a
    with pytest.raises(AttributeError, match="a Pose is a value and cannot be changed"):
        a.rows = IDENTITY.rows


@given(vectors.filter(lambda v: math.hypot(*v) > 1e-6))
def test_align_z_points_in_the_given_direction_with_its_x_axis_level(direction: tuple[float, float, float]) -> None:
    R = align_z(direction, at=(1.0, 2.0, 3.0)).rotation
    assert R[:, 2] == pytest.approx(np.array(direction) / math.hypot(*direction), abs=1e-14)
    assert R[2, 0] == 0.0
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-8
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-8)


@given(poses)
def test_orthonormal_removes_drift(a: Pose) -> None:
    drifted = Pose.of_rows(tuple(v * (1 + 1e-6) for v in a.rows))  # type: ignore[arg-type]
    R = drifted.orthonormal().rotation
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-14


def test_a_quarter_turn_by_hand() -> None:
    X_AB = Pose.of_rpy(0.0, 0.0, 90 * deg, at=(1.0, 2.0, 3.0))
    assert X_AB.point((10.0, 0.0, 0.0)) == pytest.approx((1.0, 12.0, 3.0), abs=1e-15)
    assert X_AB.direction((0.0, 1.0, 0.0)) == pytest.approx((-1.0, 0.0, 0.0), abs=1e-15)
    assert X_AB.inverse().point((1.0, 12.0, 3.0)) == pytest.approx((10.0, 0.0, 0.0), abs=1e-14)


def test_rpy_turns_about_fixed_axes_roll_first() -> None:
    # Roll 90° takes y to z; pitch 90° then takes z to x: so B's y axis is A's x axis.
    X_AB = Pose.of_rpy(90 * deg, 90 * deg, 0.0)
    assert X_AB.direction((0.0, 1.0, 0.0)) == pytest.approx((1.0, 0.0, 0.0), abs=1e-15)


def test_quaternions_are_scalar_first() -> None:
    half = math.sqrt(0.5)
    assert Pose.of_quaternion((half, 0.0, 0.0, half)).direction((1.0, 0.0, 0.0)) == pytest.approx((0, 1, 0), abs=1e-15)
    assert Pose.turn_x(180 * deg).quaternion == pytest.approx((0.0, 1.0, 0.0, 0.0), abs=1e-15)


def test_half_of_a_half_turn_is_a_quarter_turn() -> None:
    half = IDENTITY.towards(Pose.of_rpy(0.0, 0.0, 180 * deg, at=(2.0, 0.0, 0.0)), 0.5)
    assert half.position == (1.0, 0.0, 0.0)
    assert abs(half.rpy[2]) == pytest.approx(90 * deg)


def test_align_z_downwards_keeps_x() -> None:
    assert align_z((0, 0, -2)).rotation == pytest.approx(np.diag([1.0, -1.0, -1.0]))


@pytest.mark.parametrize("direction", [(0, 0, 0), (math.inf, 0, 0), (math.nan, 0, 0)])
def test_invalid_directions_are_refused(direction: tuple[float, float, float]) -> None:
    with pytest.raises(GeometryError, match="is not a direction"):
        align_z(direction)


def test_a_quaternion_of_no_length_is_refused() -> None:
    with pytest.raises(GeometryError, match=r"\(0, 0, 0, 0\) is not a rotation"):
        Pose.of_quaternion((0, 0, 0, 0))


def test_repr_of_a_pose_is_in_millimetres_and_degrees() -> None:
    shown = repr(Pose.of_rpy(0.0, 0.0, 90 * deg, at=(12.5 * mm, 0.0, -1e-12)))
    assert shown == "Pose(12.500, 0.000, 0.000 mm; rpy 0.00, 0.00, 90.00 deg)"
