"""The unchanged robot.pas tends the cell over a serial line, and does the same as in the virtual cell."""

import pytest

from drycell import Cell, wait
from drycell.base import mm
from drycell.cli.main import main
from drycell.kernel import Signal
from drycell.record import figures
from drycell.scorbot import EmulatedController, Station

from .outcome import EXAMPLES, built

FOLDER = EXAMPLES / "30_event_cell"
SPEED = 50.0
LINES = ("arm/gripper.moving", "arm/gripper.holding", "machine1.start", "machine2.start")
TURNS = 300 * mm  # the height at which the arm turns
Event = tuple[int, str, object]


def three_parts() -> Cell:
    """The cell, with an emergency stop that is pressed while the third part is being put into a machine."""
    cell = built("30_event_cell")
    holding = cell.kernel.signals["arm/gripper.holding"]

    @cell.program(daemon=True)
    def operator(emergency: Signal[bool]) -> None:
        for _ in range(4):  # parts 1 and 2 into machines, part 1 into the store, and part 3
            wait(holding.falls())
        emergency.set(True)

    return cell


def done(cell: Cell) -> tuple[list[tuple[str, object]], list[tuple[float, ...]]]:
    """What the program did, in order: gripper and outputs with the number of the move before; and where moves led.

    Sensors and machines do not wait for the arm: their edges may come before or after its. Moves that end at the
    height of turns are left out: if the next part is there by then, the arm need not go to where it waits for one.
    """
    moves = [move for move in cell.robots["arm"].moves if abs(move.pose.position[2] - TURNS) > 5 * mm]
    events: list[Event] = [
        (time, name, value)
        for name in LINES
        for time, value, _ in cell.kernel.signals[name].history[1:]
        if value or not name.endswith(".start")  # nor is the end of a pulse
    ]
    events += [(move.start, "move", number) for number, move in enumerate(moves)]
    ordered = sorted(events, key=lambda event: event[0])
    return [(name, value) for _, name, value in ordered], [move.pose.position for move in moves]


def test_the_program_does_the_same_in_the_cell_and_on_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    virtual = three_parts()
    assert virtual.run().ending == "finished"
    real = three_parts()
    del real.programs["robot"]  # it arrives over the line
    lines = real.controllers["scorbot"]
    wired = (
        {key: each for key, each in wires.items() if isinstance(key, int)} for wires in (lines.inputs, lines.outputs)
    )
    emulated = EmulatedController(real, Station(real, lines.robot, *wired), speed=SPEED)
    with emulated.running() as port:
        options = ["--serial", port, "--speed", f"{SPEED:g}", "--timeout", "60", "--cell", str(FOLDER)]
        code = main(["scorpas", str(FOLDER / "robot.pas"), *options])
        assert capsys.readouterr() == (f"{FOLDER / 'robot.pas'} on {port}: finished\n", "")
        assert code == 0
    events, places = done(virtual)
    events_there, places_there = done(real)
    assert [event for event in events if event[0] == "machine1.start"] == [("machine1.start", True)] * 2
    assert events_there == events
    for there, here in zip(places_there, places, strict=True):
        assert there == pytest.approx(here, abs=1 * mm)
    parts = [(part.name, part.where) for part in figures.parts(virtual.record, virtual.kernel.now).records[:3]]
    assert parts == [("part1", "store"), ("part2", "machine2/rotary"), ("part3", "machine1/rotary")]
    assert [(part.name, part.where) for part in figures.parts(real.record, real.kernel.now).records[:3]] == parts
