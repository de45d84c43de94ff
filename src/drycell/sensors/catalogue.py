"""The sensors that come with drycell: data files with the source of every figure, loaded by name; and files of others.

A sensor file says ``sensor: NAME`` and then the fields of :class:`~drycell.sensors.model.SensorModel`.
"""

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Final, cast

from drycell.datafile import read_text, read_tree, validated
from drycell.errors import FileError, UnknownName
from drycell.fields import Name
from drycell.sensors.model import SensorModel

LIBRARY: Final = Path(__file__).parent / "library"


@dataclass(frozen=True, kw_only=True)
class SensorFile(SensorModel):
    """A sensor file: a model, and the name it is asked for by."""

    sensor: Name


def sensor_names() -> list[str]:
    """The names :func:`load_sensor` takes, in alphabetical order."""
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


@cache
def load_sensor(name: str) -> SensorModel:
    """A sensor of the library."""
    if name not in sensor_names():
        raise UnknownName("sensor", name, sensor_names())
    path = LIBRARY / f"{name}.yaml"
    return read_sensor(read_text(path), path.name, LIBRARY)


def sensor_from_file(path: str | Path) -> SensorModel:
    """A sensor from a file of one's own, written as those of the library are."""
    path = Path(path)
    return read_sensor(read_text(path), str(path), path.parent)


def read_sensor(text: str, file: str = "sensor.yaml", folder: Path | None = None) -> SensorModel:
    """The sensor a text describes, as if it stood in ``file``; mistakes name file, line and field.

    Meshes are looked for in ``folder``.
    """
    found, mistakes = validated(SensorFile, read_tree(text, file))
    if mistakes:
        raise FileError.of(file, sorted(mistakes, key=lambda each: (each.line or 0, each.column or 0)))
    spec = cast(SensorFile, found)
    values = {field.name: getattr(spec, field.name) for field in fields(SensorModel)}
    named = {"name": spec.sensor, "source": " ".join(spec.source.split()), "title": " ".join(spec.title.split())}
    model = SensorModel(**{**values, **named})
    return model if folder is None else model.located(folder)
