"""What happened in a run, and every figure of it: each is a function of a record and a time, live or from a file.

A recording is such a file; docs/recording.md describes it. The record knows no kind of thing: devices, robots and
programs write tracks, and figures read them; sensors and mechanisms say themselves how a recording keeps them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.record import figures as figures
    from drycell.record.comparison import Difference as Difference, compare as compare
    from drycell.record.container import (
        DocumentNode as DocumentNode,
        Json as Json,
        json_number as json_number,
        json_numbers as json_numbers,
    )
    from drycell.record.figures import MoveRow as MoveRow, Usage as Usage, Wait as Wait, WaitLine as WaitLine
    from drycell.record.header import (
        Header as Header,
        SourceFile as SourceFile,
        seen_from as seen_from,
        source_files as source_files,
    )
    from drycell.record.parts import (
        FINISHED as FINISHED,
        Cycle as Cycle,
        Machining as Machining,
        PartFinish as PartFinish,
        PartPlace as PartPlace,
        PartRecord as PartRecord,
        Parts as Parts,
    )
    from drycell.record.record import (
        FAULT_STATES as FAULT_STATES,
        FaultCount as FaultCount,
        LiveRecord as LiveRecord,
        Record as Record,
    )
    from drycell.record.recorded_shapes import shape_data as shape_data, shape_from as shape_from
    from drycell.record.recorded_world import RecordedSensor as RecordedSensor
    from drycell.record.recording import (
        Recording as Recording,
        RecordingWriter as RecordingWriter,
        copy_recording as copy_recording,
    )
    from drycell.record.result import Result as Result
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
