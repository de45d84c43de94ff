"""Taught points on surfaces: frames worked out by hand on level, tilted and upright faces."""

import math

import pytest
from hypothesis import given, strategies as st

from drycell import Body, Box, Cell, deg, mm
from drycell.base import GeometryError, Pose, UnknownName
from drycell.teach import TaughtPoint, picked, set_down, surface_frame

WORLD = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def close(one, other) -> bool:
    return all(abs(a - b) < 1e-12 for a, b in zip(one, other, strict=True))


def columns(pose: Pose):
    return tuple(pose.direction(axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))


def test_a_level_face_gives_a_tool_that_points_down_with_x_along_the_bodys_x() -> None:
    frame = surface_frame((0.1, 0.2, 0.3), (0, 0, 1), WORLD)
    assert frame.position == (0.1, 0.2, 0.3)
    assert columns(frame) == ((1, 0, 0), (0, -1, 0), (0, 0, -1))


def test_on_a_face_tilted_by_30_degrees_about_y_x_slopes_with_the_face() -> None:
    # The normal leans towards +x: n = (sin 30°, 0, cos 30°). x laid into the face is (cos 30°, 0, −sin 30°).
    half, root = 0.5, math.sqrt(3) / 2
    x, y, z = columns(surface_frame((0, 0, 0), (half, 0, root), WORLD))
    assert close(x, (root, 0, -half))
    assert close(y, (0, -1, 0))
    assert close(z, (-half, 0, -root))


def test_y_is_used_if_x_is_steeper_than_45_degrees() -> None:
    x, _, z = columns(surface_frame((0, 0, 0), (-2, 0, 0), WORLD))
    assert close(x, (0, 1, 0))
    assert close(z, (1, 0, 0))
    tilted = (math.sin(46 * deg), 0, math.cos(46 * deg))
    assert close(columns(surface_frame((0, 0, 0), tilted, WORLD))[0], (0, 1, 0))
    flatter = (math.sin(44 * deg), 0, math.cos(44 * deg))
    assert close(columns(surface_frame((0, 0, 0), flatter, WORLD))[0], (math.cos(44 * deg), 0, -math.sin(44 * deg)))


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda n: math.hypot(*n) > 1e-3))
def test_every_normal_gives_a_right_handed_frame_with_z_against_it(normal) -> None:
    frame = surface_frame((0, 0, 0), normal, WORLD)
    size = math.hypot(*normal)
    assert close(frame.direction((0, 0, 1)), [-v / size for v in normal])
    assert abs(frame.distance_to(frame.orthonormal())[1]) < 1e-9


def test_no_normal_is_refused() -> None:
    with pytest.raises(GeometryError, match=r"\(0, 0, 0\) is not a direction"):
        surface_frame((0, 0, 0), (0, 0, 0), WORLD)


@pytest.fixture
def cell() -> Cell:
    made = Cell()
    table = made.add("table", Body(Box(400 * mm, 400 * mm, 20 * mm), at=(500 * mm, 0, -10 * mm)))
    made.add(
        "block", Body(Box(60 * mm, 40 * mm, 50 * mm), on=table.name, at=Pose(20 * mm, 0, 0) @ Pose.turn_z(30 * deg))
    )
    return made


def test_a_picked_point_is_aligned_with_the_edges_of_a_rotated_block(cell) -> None:
    point = picked(cell.world, "top", "block", (521 * mm, 2 * mm, 50 * mm), (0, 0, 1))
    x, _, z = columns(point.pose(cell.world))
    assert close(x, (math.cos(30 * deg), math.sin(30 * deg), 0))
    assert close(z, (0, 0, -1))
    assert close(point.pose(cell.world).position, (521 * mm, 2 * mm, 50 * mm))


def test_a_pick_on_a_grid_stays_in_its_surface(cell) -> None:
    # The block is rotated: its own coordinates are rounded, and the height of its top is unchanged.
    middle = cell.body("block").pose
    point = middle.point((7.123 * mm, -3.456 * mm, 25 * mm))
    made = picked(cell.world, "top", "block", point, (0, 0, 1), grid=0.5 * mm)
    assert close(made.local.position, (7 * mm, -3.5 * mm, 25 * mm))


def test_a_taught_point_moves_with_its_body(cell) -> None:
    point = picked(cell.world, "top", "block", (520 * mm, 0, 50 * mm), (0, 0, 1))
    cell.world.translate(cell.body("block"), x=100 * mm)
    assert close(point.pose(cell.world).position, (620 * mm, 0, 50 * mm))
    fixed = point.attached(cell.world, None)
    cell.world.translate(cell.body("block"), x=100 * mm)
    assert close(point.pose(cell.world).position, (720 * mm, 0, 50 * mm))
    assert close(fixed.pose(cell.world).position, (620 * mm, 0, 50 * mm))
    again = fixed.attached(cell.world, "block")
    assert close(again.pose(cell.world).position, (620 * mm, 0, 50 * mm))
    assert again.on == "block"


def test_raising_goes_out_of_the_surface_and_shifting_stays_in_it() -> None:
    point = TaughtPoint("p", None, surface_frame((0, 0, 0), (0.6, 0, 0.8), WORLD))
    assert close(point.raised(10 * mm).local.position, (6 * mm, 0, 8 * mm))
    assert close(point.raised(-10 * mm).local.position, (-6 * mm, 0, -8 * mm))
    assert close(point.shifted(x=10 * mm).local.position, (8 * mm, 0, -6 * mm))


def test_turning_about_the_normal_keeps_the_approach_and_about_x_tilts_it() -> None:
    point = TaughtPoint("p", None, surface_frame((0, 0, 0), (0, 0, 1), WORLD))
    quarter = point.turned(90 * deg)
    assert close(quarter.local.direction((1, 0, 0)), (0, -1, 0))  # clockwise, seen from above: along the approach
    assert close(quarter.local.direction((0, 0, 1)), (0, 0, -1))
    tilted = point.turned(30 * deg, "x")
    assert close(tilted.local.direction((0, 0, 1)), (0, 0.5, -math.sqrt(3) / 2))
    assert point.turned(30 * deg, (2, 0, 0)).local.distance_to(tilted.local) == pytest.approx((0, 0), abs=1e-12)
    with pytest.raises(UnknownName, match="there is no axis 'w'"):
        point.turned(1.0, "w")


def test_centring_slides_to_the_middle_of_the_face(cell) -> None:
    point = picked(cell.world, "top", "block", (510 * mm, 7 * mm, 50 * mm), (0, 0, 1)).centred(cell.world)
    assert close(point.pose(cell.world).position, (520 * mm, 0, 50 * mm))
    with pytest.raises(GeometryError, match="not on a body"):
        point.attached(cell.world, None).centred(cell.world)


def test_a_part_is_placed_so_that_it_just_touches(cell) -> None:
    # Grasped 15 mm below its top, the block of 50 mm reaches 35 mm beyond the tool.
    grasp = picked(cell.world, "grasp", "block", (520 * mm, 0, 50 * mm), (0, 0, 1)).raised(-15 * mm)
    spot = picked(cell.world, "place", "table", (450 * mm, 100 * mm, 0), (0, 0, 1))
    place = set_down(cell.world, grasp, spot)
    assert close(place.pose(cell.world).position, (450 * mm, 100 * mm, 35 * mm))
    assert close(set_down(cell.world, grasp, spot, 1 * mm).pose(cell.world).position, (450 * mm, 100 * mm, 36 * mm))


def test_error_for_an_unknown_body_names_it(cell) -> None:
    with pytest.raises(UnknownName, match="there is no body 'blok'"):
        picked(cell.world, "top", "blok", (0, 0, 0), (0, 0, 1))
