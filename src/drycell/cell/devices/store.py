"""Stores in cell files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from drycell.cell.devices.kind import Kind, StandingSpec, shape_rules
from drycell.cell.file import CellFile, ShapeSpec
from drycell.cell.shapes import shape_from, shape_spec
from drycell.datafile import FieldPath
from drycell.devices.store import Store
from drycell.errors import Mistake, WorldError
from drycell.fields import Name, Several, Size
from drycell.world import Body

if TYPE_CHECKING:
    from drycell.cell.cell import Cell


@dataclass(frozen=True, kw_only=True)
class StoreSpec:
    """A body with slots for parts."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    shape: ShapeSpec
    grid: Annotated[tuple[int, int], Several(2, "[4, 3]")]
    pitch: Annotated[tuple[Size, Size], Several(2, "[60 mm, 60 mm]")]
    material: Name = "plastic"


def _add(cell: "Cell", cell_file: CellFile, name: str, entry: StandingSpec, spec: StoreSpec) -> Store:
    shape = shape_from(spec.shape, cell_file, ("devices", name, "store"))
    body = Body(name, shape, material=spec.material)
    return cell.add_store(body, grid=spec.grid, pitch=spec.pitch, at=entry.pose, on=entry.on, parent=entry.parent)


def _describe(device: Store, folder: Path) -> StoreSpec:
    if device.body.shape is None:
        raise WorldError(f"{device.name} has no shape")
    shape = shape_spec(device.body.shape, device.name, folder)
    return StoreSpec(shape=shape, grid=device.grid, pitch=device.pitch, material=device.body.material)


def _rules(cell_file: CellFile, path: FieldPath, spec: StoreSpec) -> Iterable[Mistake]:
    yield from shape_rules(cell_file, path, spec.shape)
    if min(spec.grid) < 1:
        yield cell_file.mistake((*path, "grid"), f"{spec.grid[0]} × {spec.grid[1]} are no slots", "write [4, 3], say")


KIND = Kind("store", StoreSpec, Store, _add, _describe, rules=_rules)
