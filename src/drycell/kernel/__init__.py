"""Time, programs, signals, random streams and the journal: one deterministic clock for a whole cell.

Knows nothing of geometry, robots or devices, and imports only :mod:`drycell.base.errors` and :mod:`drycell.base.units`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.kernel.chooser import (
        Abandoned as Abandoned,
        Chooser as Chooser,
        Key as Key,
        Pending as Pending,
        RandomWalkChooser as RandomWalkChooser,
        RecordingChooser as RecordingChooser,
        ReplayingChooser as ReplayingChooser,
        Step as Step,
        point as point,
        points as points,
    )
    from drycell.kernel.clock import (
        FOREVER as FOREVER,
        LONGEST as LONGEST,
        TICKS_PER_SECOND as TICKS_PER_SECOND,
        clock_text as clock_text,
        seconds as seconds,
        ticks as ticks,
    )
    from drycell.kernel.condition import (
        Change as Change,
        Condition as Condition,
        Level as Level,
        Possible as Possible,
        as_condition as as_condition,
    )
    from drycell.kernel.events import Done as Done, Finish as Finish
    from drycell.kernel.flags import EventFlags as EventFlags
    from drycell.kernel.inspection import (
        DEEPEST as DEEPEST,
        MOST_CALLS as MOST_CALLS,
        Call as Call,
        Room as Room,
        Scope as Scope,
        Variable as Variable,
        cut as cut,
    )
    from drycell.kernel.journal import Journal as Journal
    from drycell.kernel.journal_line import JournalLine as JournalLine
    from drycell.kernel.kernel import Kernel as Kernel, Observer as Observer
    from drycell.kernel.location import Location as Location, is_users as is_users, of_traceback as of_traceback
    from drycell.kernel.looks import serve_looks as serve_looks
    from drycell.kernel.mailbox import Mailbox as Mailbox
    from drycell.kernel.misspelt import meant as meant
    from drycell.kernel.outcome import Blocked as Blocked, Outcome as Outcome
    from drycell.kernel.output import Output as Output
    from drycell.kernel.pacing import Pace as Pace, Position as Position
    from drycell.kernel.process import Cancelled as Cancelled, Process as Process
    from drycell.kernel.program import (
        LOOK_EVERY as LOOK_EVERY,
        POLL_PERIOD as POLL_PERIOD,
        Program as Program,
        load_program as load_program,
        program_lines as program_lines,
    )
    from drycell.kernel.rank import Rank as Rank
    from drycell.kernel.reserved import Reserved as Reserved
    from drycell.kernel.scheduler import BUSY_LIMIT as BUSY_LIMIT
    from drycell.kernel.signal import Signal as Signal, V as V, Value as Value, Writes as Writes
    from drycell.kernel.strand import program_of as program_of
    from drycell.kernel.streams import Streams as Streams
    from drycell.kernel.tape import (
        CODE as CODE,
        OUTSIDE as OUTSIDE,
        Arguments as Arguments,
        Request as Request,
        Row as Row,
    )
    from drycell.kernel.ticker import Grid as Grid, Ticker as Ticker
    from drycell.kernel.ties import is_live as is_live
    from drycell.kernel.timer import Timer as Timer
    from drycell.kernel.track import Changes as Changes, Spans as Spans, Track as Track, Tracks as Tracks
    from drycell.kernel.verbs import (
        CLOCK as CLOCK,
        choose as choose,
        current_process as current_process,
        delay as delay,
        in_program as in_program,
        interval as interval,
        kernel_of_program as kernel_of_program,
        now as now,
        spawn as spawn,
        wait as wait,
        wait_any as wait_any,
        work as work,
    )
    from drycell.kernel.waiter import Waiter as Waiter
    from drycell.kernel.waits import Awaited as Awaited, acted as acted, asked as asked
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
