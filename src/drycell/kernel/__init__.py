"""Time, programs, signals, random streams and the journal: one deterministic clock for a whole cell.

Knows nothing of geometry, robots or devices, and imports only :mod:`drycell.errors` and :mod:`drycell.units`.
"""

from drycell.kernel.chooser import (
    Abandoned,
    Chooser,
    Pending,
    RandomWalkChooser,
    RecordingChooser,
    ReplayingChooser,
    Step,
)
from drycell.kernel.clock import FOREVER, TICKS_PER_SECOND, seconds, ticks
from drycell.kernel.condition import Condition
from drycell.kernel.flags import EventFlags
from drycell.kernel.journal import Journal
from drycell.kernel.kernel import Kernel, Observer
from drycell.kernel.location import Location
from drycell.kernel.mailbox import Mailbox
from drycell.kernel.outcome import Blocked, Outcome
from drycell.kernel.output import Output
from drycell.kernel.pacing import Pace, Position
from drycell.kernel.patience import Wait, acted, asked
from drycell.kernel.process import Cancelled, Process
from drycell.kernel.program import Program, load_program
from drycell.kernel.rank import Rank
from drycell.kernel.record import Record
from drycell.kernel.reserved import Reserved
from drycell.kernel.signal import Signal
from drycell.kernel.ticker import Ticker
from drycell.kernel.timer import Timer
from drycell.kernel.verbs import choose, current_process, delay, in_program, interval, now, spawn, wait, wait_any, work

__all__ = [
    "FOREVER",
    "TICKS_PER_SECOND",
    "Abandoned",
    "Blocked",
    "Cancelled",
    "Chooser",
    "Condition",
    "EventFlags",
    "Journal",
    "Kernel",
    "Location",
    "Mailbox",
    "Observer",
    "Outcome",
    "Output",
    "Pace",
    "Pending",
    "Position",
    "Process",
    "Program",
    "RandomWalkChooser",
    "Rank",
    "Record",
    "RecordingChooser",
    "ReplayingChooser",
    "Reserved",
    "Signal",
    "Step",
    "Ticker",
    "Timer",
    "Wait",
    "acted",
    "asked",
    "choose",
    "current_process",
    "delay",
    "in_program",
    "interval",
    "load_program",
    "now",
    "seconds",
    "spawn",
    "ticks",
    "wait",
    "wait_any",
    "work",
]
