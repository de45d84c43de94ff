"""Sinks in cell files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from drycell.cell.devices.kind import Kind, StandingSpec, shape_rules
from drycell.cell.file import CellFile, ShapeSpec
from drycell.cell.shapes import shape_from, shape_spec
from drycell.datafile import FieldPath
from drycell.devices.sink import Sink
from drycell.errors import Mistake, WorldError
from drycell.fields import Name
from drycell.world import Body

if TYPE_CHECKING:
    from drycell.cell.cell import Cell


@dataclass(frozen=True, kw_only=True)
class SinkSpec:
    """A body on which parts end."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    shape: ShapeSpec
    material: Name = "plastic"


def _add(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: SinkSpec) -> Sink:
    shape = shape_from(spec.shape, cell_file, ("devices", name, "sink"))
    body = Body(name, shape, material=spec.material)
    return cell.add_sink(body, at=entry.pose, on=entry.on, parent=entry.parent)


def _describe(device: Sink, folder: Path) -> SinkSpec:
    if device.body.shape is None:
        raise WorldError(f"{device.name} has no shape")
    return SinkSpec(shape=shape_spec(device.body.shape, device.name, folder), material=device.body.material)


def _rules(cell_file: CellFile, path: FieldPath, spec: SinkSpec) -> Iterable[Mistake]:
    return shape_rules(cell_file, path, spec.shape)


KIND = Kind("sink", SinkSpec, Sink, _add, _describe, rules=_rules)
