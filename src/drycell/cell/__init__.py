"""The cell: composes bodies, robots, signals, programs and checks; cell files; run; result.

May use everything below it; knows no language, no studio and no command line.
"""

from drycell.cell.cell import Cell
from drycell.cell.result import Result
from drycell.cell.solids import box, capsule, cone, cylinder, mesh, prism, solid, sphere
from drycell.cell.source import Source

__all__ = [
    "Cell",
    "Result",
    "Source",
    "box",
    "capsule",
    "cone",
    "cylinder",
    "mesh",
    "prism",
    "solid",
    "sphere",
]
