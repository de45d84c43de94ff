"""A cell that is moved as a whole, about the vertical and over the floor, takes the same time for every move."""

import math

import pytest
from hypothesis import example, given, settings, strategies as st

from drycell import Body, Box, Cell, Cylinder, Pose, Robot, Workpoint, above, deg, mm
from drycell.geometry import Shape

SQUARE = Box(40 * mm, 40 * mm, 30 * mm)
SHAPES = (SQUARE, Box(60 * mm, 40 * mm, 50 * mm), Box(30 * mm, 90 * mm, 40 * mm), Cylinder(15 * mm, 50 * mm))


def durations(shape: Shape, model: str, moved: Pose) -> list[float]:
    """How long each move of a small pick-and-place cell takes, with everything in it moved."""
    cell = Cell()
    cell.settling = "keep"  # a tumble is chaotic: the last bit of a pose can decide how it ends
    cell.add("table", Body(Box(600 * mm, 700 * mm, 20 * mm), at=moved @ Pose(500 * mm, 0, -10 * mm)))
    cell.add("anvil", Body(Box(120 * mm, 120 * mm, 40 * mm), on="table", at=(0, -150 * mm), part=False))
    cell.add("block", Body(shape, on="table", at=(0, 150 * mm)))
    down = Pose(400 * mm, 100 * mm, 60 * mm) @ Pose.turn_x(180 * deg)
    cell.add("goal", Workpoint(at=moved @ down @ Pose.turn_z(180 * deg)))
    arm = cell.add("arm", Robot(model, gripper="two-finger", at=moved))

    def feed() -> None:
        arm.pick("block")
        arm.place(above("anvil", 26 * mm))
        arm.home()
        arm.pick("block")
        arm.place(above("table", 26 * mm))
        arm.move(moved @ down)
        arm.move_linear("goal")  # half a turn of the tool
        arm.move("anvil", zone=20 * mm)
        arm.home()

    cell.program(feed)
    cell.run()
    return [move.duration for move in arm.moves.values]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(SHAPES),
    st.sampled_from(["ur5-like", "puma560"]),
    st.floats(-math.pi, math.pi) | st.sampled_from([quarter * math.pi / 2 for quarter in range(-2, 3)]),
    st.floats(-2, 2),
    st.floats(-2, 2),
)
@example(SQUARE, "ur5-like", math.pi, 0.0, 0.0)
@example(SQUARE, "ur5-like", 1.0, 0.3, -0.7)
def test_moving_a_whole_cell_does_not_change_the_time_of_any_move(shape, model, angle, x, y):
    before = durations(shape, model, Pose())
    after = durations(shape, model, Pose(x, y) @ Pose.turn_z(angle))
    assert after == pytest.approx(before, abs=1.5e-6)
