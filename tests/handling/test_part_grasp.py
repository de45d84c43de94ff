"""Grasps per stable state: defaults by rotating calipers, data in the cell file, and alignments that were taught."""

import math

import pytest

from drycell import Body, Box, Cell, Prism, Robot, deg, mm
from drycell.base import DrycellError, Pose
from drycell.cell import Model
from drycell.handling.gripper import calipers

TRIANGLE = tuple((30 * mm * math.cos(k * math.tau / 3), 30 * mm * math.sin(k * math.tau / 3)) for k in range(3))


def test_calipers_find_the_widths_at_which_an_edge_is_flush():
    # A 3-4-5 triangle: heights 4 and 3 over the legs, 12/5 over the hypotenuse. Over a leg, the corner is at its end.
    found = calipers(((0.0, 0.0), (4.0, 0.0), (0.0, 3.0)))
    assert [width for width, _, _ in found] == [pytest.approx(2.4), 3.0, 4.0]
    _, angle, (x, y) = found[0]
    assert angle == pytest.approx(math.atan2(4, 3))  # across the hypotenuse
    # The middle between the jaws is 1.2 from the hypotenuse 3x + 4y = 12, and from the corner at the origin.
    assert (3 * x + 4 * y) / 5 == pytest.approx(1.2)
    assert [width for width, _, _ in calipers(((0, 0), (3, 0), (3, 1), (0, 1)))] == [1.0, 1.0, 3.0, 3.0]
    assert calipers(((0.0, 0.0), (1.0, 0.0))) == []


def cell_of(part, gripper="two-finger"):
    cell = Cell("grasp")
    cell.add("table", Body(Box(800 * mm, 800 * mm, 20 * mm), at=(500 * mm, 0, -10 * mm)))
    cell.add("part", part)
    return cell, cell.add("arm", Robot("ur5e", gripper=gripper))


def picked(cell, arm):
    """Pick the part; the height of the hand before and after, and the part in the hand."""
    cell.program(lambda: arm.pick("part"), name="fetch")
    result = cell.run()
    linear = [move for move in result.moves["arm"] if move.kind == "linear"]
    return result, [round(move.distance / mm, 3) for move in linear]


def test_a_part_that_is_not_a_box_is_grasped_across_its_narrowest_width():
    cell, arm = cell_of(Body(Prism(TRIANGLE, 40 * mm), on="table", at=(0, 100 * mm), rpy=(0, 0, 20 * deg)))
    picked(cell, arm)
    # The height of the triangle: 1.5 · 30 mm. Its box is 45 mm × 52 mm along its own axes, and none fits better.
    assert arm.gripper.gap == pytest.approx(45 * mm, abs=1e-6)
    assert arm.gripper.held is cell.body("part")


FILE = """
bodies:
  table: {{shape: {{box: [800 mm, 800 mm, 20 mm]}}, at: [500 mm, 0, -10 mm]}}
  part:
    shape: {{box: [60 mm, 40 mm, 30 mm]}}
    on: table
    at: [0, 100 mm]
    grasps: {grasps}
robots:
  arm: {{model: ur5e, gripper: two-finger}}
"""


def from_file(tmp_path, grasps):
    path = tmp_path / "cell.yaml"
    path.write_text(FILE.format(grasps=grasps))
    cell = Cell(Model.load(path))
    return cell, cell.robots["arm"]


def test_grasp_approach_and_departure_of_a_state_are_taken_from_the_file(tmp_path):
    # The box lies on its largest side: state A or B. The tool goes 10 mm beside the middle, 12 mm above the table.
    grasp = "{at: [10 mm, 0, 12 mm], rpy: [180 deg, 0, 90 deg], approach: 50 mm, depart: 120 mm}"
    cell, arm = from_file(tmp_path, f"{{A: {grasp}, B: {grasp}}}")
    _, distances = picked(cell, arm)
    assert distances == [50.0, 120.0]
    relative = cell.body("part").pose.inverse() @ arm.pose
    assert relative.position == pytest.approx((10 * mm, 0, -3 * mm), abs=1e-6)  # the part's middle is at 15 mm


def test_a_grasp_for_another_state_does_not_count(tmp_path):
    cell, arm = from_file(tmp_path, "{E: {at: [10 mm, 0, 12 mm], approach: 50 mm}, F: {approach: 50 mm}}")
    _, distances = picked(cell, arm)
    assert distances == [80.0, 80.0]


def test_a_taught_alignment_is_how_the_part_is_held(tmp_path):
    # Taught: the frame of the state is 12 mm beyond the TCP and turned by 5 degrees.
    taught = "{held_at: [0, 0, 12 mm], held_rpy: [180 deg, 0, 5 deg]}"
    cell, arm = from_file(tmp_path, f"{{A: {taught}, B: {taught}}}")
    picked(cell, arm)
    part = cell.body("part")
    frame = arm.pose @ Pose.of_rpy(180 * deg, 0, 5 * deg, at=(0, 0, 12 * mm))
    assert part.pose.position == pytest.approx((frame @ Pose(z=15 * mm)).position, abs=1e-9)
    (line,) = [each for each in cell.kernel.journal.records if each.kind == "aligns"]
    assert line.fields["part"] == "part"


def test_an_unknown_state_is_an_error_at_its_place_with_the_known_ones(tmp_path):
    with pytest.raises(DrycellError) as caught:
        from_file(tmp_path, "{flat: {approach: 50 mm}}")
    assert "bodies.part.grasps.flat" in str(caught.value)
    assert "the shape has no stable state 'flat'" in str(caught.value)
    with pytest.raises(DrycellError, match="must be above 0"):
        from_file(tmp_path, "{A: {approach: -50 mm}}")


def test_kinds_of_a_source_have_grasps_too(tmp_path):
    path = tmp_path / "cell.yaml"
    path.write_text(
        "bodies: {table: {shape: {box: [800 mm, 800 mm, 20 mm]}, at: [500 mm, 0, -10 mm]}}\n"
        "devices:\n  feed:\n    source:\n      kinds:\n        nut:\n          shape: {box: [60 mm, 40 mm, 30 mm]}\n"
        "          grasps: {A: {approach: 50 mm}, B: {approach: 50 mm}}\n      every: 60 s\n    on: table\n"
        "robots: {arm: {model: ur5e, gripper: two-finger}}\n"
    )
    cell = Cell(Model.load(path))
    arm = cell.robots["arm"]

    def fetch():
        from drycell import delay

        delay(0.1)
        arm.pick("nut")

    cell.program(fetch)
    result = cell.run(until=20)
    assert [round(move.distance / mm, 3) for move in result.moves["arm"] if move.kind == "linear"] == [50.0, 80.0]
