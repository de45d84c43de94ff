"""The record of a run and its figures: each figure is a function of a record and a time. The record of a running cell
grows; that of a recording is complete. Records are independent of the kinds of things: devices, robots and programs
write tracks, and figures read them.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.record import figures as figures
    from drycell.record.expectation import Expectation as Expectation
    from drycell.record.figures import Incident as Incident, Usage as Usage, Wait as Wait, WaitLine as WaitLine
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
