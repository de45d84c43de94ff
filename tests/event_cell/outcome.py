"""The outcome of a run of the event cell, read from its journal and the histories of its signals."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drycell import Cell
from drycell.cell import CellSource, Result, exchange

EXAMPLES = Path(__file__).parents[2] / "examples"
MACHINES = ("machine1", "machine2")
FRONT = {
    "machine1": (190.0, 0.0, 300.0),
    "machine2": (0.0, -190.0, 300.0),
}  # where the arm turns to a machine


def built(folder: str, program: str | None = None, seed: int | None = None) -> Cell:
    """An example's cell; with another file as its robot's program."""
    source = CellSource.find(EXAMPLES / folder)
    cell = source.build(seed=seed)
    if program is not None:
        exchange(cell, "robot", source.path.parent / program)
    return cell


def was_on(cell: Cell, signal: str, time: int) -> bool:
    """Whether a signal was on right before an instant."""
    history = cell.kernel.signals[signal].history
    return bool(history[max(bisect_right(history, time - 1, key=lambda change: change[0]) - 1, 0)][1])


@dataclass(frozen=True)
class Unload:
    """A part taken out of a machine: when the arm started to move to it, and which machines were empty then."""

    machine: str
    part: str
    set_out: int
    empty: tuple[str, ...]


def unloads(cell: Cell) -> Iterator[Unload]:
    """All parts that were taken out of machines, in order."""
    inside: dict[str, str] = {}  # by machine
    moves: list[tuple[int, object]] = []
    for record in cell.kernel.journal.records:
        fields = dict(record.fields)
        if record.kind == "move" and record.subject == "arm":
            moves.append((record.time, fields["at_mm"]))
        elif record.kind == "rests" and str(fields["on"]).endswith("/rotary"):
            inside[str(fields["on"]).split("/")[0]] = record.subject
        elif record.kind == "grasps" and fields["part"] in inside.values():
            machine = next(name for name, part in inside.items() if part == fields["part"])
            turned = tuple(moves[-3][1]) == FRONT[machine]  # type: ignore[arg-type]  # else it stood there
            empty = tuple(name for name in MACHINES if name not in inside)
            yield Unload(machine, inside.pop(machine), moves[-3 if turned else -2][0], empty)


def check_flow(cell: Cell, result: Result) -> None:
    """Check that there is no collision, that every part is in the cell or machined exactly once and stored, and that
    loading comes before unloading."""
    assert result.ending == "until"
    assert result.collisions == ()
    assert result.parts.lost == 0
    assert result.parts.arrived == cell.kernel.signals["feeder.count"].value
    assert result.parts.arrived == result.parts.sunk + result.parts.inside
    assert all(len(part.machined) == 1 and part.where == "store" for part in result.parts.records if part.end == "sunk")
    assert all(len(part.machined) <= 1 for part in result.parts.records)
    assert result.parts.machined == sum(used.cycles for used in result.devices.values())  # no cycle ran without a part
    for unload in unloads(cell):
        assert not (unload.empty and was_on(cell, "sensor2", unload.set_out)), f"{unload} while a part could be loaded"
