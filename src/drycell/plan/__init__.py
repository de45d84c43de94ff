"""Tasks and their order: precedence graphs that run as programs of a cell, with recovery from exceptions.

The package may use everything up to cells and languages.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.plan.execution import TaskExecution as TaskExecution
    from drycell.plan.precedence import TaskGraph as TaskGraph, precedence_picture as precedence_picture
    from drycell.plan.recovery import (
        ImaginableException as ImaginableException,
        PlanError as PlanError,
        Strategy as Strategy,
        TaskException as TaskException,
        Unrecovered as Unrecovered,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
