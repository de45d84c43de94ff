"""The section ``sensors`` of a cell file: where each sensor is mounted, and what it is, by a library's name or in full.

The fields of a sensor's own description are those of :class:`~drycell.sensors.model.SensorModel`, taken from there: a
field added to the model can be written in cell files at once. With ``model`` or ``file`` they change what that says.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, make_dataclass, replace
from pathlib import Path
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Final

from drycell.cell.file import CellFile, Placed, Section, ShapeSpec, register_section
from drycell.datafile import FieldPath, field_types
from drycell.errors import DrycellError, Mistake, did_you_mean
from drycell.fields import FileName, Name, NamePattern
from drycell.sensors.catalogue import load_sensor, sensor_from_file, sensor_names
from drycell.sensors.faults.written import FaultEntry
from drycell.sensors.model import SensorModel

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.geometry import Shape
    from drycell.sensors.sensor import Sensor

_NOT_WRITTEN: Final = ("name",)  # a sensor of a cell is called by its key


@dataclass(frozen=True, kw_only=True)
class MountedSpec(Placed):
    """A sensor of a cell: what kind it is, and the body or robot link it is mounted on."""

    model: Name | None = None
    file: FileName | None = None
    on: Name | None = None
    shape: ShapeSpec | None = None
    ignore: tuple[NamePattern, ...] = ()
    active: bool = True
    faults: tuple[FaultEntry, ...] = ()

    @property
    def changes(self) -> dict[str, Any]:
        """The fields of the model that the entry gives."""
        given = {name: getattr(self, name) for name in _DESCRIBED}
        return {name: value for name, value in given.items() if value is not None}


_DESCRIBED: Final[dict[str, Any]] = {
    name: kind for name, kind in field_types(SensorModel).items() if name not in _NOT_WRITTEN
}
# Everything may be left out: what an entry does not say is as its model has it.
SensorSpec = make_dataclass(
    "SensorSpec",
    [(name, kind | None, None) for name, kind in _DESCRIBED.items()],
    bases=(MountedSpec,),
    frozen=True,
    kw_only=True,
    namespace={"__doc__": MountedSpec.__doc__, "__module__": __name__},
)


def sensors_of(cell_file: CellFile) -> dict[str, MountedSpec]:
    """The sensors a file describes, by name, in its order."""
    found = cell_file.sections.get("sensors", {})
    return found if isinstance(found, dict) else {}


# ---------------------------------------------------------------- what must hold


def _rules(cell_file: CellFile) -> Iterable[Mistake]:
    bodies = {body.name for body in cell_file.flat_bodies()}
    taken = {**dict.fromkeys(bodies, "body"), **dict.fromkeys(cell_file.robots, "robot")}
    taken |= dict.fromkeys(cell_file.signals, "signal")
    for name, spec in sensors_of(cell_file).items():
        path: FieldPath = ("sensors", name)
        if name in taken:
            yield cell_file.mistake(path, f"there is also a {taken[name]} {name!r}", "give each a name of its own")
        if spec.on is not None and not _is_there(cell_file, bodies, spec.on):
            hint = did_you_mean(spec.on, [*bodies, *cell_file.robots])
            yield cell_file.mistake((*path, "on"), f"there is no body or robot {spec.on!r}", hint)
        if spec.shape is not None and len(spec.shape.kinds) != 1:
            found = " and ".join(map(repr, spec.shape.kinds)) or "none"
            hint = f"choose one of {', '.join(spec.shape.known())}"
            what = f"a shape is of exactly one kind, but here is {found}"
            yield cell_file.mistake((*path, "shape"), what, hint)
        yield from _description(cell_file, path, spec)


def _is_there(cell_file: CellFile, bodies: Iterable[str], name: str) -> bool:
    """Whether a name is a body's, sensor's, device's or robot's, or may be a link's: only its robot's model knows."""
    if name in bodies or cell_file.is_mounted(name):
        return True
    return any(name == robot or name.startswith(f"{robot}/") for robot in cell_file.robots)


def _description(cell_file: CellFile, path: FieldPath, spec: MountedSpec) -> Iterator[Mistake]:
    changes = spec.changes
    if spec.model is not None and spec.file is not None:
        hint = "name a sensor of the library as 'model', or the file that describes one as 'file'"
        yield cell_file.mistake((*path, "file"), "'model' and 'file' are both given", hint)
    elif spec.model is not None and spec.model not in sensor_names():
        hint = did_you_mean(spec.model, sensor_names())
        yield cell_file.mistake((*path, "model"), f"there is no sensor {spec.model!r}", hint)
    elif spec.model is None and spec.file is None and "type" not in changes:
        what = "neither 'model', 'file' nor 'type' is given"
        hint = "name a sensor of the library ('drycell sensors' lists them), or say of which type it is"
        yield cell_file.mistake(path, what, hint)
    elif spec.file is None:
        try:
            described(cell_file, path, spec)
        except DrycellError as error:
            yield cell_file.mistake(path, error.what, error.hint)


register_section(Section("sensors", GenericAlias(dict, (Name, SensorSpec)), _rules))


# ---------------------------------------------------------------- from a file


def described(cell_file: CellFile, path: FieldPath, spec: MountedSpec) -> SensorModel:
    """What kind of sensor an entry describes."""
    changes = spec.changes
    if spec.model is not None:
        model = replace(load_sensor(spec.model), **changes)
    elif spec.file is not None:
        model = replace(sensor_from_file(cell_file.locate(spec.file, *path, "file")), **changes)
    else:
        model = SensorModel(**changes)
    return model.located(cell_file.folder) if "volume" in changes else model


def add_sensor(cell: "Cell", cell_file: CellFile, name: str, shape: "Shape | None") -> "Sensor[Any]":
    """Mounts a sensor as its entry says; its faults are put on with those of all other signals."""
    spec = sensors_of(cell_file)[name]
    return cell.add_sensor(
        described(cell_file, ("sensors", name), spec),
        name=name,
        on=spec.on,
        at=spec.pose,
        shape=shape,
        ignore=spec.ignore,
        active=spec.active,
    )


# ---------------------------------------------------------------- to a file


def sensor_spec(sensor: "Sensor[Any]", shape: ShapeSpec | None, folder: Path) -> object:
    """A sensor as an entry of a cell's file that is to stand in a folder; its faults stand in their own section."""
    model, known = sensor.model, sensor.model.name in sensor_names()
    base = load_sensor(model.name) if known else None
    values = {name: getattr(model, name) for name in _DESCRIBED}
    unchanged = {name: getattr(base, name) for name in _DESCRIBED} if base is not None else _defaults()
    given = {name: value for name, value in values.items() if name not in unchanged or value != unchanged[name]}
    if "volume" in given:
        given["volume"] = _seen_from(model, folder)
    # Adding zero makes a -0.0 a plain 0.0.
    at, rpy = (tuple(value + 0.0 for value in each) for each in (sensor.mounting.position, sensor.mounting.rpy))
    return SensorSpec(
        model=model.name if known else None,
        on=None if sensor.body.parent is None else sensor.body.parent.name,
        at=at,
        rpy=rpy,
        shape=shape,
        ignore=tuple(sensor.ignore_names),
        active=sensor.active,
        **given,
    )


def _defaults() -> Mapping[str, object]:
    plain = SensorModel(type="force")
    return {field.name: getattr(plain, field.name) for field in fields(SensorModel) if field.name != "type"}


def _seen_from(model: SensorModel, folder: Path) -> object:
    """A model's volumes with the names of their meshes seen from a folder."""
    return tuple(
        volume
        if volume.mesh is None
        else replace(volume, mesh=replace(volume.mesh, file=Path(os.path.relpath(volume.mesh.file, folder)).as_posix()))
        for volume in model.volumes
    )
