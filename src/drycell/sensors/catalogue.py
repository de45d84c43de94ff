"""The sensor library: data files with the source of every figure, loaded by name; and the user's sensor files. A sensor
file has ``sensor: NAME`` and the fields of :class:`~drycell.sensors.model.SensorModel`.
"""

from collections.abc import Iterable
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Final

from drycell import geometry
from drycell.base import InvalidThing, Kinds, Name, Problem, UnknownName, read_text, read_thing
from drycell.sensors.field_of_view import Beam
from drycell.sensors.model import SensorFields, SensorModel, Type

LIBRARY: Final = Path(__file__).parent / "library"


class SensorFile(SensorFields):
    """A sensor file: the name of the sensor, and its fields."""

    sensor: Name
    """The name of the sensor."""
    type: Type = field()
    """What it measures: a distance, proximity, contact, or a force."""

    @property
    def model(self) -> SensorModel:
        """The sensor it describes."""
        values = {each: getattr(self, each) for each in self.given if each != "sensor"}
        texts = {each: " ".join(getattr(self, each).split()) for each in ("source", "title")}
        return SensorModel(name=self.sensor, **{**values, **texts})

    def problems(self) -> Iterable[Problem]:
        """The problems of the sensor."""
        try:
            _ = self.model
        except InvalidThing as error:
            yield from error.problems


def sensor_names() -> list[str]:
    """The names for :func:`load_sensor`, in alphabetical order."""
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


@cache
def load_sensor(name: str) -> SensorModel:
    """Load a sensor of the library. Raises UnknownName if it does not exist."""
    if name not in sensor_names():
        raise UnknownName("sensor", name, sensor_names())
    path = LIBRARY / f"{name}.yaml"
    return read_sensor(read_text(path), path.name, LIBRARY)


def sensor_from_file(path: str | Path) -> SensorModel:
    """Load a sensor from a file in the format of the library."""
    path = Path(path)
    return read_sensor(read_text(path), str(path), path.parent)


def read_sensor(text: str, file: str = "sensor.yaml", folder: Path | None = None) -> SensorModel:
    """Read a sensor from text. Errors name the file, line and field.

    Meshes are relative to ``folder``.
    """
    model = read_thing(SensorFile, text, file, _kinds()).model
    return model if folder is None else model.located(folder)


@cache
def _kinds() -> Kinds:
    """The shapes of volumes."""
    return Kinds((*(Kinds() | geometry).classes, Beam))
