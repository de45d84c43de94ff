"""What is saved reads back as the same cell; what is broken raises CellFileError and nothing else."""

import os
from pathlib import Path

import pytest
from drycell.cell.file import (
    BodySpec,
    CapsuleSpec,
    CellFile,
    ChecksSpec,
    ConeSpec,
    CrashSpec,
    CylinderSpec,
    MeshSpec,
    PrismSpec,
    ProgramSpec,
    RobotSpec,
    RunSpec,
    ShapeSpec,
    SphereSpec,
    ToolSpec,
    WorkpointSpec,
    cell_file_text,
    load_cell_file,
    read_cell_file,
    save_cell_file,
)
from drycell.fields import JointValue
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drycell.errors import CellFileError
from drycell.units import deg, mm

quick = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])

numbers = st.floats(allow_nan=False, allow_infinity=False)
lengths = st.integers(-2000, 2000).map(lambda n: n * mm) | numbers
sizes = st.integers(1, 2000).map(lambda n: n * mm) | numbers.filter(lambda x: x > 0)
angles = st.integers(-360, 360).map(lambda n: n * deg) | numbers
positions = st.tuples(lengths, lengths, lengths)
turns = st.tuples(angles, angles, angles)
names = st.from_regex(r"[a-zäß][a-z0-9_.-]{0,8}(/[a-z][a-z0-9]{0,3})?", fullmatch=True)
files = st.text(min_size=1).filter(lambda text: text.strip() and "\0" not in text)
scalars = st.booleans() | st.integers(-(10**17), 10**17) | numbers | st.text()
joints = st.one_of(
    st.builds(JointValue, angles, st.just("angle")),
    st.builds(JointValue, lengths, st.just("length")),
    st.just(JointValue(0.0)),
)


def optional(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | strategy


shapes = st.one_of(
    st.builds(ShapeSpec, box=st.tuples(sizes, sizes, sizes)),
    st.builds(ShapeSpec, cylinder=st.builds(CylinderSpec, radius=sizes, length=sizes)),
    st.builds(ShapeSpec, cone=st.builds(ConeSpec, radius=sizes, length=sizes, top_radius=sizes | st.just(0.0))),
    st.builds(ShapeSpec, sphere=st.builds(SphereSpec, radius=sizes)),
    st.builds(ShapeSpec, capsule=st.builds(CapsuleSpec, radius=sizes, length=sizes)),
    st.builds(
        ShapeSpec,
        prism=st.builds(
            PrismSpec, outline=st.lists(st.tuples(lengths, lengths), min_size=3, max_size=12).map(tuple), length=sizes
        ),
    ),
    st.builds(ShapeSpec, mesh=st.builds(MeshSpec, file=files, units=st.sampled_from(["m", "mm", "cm", "um", "in"]))),
)


def bodies(children: st.SearchStrategy[dict[str, BodySpec]]) -> st.SearchStrategy[BodySpec]:
    return st.builds(
        BodySpec, at=positions, rpy=turns, shape=optional(shapes), material=names, part=optional(st.booleans()),
        merge=st.booleans(), children=children,
    )  # fmt: skip


nested = st.recursive(
    st.just({}), lambda inner: st.dictionaries(names.filter(lambda name: "/" not in name), bodies(inner), max_size=2)
)


@st.composite
def cell_files(draw: st.DrawFn) -> CellFile:
    """Any cell file that makes sense: names exist, nothing hangs on itself."""
    robot_names = ["arm", "gantry"][: draw(st.integers(0, 2))]
    body_names = [f"body{n}" for n in range(draw(st.integers(0, 3)))]
    things = [*body_names, *(f"{robot}/flange" for robot in robot_names)]
    here = st.sampled_from(things) if things else st.none()
    specs: dict[str, BodySpec] = {}
    for index, name in enumerate(body_names):
        body = draw(bodies(nested))
        carriers = [*body_names[:index], *(f"{robot}/link" for robot in robot_names)]
        choice = draw(st.sampled_from(["parent", "on", ""])) if carriers else ""
        if choice:
            body = BodySpec(**{**vars(body), choice: draw(st.sampled_from(carriers))})
        specs[name] = body
    pairs = st.lists(st.tuples(here, here), max_size=3).map(tuple) if things else st.just(())
    triples = st.lists(st.tuples(here, here, sizes), max_size=2).map(tuple) if things else st.just(())
    chosen = {"pairs": optional(pairs)} if draw(st.booleans()) else {}
    crash = st.builds(
        CrashSpec,
        allowed=pairs,
        near_misses=triples,
        near_miss=sizes | st.just(0.0),
        cycle=optional(sizes),
        stop=st.booleans(),
        **chosen,
    )
    robots = st.builds(
        RobotSpec, at=positions, rpy=turns, model=names, gripper=optional(names), controller=optional(names),
        tool=optional(st.builds(ToolSpec, at=positions, rpy=turns)),
        joints=optional(st.lists(joints, max_size=7).map(tuple)),
    )  # fmt: skip
    return CellFile(
        name=draw(st.text()),
        description=draw(st.text()),
        bodies=specs,
        workpoints=draw(st.dictionaries(names, st.builds(WorkpointSpec, at=positions, rpy=turns, on=here), max_size=2)),
        robots={name: draw(robots) for name in robot_names},
        signals=draw(st.dictionaries(names, scalars, max_size=3)),
        programs=draw(
            st.dictionaries(
                names,
                st.builds(
                    ProgramSpec,
                    file=files,
                    function=optional(names),
                    args=st.dictionaries(names, scalars | st.lists(scalars, max_size=3).map(tuple), max_size=2),
                    daemon=st.booleans(),
                    priority=st.integers(-9, 9),
                ),
                max_size=2,
            )
        ),
        checks=ChecksSpec(crash=draw(optional(crash))),
        run=draw(st.builds(RunSpec, until=optional(sizes), seed=st.integers(0, 2**31), pace=optional(sizes))),
    )


@quick
@given(cell_files())
def test_a_saved_cell_reads_back_as_the_same_cell(cell: CellFile) -> None:
    text = cell_file_text(cell)
    assert read_cell_file(text) == cell
    assert cell_file_text(read_cell_file(text)) == text


SAMPLE = b"""\
name: touch down
bodies:
  table: {shape: {box: [600 mm, 400 mm, 20 mm]}, at: [0, 0, -10 mm]}
  block:
    shape: {prism: {outline: [[0, 0], [9 mm, 0], [0, 9 mm]], length: 30 mm}}
    on: table
    rpy: [0 deg, 0 deg, 90 deg]   # turned
workpoints: {pick: {on: &it block, at: [1 mm, 2 mm]}}
robots:
  arm: {model: "ur5-like", joints: [0, -90 deg, 10 mm]}
signals: {ready: false, level: 1.5e3, kind: 'tall'}
programs:
  robot:
    file: tend.py
    args:
      text: |
        two
        lines
      part: *it
checks: {crash: {allowed: [[arm, block]], near_miss: 5 mm}}
run: {until: 1 min, seed: 7}
"""

pieces = st.sampled_from(
    [b"", b" ", b"\n", b"  ", b":", b"- ", b"[", b"]", b"{", b"}", b"&a ", b"*a", b"*it", b"!!set ", b"|\n", b">", b"'",
     b'"', b"#", b"%", b"? ", b"---\n", b"\t", b"\0", b"\xff", b"\xc3\xa4", b"\xef\xbb\xbf", b"null", b"true", b"-1",
     b"1e999", b"nan mm", b"<<: *it", b"\\U0011FFFF", b"9" * 30, b"children: {a: {}}", b"parent: block", b"on: on"]
) | st.binary(max_size=3)  # fmt: skip


def only_cell_file_errors(path: Path, data: bytes) -> None:
    """Fails by any other exception."""
    path.write_bytes(data)
    try:
        cell = load_cell_file(path)
    except CellFileError as error:
        assert error.what  # noqa: PT017
    else:
        assert read_cell_file(cell_file_text(cell)) == cell


@pytest.mark.parametrize(
    "text",
    ["", " ", "a\n", "a\n\nb\n", "a\n\n", "\n", "a\nb", " a\nb\n", "\x85", "\u2028", "\ufeff", "\x07", "\t", "\r\n",
     "# a", "a: b", "- a", "null", "1", "1.", "1e3", "true", "on", "2020-01-01", "0x1F", "1_000", ".inf", "<<", "*a",
     "&a", "!a", "%a", "'", '"', "x" * 300, "x y " * 100],
)  # fmt: skip
def test_odd_texts_come_back(text: str) -> None:
    program = ProgramSpec(file="f", args={"c": (text,), "d": text})
    cell = CellFile(name=text, description=text, signals={"a": text}, programs={"b": program})
    assert read_cell_file(cell_file_text(cell)) == cell


@settings(max_examples=300)
@given(data=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_random_bytes_raise_nothing_but_cell_file_errors(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    only_cell_file_errors(tmp_path_factory.getbasetemp() / "random.yaml", data)


@settings(max_examples=300)
@given(data=st.data())
def test_mutations_of_a_good_file_raise_nothing_but_cell_file_errors(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = SAMPLE
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 12, len(text))))
        text = text[:start] + data.draw(pieces) + text[end:]
    only_cell_file_errors(tmp_path_factory.getbasetemp() / "mutated.yaml", text)


def test_the_sample_itself_is_good() -> None:
    assert read_cell_file(SAMPLE.decode()).programs["robot"].args == {"text": "two\nlines\n", "part": "block"}


def test_saving_writes_units_leaves_out_defaults_and_keeps_small_things_on_a_line() -> None:
    cell = CellFile(
        name="touch down",
        bodies={
            "table": BodySpec(shape=ShapeSpec(box=(600 * mm, 400 * mm, 20 * mm)), at=(0.0, 0.0, -10 * mm)),
            "block": BodySpec(
                shape=ShapeSpec(sphere=SphereSpec(radius=0.1 + 0.2)), on="table", rpy=(0.0, 0.0, 90 * deg)
            ),
        },
        robots={"arm": RobotSpec(model="ur5-like", joints=(JointValue(0.0), JointValue(-90 * deg, "angle")))},
        signals={"ready": False, "name": "true"},
        run=RunSpec(until=8 * 3600.0, pace=2.0),
    )
    assert (
        cell_file_text(cell)
        == """\
format: 1
name: touch down
bodies:
  table:
    shape: {box: [600 mm, 400 mm, 20 mm]}
    at: [0 mm, 0 mm, -10 mm]
  block:
    shape: {sphere: {radius: 0.30000000000000004 m}}
    on: table
    rpy: [0 deg, 0 deg, 90 deg]
robots:
  arm:
    model: ur5-like
    joints: [0, -90 deg]
signals:
  ready: false
  name: 'true'
run:
  until: 8 h
  pace: 2.0
"""
    )


def test_saving_elsewhere_keeps_file_names_pointing_to_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "cells").mkdir()
    (tmp_path / "copies").mkdir()
    (tmp_path / "cells" / "cell.yaml").write_text(
        "bodies: {a: {shape: {mesh: {file: meshes/a.stl, units: mm}}}}\n"
        "programs: {robot: {file: ../shared/tend.py}, other: {file: /opt/cell/other.py}}\n"
    )
    save_cell_file(load_cell_file(tmp_path / "cells"), tmp_path / "copies" / "cell.yaml")
    copy = load_cell_file(tmp_path / "copies")
    shape = copy.bodies["a"].shape
    assert shape is not None
    assert shape.mesh == MeshSpec(file="../cells/meshes/a.stl", units="mm")
    assert copy.programs["robot"].file == "../shared/tend.py"
    assert copy.programs["other"].file == "/opt/cell/other.py"


def test_what_cannot_be_saved_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "cell.yaml"
    save_cell_file(CellFile(name="old"), path)
    before = path.read_bytes()
    with pytest.raises(CellFileError, match="there is no body or robot 'tabel'"):
        save_cell_file(CellFile(bodies={"block": BodySpec(on="tabel")}), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["cell.yaml"]


def test_a_failure_while_writing_leaves_the_old_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cell.yaml"
    save_cell_file(CellFile(name="old"), path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(CellFileError, match=r"cell.yaml' cannot be written: No space left on device"):
        save_cell_file(CellFile(name="new"), path)
    assert load_cell_file(path).name == "old"
    assert os.listdir(tmp_path) == ["cell.yaml"]


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CellFileError, match="cannot be written: "):
        save_cell_file(CellFile(), tmp_path / "file" / "cell.yaml")
