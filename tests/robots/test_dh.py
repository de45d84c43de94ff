"""Denavit–Hartenberg tables: both conventions give the products of the textbooks."""

import math

import pytest
from hypothesis import given, strategies as st

from drycell.base import MechanismError, Pose, deg, mm
from drycell.base.pose import chain
from drycell.robots import DHRow, Joint, mechanism_from_dh

TURN = Joint("turn", "revolute", -7.0, 7.0, 1.0, 1.0, 1.0)
SLIDE = Joint("slide", "prismatic", -1.0, 1.0, 1.0, 1.0, 1.0)
ROWS = [
    DHRow(a=0.3, alpha=90 * deg, d=0.2, theta=10 * deg),
    DHRow(a=-0.1, alpha=-30 * deg, d=0.05, theta=-90 * deg),
    DHRow(a=0.07, alpha=20 * deg, d=-0.3),
]
JOINTS = [TURN, SLIDE, Joint("last", "revolute", -7.0, 7.0, 1.0, 1.0, 1.0)]
VALUES = st.tuples(st.floats(-7, 7), st.floats(-1, 1), st.floats(-7, 7))


@given(VALUES)
def test_standard_rows_turn_and_shift_about_z_then_about_x(values):
    arm = mechanism_from_dh("arm", JOINTS, ROWS)
    product = []
    for row, joint, value in zip(ROWS, JOINTS, values, strict=True):
        theta, d = (row.theta + value, row.d) if joint.revolute else (row.theta, row.d + value)
        product += [Pose.turn_z(theta), Pose(0, 0, d), Pose(row.a, 0, 0), Pose.turn_x(row.alpha)]
    assert max(arm.forward(values).distance_to(chain(product))) < 1e-7


@given(VALUES)
def test_modified_rows_turn_and_shift_about_x_then_about_z(values):
    arm = mechanism_from_dh("arm", JOINTS, ROWS, convention="modified")
    product = []
    for row, joint, value in zip(ROWS, JOINTS, values, strict=True):
        theta, d = (row.theta + value, row.d) if joint.revolute else (row.theta, row.d + value)
        product += [Pose.turn_x(row.alpha), Pose(row.a, 0, 0), Pose.turn_z(theta), Pose(0, 0, d)]
    assert max(arm.forward(values).distance_to(chain(product))) < 1e-7


def test_craigs_puma_and_pauls_puma_are_one_arm():
    """Craig's table (modified) with his d2 on the third joint, against the standard one, for the wrist's place."""
    names = ("waist", "shoulder", "elbow", "roll", "bend", "twist")
    joints = [Joint(name, "revolute", -7.0, 7.0, 1.0, 1.0, 1.0) for name in names]
    craig = mechanism_from_dh(
        "craig",
        joints,
        [
            DHRow(),
            DHRow(alpha=-90 * deg),
            DHRow(a=431.8 * mm, d=150.05 * mm),
            DHRow(alpha=-90 * deg, a=-20.3 * mm, d=431.8 * mm),
            DHRow(alpha=90 * deg),
            DHRow(alpha=-90 * deg),
        ],
        convention="modified",
    )
    # With all joints at zero Craig's arm lies along x and its forearm hangs down.
    assert craig.forward([0.0] * 6).position == pytest.approx(
        ((431.8 - 20.3) * mm, 150.05 * mm, -431.8 * mm), abs=1e-12
    )


def test_a_page_of_data_makes_an_arm_that_can_be_solved():
    rows = [DHRow(d=0.3, alpha=math.pi / 2), DHRow(a=0.4), DHRow(a=0.3)]
    joints = [Joint(name, "revolute", -3.0, 3.0, 1.0, 1.0, 1.0) for name in ("waist", "shoulder", "elbow")]
    arm = mechanism_from_dh("three axes", joints, rows)
    pose = arm.forward([0.3, 0.4, -1.0])
    assert arm.inverse(pose, [0.2, 0.5, -0.8]).joints == pytest.approx((0.3, 0.4, -1.0), abs=1e-7)


def test_tables_that_do_not_fit_their_joints_are_refused():
    with pytest.raises(MechanismError, match="the table has 1 rows for 2 joints"):
        mechanism_from_dh("arm", [TURN, SLIDE], [DHRow()])
    with pytest.raises(MechanismError, match="unknown convention 'craig'"):
        mechanism_from_dh("arm", [TURN], [DHRow()], convention="craig")  # type: ignore[arg-type]
