"""Bodies are laid on each other without computing heights by hand."""

import pytest

from drycell.cell import Cell, box, cylinder, sphere
from drycell.errors import WorldError
from drycell.spatial import Pose
from drycell.units import deg, mm
from drycell.world import Body


@pytest.fixture
def cell() -> Cell:
    return Cell()


def test_a_body_on_another_stands_on_the_middle_of_its_top(cell: Cell) -> None:
    table = cell.add(box("table", 1.0, 0.6, 0.1), at=(2, 0, 0.4))
    block = cell.add(box("block", 40 * mm, 40 * mm, 30 * mm), on=table)
    assert block.pose.position == pytest.approx((2, 0, 0.465))  # 0.4 + 0.05 + 0.015


def test_at_is_seen_from_the_middle_of_the_top(cell: Cell) -> None:
    table = cell.add(box("table", 1.0, 0.6, 0.1), at=Pose(2, 0, 0.4) @ Pose.turn_z(90 * deg))
    peg = cell.add(cylinder("peg", 5 * mm, 60 * mm), on=table, at=(100 * mm, 50 * mm))
    assert peg.pose.position == pytest.approx((2 - 0.05, 0.1, 0.48))


def test_a_ball_rests_on_its_lowest_point(cell: Cell) -> None:
    table = cell.add(box("table", 1.0, 0.6, 0.1), at=(0, 0, -0.05))
    assert cell.add(sphere("ball", 7 * mm), on=table).pose.z == pytest.approx(7 * mm)


def test_what_lies_on_something_is_a_part_and_what_is_screwed_down_is_not(cell: Cell) -> None:
    table = cell.add(box("table", 1, 1, 0.1))
    assert not table.part
    assert cell.add(box("loose", 0.1, 0.1, 0.1), on=table).part
    assert not cell.add(box("fixture", 0.1, 0.1, 0.1), on=table, fixed=True).part
    assert cell.add(box("hung", 0.1, 0.1, 0.1), parent=table, fixed=False).part
    assert not cell.add(box("leg", 0.1, 0.1, 0.1), parent=table).part


def test_stacks_grow(cell: Cell) -> None:
    below: Body = cell.add(box("brick0", 0.2, 0.1, 50 * mm), at=(0, 0, 25 * mm))
    for number in range(1, 4):
        below = cell.add(box(f"brick{number}", 0.2, 0.1, 50 * mm), on=below)
    assert below.pose.z == pytest.approx(175 * mm)


def test_a_robot_stands_on_a_pedestal(cell: Cell) -> None:
    pedestal = cell.add(box("pedestal", 0.3, 0.3, 0.5), at=(1, 1, 0.25))
    arm = cell.add_robot("scara", on=pedestal, at=(50 * mm, 0))
    assert arm.base.pose.position == pytest.approx((1.05, 1, 0.5))
    assert arm.base.parent is pedestal


def test_only_a_body_with_a_shape_can_lie_or_be_lain_on(cell: Cell) -> None:
    table = cell.add(box("table", 1, 1, 0.1))
    node = cell.add(Body("node"))
    with pytest.raises(WorldError) as lying:
        cell.add(Body("frame"), on=table)
    assert str(lying.value) == "'frame' has no shape, so it cannot lie on anything\n  try: place it with `at` alone"
    with pytest.raises(WorldError) as carrying:
        cell.add(box("block", 1, 1, 1), on=node)
    assert str(carrying.value) == "'node' has no shape, so nothing can stand on it\n  try: place it with `at` alone"
