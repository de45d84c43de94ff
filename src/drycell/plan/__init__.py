"""Tasks and their order: precedence graphs, carried out as programs of a cell, with recovery from what goes wrong.

May use all that a cell is made of; nothing below knows of it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.plan.errors import PlanError as PlanError, Trouble as Trouble, Unrecovered as Unrecovered
    from drycell.plan.execution import Execution as Execution
    from drycell.plan.picture import precedence_picture as precedence_picture
    from drycell.plan.precedence import TaskGraph as TaskGraph
    from drycell.plan.recovery import Imagined as Imagined, Strategy as Strategy
    from drycell.plan.task import Task as Task
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
