"""The cell: what a cell is (models, cell files) and a cell that runs; its programs, checks, tolerances and results.

May use kernel, geometry and world. It does not know any kind of device, sensor, robot or language: kinds import it.
"""

from drycell.cell.body import Body, Material, Workpoint
from drycell.cell.cell import Cell
from drycell.cell.checks import Checks, CrashCheck
from drycell.cell.live import BodyRef, Builds, Device, Live, Place, Placed, SignalRef, Stage, Standing
from drycell.cell.model import Head, Model, Run
from drycell.cell.program import LiveProgram, Program
from drycell.cell.result import Result
from drycell.cell.source import Source
from drycell.cell.tolerance import Tolerance

__all__ = [
    "Body",
    "BodyRef",
    "Builds",
    "Cell",
    "Checks",
    "CrashCheck",
    "Device",
    "Head",
    "Live",
    "LiveProgram",
    "Material",
    "Model",
    "Place",
    "Placed",
    "Program",
    "Result",
    "Run",
    "SignalRef",
    "Source",
    "Stage",
    "Standing",
    "Tolerance",
    "Workpoint",
]
