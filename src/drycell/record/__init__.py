"""What happened in a run, and every figure of it: each is a function of a record and a time, live or from a file.

The record knows no kind of thing: devices, robots and programs write tracks, and figures read them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.record import figures as figures
    from drycell.record.faults import FAULT_STATES as FAULT_STATES, FaultCount as FaultCount
    from drycell.record.figures import MoveRow as MoveRow, Usage as Usage, Wait as Wait, WaitLine as WaitLine
    from drycell.record.parts import (
        FINISHED as FINISHED,
        Cycle as Cycle,
        Finish as Finish,
        Machining as Machining,
        PartRecord as PartRecord,
        Parts as Parts,
        Place as Place,
    )
    from drycell.record.record import LiveRecord as LiveRecord, Record as Record
    from drycell.record.result import Result as Result
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
