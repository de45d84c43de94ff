"""Sensors in a recording: their fields of view are those of the run, and impossible values are rejected."""

import json
import zipfile
from pathlib import Path

import pytest

from drycell import Body, Cell, Sensor, deg, mm
from drycell.base import Pose, RecordingError
from drycell.geometry import Box, Cone
from drycell.recording import Recording
from drycell.sensors import Beam, SensorModel


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    cell = Cell()
    table = cell.add("table", Body(Box(0.5, 0.5, 20 * mm)))
    cell.add("sonar", Sensor(SensorModel(type="range", volume=Beam(0.2, 10 * deg)), on=table.name, at=Pose(0, 0, 0.3)))
    beam = SensorModel(type="proximity", senses="light", beam="through", volume=Beam(0.4, 2 * deg))
    cell.add("gate", Sensor(beam, at=Pose(1, 0, 0)))
    cell.run(until=0.1, record=tmp_path / "run.dry")
    return tmp_path / "run.dry"


def test_recorded_sensors_keep_their_pose_and_field_of_view(recorded: Path) -> None:
    sensors = Recording.open(recorded).sensors

    assert list(sensors) == ["sonar", "gate"]
    sonar = sensors["sonar"]
    assert (sonar.kind, sonar.body.name) == ("range", "sonar")
    assert sonar.body.parent is not None
    assert sonar.body.parent.name == "table"
    ((shape, _),) = sonar.volumes
    assert isinstance(shape, Cone)
    assert shape.length == 0.2
    assert sonar.lines == (((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), pytest.approx(0.2)),)


def test_recorded_sensors_keep_their_rest_value(recorded: Path) -> None:
    recording = Recording.open(recorded)

    for name, sensor in recording.sensors.items():
        assert sensor.rest == recording.signal(name)[0][1]
    assert recording.sensors["gate"].rest is True  # nothing interrupts the beam


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("body", 99, r"'sensors\[0\].body' is 99, expected a whole number"),
        ("rest", "much", r"'sensors\[0\].rest' is 'much', expected a number"),
        ("volumes", [{"shape": -1, "pose": []}], r"'sensors\[0\].volumes\[0\].shape' is -1"),
        ("lines", [[0, 0, 1]], r"'sensors\[0\].lines\[0\]' is \[0, 0, 1\], expected 7 numbers"),
        ("lines", [[0, 0, 0, 0, 0, 1, "inf"]], "expected a length"),
    ],
)
def test_an_invalid_sensor_is_refused(recorded: Path, entry: str, value: object, message: str) -> None:
    with zipfile.ZipFile(recorded) as old:
        members = {name: old.read(name) for name in old.namelist()}
    world = json.loads(members["world.json"])
    world["sensors"][0][entry] = value
    with zipfile.ZipFile(recorded, "w") as new:
        for name, data in members.items():
            new.writestr(name, json.dumps(world) if name == "world.json" else data)
    with pytest.raises(RecordingError, match=message):
        _ = Recording.open(recorded).sensors
