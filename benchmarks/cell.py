"""The event-driven cell of two machines and one arm, against the wall clock and against MuJoCo.

The cell and its program are those of examples/30_event_cell: an arm that works four fifths of the
time, two machines, a belt that parts queue on, two sensors at 10 Hz, a logic block, and collision checks of everything
with everything. A shift of eight hours, measured once, was 5 % slower for its length than the half hour that is run
here.
"""

import gc
import math
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from drycell.cell import Cell

FOLDER: Final = Path(__file__).parents[1] / "examples" / "30_event_cell"
_SECONDS: Final = 1800  # of cell time
_STEPPED: Final = 60  # of these, in MuJoCo
_ROUNDS: Final = 3


def cell_vs_wall() -> float:
    """Seconds of cell time per second on the wall: half an hour, sensors and collision checks on."""
    return max(_SECONDS / _run()[0] for _ in range(_ROUNDS))


def cell_vs_mujoco() -> float:
    """How many times more cell time drycell does in a second on the wall than MuJoCo does in steps of 2 ms.

    Compared are half an hour in drycell and a minute in MuJoCo, from where that run ended: the same arm with its
    gripper and the same machines, with their true link shapes, all joints driven along what they did in the last minute
    of the run; the same table, belt and store; the parts that were in the cell, as free bodies; both sensors, as rays
    at 10 Hz. Each has the best of a few rounds, taken in turns. MuJoCo is as it comes: parts at rest stay awake. Its
    sleeping of what rests, off by default, would make it 2.2 times as fast here, as long as no belt moves the parts.

    Not compared is what MuJoCo is spared: programs, logic, arrivals, planning, a belt that conveys, a journal, and the
    instant of every contact, which drycell finds to the microsecond and MuJoCo to a step. Nor what drycell does not do:
    forces. Models are built before the clock starts, in both.
    """
    from benchmarks.stepped import SteppedCell

    ours = theirs = math.inf
    for _ in range(_ROUNDS):
        seconds, cell = _run()
        ours = min(ours, seconds / _SECONDS)
        stepped = SteppedCell(cell, _STEPPED)
        gc.collect()
        begin = perf_counter()
        stepped.run()
        theirs = min(theirs, (perf_counter() - begin) / _STEPPED)
    return theirs / ours


def _run() -> "tuple[float, Cell]":
    """Builds the cell and runs it; the seconds that the run takes on the wall, and the cell as it is then."""
    from drycell.cell import CellSource

    cell = CellSource.find(FOLDER).build()
    gc.collect()
    begin = perf_counter()
    cell.run(until=_SECONDS)
    return perf_counter() - begin, cell
