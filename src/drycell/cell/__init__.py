"""The cell: what a cell is (models, cell files) and a cell that runs; its programs, checks, tolerances and results.

A kind of thing needs what is exported here, and nothing else. May use kernel, geometry and world; does not know any
kind of device, sensor, robot or language: kinds import it.
"""

from drycell.base.schema import (
    Angle,
    Count,
    Duration,
    Factor,
    FileName,
    Length,
    Name,
    NoLess,
    Position,
    Problem,
    Quantity,
    Ratio,
    Ref,
    Rpy,
    Size,
    Speed,
    Thing,
    Wait,
)
from drycell.cell.body import Body, Material, Workpoint
from drycell.cell.cell import Cell
from drycell.cell.checks import Checks, CrashCheck
from drycell.cell.live import BodyRef, Builds, Device, Live, Place, Placed, SignalRef, Stage, Standing
from drycell.cell.model import Head, Model, Run
from drycell.cell.program import LiveProgram, Program
from drycell.cell.source import Source
from drycell.cell.tolerance import Tolerance
from drycell.record import Result

__all__ = [
    "Angle",
    "Body",
    "BodyRef",
    "Builds",
    "Cell",
    "Checks",
    "Count",
    "CrashCheck",
    "Device",
    "Duration",
    "Factor",
    "FileName",
    "Head",
    "Length",
    "Live",
    "LiveProgram",
    "Material",
    "Model",
    "Name",
    "NoLess",
    "Place",
    "Placed",
    "Position",
    "Problem",
    "Program",
    "Quantity",
    "Ratio",
    "Ref",
    "Result",
    "Rpy",
    "Run",
    "SignalRef",
    "Size",
    "Source",
    "Speed",
    "Stage",
    "Standing",
    "Thing",
    "Tolerance",
    "Wait",
    "Workpoint",
]
