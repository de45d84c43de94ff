"""Sensors, volumes and faults as things: how files write them, what they offer, and custom kinds."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from drycell import Body, Box, Cell, Model, Pose, Sensor, deg, mm, ms
from drycell.base import CellFileError, Describer, FieldError, Kinds, OneOf, Thing, WorldError, fields_of
from drycell.cell import known_kinds
from drycell.cell.model import section_type
from drycell.geometry import Cone, Cylinder, MeshFile, Rod, Sphere, save_mesh
from drycell.kernel import Signal
from drycell.sensors import (
    LIBRARY,
    Beam,
    Directivity,
    Fault,
    LiveSensor,
    Noise,
    Output,
    Piston,
    Row,
    SensorModel,
    StuckOn,
    TimedFault,
    TraceLines,
    Volume,
    load_sensor,
    sensor_names,
)
from drycell.sensors.catalogue import SensorFile
from drycell.sensors.faults import KINDS, Drift, Dropout, Swapped
from drycell.sensors.faults.disturbance import Effect, Replaced


def read(entry: str, kinds: Kinds | None = None) -> Model:
    return Model.read(f"name: a\nsensors:\n  eye: {{{entry}}}\n", "cell.yaml", kinds=kinds)


def mistake(text: str) -> tuple[str, int | None, str, str]:
    with pytest.raises(CellFileError) as caught:
        Cell(Model.read(text))
    (found,) = caught.value.mistakes
    return found.field, found.line, found.what, str(found.hint)


# ---------------------------------------------------------------- volumes


@pytest.mark.parametrize(
    ("written", "shape"),
    [
        ("{beam: {length: 500 mm, half_angle: 8 deg}}", Beam(0.5, 8 * deg)),
        ("{sphere: 5 mm}", Sphere(5 * mm)),
        ("{sphere: {radius: 5 mm}}", Sphere(5 * mm)),
        ("{box: [10 mm, 20 mm, 30 mm]}", Box(10 * mm, 20 * mm, 30 * mm)),
        ("{cone: {radius: 10 mm, length: 20 mm}}", Cone(10 * mm, 20 * mm)),
    ],
)
def test_a_volume_is_written_as_any_shape(written: str, shape: Any) -> None:
    (volume,) = read(f"type: proximity, volume: {written}").things["eye"].volumes
    assert volume == Volume(shape)


def test_the_old_spelling_of_a_beam_is_rejected_with_the_new_one() -> None:
    with pytest.raises(CellFileError) as caught:
        read("type: range, volume: {cone: {length: 1 m, half_angle: 8 deg}}")
    (found,) = caught.value.mistakes
    assert found.field == "sensors.eye.volume.cone.half_angle"
    assert found.hint == "a sensor's beam is written beam: {length: …, half_angle: …}"


@pytest.mark.parametrize(
    ("shape", "lowest", "highest"),
    [
        (Cone(20 * mm, 100 * mm), 0.0, 0.1),
        (Cone(20 * mm, 100 * mm, 40 * mm), 0.0, 0.1),
        (Beam(100 * mm, 30 * deg), 0.0, 0.1),
        (Rod(10 * mm, (0, 0, 50 * mm), (0, 0, 80 * mm)), 0.04, 0.09),  # it says itself where it is
    ],
)
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_a_volume_stands_on_the_sensor_at_any_share_of_its_length(
    shape: Any, lowest: float, highest: float, share: float
) -> None:
    solid, pose = Volume(shape).reaching(share)
    lower, upper = solid.bounds
    assert pose.z + lower[2] == pytest.approx(lowest * share, abs=1e-9)
    assert pose.z + upper[2] == pytest.approx(highest * share, abs=1e-9)


def test_a_shape_stands_for_a_volume_in_python() -> None:
    one = SensorModel(type="proximity", volume=Cylinder(5 * mm, 20 * mm))
    assert one == SensorModel(type="proximity", volume=[Volume(Cylinder(5 * mm, 20 * mm))])
    assert one.volumes == (Volume(Cylinder(5 * mm, 20 * mm)),)


def test_a_light_beam_may_be_a_body() -> None:
    cell = Cell()
    horn = cell.add("horn", Body(Beam(100 * mm, 45 * deg)))
    assert horn.shape.bounds == (
        pytest.approx((-0.1, -0.1, 0.0), abs=1e-12),
        pytest.approx((0.1, 0.1, 0.1), abs=1e-12),
    )


# ---------------------------------------------------------------- sensors


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_sensor_of_the_library_is_read(path: Path) -> None:
    assert load_sensor(path.stem).name == path.stem


def test_fields_given_at_their_defaults_change_a_model_of_the_library(tmp_path: Path) -> None:
    assert load_sensor("hc-sr04").nearest == 20 * mm
    cell = Cell(read("model: hc-sr04, nearest: 0, noise: {}"))
    model = cell.sensors["eye"].model
    assert (model.nearest, model.noise) == (0.0, Noise())
    cell.save(tmp_path)
    assert Cell(Model.load(tmp_path)).sensors["eye"].model == model


@pytest.mark.parametrize("how", ["name", "file", "path", "model", "fields"])
def test_python_gives_a_sensor_by_name_file_model_or_fields(how: str, tmp_path: Path) -> None:
    file = tmp_path / "eye.yaml"
    file.write_text((LIBRARY / "tl-x5.yaml").read_text())
    known = load_sensor("tl-x5")
    fields = {each.name: getattr(known, each.name) for each in fields_of(SensorModel) if each.name != "name"}
    sensor = {
        "name": lambda: Sensor("tl-x5", at=(0, 0, 1), every=20 * ms),
        "file": lambda: Sensor(str(file), at=(0, 0, 1), every=20 * ms),
        "path": lambda: Sensor(file, at=(0, 0, 1), every=20 * ms),
        "model": lambda: Sensor(known, at=(0, 0, 1), every=20 * ms),
        "fields": lambda: Sensor(**{**fields, "every": 20 * ms}, at=(0, 0, 1)),
    }[how]()
    cell = Cell()
    eye = cell.add("eye", sensor)
    assert eye.model == known.changed(every=20 * ms, name="" if how == "fields" else "tl-x5")
    cell.save(tmp_path / "saved")
    again = Cell(Model.load(tmp_path / "saved")).sensors["eye"]
    assert again.model.changed(name="") == eye.model.changed(name="")
    assert again.mounting == eye.mounting


def test_amounts_of_a_force_sensor_from_python_are_written_as_forces(tmp_path: Path) -> None:
    cell = Cell()
    cell.add("touch", Sensor("wrist-force", quantum=0.5, noise=Noise(sigma=2.0)))
    cell.save(tmp_path)
    assert "quantum: 0.5 N" in (tmp_path / "cell.yaml").read_text()
    assert Cell(Model.load(tmp_path)).sensors["touch"].model.noise.sigma == 2.0


def test_a_mesh_of_a_volume_that_python_made_is_saved_with_the_cell(tmp_path: Path) -> None:
    save_mesh(Box(0.1, 0.1, 0.2), tmp_path / "space.ply", units="m")
    space = MeshFile(str(tmp_path / "space.ply"), "m").solid(tmp_path)
    cell = Cell()
    cell.add("eye", Sensor(SensorModel(type="proximity", volume=space)))
    cell.save(tmp_path / "saved")
    again = Cell(Model.load(tmp_path / "saved")).sensors["eye"]
    assert again.model.probe.volumes(1.0)[0][0].volume == pytest.approx(0.002)


def test_a_missing_mesh_is_named_as_it_was_written() -> None:
    entry = "{type: proximity, volume: [{sphere: 5 mm}, {mesh: {file: space.ply, units: m}}]}"
    field, line, what, _ = mistake(f"name: a\nsensors:\n  eye: {entry}\n")
    assert (field, line, what) == ("sensors.eye.volume[1].mesh.file", 3, "the file 'space.ply' does not exist")


def test_a_sensor_offers_exactly_what_it_has() -> None:
    cell = Cell(read("model: bumper"))
    assert set(cell.models["eye"].offers("eye")["eye"]) == {"sensor", "body", "signal"}
    assert list(cell.kernel.signals) == list(cell.world.bodies) == ["eye"]
    assert cell.kernel.signals["eye"] is cell.sensors["eye"] is cell["eye"]


def test_a_sensor_needs_a_free_name() -> None:
    cell = Cell()
    cell.add("eye", Sensor("bumper"))
    with pytest.raises(WorldError, match="there is already a sensor 'eye'"):
        cell.add("eye", Sensor("bumper"))


def test_sensors_can_be_copied_and_sent_to_another_process() -> None:
    sensor = Sensor("hc-sr04", every=20 * ms, faults=[Dropout(share=0.01)])
    for again in (copy.deepcopy(sensor), pickle.loads(pickle.dumps(sensor))):
        assert again == sensor
        assert again.given == sensor.given == {"model", "every", "faults"}
        assert again.described(Path()) == sensor.described(Path())


# ---------------------------------------------------------------- faults


def test_faults_of_sensors_come_before_those_of_the_section() -> None:
    text = """\
faults: {a: [stuck_on], b: [{late: 10 ms}]}
sensors:
  b: {model: bumper, faults: [stuck_off, {dropout: 1 %}]}
  a: {model: bumper, faults: [{swapped: b}]}
"""
    found = [(each.signal.name, each.fault.kind) for each in Cell(Model.read(text)).faults]
    assert found == [("b", "stuck_off"), ("b", "dropout"), ("a", "swapped"), ("a", "stuck_on"), ("b", "late")]


def test_faults_of_a_sensor_are_put_on_with_it_and_written_in_it(tmp_path: Path) -> None:
    cell = Cell()
    cell.add("eye", Sensor("bumper", faults=[StuckOn(at=2.0)]))
    assert [each.fault for each in cell.faults] == [StuckOn(at=2.0)]
    cell.save(tmp_path)
    assert "faults: [{stuck_on: 2 s}]" in (tmp_path / "cell.yaml").read_text()
    assert [each.fault for each in Cell(Model.load(tmp_path)).faults] == [StuckOn(at=2.0)]


def test_a_fault_that_was_ended_before_the_run_is_not_written(tmp_path: Path) -> None:
    cell = Cell()
    cell.add("eye", Sensor("bumper"))
    cell.fault("eye", "stuck_on").end()
    cell.fault("eye", "stuck_off")
    cell.save(tmp_path)
    assert "faults:\n  eye: [stuck_off]\n" in (tmp_path / "cell.yaml").read_text()


@pytest.mark.parametrize(
    ("fault", "field", "what", "hint"),
    [
        ("stuk_on", "faults.eye[0]", "there is no such fault", "did you mean 'stuck_on'"),
        ("late", "faults.eye[0].late.by", "this field must be given", "add 'by: …'"),
        ("{swapped: eyes}", "faults.eye[0].swapped.other", "there is no signal 'eyes'", "did you mean 'eye'?"),
        ("{stuck_on: [1 s]}", "faults.eye[0].stuck_on", "expected a mapping of fields, got a list of 1", ""),
    ],
)
def test_mistakes_in_the_short_forms_of_faults_are_placed(fault: str, field: str, what: str, hint: str) -> None:
    found = mistake(f"signals: {{eye: false}}\nfaults:\n  eye: [{fault}]\n")
    assert found[:3] == (field, 3, what)
    assert hint in found[3]


def test_a_fault_takes_named_fields_that_it_has() -> None:
    cell = Cell()
    cell.signal("eye", 1.0)
    with pytest.raises(FieldError, match="a fault 'drift' has no 'share'"):
        cell.fault("eye", "drift", share=0.1)
    with pytest.raises(FieldError, match="a fault 'drift' needs 'per_second'"):
        cell.fault("eye", "drift")
    assert cell.fault("eye", Drift(per_second=1.0), every=0.5).fault == Drift(per_second=1.0, every=0.5)


# ---------------------------------------------------------------- custom kinds


class Slow(Sensor, kind="slow", icon="hourglass"):
    """A sensor that publishes its readings late."""

    by: float = 1.0
    """How many seconds later."""

    def live(self, cell: Cell, name: str, model: SensorModel, body: Any) -> LiveSensor[Any]:
        """A sensor with a longer delay."""
        return super().live(cell, name, model.changed(delay=model.delay + self.by), body)


class Halved(TimedFault, kind="halved", compact="to"):
    """Stuck at one number."""

    to: float
    """The number."""

    def effect(self, signal: Signal[Any]) -> Effect:
        """That number."""
        return Replaced(self.to)


OWN = Kinds((*known_kinds().classes, Slow, Halved))


def test_a_custom_sensor_is_tagged_beside_the_fields_of_all_sensors() -> None:
    model = read("slow: {by: 2}, model: bumper, at: [0, 0, 1 m], every: 100 ms", OWN)
    assert model.things["eye"] == Slow("bumper", by=2, at=(0, 0, 1), every=100 * ms)
    live = Cell(model).sensors["eye"]
    assert live.model.delay == load_sensor("bumper").delay + 2
    assert Model.read(model.text(), kinds=OWN) == model
    assert "slow: {by: 2}" in model.text()
    assert read("model: bumper", OWN).things["eye"] == Sensor("bumper")


def test_a_mistake_in_a_custom_kind_is_reported_below_its_tag() -> None:
    with pytest.raises(CellFileError) as caught:
        read("slow: {bye: 2}, model: bumper", OWN)
    assert [each.field for each in caught.value.mistakes] == ["sensors.eye.slow.bye"]
    with pytest.raises(CellFileError) as caught:
        read("slow: {}, model: bumpr", OWN)
    assert [each.field for each in caught.value.mistakes] == ["sensors.eye.model"]
    with pytest.raises(CellFileError, match="there is no such field") as caught:
        read("slwo: {}, model: bumper", OWN)
    assert caught.value.mistakes[0].hint == "did you mean 'slow'?"


def test_a_custom_fault_is_injected_like_a_built_in_one() -> None:
    text = "signals: {level: 1.5}\nfaults:\n  level: [{halved: 0.75}]\n"
    cell = Cell(Model.read(text, kinds=OWN))
    cell.run(1.0)
    assert cell.kernel.signals["level"].value == 0.75
    assert "level: [{halved: 0.75}]" in cell.model.text()


# ---------------------------------------------------------------- descriptions


THINGS = (Sensor, SensorModel, SensorFile, Output, Noise, TraceLines, Row, Directivity, Piston, Beam, Volume)


@pytest.mark.parametrize("thing", [*THINGS, *KINDS.values()], ids=lambda thing: thing.__name__)
def test_every_field_has_a_line_about_it(thing: type[Thing]) -> None:
    assert [field.name for field in fields_of(thing) if not field.doc] == []


@pytest.mark.parametrize("section", ["sensors", "faults"])
def test_the_schema_takes_what_the_reader_takes(section: str) -> None:
    kinds = known_kinds()
    describer = Describer(kinds)
    schema = {**section_type(kinds, section).schema(describer), "$defs": describer.defs}
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    written = {
        "sensors": {
            "a": {"model": "hc-sr04", "at": [0, 0, "1 m"], "faults": ["stuck_on", {"dropout": "1 %"}]},
            "b": {"type": "range", "volume": {"beam": {"length": "1 m", "half_angle": "8 deg"}}},
            "c": {"type": "contact", "volume": [{"sphere": "5 mm", "at": [0, 0, 0]}]},
        },
        "faults": {"a": ["stuck_on", {"stuck_on": "12 s"}, {"late": {"by": "1 s"}}, {"swapped": "b"}]},
    }[section]
    assert [error.message for error in validator.iter_errors(written)] == []
    assert not validator.is_valid({"a": {"modle": "x"}})


def test_the_palette_knows_a_sensor() -> None:
    example = OneOf(Sensor).write(Sensor(**Sensor.meta.example))
    assert example == {"model": "hc-sr04"}
    assert Sensor.meta.example["model"] in sensor_names()


def test_a_reference_to_another_signal_is_known_to_be_one() -> None:
    (use,) = OneOf(Fault).uses(Swapped(other="door"))
    assert (use.path, use.name, use.ref.role) == (("swapped", "other"), "door", "signal")


def test_mounted_sensors_are_placed_from_the_origin_of_what_carries_them() -> None:
    cell = Cell()
    cell.add("table", Body(Box(1.0, 1.0, 0.2)))
    eye = cell.add("eye", Sensor("bumper", on="table", at=Pose(0.1, 0, 0)))
    assert eye.body.pose.position == (0.1, 0.0, 0.0)
