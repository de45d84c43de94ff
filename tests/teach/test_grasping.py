"""Grasps and places worked out from picked points."""

import pytest

from drycell import Body, Box, Cell, Robot, deg, mm
from drycell.base import GeometryError, MotionError, Pose
from drycell.teach import grasp_at, picked, place_at, verdict


@pytest.fixture
def cell() -> Cell:
    made = Cell()
    table = made.add("table", Body(Box(700 * mm, 700 * mm, 40 * mm), at=(200 * mm, 0, -20 * mm)))
    made.add(
        "block",
        Body(Box(60 * mm, 30 * mm, 40 * mm), on=table.name, at=Pose(60 * mm, -150 * mm, 0) @ Pose.turn_z(20 * deg)),
    )
    made.add("slab", Body(Box(90 * mm, 80 * mm, 20 * mm), on=table.name, at=(60 * mm, 100 * mm)))
    made.add("arm", Robot("scorbot-er3", gripper="two-finger", on=table.name, at=(-200 * mm, 0)))
    return made


def test_the_jaws_grasp_across_the_narrow_side_centred_at_half_depth(cell) -> None:
    point = picked(cell.world, "g", "block", (270 * mm, -140 * mm, 40 * mm), (0, 0, 1))
    grasp = grasp_at(cell.world, cell.robots["arm"], point)
    pose = grasp.pose(cell.world)
    assert pose.position == pytest.approx((260 * mm, -150 * mm, 20 * mm))
    across = cell.body("block").pose.direction((0, 1, 0))
    assert abs(sum(a * b for a, b in zip(pose.direction((1, 0, 0)), across, strict=True))) == pytest.approx(1.0)
    assert verdict(cell.robots["arm"], pose).lamp == "green"
    assert grasp_at(cell.world, cell.robots["arm"], point, depth=5 * mm).pose(cell.world).z == pytest.approx(35 * mm)


def test_a_part_too_wide_for_the_jaws_is_reported_with_numbers(cell) -> None:
    point = picked(cell.world, "g", "slab", (260 * mm, 100 * mm, 20 * mm), (0, 0, 1))
    with pytest.raises(MotionError, match=r"opens 65.000 mm, but 'slab' has 90.000 mm × 80.000 mm here"):
        grasp_at(cell.world, cell.robots["arm"], point)
    with pytest.raises(GeometryError, match="not on a part"):
        grasp_at(cell.world, cell.robots["arm"], point.attached(cell.world, None))


def test_the_part_is_placed_with_the_smallest_rotation(cell) -> None:
    arm = cell.robots["arm"]
    grasp = grasp_at(cell.world, arm, picked(cell.world, "g", "block", (260 * mm, -150 * mm, 40 * mm), (0, 0, 1)))
    spot = picked(cell.world, "p", "table", (250 * mm, 200 * mm, 0), (0, 0, 1))
    place = place_at(cell.world, arm, grasp, spot)
    pose = place.pose(cell.world)
    assert pose.position == pytest.approx((250 * mm, 200 * mm, 20 * mm))
    assert verdict(arm, pose)
    assert pose.distance_to(grasp.pose(cell.world))[1] <= 45 * deg + 1e-9
