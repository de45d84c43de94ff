"""A saved cell reads back as the same cell; a broken file raises only CellFileError."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from drycell.base import Amount, CellFileError, Pose, WriteError, deg, mm
from drycell.cell import Body, Cell, Checks, CollisionCheck, Head, Model, Program, Run, Workpoint
from drycell.geometry import Box, Capsule, Compound, Cone, Cylinder, MeshFile, Prism, Sphere, save_mesh
from drycell.robots import Robot, Tool

quick = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])

numbers = st.floats(allow_nan=False, allow_infinity=False)
lengths = st.integers(-2000, 2000).map(lambda n: n * mm) | numbers
sizes = st.integers(1, 2000).map(lambda n: n * mm) | st.floats(1e-6, 1e5)
angles = st.integers(-360, 360).map(lambda n: n * deg) | numbers
positions = st.tuples(lengths, lengths, lengths)
turns = st.tuples(angles, angles, angles)
names = st.from_regex(r"[a-zäß][a-z0-9_.-]{0,8}(/[a-z][a-z0-9]{0,3})?", fullmatch=True)
files = st.text(min_size=1).filter(lambda text: text.strip() and "\0" not in text)
scalars = st.booleans() | st.integers(-(10**17), 10**17) | numbers | st.text()
joints = st.one_of(
    st.builds(Amount, angles, st.just("angle")),
    st.builds(Amount, lengths, st.just("length")),
    st.just(Amount(0.0)),
)


def optional(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | strategy


@st.composite
def prisms(draw: st.DrawFn) -> Prism:
    """A triangle, drawn out."""
    x, y, length = draw(st.tuples(*[st.integers(1, 2000).map(lambda n: n * mm)] * 3))
    return Prism(((0.0, 0.0), (x, 0.0), (0.0, y)), length)


shapes = st.one_of(
    st.builds(Box, sizes, sizes, sizes),
    st.builds(Cylinder, sizes, sizes),
    st.builds(Cone, sizes, sizes, sizes | st.just(0.0)),
    st.builds(Sphere, sizes),
    st.builds(Capsule, sizes, sizes),
    prisms(),
    st.builds(MeshFile, files, st.sampled_from(["m", "mm", "cm", "um", "in"])),
)
children = st.recursive(
    st.none(),
    lambda inner: st.dictionaries(
        names.filter(lambda name: "/" not in name),
        st.builds(Body, optional(shapes), at=positions, rpy=turns, material=names, children=inner),
        min_size=1,
        max_size=2,
    ),
)


signals = names.map(lambda name: f"signal.{name}")


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Any valid cell: all names exist, and nothing is its own parent."""
    robot_names = ["arm", "gantry"][: draw(st.integers(0, 2))]
    body_names = [f"body{n}" for n in range(draw(st.integers(0, 3)))]
    known = [*body_names, *(f"{robot}/flange" for robot in robot_names)]
    here = st.sampled_from(known) if known else st.none()
    things: dict[str, object] = {}
    for index, name in enumerate(body_names):
        carriers = [*body_names[:index], *(f"{robot}/link" for robot in robot_names)]
        field = draw(st.sampled_from(["parent", "on", ""])) if carriers else ""
        things[name] = Body(
            draw(optional(shapes)),
            at=draw(positions),
            rpy=draw(turns),
            material=draw(names),
            part=draw(optional(st.booleans())),
            merge=draw(st.booleans()),
            children=draw(children),
            **({field: draw(st.sampled_from(carriers))} if field else {}),
        )
    for name in robot_names:
        things[name] = Robot(
            draw(names),
            at=draw(positions),
            rpy=draw(turns),
            gripper=draw(optional(names)),
            tool=draw(optional(st.builds(Tool, at=positions, rpy=turns))),
            joints=draw(optional(st.lists(joints, max_size=7).map(tuple))),
        )
    for number in range(draw(st.integers(0, 2))):
        things[f"point{number}"] = Workpoint(at=draw(positions), rpy=draw(turns), on=draw(here))
    for number in range(draw(st.integers(0, 2))):
        args = st.dictionaries(names, scalars | st.lists(scalars, max_size=3).map(tuple), min_size=1, max_size=2)
        things[f"program{number}"] = Program(
            draw(files),
            function=draw(optional(names)),
            args=draw(optional(args)),
            daemon=draw(st.booleans()),
            priority=draw(st.integers(-9, 9)),
        )
    pairs = st.lists(st.tuples(here, here), max_size=3).map(tuple) if known else st.just(())
    triples = st.lists(st.tuples(here, here, sizes), max_size=2).map(tuple) if known else st.just(())
    collision = st.builds(
        CollisionCheck,
        allowed=pairs,
        clearances=triples,
        clearance=sizes | st.just(0.0),
        cycle=optional(sizes),
        stop=st.booleans(),
        pairs=optional(pairs),
    )
    head = Head(
        name=draw(st.text()),
        description=draw(st.text()),
        signals=draw(
            optional(st.dictionaries(names.map(lambda name: f"signal.{name}"), scalars, min_size=1, max_size=3))
        ),
        checks=Checks(collision=draw(optional(collision))),
        run=draw(st.builds(Run, until=optional(sizes), seed=st.integers(0, 2**31), pace=optional(sizes))),
    )
    return Model(head, things)  # type: ignore[arg-type]


@quick
@given(models())
def test_a_saved_cell_reads_back_as_the_same_cell(model: Model) -> None:
    text = model.text()
    assert Model.read(text) == model
    assert Model.read(text).text() == text


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
checks: {collision: {allowed: [[arm, block]], clearance: 5 mm}}
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
        cell = Model.load(path)
    except CellFileError as error:
        assert error.what  # noqa: PT017
    else:
        assert Model.read(cell.text()) == cell


@pytest.mark.parametrize(
    "text",
    ["", " ", "a\n", "a\n\nb\n", "a\n\n", "\n", "a\nb", " a\nb\n", "\x85", "\u2028", "\ufeff", "\x07", "\t", "\r\n",
     "# a", "a: b", "- a", "null", "1", "1.", "1e3", "true", "on", "2020-01-01", "0x1F", "1_000", ".inf", "<<", "*a",
     "&a", "!a", "%a", "'", '"', "x" * 300, "x y " * 100],
)  # fmt: skip
def test_unusual_texts_are_read_back(text: str) -> None:
    program = Program("f", args={"c": (text,), "d": text})
    model = Model(Head(name=text, description=text, signals={"a": text}), {"b": program})
    assert Model.read(model.text()) == model


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


def test_the_sample_file_is_valid() -> None:
    assert Model.read(SAMPLE.decode()).things["robot"].args == {"text": "two\nlines\n", "part": "block"}


def test_saving_writes_units_leaves_out_defaults_and_keeps_small_things_on_a_line() -> None:
    model = Model(
        Head(name="touch down", signals={"ready": False, "name": "true"}, run=Run(until=8 * 3600.0, pace=2.0)),
        {
            "table": Body(Box(600 * mm, 400 * mm, 20 * mm), at=(0.0, 0.0, -10 * mm)),
            "block": Body(Sphere(0.1 + 0.2), on="table", rpy=(0.0, 0.0, 90 * deg)),
            "arm": Robot("ur5-like", joints=(Amount(0.0), Amount(-90 * deg, "angle"))),
        },
    )
    assert (
        model.text()
        == """\
name: touch down
signals:
  ready: false
  name: 'true'
bodies:
  table:
    shape: {box: [600 mm, 400 mm, 20 mm]}
    at: [0, 0, -10 mm]
  block:
    shape: {sphere: 0.30000000000000004 m}
    on: table
    rpy: [0, 0, 90 deg]
robots:
  arm:
    model: ur5-like
    joints: [0, -90 deg]
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
    Model.load(tmp_path / "cells").save(tmp_path / "copies" / "cell.yaml")
    copy = Model.load(tmp_path / "copies").things
    assert copy["a"].shape == MeshFile("../cells/meshes/a.stl", "mm")
    assert copy["robot"].file == "../shared/tend.py"
    assert copy["other"].file == "/opt/cell/other.py"


def test_a_refused_save_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "cell.yaml"
    Model(Head(name="old")).save(path)
    before = path.read_bytes()
    with pytest.raises(CellFileError, match="there is no body 'tabel'"):
        Model(things={"block": Body(on="tabel")}).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["cell.yaml"]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cell.yaml"
    Model(Head(name="old")).save(path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(WriteError, match=r"^cannot write .*cell\.yaml: No space left on device; the file keeps"):
        Model(Head(name="new")).save(path)
    assert Model.load(path).head.name == "old"
    assert os.listdir(tmp_path) == ["cell.yaml"]


def test_a_path_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match=r"^cannot write .*cell\.yaml: (File exists|Not a directory)"):
        Model().save(tmp_path / "file" / "cell.yaml")


def test_saving_meshes_keeps_existing_files_and_reuses_its_own(tmp_path: Path) -> None:
    def lump(size: float) -> Compound:
        return Compound(((Pose(), Box(size, size, size)), (Pose(size, 0, 0), Box(size, size, size))))

    save_mesh(Box(1.0, 1.0, 1.0), tmp_path / "k.ply", units="m")
    (tmp_path / "k-2.ply").write_text("notes")
    cell = Cell(Model(things={"old": Body(MeshFile("k.ply", "m"))}, path=tmp_path / "cell.yaml"))
    cell.add("k", Body(lump(0.1)))
    cell.add("a/b", Body(lump(0.2)))
    cell.add("a-b", Body(lump(0.3)))
    for _ in range(2):
        cell.save(tmp_path)
        model = Model.load(tmp_path)
        shapes = {name: thing.shape.file for name, thing in model.things.items()}
        assert shapes == {"old": "k.ply", "k": "k-3.ply", "a/b": "a-b.ply", "a-b": "a-b-2.ply"}
        assert Cell(model)["old"].shape.volume == pytest.approx(1.0)
        assert Cell(model)["a-b"].shape.volume == pytest.approx(2 * 0.3**3)
    assert (tmp_path / "k-2.ply").read_text() == "notes"


def test_a_mesh_with_this_name_in_the_old_folder_is_not_mistaken_for_the_new_one(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    save_mesh(Box(1.0, 1.0, 1.0), tmp_path / "old" / "k.ply", units="m")
    shape = Compound(((Pose(), Box(0.1, 0.1, 0.1)),))
    body = Body(shape, children={"c": Body(MeshFile("k.ply", "m"))})
    Model(things={"k": body}, path=tmp_path / "old" / "cell.yaml").save(tmp_path / "new")
    saved = Model.load(tmp_path / "new").things["k"]
    assert (saved.shape.file, saved.children["c"].shape.file) == ("k.ply", "../old/k.ply")
