"""Time, programs, signals, random streams and the journal: one deterministic clock for a whole cell.

The package knows nothing about geometry, robots or devices, and imports only :mod:`drycell.base`.
"""

TYPE_CHECKING: bool = False
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
        Rank as Rank,
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
    from drycell.kernel.event import (
        Event as Event,
        Fibre as Fibre,
        Finish as Finish,
        Timer as Timer,
        is_live as is_live,
        program_of as program_of,
    )
    from drycell.kernel.future import comes_from_outside as comes_from_outside
    from drycell.kernel.inspection import (
        DEEPEST as DEEPEST,
        MOST_CALLS as MOST_CALLS,
        Location as Location,
        ProgramCall as ProgramCall,
        ShownLimit as ShownLimit,
        Variable as Variable,
        VariableScope as VariableScope,
        cut as cut,
        is_users as is_users,
        location_in_traceback as location_in_traceback,
        naming_line as naming_line,
    )
    from drycell.kernel.journal import Journal as Journal, JournalLine as JournalLine
    from drycell.kernel.kernel import (
        BUSY_LIMIT as BUSY_LIMIT,
        Kernel as Kernel,
        Outcome as Outcome,
        Streams as Streams,
    )
    from drycell.kernel.loop import INSTANT as INSTANT
    from drycell.kernel.mailbox import EventFlags as EventFlags, Mailbox as Mailbox
    from drycell.kernel.outside import (
        CODE as CODE,
        OUTSIDE as OUTSIDE,
        Arguments as Arguments,
        Done as Done,
        Request as Request,
        TapeRow as TapeRow,
    )
    from drycell.kernel.pace import Pace as Pace
    from drycell.kernel.process import (
        Awaited as Awaited,
        Blocked as Blocked,
        Cancelled as Cancelled,
        Process as Process,
        Waiter as Waiter,
        acted as acted,
        asked as asked,
    )
    from drycell.kernel.program_check import check_function as check_function
    from drycell.kernel.program_file import (
        LOOK_EVERY as LOOK_EVERY,
        POLL_PERIOD as POLL_PERIOD,
        ProgramFile as ProgramFile,
        load_program as load_program,
        program_lines as program_lines,
    )
    from drycell.kernel.signal import (
        DeviceOutput as DeviceOutput,
        Reserved as Reserved,
        Signal as Signal,
        V as V,
        Value as Value,
        Writes as Writes,
    )
    from drycell.kernel.ticker import Grid as Grid, Ticker as Ticker
    from drycell.kernel.track import Changes as Changes, Spans as Spans, Track as Track, Tracks as Tracks
    from drycell.kernel.verbs import (
        AWAITED as AWAITED,
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
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
