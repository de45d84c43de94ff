"""What happened in a run, and every figure of it: each is a function of a record and a time, live or from a file.

The record knows no kind of thing: devices, robots and programs write tracks, and figures read them.
"""

from drycell.record import figures
from drycell.record.faults import FaultCount
from drycell.record.figures import MoveRow, Usage, Wait, WaitLine
from drycell.record.parts import FINISHED, Cycle, Finish, Machining, PartRecord, Parts, Place
from drycell.record.record import LiveRecord, Record
from drycell.record.result import Result

__all__ = [
    "FINISHED",
    "Cycle",
    "FaultCount",
    "Finish",
    "LiveRecord",
    "Machining",
    "MoveRow",
    "PartRecord",
    "Parts",
    "Place",
    "Record",
    "Result",
    "Usage",
    "Wait",
    "WaitLine",
    "figures",
]
