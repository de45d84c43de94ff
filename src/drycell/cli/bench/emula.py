"""EMULA against the wall clock: the paper's program in batch, with crash checks on.

Table 1 by the engine's own commands, in the paper's work station with its stylised model: guarded moves down on the
part, around it, and down on the table. Checked are the fingers with each other, which are closed for the first 45
cycles and so give a line in each of them, and the gripper with table and tray.
"""

import gc
import math
from time import perf_counter
from typing import Final

_ROUNDS: Final = 20


def emula_vs_wall() -> float:
    """Seconds of emulated time per second on the wall."""
    return max(_table_1() for _ in range(_ROUNDS))


def _table_1() -> float:
    from drycell.cell import Cell
    from drycell.languages.emula.emulation import Emulation
    from drycell.languages.emula.guard import Guard
    from drycell.languages.emula.workstation import build_workstation
    from drycell.units import deg, inch

    cell = Cell("work station")
    lines: list[str] = []
    emulation = Emulation(cell, build_workstation(cell), echo=lines.append)
    either = Guard((1, 2), 10)

    def program() -> None:
        for a, b in (("finger1", "finger2"), ("gripper", "table"), ("gripper", "tray")):
            emulation.set_crash_check(True, a, b)
        emulation.attach(1, "contact", ("finger1", "parta"))
        emulation.attach(2, "contact", ("finger2", "parta"))
        emulation.move_by({"x": -2 * inch, "y": 10 * inch, "z": 8 * inch})
        emulation.move_by({"z": -10 * inch}, either)
        emulation.move_to({"gripper": 3.25 * inch})
        emulation.move_by({"roll": 90 * deg})
        emulation.move_by({"z": -1 * inch})
        emulation.move_to({"gripper": 0.0}, either)
        emulation.grasp("parta")
        emulation.move_by({"z": 10 * inch})
        emulation.move_by({"x": 2 * inch, "y": -10 * inch})
        emulation.attach(3, "contact", ("gripper", "table"))
        emulation.move_by({"z": -10 * inch}, Guard((1, 2, 3), 10))

    cell.add_program("table 1", program)
    gc.collect()
    begin = perf_counter()
    duration = cell.run().duration
    wall = perf_counter() - begin
    return duration / wall if wall > 0.0 else math.inf
