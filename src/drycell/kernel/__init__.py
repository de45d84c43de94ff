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
from drycell.kernel.journal_line import JournalLine
from drycell.kernel.kernel import Kernel, Observer
from drycell.kernel.location import Location
from drycell.kernel.mailbox import Mailbox
from drycell.kernel.outcome import Blocked, Outcome
from drycell.kernel.output import Output
from drycell.kernel.pacing import Pace, Position
from drycell.kernel.process import Cancelled, Process
from drycell.kernel.program import Program, load_program
from drycell.kernel.rank import Rank
from drycell.kernel.reserved import Reserved
from drycell.kernel.signal import Signal
from drycell.kernel.tape import Request, Row
from drycell.kernel.ticker import Ticker
from drycell.kernel.timer import Timer
from drycell.kernel.track import Changes, Spans, Track, Tracks
from drycell.kernel.verbs import choose, current_process, delay, in_program, interval, now, spawn, wait, wait_any, work
from drycell.kernel.waits import Awaited, acted, asked

__all__ = [
    "FOREVER",
    "TICKS_PER_SECOND",
    "Abandoned",
    "Awaited",
    "Blocked",
    "Cancelled",
    "Changes",
    "Chooser",
    "Condition",
    "EventFlags",
    "Journal",
    "JournalLine",
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
    "RecordingChooser",
    "ReplayingChooser",
    "Request",
    "Reserved",
    "Row",
    "Signal",
    "Spans",
    "Step",
    "Ticker",
    "Timer",
    "Track",
    "Tracks",
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
