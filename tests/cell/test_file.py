"""Cell files are read into SI values, and every mistake is reported with file, line, field and what to try."""

import math
from pathlib import Path

import pytest

from drycell.base import Amount, CellFileError, Mistake, Pose, deg, mm
from drycell.cell import Cell, Model
from drycell.geometry import Box, Cylinder

WHOLE = """\
name: touch down
description: An arm moves a block over a table.
bodies:
  table:
    shape: {box: [600 mm, 400 mm, 20 mm]}
    material: steel
    at: [0, 0, -10 mm]
    merge: true
    children:
      slot: {shape: {cylinder: {radius: 5 mm, length: 30 mm}}, hole: true, at: [100 mm, 0 mm]}
  camera: {parent: arm/flange, shape: {sphere: 20 mm}}
  block:
    shape: {box: [40 mm, 40 mm, 30 mm]}
    part: true
    material: beech
    on: pallet
    at: [100 mm, 50 mm]
    rpy: [0 deg, 0 deg, 90 deg]
  pallet: {on: table, shape: {mesh: {file: pallet.stl, units: mm}}}
workpoints:
  pick: {on: block, at: [0 mm, 0 mm, 15 mm], rpy: [180 deg, 0, 0]}
robots:
  arm:
    model: ur5-like
    gripper: two-finger
    controller: independent
    at: [-300 mm, 0 mm, 0 mm]
    tool: {at: [0 mm, 0 mm, 120 mm]}
    joints: [0, -90 deg, 90 deg, 10 mm]
signals: {machine1.ready: false, level: 1.5, count: 3, kind: tall}
programs:
  robot: {file: tend.py, function: tend, args: {count: 3, names: [a, b]}, priority: 1}
checks:
  collision: {everything_but: [camera], allowed: [[arm, block]], clearance: 5 mm, cycle: 1 ms, stop: true}
run: {until: 1 min, seed: 7, pace: 0.5}
"""


def test_a_whole_file_reads_as_si_values() -> None:
    model = Model.read(WHOLE)
    table, block, arm = (model.things[name] for name in ("table", "block", "arm"))
    assert model.head.name == "touch down"
    assert table.shape == Box(600 * mm, 400 * mm, 20 * mm)
    assert table.at == (0.0, 0.0, -10 * mm)
    assert table.children["slot"].shape == Cylinder(5 * mm, 30 * mm)
    assert table.children["slot"].hole
    assert block.pose == Pose.of_rpy(0.0, 0.0, 90 * deg, at=(100 * mm, 50 * mm, 0.0))
    assert model.things["pick"].rpy == (math.pi, 0.0, 0.0)
    assert arm.tool.at == (0.0, 0.0, 120 * mm)
    assert arm.joints == (0.0, -90 * deg, 90 * deg, 10 * mm)
    assert [joint.dimension for joint in arm.joints if isinstance(joint, Amount)] == [None, "angle", "angle", "length"]
    assert model.head.signals == {"machine1.ready": False, "level": 1.5, "count": 3, "kind": "tall"}
    assert model.things["robot"].args == {"count": 3, "names": ("a", "b")}
    collision = model.head.checks.collision
    assert collision is not None
    assert (collision.clearance, collision.cycle, collision.stop) == (5 * mm, 1e-3, True)
    assert (model.head.run.until, model.head.run.seed, model.head.run.pace) == (60.0, 7, 0.5)


def test_things_are_built_after_their_carriers() -> None:
    order = [entry.name for entry in Model.read(WHOLE).in_order()]
    assert order == ["table", "table/slot", "pallet", "block", "arm", "camera", "pick", "robot"]


def test_a_body_on_another_one_is_a_part_unless_the_file_says_otherwise() -> None:
    box = "shape: {box: [1 mm, 1 mm, 1 mm]}"
    text = f"bodies: {{a: {{{box}}}, b: {{{box}, on: a}}, c: {{{box}, on: a, part: false}}, d: {{part: true}}}}"
    cell = Cell(Model.read(text))
    assert {name: body.part for name, body in cell.world.bodies.items()} == {
        "a": False,
        "b": True,
        "c": False,
        "d": True,
    }


def test_a_file_with_only_a_name_has_defaults() -> None:
    assert Model.read("name: x\nbodies:\nrun:\n") == Cell("x").model


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "robots:\n  arm:\n    model: ur5-like\n    at: [300, 0, 0]",
            "cell.yaml:4:10: robots.arm.at[0]: '300' has no unit, but a length needs one\n"
            "  at cell.yaml, line 4\n"
            "  try: write for example '150 mm'",
        ),
        (
            "run: {until: 90 deg}",
            "cell.yaml:1:14: run.until: '90 deg' is not a time\n"
            "  at cell.yaml, line 1\n"
            "  try: write for example '2.5 s'",
        ),
        (
            "bodies:\n  table: {shape: {box: [600 mm, 0 mm, 20 mm]}}",
            "cell.yaml:2:33: bodies.table.shape.box[1]: '0 mm' must be above 0\n"
            "  at cell.yaml, line 2\n"
            "  try: write for example '150 mm'",
        ),
        (
            "bodies:\n  table: {shape: {box: [600 mm, 20 mm]}}",
            "cell.yaml:2:24: bodies.table.shape.box: expected a list of 3, got a list of 2\n"
            "  at cell.yaml, line 2\n"
            "  try: write [x, y, z]",
        ),
        (
            "bodies:\n  table:\n    shap: {}",
            "cell.yaml:3:5: bodies.table.shap: there is no such field\n"
            "  at cell.yaml, line 3\n"
            "  try: did you mean 'shape'?",
        ),
        (
            "name: x\nrobot: {}",
            "cell.yaml:2:1: robot: there is no such field\n  at cell.yaml, line 2\n  try: did you mean 'robots'?",
        ),
        (
            "bodies:\n  a: {shape: {mesh: {file: a.stl}}}",
            "cell.yaml:2:15: bodies.a.shape.mesh.units: this field must be given\n"
            "  at cell.yaml, line 2\n"
            "  try: add 'units: …'",
        ),
        (
            "bodies:\n  a: {shape: {mesh: {file: a.stl, units: km}}}",
            "cell.yaml:2:42: bodies.a.shape.mesh.units: "
            "expected 'm', 'mm', 'cm', 'um', 'in' or 'file', got 'km'\n"
            "  at cell.yaml, line 2\n"
            "  try: write 'm', 'mm', 'cm', 'um', 'in' or 'file'",
        ),
        (
            "bodies:\n  a: {part: yes}",
            "cell.yaml:2:13: bodies.a.part: expected true or false, got 'yes'\n"
            "  at cell.yaml, line 2\n"
            "  try: write true or false, without quotes",
        ),
        (
            "bodies:\n  a:\n  b: {}",
            "cell.yaml:2:3: bodies.a: expected a mapping of fields, got an empty value\n"
            "  at cell.yaml, line 2\n"
            "  try: write 'field: value' lines below it, or {} for all defaults",
        ),
        (
            "bodies:\n  2nd table: {}",
            "cell.yaml:2:3: bodies.2nd table: '2nd table' is not a valid name\n"
            "  at cell.yaml, line 2\n"
            "  try: start with a letter and use letters, digits, '_', '-' and '.', as in 'arm' or 'mill/fixture'",
        ),
        (
            "run: {seed: 1.5}",
            "cell.yaml:1:13: run.seed: expected a whole number, got 1.5\n"
            "  at cell.yaml, line 1\n"
            "  try: write for example 7",
        ),
        (
            "format: 2",
            "cell.yaml:1:9: format: expected 1, got 2\n  at cell.yaml, line 1\n  try: write 1",
        ),
        (
            "just a text",
            "cell.yaml:1:1: expected a mapping of fields, got 'just a text'\n"
            "  at cell.yaml, line 1\n"
            "  try: write for example 'name: …' and 'bodies: …'",
        ),
    ],
)
def test_a_wrong_field_is_reported_with_its_place_and_what_to_try(text: str, says: str) -> None:
    with pytest.raises(CellFileError) as caught:
        Model.read(text)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        (
            "bodies:\n  table: {}\n  block: {on: tabel}",
            "cell.yaml:3:15: bodies.block.on: there is no body 'tabel'",
            "did you mean 'table'?",
        ),
        (
            "workpoints:\n  pick: {on: block}",
            "cell.yaml:2:14: workpoints.pick.on: there is no body 'block'",
            "there are none yet; define one first",
        ),
        (
            "bodies: {a: {}}\nchecks: {collision: {pairs: [[a, b]]}}",
            "cell.yaml:2:34: checks.collision.pairs[0][1]: there is no body 'b'",
            "choose one of: 'a'",
        ),
        (
            "bodies:\n  a: {parent: b}\n  b: {on: c}\n  c: {parent: arm/flange}\nrobots: {arm: {model: x, parent: a}}",
            "cell.yaml:2:6: bodies.a: 'a' depends on itself: a → b → c → arm → a",
            "remove one of these references",
        ),
        (
            "bodies: {a: {parent: a}}",
            "cell.yaml:1:13: bodies.a: 'a' depends on itself: a → a",
            "remove one of these references",
        ),
        (
            "bodies:\n  a: {shape: {sphere: {radius: 1 mm}, box: [1 mm, 1 mm, 1 mm]}}",
            "cell.yaml:2:14: bodies.a.shape: a shape must have exactly one kind, but has 'sphere' and 'box'",
            "choose one of box, capsule, cone, cylinder, loft, mesh, prism, rod, sphere, taper, beam",
        ),
        (
            "bodies:\n  a: {shape: {prism: {outline: [[1 mm, 0], [0, 1 mm]], length: 5 mm}}}",
            "cell.yaml:2:22: bodies.a.shape.prism: prism: the outline has 2 points, but must have 3 to 2000",
            "give each corner once",
        ),
        (
            "bodies:\n  a: {shape: {cone: {radius: 0, length: 5 mm}}}",
            "cell.yaml:2:21: bodies.a.shape.cone: cone: 'radius' and 'top_radius' are both 0",
            "write for example radius: 10 mm",
        ),
        (
            "bodies:\n  b: {}\n  a: {on: b, parent: b}",
            "cell.yaml:3:11: bodies.a.on: 'on' and 'parent' cannot both be given",
            "'on' places it on top, 'parent' places it relative to the origin of the other: keep one",
        ),
        (
            "bodies:\n  b: {}\n  a: {children: {c: {parent: b}}}",
            "cell.yaml:3:30: bodies.a.children.c.parent: "
            "'c' is nested in another body, so it cannot stand on or be fixed to something else",
            "remove 'parent', or define the body at the top level",
        ),
        (
            "bodies: {t: {}}\ndevices:\n  b: {conveyor: {length: 1 m, width: 1 m, speed: 1 m/s, parent: t}}",
            "cell.yaml:3:57: devices.b.conveyor.parent: there is no such field here",
            "write it beside 'conveyor'",
        ),
        (
            "devices:\n  b: {conveyor: {width: 1 m, speed: 1 m/s, length: 2 m}, length: 1 m}",
            "cell.yaml:2:58: devices.b.length: there is no such field here",
            "write it below 'conveyor'",
        ),
        (
            "signals: {b.run: false}\ndevices:\n  b: {conveyor: {length: 1 m, width: 1 m, speed: 1 m/s}}",
            "cell.yaml:1:18: signals.b.run: there is also a signal 'b.run' of a conveyor 'b'",
            "give each a unique name",
        ),
        (
            "bodies: {a: {children: {b: {}}}, a/b: {}}",
            "cell.yaml:1:39: bodies.a/b: there are two bodies 'a/b'",
            "give each a unique name",
        ),
        (
            "bodies: {arm: {}}\nrobots: {arm: {model: x}}",
            "cell.yaml:2:10: robots.arm: there is also a body 'arm'",
            "give each a unique name",
        ),
        ("bodies: {a: {hole: true}}", "cell.yaml:1:20: bodies.a.hole: a hole needs a shape", "add a shape"),
        (
            "robots: {arm: {}}",
            "cell.yaml:1:15: robots.arm: neither 'model' nor 'file' is given",
            "name a robot of the library as 'model', or a file that describes one as 'file'",
        ),
        (
            "bodies: {a: {}}\nchecks: {collision: {pairs: [], everything_but: [a]}}",
            "cell.yaml:2:49: checks.collision.everything_but: 'pairs' and 'everything_but' cannot both be given",
            "'pairs' lists what to check, 'everything_but' what to skip: keep one",
        ),
    ],
)
def test_a_file_that_contradicts_itself_is_reported_where(text: str, what: str, hint: str) -> None:
    with pytest.raises(CellFileError) as caught:
        Model.read(text)
    assert (caught.value.what, caught.value.hint) == (what, hint)


def test_collision_checks_take_patterns_and_a_distance_for_a_pair() -> None:
    model = Model.read(
        "robots: {arm: {model: x}}\n"
        "checks: {collision: {pairs: [[arm, 'part*']], clearances: [[arm/gripper, 'part?', 2 mm]], everything_but: }}"
    )
    collision = model.head.checks.collision
    assert collision is not None
    assert collision.pairs == (("arm", "part*"),)
    assert collision.clearances == (("arm/gripper", "part?", 2 * mm),)
    assert collision.everything_but is None


def test_a_body_may_be_called_children() -> None:
    model = Model.read("bodies: {children: {parent: table}, table: {}}")
    assert [entry.name for entry in model.in_order()] == ["table", "children"]


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file() -> None:
    text = "run: {until: 5}\nbodies:\n  a: {colour: red}\n  b: {at: [1 mm]}\nrobts: {}\n"
    with pytest.raises(CellFileError) as caught:
        Model.read(text)
    assert str(caught.value) == (
        "cell.yaml has 4 mistakes\n"
        "  cell.yaml:1:14: run.until: '5' has no unit, but a time needs one\n"
        "    try: write for example '2.5 s'\n"
        "  cell.yaml:3:7: bodies.a.colour: there is no such field\n"
        "    try: choose one of: 'at', 'children', 'drawn_as', 'grasps', 'hole', 'keeps', 'legs', 'mass', 'material', "
        "'merge', 'on', 'parent' and 6 more\n"
        "  cell.yaml:4:11: bodies.b.at: expected a list of 3, got a list of 1\n"
        "    try: write for example [100 mm, 50 mm, 0 mm]\n"
        "  cell.yaml:5:1: robts: there is no such field\n"
        "    try: did you mean 'robots'?\n"
        "  at cell.yaml, line 1"
    )
    assert [mistake.line for mistake in caught.value.mistakes] == [1, 3, 4, 5]


def test_a_folder_stands_for_the_cell_file_in_it(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text(WHOLE)
    assert Model.load(tmp_path) == Model.load(str(tmp_path / "cell.yaml")) == Model.read(WHOLE)


def test_a_missing_file_names_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "mill.yaml").write_text("name: x")
    with pytest.raises(CellFileError, match=r"there is no file '.*mil.yaml'\n  try: did you mean 'mill.yaml'?"):
        Model.load(tmp_path / "mil.yaml")


def test_an_invalid_name_is_a_file_error() -> None:
    with pytest.raises(CellFileError, match="cannot be read"):
        Model.load("a\0b")


def test_text_in_another_encoding_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cell.yaml"
    path.write_bytes("name: x\ndescription: Tür\n".encode("latin-1"))
    with pytest.raises(CellFileError) as caught:
        Model.load(path)
    assert caught.value.mistakes == (Mistake("the file is not UTF-8 text", line=2, hint="save the file as UTF-8"),)


def test_a_file_named_in_the_cell_is_found_beside_it_or_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text("programs:\n  robot: {file: tend.py}\n")
    model = Model.load(tmp_path)
    (tmp_path / "tent.py").write_text("raise SystemExit")
    with pytest.raises(CellFileError) as caught:
        Cell(model)
    assert caught.value.what.endswith("cell.yaml:2:17: programs.robot.file: there is no file 'tend.py'")
    assert caught.value.hint == "did you mean 'tent.py'?"
