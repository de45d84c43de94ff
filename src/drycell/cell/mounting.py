"""Mounting: a sensor brought into a cell, by its model's name, from its file, or from data."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drycell.errors import FieldError, KernelError, UnknownName
from drycell.sensors.catalogue import load_sensor, sensor_from_file
from drycell.sensors.model import SensorModel
from drycell.sensors.sensor import Sensor
from drycell.spatial import Pose
from drycell.world import Body

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.geometry import Shape
    from drycell.world import Who


def mount_sensor(
    cell: "Cell",
    model: str | Path | SensorModel,
    name: str | None,
    carrier: Body | None,
    pose: Pose,
    shape: "Shape | None",
    ignore: "Iterable[Who]",
    active: bool,
    skip: bool,
    changes: Mapping[str, Any],
) -> Sensor[Any]:
    """Makes the sensor, its body and its signal, all of one name; nothing is changed if any of them cannot be."""
    described = as_model(model, changes)
    called = name or free_name(cell, described.name or described.type)
    ignored = tuple(ignore)
    check_ignored(cell, ignored)
    if called in cell.kernel.signals:
        raise KernelError(f"there is a signal '{called}' already", hint="give the sensor another name: name=…")
    if described.type == "contact" and not described.volumes and shape is None:
        raise FieldError(
            f"contact sensor '{called}' has neither a volume nor a shape that could be touched",
            hint="give it a volume, such as {box: [20 mm, 20 mm, 1 mm]}, or a shape",
        )
    body = cell.world.add(Body(called, shape), carrier, pose)
    made: Sensor[Any] = Sensor(
        cell.kernel, cell.lookout, called, described, body, ignore=ignored, active=active, skip=skip
    )
    cell.kernel.signals[called] = cell.sensors[called] = made
    return made


def as_model(model: str | Path | SensorModel, changes: Mapping[str, Any]) -> SensorModel:
    """A model of the library by its name, from a file (a Path, or text that ends like one), or as it is; changed."""
    if isinstance(model, Path) or (isinstance(model, str) and model.endswith((".yaml", ".yml"))):
        found = sensor_from_file(model)
    else:
        found = load_sensor(model) if isinstance(model, str) else model
    known = SensorModel.__dataclass_fields__
    for each in changes:
        if each not in known:
            raise UnknownName("field of a sensor", each, known)
    try:
        return replace(found, **changes)
    except TypeError as error:
        raise FieldError(f"a sensor cannot be changed like this: {error}", hint="give each field a value") from error


def free_name(cell: "Cell", wanted: str) -> str:
    """A name that no body and no signal has: as wanted, or numbered."""
    name, number = wanted, 1
    while name in cell.kernel.signals or name in cell.world.bodies:
        number += 1
        name = f"{wanted} {number}" if wanted[-1:].isdigit() else f"{wanted}{number}"
    return name


def check_ignored(cell: "Cell", ignored: "Iterable[Who]") -> None:
    """Raises UnknownName for a name that no body has; patterns may wait for bodies to come."""
    known = cell.world.bodies
    for who in ignored:
        if not isinstance(who, str) or any(sign in who for sign in "*?["):
            continue
        if who not in known and not any(each.startswith(f"{who}/") for each in known):
            raise UnknownName("body", who, known)
