"""Tasks: what is done, after what, for how long, with what, and what may go wrong."""

from collections.abc import Callable
from dataclasses import dataclass

from drycell.plan.recovery import Imagined

Action = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Task:
    """A node of a precedence graph. Its action is a program: its parameters name things of the cell."""

    name: str
    action: Action | None = None
    after: tuple[str, ...] = ()
    lasts: float = 0.0
    """How long it is expected to take, in seconds: for planning, not for running."""
    needs: tuple[str, ...] = ()
    """What it has for itself while it is at work, such as an arm: tasks that need the same take turns."""
    exceptions: tuple[Imagined, ...] = ()
