"""Sensors in cell files: by library name, from a file, or described in full; read, run and written back."""

from dataclasses import replace
from pathlib import Path

import pytest

from drycell import Body, Box, Cell, Sensor, deg, delay, mm, ms
from drycell.base import CellFileError
from drycell.cell import Model
from drycell.sensors import load_sensor, sensor_names

TOUR = """\
name: tour
bodies:
  table: {shape: {box: [2 m, 2 m, 20 mm]}, at: [0, 0, -10 mm]}
robots:
  arm: {model: ur5-like}
sensors:
  height:
    type: range                   # or proximity
    on: arm/flange
    volume: {beam: {length: 500 mm, half_angle: 8 deg}}
    trace_lines: {count: 5, spread: 6 deg}
    reflects_below: 40 deg        # beyond that the echo is lost
    every: 350 ms
    output: {kind: integer, from: [0 mm, 500 mm], to: [0, 255], default: 255}
    noise: {sigma: 0.8 mm}
    faults: [{dropout: 0.5 %}]
"""

ROOM = """\
name: room
bodies:
  wall: {shape: {box: [100 mm, 2 m, 2 m]}, at: [1050 mm, 0]}
"""
AHEAD = "at: [0, 0, 0], rpy: [0, 90 deg, 0]"  # z of the sensor points to the wall


def cell_of(text: str) -> Cell:
    return Cell(Model.read(text))


def test_the_sensor_of_the_tour_loads_and_runs() -> None:
    cell = cell_of(TOUR)
    height = cell.sensors["height"]
    seen = []

    @cell.program
    def watch(height) -> None:  # type: ignore[no-untyped-def]
        for _ in range(20):
            delay(350 * ms)
            seen.append(height.value)

    cell.run()
    assert height.body.parent is not None
    assert height.body.parent.name == "arm/flange"
    # The flange is 431.859 mm above the table; the shortest line is the one on the axis: 220.25 of 255.
    assert set(seen) <= {219, 220, 221}
    assert height.samples == 21
    assert height.period == pytest.approx(0.35)


@pytest.mark.parametrize("name", sensor_names())
def test_every_sensor_of_the_library_survives_a_file(name: str, tmp_path: Path) -> None:
    cell = cell_of(f"{ROOM}sensors:\n  eye: {{model: {name}, on: wall, {AHEAD}, ignore: [wall]}}\n")
    assert cell.sensors["eye"].model == load_sensor(name)
    cell.save(tmp_path / "cell.yaml")
    text = (tmp_path / "cell.yaml").read_text()
    assert f"model: {name}" in text
    again = Cell(Model.load(tmp_path))
    assert again.sensors["eye"].model == load_sensor(name)
    assert again.sensors["eye"].mounting == cell.sensors["eye"].mounting
    assert again.sensors["eye"].ignore_names == ("wall",)


@pytest.mark.parametrize("name", sensor_names())
def test_every_sensor_of_the_library_can_be_written_in_full(name: str, tmp_path: Path) -> None:
    cell = Cell()
    cell.add("eye", Sensor(replace(load_sensor(name), name="")))
    cell.save(tmp_path / "cell.yaml")
    again = Cell(Model.load(tmp_path)).sensors["eye"].model
    assert "model:" not in (tmp_path / "cell.yaml").read_text()
    assert again == replace(load_sensor(name), name="")


def test_fields_of_an_entry_change_its_model_and_only_they_are_written(tmp_path: Path) -> None:
    entry = f"{{model: polaroid-6500, {AHEAD}, every: 50 ms, nearest: 0, output: {{unit: mm}}}}"
    cell = cell_of(f"{ROOM}sensors:\n  sonar: {entry}\n")
    sonar = cell.sensors["sonar"].model
    assert (sonar.every, sonar.nearest, sonar.output.unit) == (0.05, 0.0, "mm")
    assert sonar.volumes == load_sensor("polaroid-6500").volumes
    cell.save(tmp_path / "cell.yaml")
    lines = (tmp_path / "cell.yaml").read_text().split("sensors:\n")[1]
    assert lines == (
        "  sonar:\n    model: polaroid-6500\n    rpy: [0, 90 deg, 0]\n    nearest: 0\n    every: 50 ms\n"
        "    output: {unit: mm}\n"
    )


def test_a_sensor_can_be_in_a_separate_file(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "eye.yaml").write_text(
        "sensor: my-eye\ntype: range\ntrace_lines: {count: 1, reach: 3 m}\noutput: {unit: mm}\n"
    )
    (tmp_path / "cell.yaml").write_text(f"{ROOM}sensors:\n  eye: {{file: parts/eye.yaml, {AHEAD}, every: 20 ms}}\n")
    cell = Cell(Model.load(tmp_path))
    cell.run(0.1)
    assert cell.sensors["eye"].value == pytest.approx(1000.0)
    assert cell.sensors["eye"].period == pytest.approx(0.02)


def test_mesh_paths_are_relative_to_the_cell_file_and_stay_correct(tmp_path: Path) -> None:
    from drycell.geometry import Box, save_mesh

    (tmp_path / "parts").mkdir()
    save_mesh(Box(0.1, 0.1, 0.2), tmp_path / "parts" / "space.ply", units="m")
    entry = "{type: proximity, volume: {mesh: {file: parts/space.ply, units: m}}}"
    (tmp_path / "cell.yaml").write_text(f"name: a\nsensors:\n  eye: {entry}\n")
    cell = Cell(Model.load(tmp_path))
    cell.save(tmp_path / "elsewhere" / "cell.yaml")
    assert "../parts/space.ply" in (tmp_path / "elsewhere" / "cell.yaml").read_text()
    again = Cell(Model.load(tmp_path / "elsewhere"))
    assert again.sensors["eye"].model.probe.volumes(1.0)[0][0].volume == pytest.approx(0.002)


def test_a_tool_may_be_attached_to_a_sensor_and_a_sensor_to_that_tool(tmp_path: Path) -> None:
    text = """\
name: wrist
bodies:
  probe: {shape: {cylinder: {radius: 5 mm, length: 60 mm}}, parent: touch, at: [0, 0, 30 mm]}
robots:
  arm: {model: ur5-like}
sensors:
  near: {model: tl-x5, on: probe, at: [0, 0, 30 mm]}
  touch: {model: wrist-force, on: arm/flange, shape: {cylinder: {radius: 30 mm, length: 10 mm}}}
"""
    cell = cell_of(text)
    carrier = {name: body.parent.name for name, body in cell.world.bodies.items() if body.parent is not None}
    assert (carrier["touch"], carrier["probe"], carrier["near"]) == ("arm/flange", "touch", "probe")
    cell.save(tmp_path / "cell.yaml")
    again = Cell(Model.load(tmp_path))
    assert again.sensors["touch"].body.shape == cell.sensors["touch"].body.shape
    assert again.sensors["near"].mounting.position == (0.0, 0.0, 30 * mm)
    assert again.world.body("probe").parent is again.sensors["touch"].body


def test_merging_keeps_the_sensor_on_a_body() -> None:
    cell = cell_of(
        "name: a\nbodies:\n  frame:\n    shape: {box: [100 mm, 100 mm, 10 mm]}\n    merge: true\n    children:\n"
        "      post: {shape: {box: [10 mm, 10 mm, 100 mm]}, at: [0, 0, 50 mm]}\n"
        "sensors:\n  eye: {model: infrared-frank2, on: frame, at: [0, 40 mm, 5 mm]}\n"
    )
    assert cell.sensors["eye"].body.parent is cell.world.body("frame")
    assert "frame/post" not in cell.world.bodies


def test_inactive_sensors_are_read_and_written(tmp_path: Path) -> None:
    cell = cell_of("name: a\nsensors:\n  eye: {model: bumper, active: false}\n")
    assert not cell.sensors["eye"].active
    cell.save(tmp_path / "cell.yaml")
    assert not Cell(Model.load(tmp_path)).sensors["eye"].active


def test_python_and_file_make_the_same_journal(tmp_path: Path) -> None:
    built = Cell("room")
    built.add("wall", Body(Box(100 * mm, 2.0, 2.0), at=(1.05, 0, 0)))
    from drycell.base import Pose

    built.add("sonar", Sensor("hc-sr04", at=Pose.of_rpy(0.0, 90 * deg, 0.0)))
    written = cell_of(f"{ROOM}sensors:\n  sonar: {{model: hc-sr04, {AHEAD}}}\n")
    for cell, name in ((built, "built"), (written, "written")):
        cell.run(2.0, journal=tmp_path / name)
    assert (tmp_path / "built").read_text() == (tmp_path / "written").read_text()
    assert "sonar" in (tmp_path / "built").read_text()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("model: honeywell-924", r"cell\.yaml:3:16: sensors\.eye\.model: unknown sensor 'honeywell-924'"),
        ("on: table, model: bumper", r"cell\.yaml:3:13: sensors\.eye\.on: there is no body 'table'"),
        ("every: 10 ms", r"cell\.yaml:3:8: sensors\.eye: neither 'model', 'file' nor 'type' is given"),
        ("model: bumper, file: a.yaml", r"cell\.yaml:3:30: sensors\.eye\.file: 'model' and 'file' are both given"),
        ("model: bumper, every: 10", r"cell\.yaml:3:31: sensors\.eye\.every: '10' has no unit, but a time needs one"),
        ("model: bumper, evry: 1 s", r"cell\.yaml:3:24: sensors\.eye\.evry: there is no such field"),
        ("type: range", r"cell\.yaml:3:3: sensors\.eye\.volume: a range sensor needs a field of view"),
        (
            "model: bumper, noise: {sigma: 1 mm}",
            r"sensors\.eye\.noise: a contact sensor has no quantity for noise",
        ),
        (
            "model: bumper, shape: {}",
            r"cell\.yaml:3:31: sensors\.eye\.shape: a shape must have exactly one kind, but has none",
        ),
        ("file: eye.yaml", r"sensors\.eye\.file: the file 'eye\.yaml' does not exist"),
        ("model: bumper, faults: [{dropout: 5 mm}]", r"cell\.yaml:3:\d+: sensors\.eye\.faults\[0\]"),
        ("model: bumper, ignore: [tabel]", r"sensors\.eye\.ignore\[0\]: there is no body 'tabel'"),
    ],
)
def test_mistakes_name_file_line_and_field(entry: str, said: str) -> None:
    with pytest.raises(CellFileError, match=said):
        Cell(Model.read(f"name: a\nsensors:\n  eye: {{{entry}}}\n", "cell.yaml"))


def test_a_name_can_be_used_only_once() -> None:
    with pytest.raises(CellFileError, match=r"sensors\.wall: there is also a body 'wall'"):
        cell_of(f"{ROOM}sensors:\n  wall: {{model: bumper}}\n")
    with pytest.raises(CellFileError, match=r"signals\.eye: there is also a signal 'eye' of a sensor 'eye'"):
        cell_of("name: a\nsignals: {eye: false}\nsensors:\n  eye: {model: bumper}\n")
