"""A cell file becomes a running cell; errors found only while building it also name file, line and field."""

from pathlib import Path

import pytest

from drycell.base import CellFileError, DrycellError
from drycell.cell import CellSource


def refusal(folder: Path, old: str, new: str) -> str:
    """The error about the cell file after one replacement."""
    file = folder / "cell.yaml"
    text = file.read_text()
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new))
    with pytest.raises(CellFileError) as caught:
        CellSource.find(file).build()
    return str(caught.value).replace(f"{folder}/", "")


def test_a_cell_file_is_loaded_and_run(on_disk: Path) -> None:
    cell = CellSource.find(on_disk).build()
    assert cell.name == "touch down"
    block = cell.world.body("block")
    # The table's top is at z = 0 and its middle at x = 500 mm.
    assert block.pose.position == pytest.approx((0.45, -0.22, 0.025))
    result = cell.run()
    assert result.clean
    assert block.parent is cell.world.body("table")
    # It is grasped 25 mm below its top and released with the tool at 46 mm: it falls 46 − 25 = 21 mm onto the table.
    assert block.pose.position == pytest.approx((0.45, 0.22, 0.025), abs=1e-4)
    assert cell.kernel.signals["done"].value is True


def test_the_same_cell_built_in_python_writes_the_same_journal(on_disk: Path) -> None:
    (on_disk / "cell.py").write_text(
        "from drycell import Body, Box, Cylinder, Pose, Robot, Workpoint, deg, mm\n"
        "import importlib.util, pathlib\n"
        "spec = importlib.util.spec_from_file_location('place', pathlib.Path(__file__).parent / 'place.py')\n"
        "program = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(program)\n"
        "def build(cell):\n"
        "    cell.add('table', Body(Box(700*mm, 800*mm, 40*mm), material='aluminium', at=(500*mm, 0, -20*mm)))\n"
        "    cell.add('block', Body(Box(60*mm, 40*mm, 50*mm), material='beech', on='table', at=(-50*mm, -220*mm)))\n"
        "    cell.add('post', Body(Cylinder(15*mm, 110*mm), material='brass', on='table', at=(-2*mm, 0), part=False))\n"
        "    cell.add('arm', Robot('ur5-like', gripper='two-finger'))\n"
        "    cell.add('goal', Workpoint(on='table', at=Pose.of_rpy(180*deg, 0, 0, (-50*mm, 220*mm, 46*mm))))\n"
        "    cell.signal('done', False)\n"
        "    cell.check_collisions(clearance=5*mm)\n"
        "    cell.program(program.place)\n"
    )
    by_file = CellSource.find(on_disk / "cell.yaml").build().run()
    by_python = CellSource.find(on_disk / "cell.py").build().run()
    assert by_file.journal_hash == by_python.journal_hash
    assert by_file.summary() == by_python.summary()


def test_plain_values_reach_the_program(on_disk: Path) -> None:
    file = on_disk / "cell.yaml"
    file.write_text(file.read_text().replace("{file: place.py}", "{file: place.py, args: {high: 90}}"))
    result = CellSource.find(on_disk).build().run()
    targets = [move.target for move in result.moves["arm"]]
    assert "90.0 mm before goal" in targets


def test_bodies_may_be_attached_to_robots_that_stand_on_bodies(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text(
        "bodies:\n"
        "  bracket/camera: {shape: {box: [10 mm, 10 mm, 10 mm]}, parent: bracket}\n"
        "  bracket: {shape: {box: [50 mm, 50 mm, 10 mm]}, parent: arm/flange, at: [0, 0, 5 mm]}\n"
        "  pedestal: {shape: {box: [200 mm, 200 mm, 400 mm]}, at: [0, 0, 200 mm]}\n"
        "robots:\n"
        "  arm: {model: scara, on: pedestal}\n"
    )
    cell = CellSource.find(tmp_path).build()
    arm = cell.robots["arm"]
    assert arm.base.pose.z == pytest.approx(0.4)
    assert cell.world.body("bracket").parent is arm.flange
    assert cell.world.body("bracket/camera").parent is cell.world.body("bracket")


def test_a_merged_body_is_one_solid_less_its_holes(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text(
        "bodies:\n"
        "  plate:\n"
        "    shape: {box: [100 mm, 100 mm, 10 mm]}\n"
        "    merge: true\n"
        "    children:\n"
        "      bore: {shape: {box: [20 mm, 20 mm, 20 mm]}, hole: true}\n"
    )
    cell = CellSource.find(tmp_path).build()
    shape = cell.world.body("plate").shape
    assert shape is not None
    assert shape.volume == pytest.approx(0.1 * 0.1 * 0.01 - 0.02 * 0.02 * 0.01)
    with pytest.raises(DrycellError, match="'plate/bore' is merged into 'plate'"):
        cell.world.body("plate/bore")


# ---------------------------------------------------------------- mistakes


def test_an_unknown_robot_is_named_with_line_and_field(on_disk: Path) -> None:
    assert refusal(on_disk, "ur5-like", "ur5like") == (
        "cell.yaml:21:8: robots.arm: there is no robot 'ur5like'\n"
        "  at cell.yaml, line 21\n"
        "  try: did you mean 'ur5-like' or 'ur5e' or 'ur5'?"
    )


def test_an_unknown_controller_is_named_with_line_and_field(on_disk: Path) -> None:
    said = refusal(on_disk, "gripper: two-finger", "gripper: two-finger, controller: standart")
    assert said.splitlines()[0].endswith("robots.arm.controller: there is no such motion controller")
    assert said.splitlines()[0].startswith("cell.yaml:21:")
    assert said.endswith("try: did you mean 'standard'?")


def test_an_unknown_material_is_named_with_line_and_field(on_disk: Path) -> None:
    said = refusal(on_disk, "material: beech", "material: beach")
    assert said.splitlines()[0] == "cell.yaml:8:5: bodies.block: there is no material 'beach'"
    assert said.endswith("try: did you mean 'beech'?")


def test_joints_past_a_limit_are_reported_with_numbers_line_and_field(on_disk: Path) -> None:
    joints = "joints: [0, 0, 400 deg, 0, 0, 0]"
    said = refusal(on_disk, "gripper: two-finger", f"gripper: two-finger, {joints}")
    assert said.splitlines()[0].startswith("cell.yaml:21:8: robots.arm: arm/elbow is past its limit: 400.0 deg is not ")


def test_a_joint_in_the_wrong_unit_is_reported_with_line_and_field(on_disk: Path) -> None:
    said = refusal(on_disk, "gripper: two-finger", "gripper: two-finger, joints: [0, 0, 40 mm, 0, 0, 0]")
    assert said.splitlines()[0].startswith(
        "cell.yaml:21:62: robots.arm.joints[2]: joint 'elbow' needs an angle, not a length"
    )


def test_too_few_joints_are_reported_with_line_and_field(on_disk: Path) -> None:
    said = refusal(on_disk, "gripper: two-finger", "gripper: two-finger, joints: [0, 0]")
    assert said.splitlines()[0].startswith("cell.yaml:21:8: robots.arm: ")
    assert "6" in said


def test_error_for_a_missing_program_file_suggests_the_nearest(on_disk: Path) -> None:
    assert refusal(on_disk, "place.py", "palce.py") == (
        "cell.yaml:25:17: programs.place.file: there is no file 'palce.py'\n"
        "  at cell.yaml, line 25\n"
        "  try: did you mean 'place.py'?"
    )


def test_error_for_an_unknown_function_suggests_the_nearest(on_disk: Path) -> None:
    said = refusal(on_disk, "{file: place.py}", "{file: place.py, function: plaec}")
    assert said.splitlines()[0] == "cell.yaml:25:10: programs.place: there is no function in place.py 'plaec'"
    assert said.endswith("try: did you mean 'place'?")


def test_a_program_file_that_cannot_be_read_names_both_places(on_disk: Path) -> None:
    (on_disk / "place.py").write_text("def place(arm):\n    arm.pick(\n")
    said = refusal(on_disk, "touch down", "touch")
    assert said.splitlines()[0].startswith("cell.yaml:25:10: programs.place: ")
    assert "place.py:2" in said


def test_a_program_file_that_fails_names_both_places(on_disk: Path) -> None:
    (on_disk / "place.py").write_text("import drycell\n\nfrom drycell import millimetre\n")
    said = refusal(on_disk, "touch down", "touch")
    assert said.splitlines()[0].startswith("cell.yaml:25:10: programs.place: ImportError while reading place.py: ")
    assert "place.py:3" in said


def test_a_rule_with_an_unknown_link_is_reported(on_disk: Path) -> None:
    said = refusal(on_disk, "{clearance: 5 mm}", "{clearance: 5 mm, allowed: [[arm/elbo, table]]}")
    assert said.splitlines()[0].startswith("cell.yaml:27:")
    assert "checks.collision: there is no body 'arm/elbo'" in said


def test_a_workpoint_on_an_unknown_link_is_reported(on_disk: Path) -> None:
    said = refusal(on_disk, "goal: {on: table,", "goal: {on: arm/flang,")
    assert said.splitlines()[0] == "cell.yaml:19:9: workpoints.goal: there is no body 'arm/flang'"
    assert said.endswith("try: did you mean 'arm/flange' or 'arm/forearm'?")


def test_error_for_a_missing_mesh_file_names_the_field(on_disk: Path) -> None:
    said = refusal(on_disk, "box: [60 mm, 40 mm, 50 mm]", "mesh: {file: block.stl, units: mm}")
    assert said.splitlines()[0].startswith("cell.yaml:8:")
    assert "bodies.block.shape.mesh.file: the file 'block.stl' does not exist" in said
