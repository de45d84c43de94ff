"""Bodies can be stacked without computing heights by hand."""

import pytest

from drycell import Body, Box, Cylinder, Robot, Sphere
from drycell.base import Pose, WorldError, deg, mm
from drycell.cell import Cell
from drycell.world import LiveBody


@pytest.fixture
def cell() -> Cell:
    return Cell()


def test_a_body_on_another_stands_on_the_middle_of_its_top(cell: Cell) -> None:
    table = cell.add("table", Body(Box(1.0, 0.6, 0.1), at=(2, 0, 0.4)))
    block = cell.add("block", Body(Box(40 * mm, 40 * mm, 30 * mm), on=table.name))
    assert block.pose.position == pytest.approx((2, 0, 0.465))  # 0.4 + 0.05 + 0.015


def test_at_is_relative_to_the_middle_of_the_top(cell: Cell) -> None:
    table = cell.add("table", Body(Box(1.0, 0.6, 0.1), at=Pose(2, 0, 0.4) @ Pose.turn_z(90 * deg)))
    peg = cell.add("peg", Body(Cylinder(5 * mm, 60 * mm), on=table.name, at=(100 * mm, 50 * mm)))
    assert peg.pose.position == pytest.approx((2 - 0.05, 0.1, 0.48))


def test_a_ball_rests_on_its_lowest_point(cell: Cell) -> None:
    table = cell.add("table", Body(Box(1.0, 0.6, 0.1), at=(0, 0, -0.05)))
    assert cell.add("ball", Body(Sphere(7 * mm), on=table.name)).pose.z == pytest.approx(7 * mm)


def test_bodies_on_others_are_parts_and_fixed_ones_are_not(cell: Cell) -> None:
    table = cell.add("table", Body(Box(1, 1, 0.1)))
    assert not table.part
    assert cell.add("loose", Body(Box(0.1, 0.1, 0.1), on=table.name)).part
    assert not cell.add("fixture", Body(Box(0.1, 0.1, 0.1), on=table.name, part=False)).part
    assert cell.add("hung", Body(Box(0.1, 0.1, 0.1), parent=table.name, part=True)).part
    assert not cell.add("leg", Body(Box(0.1, 0.1, 0.1), parent=table.name)).part


def test_bodies_can_be_stacked(cell: Cell) -> None:
    below: LiveBody = cell.add("brick0", Body(Box(0.2, 0.1, 50 * mm), at=(0, 0, 25 * mm)))
    for number in range(1, 4):
        below = cell.add(f"brick{number}", Body(Box(0.2, 0.1, 50 * mm), on=below.name))
    assert below.pose.z == pytest.approx(175 * mm)


def test_a_robot_stands_on_a_pedestal(cell: Cell) -> None:
    pedestal = cell.add("pedestal", Body(Box(0.3, 0.3, 0.5), at=(1, 1, 0.25)))
    arm = cell.add("arm", Robot("scara", on=pedestal.name, at=(50 * mm, 0)))
    assert arm.base.pose.position == pytest.approx((1.05, 1, 0.5))
    assert arm.base.parent is pedestal


def test_only_bodies_with_a_shape_can_be_stacked(cell: Cell) -> None:
    table = cell.add("table", Body(Box(1, 1, 0.1)))
    node = cell.add("node", Body())
    with pytest.raises(WorldError) as lying:
        cell.add("frame", Body(on=table.name))
    assert str(lying.value) == "'frame' has no shape, so it cannot lie on anything\n  try: place it with `at` alone"
    with pytest.raises(WorldError) as carrying:
        cell.add("block", Body(Box(1, 1, 1), on=node.name))
    assert str(carrying.value) == "'node' has no shape, so nothing can stand on it\n  try: place it with `at` alone"
