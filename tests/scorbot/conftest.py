"""A tiny cell: an arm with a gripper, an input that a feeder switches, and a lamp on an output."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drycell import Cell, Robot, wait
from drycell.scorbot import EmulatedController, LineFaults, Station

HERE = Path(__file__).parent
SEEN = ("arm.motion", "arm/gripper.moving", "lamp", "part_there")


def tiny_cell() -> Cell:
    cell = Cell("tiny")
    cell.add("arm", Robot("scorbot-er3", gripper="two-finger"))
    there, lamp = cell.signal("part_there", False), cell.signal("lamp", False)

    @cell.program(daemon=True)
    def feeder() -> None:
        while True:
            for on in (True, False):
                wait(lamp.rises())
                wait(~lamp)
                there.set(on)

    return cell


def emulated(
    cell: Cell, *, speed: float = 40.0, faults: LineFaults | None = None, latency: float = 0.02
) -> EmulatedController:
    signals = cell.kernel.signals
    station = Station(cell, cell.robots["arm"], {1: signals["part_there"]}, {8: signals["lamp"]})
    return EmulatedController(cell, station, speed=speed, faults=faults, latency=latency)


@contextmanager
def emulation(**options: object) -> Iterator[tuple[Cell, EmulatedController, str]]:
    """A cell that runs behind a line."""
    cell = tiny_cell()
    controller = emulated(cell, **options)  # type: ignore[arg-type]
    with controller.running() as port:
        yield cell, controller, port


def events(cell: Cell) -> list[tuple[str, object]]:
    """What happened to the arm and on the wires, in order; at one instant, causes before effects."""
    changes = [
        (time, place, name, value)
        for place, name in enumerate(SEEN)
        for time, value, _ in cell.kernel.signals[name].history[1:]
    ]
    return [(name, value) for _, _, name, value in sorted(changes, key=lambda change: change[:2])]
