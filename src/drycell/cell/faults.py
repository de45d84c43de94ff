"""Faults of a cell: put on sensors and signals by name, from Python, or from its file."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from drycell.cell.file import CellFile, Section, register_section
from drycell.datafile import FieldPath
from drycell.errors import CellFileError, DrycellError, KernelError
from drycell.fields import Name
from drycell.kernel import Signal
from drycell.sensors.fault import Fault
from drycell.sensors.faults import Disturbance, disturb
from drycell.sensors.faults.written import FaultEntry, FaultSpec

if TYPE_CHECKING:
    from drycell.cell.cell import Cell

register_section(Section("faults", dict[Name, tuple[FaultEntry, ...]]))


def put_fault(cell: "Cell", signal: str | Signal[Any], fault: Fault) -> Disturbance:
    """Puts a fault on a signal of a cell. See ``Cell.fault``."""
    if cell.ran and not cell.kernel.running:
        raise KernelError("the cell has run: a fault comes too late", hint="put it on before, or from a program")
    found = cell.kernel.signal_named(signal) if isinstance(signal, str) else signal
    made = disturb(found, fault)
    cell.faults.append(made)
    return made


# ---------------------------------------------------------------- in a cell file


def apply_faults(cell: "Cell", cell_file: CellFile) -> None:
    """Puts on what a file says: the faults of each sensor first, then those of the section, in its order."""
    for path, name, spec in _written(cell_file):
        try:
            put_fault(cell, name, spec.fault)
        except DrycellError as error:
            raise cell_file.error(path, error.what, error.hint) from error


def _written(cell_file: CellFile) -> Iterator[tuple[FieldPath, str, FaultSpec]]:
    sensors, section = (cell_file.sections.get(name, {}) for name in ("sensors", "faults"))
    for name, sensor in sensors.items() if isinstance(sensors, dict) else ():
        for index, spec in enumerate(getattr(sensor, "faults", ())):
            yield ("sensors", name, "faults", index), name, spec
    for name, specs in section.items() if isinstance(section, dict) else ():
        for index, spec in enumerate(specs):
            yield ("faults", name, index), name, spec


def fault_specs(cell: "Cell") -> dict[str, object]:
    """The section of a cell's file, with the faults of its sensors, too; nothing if there are none."""
    given = [disturbance for disturbance in cell.faults if not disturbance.over]
    found: dict[str, list[Disturbance]] = {}
    for disturbance in given:
        found.setdefault(disturbance.signal.name, []).append(disturbance)
    _check_order(given, [each for several in found.values() for each in several])
    specs = {name: tuple(FaultSpec.of(each.fault) for each in several) for name, several in found.items()}
    return {"faults": specs} if specs else {}


def _check_order(given: list[Disturbance], written: list[Disturbance]) -> None:
    """A file lists faults by signal, so that one that swaps two may come earlier on the other than it was given."""
    for name in dict.fromkeys(signal.name for disturbance in given for signal in disturbance.signals):
        before, after = (
            [each for each in several if name in {signal.name for signal in each.signals}]
            for several in (given, written)
        )
        if before != after:
            raise CellFileError(
                f"a file cannot keep the order of the faults on '{name}', one of which swaps it with another signal",
                hint="give all faults of one signal before those of the next",
            )
