"""The event-driven cell of two machines and one arm, against the wall clock and against MuJoCo.

The cell and its program are those of examples/30_event_cell: an arm that works 80 % of the time,
two machines, a belt with a queue of parts, two sensors at 10 Hz, a logic block, and collision checks between all
bodies. A shift of eight hours, measured once, was 5 % slower per hour than the half hour that runs here.
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
    """Seconds of cell time per second of wall time: half an hour, with sensors and collision checks."""
    return max(_SECONDS / _run()[0] for _ in range(_ROUNDS))


def cell_vs_mujoco() -> float:
    """The cell time per wall time of drycell over that of MuJoCo with steps of 2 ms.

    It compares half an hour in drycell with one minute in MuJoCo, which starts from the end of that run. MuJoCo has the
    same arm with its gripper and the same machines, with their true link shapes, and its joints repeat the last minute
    of the run. It has the same table, belt and store, the parts as free bodies, and both sensors as rays at 10 Hz. The
    two alternate, and the best of a few rounds counts. MuJoCo has its default settings, in which parts at rest stay
    awake. With sleeping bodies it would be 2.2 times as fast here, as long as no belt moves the parts.

    MuJoCo does not run programs, logic, arrivals, planning, a moving belt or a journal, and it finds contacts to a
    step, where drycell finds them to the microsecond. drycell does not compute forces. Both models are built before the
    clock starts.
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
    """Build and run the cell. Returns the wall time of the run in seconds, and the cell at its end."""
    from drycell.cell import CellSource

    cell = CellSource.find(FOLDER).build()
    gc.collect()
    begin = perf_counter()
    cell.run(until=_SECONDS)
    return perf_counter() - begin, cell
