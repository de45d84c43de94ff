"""The robot of a cell that a command uses, and the wiring of its controller."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from drycell.base import DrycellError, UnknownName

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.kernel import Signal
    from drycell.robots import LiveRobot


def robot_of(cell: "Cell", name: str | None) -> "LiveRobot":
    """Return a robot by its name, or the only one."""
    if name is None:
        if len(cell.robots) != 1:
            raise DrycellError(
                f"the cell {cell.name!r} has {len(cell.robots)} robots",
                hint=f"choose one: --robot {' or '.join(cell.robots) or 'NAME'}",
            )
        name = next(iter(cell.robots))
    if name not in cell.robots:
        raise UnknownName("robot", name, cell.robots)
    found: LiveRobot = cell.robots[name]
    return found


def wires(cell: "Cell", texts: Iterable[str], what: str) -> "dict[int, Signal[Any]]":
    """Parse lines such as ``1=prox1`` to numbers with signals of the cell."""
    found: dict[int, Signal[Any]] = {}
    for text in texts:
        number, equals, name = text.partition("=")
        if not (equals and number.isdigit() and 1 <= int(number) <= 16):
            raise DrycellError(
                f"{text!r} does not wire an {what}", hint=f"write a number from 1 to 16 and a signal: --{what} 1=NAME"
            )
        found[int(number)] = cell.kernel.signal_named(name)
    return found


def numbered(lines: "Mapping[int | str, Signal[Any]]") -> "dict[int, Signal[Any]]":
    """Return the numbered lines of a controller: a SCORBOT has no others."""
    return {number: signal for number, signal in lines.items() if isinstance(number, int)}
