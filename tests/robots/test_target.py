"""Targets: where the tool is sent, and that they move with what they are on."""

import math

import pytest

from drycell.base import MotionError, Pose, deg, mm
from drycell.geometry import Box
from drycell.kernel import Kernel
from drycell.robots import above, approach, name_of, offset, shifted, turned
from drycell.robots.target import pose_of
from drycell.world import LiveBody, World

DOWN = (0.0, 0.0, -1.0)


@pytest.fixture
def world() -> World:
    return World(Kernel())


@pytest.fixture
def table(world: World) -> LiveBody:
    return world.add(LiveBody("table", Box(0.6, 0.4, 0.02)), pose=Pose(0.5, 0.1, 0.3))


def test_above_a_body_the_tool_points_down_over_the_middle_of_its_top(world: World, table: LiveBody):
    pose = pose_of(above(table, 80 * mm), world)
    assert pose.position == pytest.approx((0.5, 0.1, 0.31 + 0.08))
    assert pose.direction((0.0, 0.0, 1.0)) == pytest.approx(DOWN)
    assert pose.direction((1.0, 0.0, 0.0)) == pytest.approx((1.0, 0.0, 0.0))


def test_a_turned_body_turns_the_tool_with_it(world: World, table: LiveBody):
    world.place(table, Pose(0.5, 0.1, 0.3) @ Pose.turn_z(30 * deg))
    pose = pose_of(above(table, 0.0), world)
    assert pose.direction((1.0, 0.0, 0.0)) == pytest.approx((math.cos(30 * deg), math.sin(30 * deg), 0.0))
    assert pose.z == pytest.approx(0.31)


def test_a_body_on_its_side_is_met_at_its_highest(world: World, table: LiveBody):
    world.place(table, Pose(0.5, 0.1, 0.3) @ Pose.turn_y(90 * deg))
    pose = pose_of(above(table, 0.0), world)
    assert pose.position == pytest.approx((0.5, 0.1, 0.6))
    assert pose.direction((0.0, 0.0, 1.0)) == pytest.approx(DOWN)


def test_a_body_itself_is_its_top(world: World, table: LiveBody):
    assert pose_of(table, world) == pose_of(above(table, 0.0), world)


def test_a_body_without_a_shape_has_no_top(world: World):
    node = world.add(LiveBody("node"))
    with pytest.raises(MotionError, match="'node' has no shape, so it has no top to move to"):
        pose_of(node, world)


def test_an_approach_is_short_of_the_target_along_the_way_the_tool_points(world: World):
    slot = world.add_workpoint("slot", None, Pose(0.4, 0.0, 0.2) @ Pose.turn_y(90 * deg))  # z points along +x
    assert pose_of(approach(slot, 50 * mm), world).position == pytest.approx((0.35, 0.0, 0.2))


def test_offsets_go_along_the_targets_axes_and_shifts_along_the_worlds(world: World):
    slot = world.add_workpoint("slot", None, Pose(0.4, 0.0, 0.2) @ Pose.turn_z(90 * deg))
    assert pose_of(offset(slot, x=10 * mm), world).position == pytest.approx((0.4, 0.01, 0.2))
    assert pose_of(shifted(slot, x=10 * mm), world).position == pytest.approx((0.41, 0.0, 0.2))
    assert pose_of(turned(slot, -90 * deg), world).rotation == pytest.approx(Pose().rotation, abs=1e-12)


def test_a_workpoint_moves_with_its_body_and_so_do_targets_on_it(world: World, table: LiveBody):
    spot = approach(world.add_workpoint("spot", table, Pose(0.1, 0.0, 0.01) @ Pose.turn_x(180 * deg)), 20 * mm)
    assert pose_of(spot, world).position == pytest.approx((0.6, 0.1, 0.33))
    world.translate(table, y=0.2)
    assert pose_of(spot, world).position == pytest.approx((0.6, 0.3, 0.33))


def test_bare_poses_are_seen_from_the_user_frame(world: World):
    frame = Pose(1.0, 0.0, 0.0) @ Pose.turn_z(90 * deg)
    assert pose_of(Pose(0.1, 0.0, 0.0), world, frame).position == pytest.approx((1.0, 0.1, 0.0))
    assert pose_of(shifted(Pose(0.1, 0.0, 0.0), x=0.5), world, frame).position == pytest.approx((1.5, 0.1, 0.0))


def test_targets_have_names_people_can_read(world: World, table: LiveBody):
    slot = world.add_workpoint("mill/slot", None, Pose())
    assert name_of(slot) == "mill/slot"
    assert name_of(approach(slot, 80 * mm)) == "80.0 mm before mill/slot"
    assert name_of(above(table, 80 * mm)) == "80.0 mm above table"
    assert name_of(above(table, -5 * mm)) == "5.0 mm below table"
    assert name_of(Pose(0.1, -1e-9, 0.25)) == "(100.0, 0.0, 250.0) mm"  # no negative zero
    assert name_of(offset(slot, y=5 * mm)) == "mill/slot + (0.0, 5.0, 0.0) mm"


class Conveyor:
    name = "belt"


@pytest.mark.parametrize("wrong", [Conveyor(), above(Conveyor(), 80 * mm)])  # type: ignore[arg-type]
def test_an_invalid_target_is_refused_with_a_list_of_workpoints(world: World, table: LiveBody, wrong: object) -> None:
    with pytest.raises(MotionError, match="conveyor 'belt' is not a target for a move") as caught:
        pose_of(wrong, world)  # type: ignore[arg-type]
    assert "a pose, a workpoint, a body" in str(caught.value)
    world.add_workpoint("belt.entry", table, Pose())
    world.add_workpoint("belt.end", table, Pose())
    with pytest.raises(MotionError, match=r"one of its workpoints: 'belt.entry', 'belt.end'"):
        pose_of(wrong, world)  # type: ignore[arg-type]


def test_a_number_is_not_a_target(world: World) -> None:
    with pytest.raises(MotionError, match=r"0\.3 is not a target for a move"):
        pose_of(above(0.3, 80 * mm), world)  # type: ignore[arg-type]
