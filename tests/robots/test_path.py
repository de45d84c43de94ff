"""Lines and arcs against elementary geometry."""

import math

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import MotionError, Pose
from drycell.handling import MotionLimits
from drycell.robots.path import Arc, Line, Path, arc_through

LINEAR, TURNING = MotionLimits(0.25, 2.0, 20.0), MotionLimits(math.pi, 8.0, 80.0)


def test_a_line_is_straight_and_turns_evenly():
    path = Line(Pose(0.1, 0.0, 0.0), Pose(0.1, 0.4, 0.3) @ Pose.turn_z(math.pi / 2))
    assert path.length == pytest.approx(0.5)
    assert path.pose(0.5).position == pytest.approx((0.1, 0.2, 0.15))
    assert path.pose(0.5).rpy == pytest.approx((0.0, 0.0, math.pi / 4))
    assert path.turning(0.3) == pytest.approx((0.0, 0.0, math.pi / 2))


def test_an_arc_goes_round_its_centre_over_the_via_point():
    # A quarter of the circle of 100 mm round the origin, from +x over 45° to +y.
    via = (0.1 * math.cos(math.pi / 4), 0.1 * math.sin(math.pi / 4), 0.0)
    path = arc_through(Pose(0.1, 0.0, 0.0), via, Pose(0.0, 0.1, 0.0))
    assert path.centre == pytest.approx((0.0, 0.0, 0.0), abs=1e-15)
    assert path.length == pytest.approx(0.1 * math.pi / 2)
    assert path.position(0.5) == pytest.approx(via)
    assert path.position(1.0) == pytest.approx((0.0, 0.1, 0.0))


def test_an_arc_takes_the_long_way_if_the_via_point_lies_there():
    path = arc_through(Pose(0.1, 0.0, 0.0), (-0.1, 0.0, 0.0), Pose(0.0, 0.1, 0.0))
    assert path.sweep == pytest.approx(1.5 * math.pi)


coordinates = st.tuples(*[st.floats(-1.0, 1.0)] * 3)


@given(coordinates, coordinates, coordinates)
def test_any_arc_begins_and_ends_where_it_should_and_passes_its_via_point(a, b, c):
    try:
        path = arc_through(Pose(*a), b, Pose(*c))
    except MotionError:
        return
    assert path.position(0.0) == pytest.approx(a, abs=1e-6)
    assert path.position(1.0) == pytest.approx(c, abs=1e-6 * max(1.0, path.radius))
    nearest = min(math.dist(path.position(k / 2000), b) for k in range(2001))
    assert nearest <= path.length / 2000


def test_three_points_on_a_line_make_no_arc():
    with pytest.raises(MotionError) as error:
        arc_through(Pose(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), Pose(0.2, 0.0, 0.0))
    assert str(error.value) == (
        "no arc goes through (0.000, 0.000, 0.000) mm, (100.000, 0.000, 0.000) mm and (200.000, 0.000, 0.000) mm: "
        "they lie on one line\n"
        "  try: use move_linear, or choose a via point well off the line between start and end"
    )


@settings(max_examples=50)
@given(st.booleans(), st.floats(0.0, 1.0))
def test_tangents_are_the_derivative_of_position(round_about: bool, fraction: float):
    end = Pose(0.0, 0.3, 0.1) @ Pose.turn_x(1.0)
    path: Path = (
        arc_through(Pose(0.2, 0.0, 0.0), (0.2, 0.2, 0.1), end) if round_about else Line(Pose(0.2, 0.0, 0.0), end)
    )
    h = 1e-6
    slope = [(p - q) / (2 * h) for p, q in zip(path.position(fraction + h), path.position(fraction - h), strict=True)]
    assert path.tangent(fraction) == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize("distance", [0.001, 0.02, 0.1])
def test_the_share_at_a_distance_is_that_far_from_the_end(distance: float):
    line = Line(Pose(0.0, 0.0, 0.0), Pose(0.3, 0.0, 0.0))
    arc = Arc(Pose(0.1, 0.0, 0.0), Pose(0.0, 0.1, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), math.pi / 2)
    for path in (line, arc):
        assert math.dist(path.position(path.fraction_at(distance)), path.end.position) == pytest.approx(distance)


def test_a_path_that_turns_much_is_bound_by_its_turn():
    # 90° over 100 mm is 15.7 rad/m: at 250 mm/s that would be 3.93 rad/s, past the limit of π.
    path = Line(Pose(0.0, 0.0, 0.0), Pose(0.1, 0.0, 0.0) @ Pose.turn_z(math.pi / 2))
    assert path.limits(LINEAR, TURNING).speed == pytest.approx(0.2)
    assert Line(Pose(), Pose(0.1, 0.0, 0.0)).limits(LINEAR, TURNING) == LINEAR


def test_a_path_that_only_turns_is_measured_in_radians():
    path = Line(Pose(), Pose.turn_z(1.5))
    assert path.span == pytest.approx(1.5)
    assert path.limits(LINEAR, TURNING) == TURNING


@pytest.mark.parametrize("rounding", [0.0, 1e-15, -1e-15, 1e-8, -1e-8])
@pytest.mark.parametrize("turn", [Pose.turn_x, Pose.turn_y, Pose.turn_z])
def test_half_a_turn_goes_the_positive_way_whatever_rounding_says(turn, rounding):
    start = Pose(0.1, 0.2, 0.3) @ Pose.turn_z(0.4)
    path = Line(start, start.moved(x=0.5) @ turn(math.pi + rounding))
    quarter = start.inverse() @ path.pose(0.5)
    assert quarter.rotation_vector[(Pose.turn_x, Pose.turn_y, Pose.turn_z).index(turn)] == pytest.approx(math.pi / 2)
