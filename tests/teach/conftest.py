"""A small cell to teach in: a 5-axis arm on a table with a block, and a controller with two lines."""

from collections.abc import Callable

import pytest

from drycell import Body, Box, Cell, Controller, Robot, deg, mm, s
from drycell.teach import Lesson, pick_and_place, picked, set_down


def bench() -> Cell:
    cell = Cell("bench")
    table = cell.add("table", Body(Box(700 * mm, 700 * mm, 40 * mm), material="aluminium", at=(200 * mm, 0, -20 * mm)))
    cell.add("block", Body(Box(40 * mm, 30 * mm, 40 * mm), material="beech", on=table.name, at=(60 * mm, -150 * mm)))
    arm = cell.add("arm", Robot("scorbot-er3", gripper="two-finger", on=table.name, at=(-200 * mm, 0)))
    cell.signal("ready", True)
    cell.signal("done", False)
    cell.add("scorbot", Controller(robot=arm.name, inputs={1: "ready"}, outputs={1: "done"}))
    cell.check_collisions(allow=[("block", "table")])
    return cell


def taught(cell: Cell) -> Lesson:
    """The block from where it stands to x = 250 mm, y = 120 mm on the table, by points on surfaces."""
    top = picked(cell.world, "grasp", "block", (260 * mm, -150 * mm, 40 * mm), (0, 0, 1))
    grasp = top.raised(-15 * mm).turned(90 * deg)
    spot = picked(cell.world, "place", "table", (250 * mm, 120 * mm, 0), (0, 0, 1)).turned(90 * deg)
    lesson = Lesson("pick and place", "arm")
    pick_and_place(lesson, grasp, set_down(cell.world, grasp, spot), distance=60 * mm, speed=110 * mm / s)
    return lesson


@pytest.fixture
def make_cell() -> Callable[[], Cell]:
    return bench


@pytest.fixture
def cell() -> Cell:
    return bench()


@pytest.fixture
def lesson(cell: Cell) -> Lesson:
    return taught(cell)
