"""Closing jaws turn a part until an edge is flush or friction wedges it: the outline alone, and a whole gripper."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import MotionError, Pose, deg, mm
from drycell.geometry import Box, Cylinder, Prism, convex_outline
from drycell.handling import Squeeze
from drycell.kernel import now
from drycell.world import LiveBody

from .test_gripper import Bench, closing

WIDE = (-1.0, 1.0)  # jaws that are wider than any part


def box(length, width, angle):
    """The corners of a rectangle, turned."""
    c, s = math.cos(angle), math.sin(angle)
    corners = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return tuple((0.5 * (c * i * length - s * j * width), 0.5 * (s * i * length + c * j * width)) for i, j in corners)


def hull(points):
    return convex_outline(points)


# ---------------------------------------------------------------- the outline alone


def test_a_square_turns_back_to_its_faces_and_the_gap_narrows_by_the_difference_of_widths():
    turn = Squeeze(box(0.04, 0.04, 10 * deg), WIDE, WIDE).turn(0.42)
    # Between wide jaws the square is 40 mm · (cos 10° + sin 10°) wide, and 40 mm when it is flush.
    assert turn.angle == pytest.approx(-10 * deg)
    assert turn.narrowing == pytest.approx(40 * mm * (math.cos(10 * deg) + math.sin(10 * deg) - 1))
    assert not turn.wedged
    assert turn.between == pytest.approx(35 * deg)  # the diagonal is at 45° − 10° from the jaw axis


@pytest.mark.parametrize(("yaw", "turns"), [(10, True), (20, True), (22, True), (23, False), (30, False), (44, False)])
def test_a_square_is_wedged_on_two_corners_where_its_diagonal_is_within_the_friction_cone(yaw, turns):
    # atan 0.42 = 22.78°, and the diagonal is at 45° − yaw: it is wedged from a yaw of 22.22° on.
    turn = Squeeze(box(0.04, 0.04, yaw * deg), WIDE, WIDE).turn(0.42)
    assert turn.wedged != turns
    assert turn.angle == (pytest.approx(-yaw * deg) if turns else 0.0)


def test_without_friction_it_turns_from_any_angle_but_exactly_half_way():
    square = Squeeze(box(0.04, 0.04, 44.9 * deg), WIDE, WIDE)
    assert square.turn(0.0).angle == pytest.approx(-44.9 * deg)
    assert Squeeze(box(0.04, 0.04, 45 * deg), WIDE, WIDE).turn(0.0).angle in (
        0.0,
        pytest.approx(-45 * deg),
        pytest.approx(45 * deg),
    )


def test_narrow_jaws_touch_the_sides_with_their_ends():
    square = Squeeze(box(0.04, 0.04, 10 * deg), (-10 * mm, 10 * mm), (-10 * mm, 10 * mm))
    # The side at x = (20 mm − y sin 10°) / cos 10° is farthest at y = −10 mm.
    assert square.width(0.0) == pytest.approx(2 * (20 * mm + 10 * mm * math.sin(10 * deg)) / math.cos(10 * deg))
    assert square.turn(0.42).angle == pytest.approx(-10 * deg)


def test_narrow_jaws_wedge_a_wide_part_before_its_side_is_flush():
    # A 60 mm square between jaws 4 mm wide: at a small angle θ the line between the contacts is at atan(2/30) + θ from
    # their normals, which is within atan 0.42 = 22.78° below θ = 18.9° or so. Found by hand with
    # tan(φ) = 2 mm · cos θ / (30 mm + 2 mm · sin θ) and φ + θ = 22.78°.
    turn = Squeeze(box(0.06, 0.06, 21 * deg), (-2 * mm, 2 * mm), (-2 * mm, 2 * mm)).turn(0.42)
    assert turn.wedged
    left = 21 * deg + turn.angle
    line = math.atan2(2 * mm * math.cos(left), 30 * mm + 2 * mm * math.sin(left))
    assert line + left == pytest.approx(math.atan(0.42), abs=1e-9)


@pytest.mark.parametrize("sides", [24, 64])
def test_a_round_outline_does_not_turn(sides):
    circle = tuple((0.02 * math.cos(k * math.tau / sides), 0.02 * math.sin(k * math.tau / sides)) for k in range(sides))
    assert Squeeze(circle, WIDE, WIDE).turn(0.0) is None


def test_a_hexagon_does_turn():
    hexagon = tuple((0.02 * math.cos(k * math.tau / 6), 0.02 * math.sin(k * math.tau / 6)) for k in range(6))
    # Its corners are on the jaw axis; its sides are flush after 30° either way. Friction would wedge it.
    assert Squeeze(hexagon, WIDE, WIDE).turn(0.42).wedged
    turned = tuple((x * math.cos(0.3) - y * math.sin(0.3), x * math.sin(0.3) + y * math.cos(0.3)) for x, y in hexagon)
    assert Squeeze(turned, WIDE, WIDE).turn(0.2).angle == pytest.approx(30 * deg - 0.3)


points = st.lists(st.tuples(st.floats(-0.03, 0.03), st.floats(-0.03, 0.03)), min_size=3, max_size=9, unique=True)


@given(points, st.floats(0.0, 0.8))
@settings(deadline=None, max_examples=150)
def test_jaws_only_close_while_a_part_turns_and_end_flush_or_wedged(corners, friction):
    outline = hull(corners)
    if len(outline) < 3:
        return
    squeeze = Squeeze(outline, WIDE, WIDE)
    turn = squeeze.turn(friction)
    if turn is None or not turn.angle:
        return
    widths = [squeeze.width(turn.angle * k / 200) for k in range(201)]
    assert all(b <= a + 1e-9 for a, b in pairwise(widths))
    assert widths[0] - widths[-1] == pytest.approx(turn.narrowing, abs=1e-12)
    if turn.wedged:
        assert math.tan(squeeze.between(turn.angle)) <= friction + 1e-6
    else:
        # An independent check of "flush": the normal of some edge is along the jaw axis.
        normals = [
            math.atan2(a - c, d - b) + turn.angle
            for (a, b), (c, d) in zip(outline, outline[1:] + outline[:1], strict=True)
        ]
        assert min(abs(math.remainder(each, math.pi)) for each in normals) < 1e-6
    half = turn.at(turn.narrowing / 2)
    assert widths[0] - squeeze.width(half) == pytest.approx(turn.narrowing / 2, abs=1e-9)


def test_a_negative_friction_and_a_wrong_outline_are_refused():
    with pytest.raises(MotionError, match=r"friction must be 0 or more, not -0\.1"):
        Squeeze(box(0.04, 0.04, 0.1), WIDE, WIDE).turn(-0.1)
    with pytest.raises(MotionError, match="at least three corners, not 2"):
        Squeeze(((0.0, 0.0), (1.0, 0.0)), WIDE, WIDE)
    with pytest.raises(MotionError, match="turns right at"):
        Squeeze(((0.0, 0.0), (0.0, 1.0), (1.0, 0.0)), WIDE, WIDE)


# ---------------------------------------------------------------- a whole gripper


@pytest.fixture
def bench() -> Bench:
    return Bench()


def put(bench, shape, yaw, x=0.0, y=0.0, material="plastic"):
    """A part on the table, turned."""
    body = bench.world.add(LiveBody("part", shape, part=True, material=material), bench.table)
    bench.world.place(body, Pose(x, y, shape.bounds[1][2]) @ Pose.turn_z(yaw * deg))
    bench.world.attach(body, bench.table)
    return body


def yaw_of(body):
    return math.degrees(body.pose.rpy[2])


CUBE = Box(40 * mm, 40 * mm, 30 * mm)


@pytest.mark.parametrize("yaw", [10, -10, 5])
def test_a_cube_at_an_angle_is_turned_until_its_side_is_flush(bench, yaw):
    cube = put(bench, CUBE, yaw, material="steel")
    # The gap is then 40 mm, as for a cube that was never turned: 0.15 s + (57.5 mm − 40 mm) / (100 mm/s).
    assert closing(bench) == {"held": True, "time": 0.325, "gap": 40.0}
    assert yaw_of(cube) == pytest.approx(0.0, abs=1e-6)
    assert cube.pose.position == pytest.approx((0, 0, 15 * mm), abs=1e-9)
    (line,) = bench.records("turns")
    assert line.fields["turned_deg"] == pytest.approx(yaw)  # about the z axis of the tool, which points down


def test_the_angle_follows_the_gap_while_the_jaws_close(bench):
    cube, seen = put(bench, CUBE, 10, material="steel"), []

    def look():
        from drycell.kernel import delay

        delay(0.300)
        seen.append((bench.gripper.gap, yaw_of(cube)))

    bench.kernel.spawn(look)
    closing(bench)
    ((gap, yaw),) = seen
    # Jaws 20 mm wide touch the sides with their ends: gap = 2 (20 mm + 10 mm sin θ) / cos θ.
    assert gap == pytest.approx(42.5 * mm)
    # The motion is exact every millisecond, and interpolated between.
    assert 2 * (20 * mm + 10 * mm * math.sin(yaw * deg)) / math.cos(yaw * deg) == pytest.approx(gap, abs=2e-7)


def test_a_cube_near_45_degrees_is_wedged_on_its_corners(bench):
    cube = put(bench, CUBE, 44, material="steel")
    assert closing(bench)["gap"] == round(40 * math.sqrt(2) * math.cos(1 * deg), 3)
    assert yaw_of(cube) == pytest.approx(44)
    (line,) = bench.records("wedges")
    assert line.fields["needs_friction"] == pytest.approx(math.tan(1 * deg), abs=5e-4)


def test_a_part_off_the_middle_is_pushed_first_and_turned_then(bench):
    bar = put(bench, Box(20 * mm, 60 * mm, 30 * mm), 12, x=6 * mm, material="steel")
    assert closing(bench)["gap"] == 20.0
    assert yaw_of(bar) == pytest.approx(0.0, abs=1e-6)
    assert bar.pose.position == pytest.approx((0, 0, 15 * mm), abs=1e-7)


def test_a_round_part_and_a_prism_with_a_hidden_corner_are_as_before(bench):
    put(bench, Cylinder(20 * mm, 30 * mm), 7)
    assert closing(bench)["gap"] == 40.0
    assert not bench.records("turns", "wedges")


def test_a_triangle_turns_until_a_side_is_flush(bench):
    corners = tuple((20 * mm * math.cos(k * math.tau / 3), 20 * mm * math.sin(k * math.tau / 3)) for k in range(3))
    part = put(bench, Prism(corners, 30 * mm), 10, material="cast iron")
    closing(bench)
    # The width of an equilateral triangle is least where a side is flush: its height, 30 mm.
    assert bench.gripper.gap == pytest.approx(30 * mm, abs=1e-6)
    assert yaw_of(part) == pytest.approx(0.0, abs=1e-5)  # the corners of a prism are rounded to nanometres


def test_a_turning_part_that_meets_another_body_is_held_as_it_is_then(bench):
    cube = put(bench, CUBE, 10, material="steel")
    # The corner (−20, 20) mm of the cube turns from y = 16.2 mm to y = 20 mm, past a stop at y = 18 mm.
    bench.world.add(LiveBody("stop", Box(4 * mm, 4 * mm, 30 * mm)), None, Pose(-19 * mm, 20 * mm + 0.5 * mm, 15 * mm))
    closing(bench)
    assert bench.gripper.held is cube
    assert 0.5 < yaw_of(cube) < 9.5
    assert bench.records("turns")[0].fields["at"] == "stop"


def test_opening_while_a_part_turns_leaves_it_where_it_is(bench):
    from drycell.kernel import delay

    cube = put(bench, CUBE, 10, material="steel")

    def work():
        bench.gripper.start_close()
        delay(0.300)
        bench.gripper.open()
        assert now() > 0.3

    bench.run(work)
    assert bench.gripper.held is None
    assert cube.parent is bench.table
    assert yaw_of(cube) == pytest.approx(4.5, abs=2.5)
