"""Tasks and their order: precedence graphs, carried out as programs of a cell, with recovery from what goes wrong.

May use all that a cell is made of; nothing below knows of it.
"""

from drycell.plan.errors import PlanError, Trouble, Unrecovered
from drycell.plan.execution import Execution
from drycell.plan.picture import precedence_picture
from drycell.plan.precedence import TaskGraph
from drycell.plan.recovery import Imagined, Strategy
from drycell.plan.task import Task

__all__ = [
    "Execution",
    "Imagined",
    "PlanError",
    "Strategy",
    "Task",
    "TaskGraph",
    "Trouble",
    "Unrecovered",
    "precedence_picture",
]
