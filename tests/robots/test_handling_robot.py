"""An arm with a gripper picks from above across the narrow side, carries, and places."""

import pytest

from drycell import Body, Box, Cylinder, Robot, Workpoint
from drycell.base import MotionError, Pose, ProgramError, UnknownName, deg, mm
from drycell.cell import Cell
from drycell.geometry import Shape
from drycell.kernel import delay
from drycell.robots import LiveRobot


def cell_with(shape: Shape, turned: float = 0.0) -> tuple[Cell, LiveRobot]:
    """A UR5-like arm, a table whose top is at z = 0, and a part on it half a metre before the arm."""
    cell = Cell()
    cell.add("table", Body(Box(700 * mm, 800 * mm, 40 * mm), at=(500 * mm, 0, -20 * mm)))
    cell.add("block", Body(shape, on="table", at=Pose(-50 * mm, -200 * mm) @ Pose.turn_z(turned)))
    return cell, cell.add("arm", Robot("ur5-like", gripper="two-finger"))


def run(cell: Cell, program) -> None:
    cell.program(program)
    cell.run()


@pytest.mark.parametrize("turned", [0.0, 30 * deg, 90 * deg])
def test_a_part_is_taken_across_its_narrow_side_wherever_that_points(turned: float) -> None:
    cell, arm = cell_with(Box(100 * mm, 40 * mm, 50 * mm), turned)
    block = cell.body("block")
    run(cell, lambda: arm.pick(block))
    assert arm.gripper.held is block
    assert arm.gripper.gap == pytest.approx(40 * mm, abs=2e-6)
    # Taken at half its height and lifted by 80 mm.
    assert arm.pose.position == pytest.approx((0.45, -0.2, 0.105), abs=1e-6)
    assert block.pose.position == pytest.approx((0.45, -0.2, 0.105), abs=1e-5)


def test_a_part_is_picked_by_its_name_and_other_things_are_rejected() -> None:
    cell, arm = cell_with(Box(100 * mm, 40 * mm, 50 * mm))
    block = cell.body("block")
    run(cell, lambda: arm.pick("block"))
    assert arm.gripper.held is block
    lamp = cell.signal("lamp", False)
    for given, message in (
        ("blok", "there is no body or kind of part 'blok'"),
        (lamp, "but signal 'lamp' is not a part"),
    ):
        cell, arm = cell_with(Box(100 * mm, 40 * mm, 50 * mm))
        with pytest.raises((UnknownName, ProgramError), match=message):
            run(cell, lambda arm=arm, given=given: arm.pick(given))


def test_a_tall_part_is_taken_25_mm_below_its_top() -> None:
    cell, arm = cell_with(Cylinder(10 * mm, 120 * mm))
    rod = cell.body("block")
    run(cell, lambda: arm.pick(rod, distance=50 * mm))
    assert arm.pose.z == pytest.approx(120 * mm - 25 * mm + 50 * mm, abs=1e-6)


def test_a_held_part_moves_with_the_arm_and_stays_where_it_is_placed() -> None:
    cell, arm = cell_with(Box(60 * mm, 40 * mm, 50 * mm))
    block = cell.body("block")
    goal = cell.add("goal", Workpoint(at=Pose.of_rpy(180 * deg, 0, 0, (0.45, 0.2, 0.025))))
    before: list[Pose] = []

    @cell.program
    def work() -> None:
        arm.pick(block)
        before.append(arm.pose.inverse() @ block.pose)
        arm.move_joints([0.3, *arm.joints[1:]])
        before.append(arm.pose.inverse() @ block.pose)
        arm.place(goal)

    cell.run()
    assert before[1].rows == pytest.approx(before[0].rows, abs=1e-9)
    assert block.parent is cell.world.body("table")
    assert block.pose.position == pytest.approx((0.45, 0.2, 0.025), abs=1e-5)


def test_a_part_too_wide_is_refused_with_the_sizes() -> None:
    cell, arm = cell_with(Box(90 * mm, 80 * mm, 50 * mm))
    slab = cell.body("block")
    with pytest.raises(MotionError) as caught:
        run(cell, lambda: arm.pick(slab))
    assert caught.value.what == (
        "arm/gripper cannot take 'block' from above: it opens 65.000 mm, the part has 90.000 mm × 80.000 mm"
    )
    assert list(arm.moves) == []


def test_closing_on_nothing_is_reported_by_name() -> None:
    cell, arm = cell_with(Box(60 * mm, 40 * mm, 50 * mm))
    block = cell.body("block")

    @cell.program
    def thief() -> None:
        delay(0.3)
        cell.world.place(block, Pose(2, 2, 0))

    with pytest.raises(ProgramError, match="arm closed its gripper at 'block', but grasped nothing"):
        run(cell, lambda: arm.pick(block))


def test_a_pick_that_a_fixed_body_stops_names_it_and_the_gap() -> None:
    cell, arm = cell_with(Box(60 * mm, 40 * mm, 50 * mm))
    block = cell.body("block")

    @cell.program
    def swap() -> None:
        delay(0.3)
        block.part = False  # it has been bolted down

    with pytest.raises(ProgramError, match=r"grasped nothing: 'block' stopped the jaws at (40\.000|39\.999) mm"):
        run(cell, lambda: arm.pick(block))


def test_a_body_without_a_shape_cannot_be_grasped() -> None:
    cell, arm = cell_with(Box(60 * mm, 40 * mm, 50 * mm))
    node = cell.add("node", Body())
    with pytest.raises(MotionError, match="'node' has no shape, so there is nothing to grasp"):
        run(cell, lambda: arm.pick(node))
