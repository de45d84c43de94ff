"""What happened in a run, and every figure of it: each figure is a function of a record and a time.

The record of a cell that runs is growing; that of a recording is complete. The record knows no kind of thing: devices,
robots and programs write tracks, and figures read them.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.record import figures as figures
    from drycell.record.figures import Usage as Usage, Wait as Wait, WaitLine as WaitLine
    from drycell.record.parts import (
        FINISHED as FINISHED,
        PartFinish as PartFinish,
        PartRecord as PartRecord,
        Parts as Parts,
    )
    from drycell.record.record import (
        FAULT_STATES as FAULT_STATES,
        LiveRecord as LiveRecord,
        Record as Record,
    )
    from drycell.record.result import Result as Result
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
