"""Tasks and their order: precedence graphs, carried out as programs of a cell, with recovery from what goes wrong.

May use all that a cell is made of; nothing below knows of it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.plan.execution import TaskExecution as TaskExecution
    from drycell.plan.precedence import TaskGraph as TaskGraph, precedence_picture as precedence_picture
    from drycell.plan.recovery import (
        Imagined as Imagined,
        PlanError as PlanError,
        Strategy as Strategy,
        Trouble as Trouble,
        Unrecovered as Unrecovered,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
