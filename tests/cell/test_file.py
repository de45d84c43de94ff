"""Cell files are read into SI values, and every mistake is told with file, line, field and what to try."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from drycell.cell.file import (
    CellFile,
    CylinderSpec,
    Section,
    ShapeSpec,
    load_cell_file,
    read_cell_file,
    register_section,
    save_cell_file,
)
from drycell.cell.file import section as section_module

from drycell.errors import CellFileError, Mistake
from drycell.fields import Duration, FileName, JointValue, Name, Size
from drycell.spatial import Pose
from drycell.units import deg, mm, ms

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
  camera: {parent: arm/flange, shape: {sphere: {radius: 20 mm}}}
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
    controller: instant
    at: [-300 mm, 0 mm, 0 mm]
    tool: {at: [0 mm, 0 mm, 120 mm]}
    joints: [0, -90 deg, 90 deg, 10 mm]
signals: {machine1.ready: false, level: 1.5, count: 3, kind: tall}
programs:
  robot: {file: tend.py, function: tend, args: {count: 3, names: [a, b]}, priority: 1}
checks:
  crash: {everything_but: [camera], allowed: [[arm, block]], near_miss: 5 mm, cycle: 1 ms, stop: true}
run: {until: 1 min, seed: 7, pace: 0.5}
"""


@pytest.fixture(autouse=True)
def own_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sections registered in a test are forgotten after it."""
    monkeypatch.setattr(section_module, "_SECTIONS", {})


def test_a_whole_file_reads_as_si_values() -> None:
    cell = read_cell_file(WHOLE)
    assert cell.name == "touch down"
    assert cell.bodies["table"].shape == ShapeSpec(box=(600 * mm, 400 * mm, 20 * mm))
    assert cell.bodies["table"].at == (0.0, 0.0, -10 * mm)
    slot = cell.bodies["table"].children["slot"]
    assert slot.shape is not None
    assert slot.shape.solid == CylinderSpec(radius=5 * mm, length=30 * mm)
    assert slot.hole
    assert cell.bodies["block"].pose == Pose.of_rpy(0.0, 0.0, 90 * deg, at=(100 * mm, 50 * mm, 0.0))
    assert cell.workpoints["pick"].rpy == (math.pi, 0.0, 0.0)
    arm = cell.robots["arm"]
    assert arm.tool is not None
    assert arm.tool.at == (0.0, 0.0, 120 * mm)
    assert arm.joints == (
        JointValue(0.0),
        JointValue(-90 * deg, "angle"),
        JointValue(90 * deg, "angle"),
        JointValue(10 * mm, "length"),
    )
    assert cell.signals == {"machine1.ready": False, "level": 1.5, "count": 3, "kind": "tall"}
    assert cell.programs["robot"].args == {"count": 3, "names": ("a", "b")}
    crash = cell.checks.crash
    assert crash is not None
    assert (crash.near_miss, crash.cycle, crash.stop) == (5 * mm, 1e-3, True)
    assert (cell.run.until, cell.run.seed, cell.run.pace) == (60.0, 7, 0.5)


def test_bodies_come_after_what_carries_them_and_those_on_robots_last() -> None:
    order = [(body.name, body.carrier, body.on_top) for body in read_cell_file(WHOLE).bodies_in_order()]
    assert order == [
        ("table", None, False),
        ("table/slot", "table", False),
        ("pallet", "table", True),
        ("block", "pallet", True),
        ("camera", "arm/flange", False),
    ]


def test_what_stands_on_another_body_is_a_part_unless_the_file_says_otherwise() -> None:
    cell = read_cell_file("bodies: {a: {}, b: {on: a}, c: {on: a, part: false}, d: {part: true}, e: {parent: a}}")
    assert {body.name: body.part for body in cell.flat_bodies()} == {
        "a": False, "b": True, "c": False, "d": True, "e": False,
    }  # fmt: skip


def test_a_file_that_says_nothing_but_its_name_has_defaults() -> None:
    assert read_cell_file("name: x\nbodies:\nrun:\n") == CellFile(name="x")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "robots:\n  arm:\n    model: ur5-like\n    at: [300, 0, 0]",
            "cell.yaml:4:10: robots.arm.at[0]: '300' has no unit, but a length is wanted\n"
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
            "cell.yaml:2:24: bodies.table.shape.box: a list of 3 is wanted, but this is a list of 2\n"
            "  at cell.yaml, line 2\n"
            "  try: write for example [600 mm, 400 mm, 20 mm]",
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
            "'m', 'mm', 'cm', 'um', 'in' or 'file' is wanted, but this is 'km'\n"
            "  at cell.yaml, line 2\n"
            "  try: write 'm', 'mm', 'cm', 'um', 'in' or 'file'",
        ),
        (
            "bodies:\n  a: {part: yes}",
            "cell.yaml:2:13: bodies.a.part: true or false is wanted, but this is 'yes'\n"
            "  at cell.yaml, line 2\n"
            "  try: write true or false, without quotes",
        ),
        (
            "bodies:\n  a:\n  b: {}",
            "cell.yaml:2:3: bodies.a: a mapping of fields is wanted, but this is empty\n"
            "  at cell.yaml, line 2\n"
            "  try: write 'field: value' lines below it, or {} for all defaults",
        ),
        (
            "bodies:\n  2nd table: {}",
            "cell.yaml:2:3: bodies.2nd table: '2nd table' cannot be a name\n"
            "  at cell.yaml, line 2\n"
            "  try: start with a letter and use letters, digits, '_', '-' and '.', as in 'arm' or 'mill/fixture'",
        ),
        (
            "run: {seed: 1.5}",
            "cell.yaml:1:13: run.seed: a whole number is wanted, but this is 1.5\n"
            "  at cell.yaml, line 1\n"
            "  try: write for example 7",
        ),
        (
            "format: 2",
            "cell.yaml:1:9: format: 1 is wanted, but this is 2\n  at cell.yaml, line 1\n  try: write 1",
        ),
        (
            "just a text",
            "cell.yaml:1:1: a cell file is a mapping of fields, but this is 'just a text'\n"
            "  at cell.yaml, line 1\n"
            "  try: write 'name: …', 'bodies: …' and so on",
        ),
    ],
)
def test_a_wrong_field_is_told_with_its_place_and_what_to_try(text: str, says: str) -> None:
    with pytest.raises(CellFileError) as caught:
        read_cell_file(text)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        (
            "bodies:\n  table: {}\n  block: {on: tabel}",
            "cell.yaml:3:15: bodies.block.on: there is no body or robot 'tabel'",
            "did you mean 'table'?",
        ),
        (
            "workpoints:\n  pick: {on: block}",
            "cell.yaml:2:14: workpoints.pick.on: there is no body or robot 'block'",
            "none are defined yet",
        ),
        (
            "bodies: {a: {}}\nchecks: {crash: {pairs: [[a, b]]}}",
            "cell.yaml:2:30: checks.crash.pairs[0][1]: there is no body or robot 'b'",
            "known are 'a'",
        ),
        (
            "bodies:\n  a: {parent: b}\n  b: {on: c}\n  c: {parent: arm/flange}\nrobots: {arm: {model: x, parent: a}}",
            "cell.yaml:2:6: bodies.a: 'a' hangs on itself: a → b → c → arm → a",
            "a tree of bodies has no cycles: let one of them stand free",
        ),
        (
            "bodies: {a: {parent: a}}",
            "cell.yaml:1:13: bodies.a: 'a' hangs on itself: a → a",
            "a tree of bodies has no cycles: let one of them stand free",
        ),
        (
            "bodies:\n  a: {shape: {sphere: {radius: 1 mm}, box: [1 mm, 1 mm, 1 mm]}}",
            "cell.yaml:2:14: bodies.a.shape: a shape is of exactly one kind, but here is 'box' and 'sphere'",
            "choose one of box, cylinder, cone, sphere, capsule, prism, mesh",
        ),
        (
            "bodies:\n  a: {shape: {prism: {outline: [[1 mm, 0], [0, 1 mm]], length: 5 mm}}}",
            "cell.yaml:2:32: bodies.a.shape.prism.outline: an outline has at least 3 corners, but this has 2",
            "add corners, in order around the outline",
        ),
        (
            "bodies:\n  a: {shape: {cone: {radius: 0, length: 5 mm}}}",
            "cell.yaml:2:21: bodies.a.shape.cone: a cone needs a radius at its foot or at its top, but both are 0",
            "write for example 'radius: 10 mm'",
        ),
        (
            "bodies:\n  b: {}\n  a: {on: b, parent: b}",
            "cell.yaml:3:11: bodies.a.on: 'on' and 'parent' cannot both be given",
            "'on' stands it on top, 'parent' sees it from the other's origin: keep one",
        ),
        (
            "bodies:\n  b: {}\n  a: {children: {c: {parent: b}}}",
            "cell.yaml:3:30: bodies.a.children.c.parent: 'a/c' is nested in 'a' and cannot hang on something else",
            "leave 'parent' out, or write the body outside",
        ),
        (
            "bodies: {a: {children: {b: {}}}, a/b: {}}",
            "cell.yaml:1:39: bodies.a/b: there are two bodies 'a/b'",
            "give each a name of its own",
        ),
        (
            "bodies: {arm: {}}\nrobots: {arm: {model: x}}",
            "cell.yaml:1:15: bodies.arm: there is also a robot 'arm'",
            "give each a name of its own",
        ),
        ("bodies: {a: {hole: true}}", "cell.yaml:1:20: bodies.a.hole: a hole needs a shape", "give it one"),
        (
            "robots: {arm: {}}",
            "cell.yaml:1:15: robots.arm: neither 'model' nor 'file' is given",
            "name a robot of the library as 'model', or the file that describes one as 'file'",
        ),
        (
            "bodies: {a: {}}\nchecks: {crash: {pairs: [], everything_but: [a]}}",
            "cell.yaml:2:45: checks.crash.everything_but: 'pairs' and 'everything_but' cannot both be given",
            "'pairs' names what is checked, 'everything_but' what is not: keep one",
        ),
    ],
)
def test_a_file_that_contradicts_itself_is_told_where(text: str, what: str, hint: str) -> None:
    with pytest.raises(CellFileError) as caught:
        read_cell_file(text)
    assert (caught.value.what, caught.value.hint) == (what, hint)


def test_crash_checks_take_patterns_and_a_distance_for_a_pair() -> None:
    cell = read_cell_file(
        "robots: {arm: {model: x}}\n"
        "checks: {crash: {pairs: [[arm, 'part*']], near_misses: [[arm/gripper, 'part?', 2 mm]], everything_but: }}"
    )
    crash = cell.checks.crash
    assert crash is not None
    assert crash.pairs == (("arm", "part*"),)
    assert crash.near_misses == (("arm/gripper", "part?", 2 * mm),)
    assert crash.everything_but is None


def test_a_body_may_be_called_children() -> None:
    cell = read_cell_file("bodies: {children: {parent: table}, table: {}}")
    assert [body.name for body in cell.bodies_in_order()] == ["table", "children"]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    text = "run: {until: 5}\nbodies:\n  a: {colour: red}\n  b: {at: [1 mm]}\nrobts: {}\n"
    with pytest.raises(CellFileError) as caught:
        read_cell_file(text)
    assert str(caught.value) == (
        "cell.yaml has 4 mistakes\n"
        "  cell.yaml:1:14: run.until: '5' has no unit, but a time is wanted\n"
        "    try: write for example '2.5 s'\n"
        "  cell.yaml:3:7: bodies.a.colour: there is no such field\n"
        "    try: known are 'at', 'children', 'hole', 'material', 'merge', 'on', 'parent', 'part', 'rpy', 'shape'\n"
        "  cell.yaml:4:11: bodies.b.at: a list of 3 is wanted, but this is a list of 1\n"
        "    try: write for example [100 mm, 50 mm, 0 mm]\n"
        "  cell.yaml:5:1: robts: there is no such field\n"
        "    try: did you mean 'robots'?\n"
        "  at cell.yaml, line 1"
    )
    assert [mistake.line for mistake in caught.value.mistakes] == [1, 3, 4, 5]


def test_a_folder_stands_for_the_cell_file_in_it(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text(WHOLE)
    assert load_cell_file(tmp_path) == load_cell_file(str(tmp_path / "cell.yaml")) == read_cell_file(WHOLE)


def test_a_missing_file_names_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "mill.yaml").write_text("name: x")
    with pytest.raises(CellFileError, match=r"there is no file '.*mil.yaml'\n  try: did you mean 'mill.yaml'?"):
        load_cell_file(tmp_path / "mil.yaml")


def test_a_name_no_file_can_have_is_an_error_of_the_file() -> None:
    with pytest.raises(CellFileError, match="cannot be read"):
        load_cell_file("a\0b")


def test_text_in_another_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cell.yaml"
    path.write_bytes("name: x\ndescription: Tür\n".encode("latin-1"))
    with pytest.raises(CellFileError) as caught:
        load_cell_file(path)
    assert caught.value.mistakes == (Mistake("this is not UTF-8 text", line=2, hint="save the file as UTF-8"),)


def test_a_file_named_in_the_cell_is_found_beside_it_or_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "cell.yaml").write_text("programs:\n  robot: {file: tend.py}\n")
    cell = load_cell_file(tmp_path)
    (tmp_path / "tent.py").write_text("raise SystemExit")
    with pytest.raises(CellFileError) as caught:
        cell.locate("tend.py", "programs", "robot", "file")
    assert caught.value.what.endswith("cell.yaml:2:17: programs.robot.file: there is no file 'tend.py'")
    assert caught.value.hint == "did you mean 'tent.py'?"
    assert cell.locate("tent.py") == tmp_path / "tent.py"


# ---------------------------------------------------------------- sections of other packages


@dataclass(frozen=True, kw_only=True)
class Eye:
    """A section entry as another package would write it."""

    __pydantic_config__: ClassVar[dict[str, object]] = {"extra": "forbid"}
    on: Name
    beam: Size
    every: Duration = 0.1
    table: FileName | None = None


def on_a_body(cell: CellFile) -> Iterator[Mistake]:
    eyes: dict[str, Eye] = cell.sections["eyes"]  # type: ignore[assignment]
    for name, eye in eyes.items():
        if eye.on not in cell.bodies:
            yield cell.mistake(("eyes", name, "on"), f"there is no body {eye.on!r}")


EYES = Section("eyes", dict[Name, Eye], on_a_body)


def test_a_registered_section_is_read_checked_and_saved_like_any_other(tmp_path: Path) -> None:
    register_section(EYES)
    register_section(EYES)
    text = "bodies: {belt: {}}\neyes:\n  gate: {on: belt, beam: 300 mm, every: 350 ms, table: eye.csv}\n"
    cell = read_cell_file(text, tmp_path / "cell.yaml")
    assert cell.sections["eyes"] == {"gate": Eye(on="belt", beam=300 * mm, every=350 * ms, table="eye.csv")}
    save_cell_file(cell, tmp_path / "saved.yaml")
    assert load_cell_file(tmp_path / "saved.yaml") == cell
    (tmp_path / "below").mkdir()
    save_cell_file(cell, tmp_path / "below" / "cell.yaml")
    moved = load_cell_file(tmp_path / "below").sections["eyes"]
    assert moved == {"gate": Eye(on="belt", beam=300 * mm, every=350 * ms, table="../eye.csv")}
    for wrong, says in [
        ("eyes: {gate: {on: belt, bean: 3 mm}}", "cell.yaml:1:25: eyes.gate.bean: there is no such field"),
        (
            "eyes: {gate: {on: belt, beam: 3}}",
            "cell.yaml:1:31: eyes.gate.beam: '3' has no unit, but a length is wanted",
        ),
        ("eyes: {gate: {on: belt, beam: 3 mm}}", "cell.yaml:1:19: eyes.gate.on: there is no body 'belt'"),
    ]:
        with pytest.raises(CellFileError) as caught:
            read_cell_file(wrong)
        assert says in str(caught.value)


def test_a_section_cannot_take_the_name_of_another() -> None:
    register_section(EYES)
    for name in ("bodies", "eyes"):
        with pytest.raises(CellFileError, match=f"a cell file already has a section '{name}'"):
            register_section(Section(name, dict[Name, Name]))


def test_a_section_nobody_registered_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(CellFileError, match="the section 'eyes' is not registered"):
        save_cell_file(CellFile(sections={"eyes": {}}), tmp_path / "cell.yaml")
    assert list(tmp_path.iterdir()) == []
