"""Which robot of a cell is meant, and what its controller is wired to: from the cell, or from the command line."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from drycell.base import DrycellError, UnknownName

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.kernel import Signal
    from drycell.robots import LiveRobot


def robot_of(cell: "Cell", name: str | None) -> "LiveRobot":
    """A robot by its name, or the only one."""
    if name is None:
        if len(cell.robots) != 1:
            raise DrycellError(
                f"the cell {cell.name!r} has {len(cell.robots)} robots",
                hint=f"say which: --robot {' or '.join(cell.robots) or 'NAME'}",
            )
        name = next(iter(cell.robots))
    if name not in cell.robots:
        raise UnknownName("robot", name, cell.robots)
    found: LiveRobot = cell.robots[name]
    return found


def wires(cell: "Cell", texts: Iterable[str], what: str) -> "dict[int, Signal[Any]]":
    """``1=prox1`` and the like as numbers with signals of the cell."""
    found: dict[int, Signal[Any]] = {}
    for text in texts:
        number, sign, name = text.partition("=")
        if not (sign and number.isdigit() and 1 <= int(number) <= 16):
            raise DrycellError(
                f"{text!r} wires no {what}", hint=f"write a number from 1 to 16 and a signal: --{what} 1=NAME"
            )
        found[int(number)] = cell.kernel.signal_named(name)
    return found


def numbered(lines: "Mapping[int | str, Signal[Any]]") -> "dict[int, Signal[Any]]":
    """Those lines of a controller that have numbers: a SCORBOT's have nothing else."""
    return {number: signal for number, signal in lines.items() if isinstance(number, int)}
