"""What a kind of device brings to cell files: what may be written, how it is made, and how it is written back."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from drycell.cell.file import CellFile, Placed
from drycell.datafile import FieldPath
from drycell.errors import Mistake
from drycell.fields import Name

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.cell.file import ShapeSpec
    from drycell.devices import Device


@dataclass(frozen=True, kw_only=True)
class StandingSpec(Placed):
    """A device of a cell: where it stands; what it is, is said by exactly one of the kinds."""

    on: Name | None = None
    parent: Name | None = None


def _no_rules(cell_file: CellFile, path: FieldPath, spec: Any) -> Iterable[Mistake]:
    return ()


def stands(cell: "Cell", device: "Device") -> dict[str, Any]:
    """The fields of an entry that say where a device is: seen from what its body hangs on."""
    if device.body is None:
        return {}
    carrier, local = device.body.parent, cell.world.relative(device.body.parent, device.body)
    return {"parent": None if carrier is None else carrier.name, "at": local.position, "rpy": local.rpy}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of device. ``spec`` is the dataclass of its description.

    ``add(cell, cell_file, name, entry, spec)`` makes a device of an entry and its description; ``describe(device,
    folder)`` gives the description back, for a file in that folder, and ``stands(cell, device)`` where it is. A
    ``standing`` device is a body that others can be mounted on; a ``wired`` one needs other devices, sensors and
    signals to be there, and is made after them.
    """

    name: str
    spec: type
    device: type
    add: "Callable[[Cell, CellFile, str, StandingSpec, Any], object]"
    describe: Callable[[Any, Path], object]
    stage: Literal["standing", "wired"] = "standing"
    stands: "Callable[[Cell, Any], dict[str, Any]]" = stands
    rules: Callable[[CellFile, FieldPath, Any], Iterable[Mistake]] = _no_rules


def shape_rules(cell_file: CellFile, path: FieldPath, shape: "ShapeSpec") -> Iterable[Mistake]:
    """That a shape is of exactly one kind."""
    if len(shape.kinds) != 1:
        found = " and ".join(map(repr, shape.kinds)) or "none"
        hint = f"choose one of {', '.join(shape.known())}"
        yield cell_file.mistake((*path, "shape"), f"a shape is of exactly one kind, but here is {found}", hint)
