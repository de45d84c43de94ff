"""Recovery: foreseeable exceptions of tasks, their recovery strategies, and the choice between them.

The model is that of Meijer and Hertzberger (EHM; seed 001, section 7.4): the tasks of a precedence graph have a list of
foreseeable exceptions, each exception has strategies, and one of these is chosen and executed at run time.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from drycell.base import DrycellError, ProgramError
from drycell.kernel import Condition, Signal


class PlanError(DrycellError):
    """An invalid plan, such as tasks that wait for each other."""


class TaskException(ProgramError):
    """An exception that a task raises by name to trigger one of its strategies."""

    def __init__(self, name: str, what: str = "", **more: str) -> None:
        super().__init__(what or f"{name}, for which the task has no strategies", **more)
        self.name = name


class Unrecovered(ProgramError):
    """No strategy is left for an exception."""


Then = Literal["retry", "resume", "skip", "replan"]
_THENS = ("retry", "resume", "skip", "replan")
Test = Condition | Signal[Any] | Callable[[], object]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A recovery strategy: its action, when it applies, its cost, and how to continue.

    ``then`` is how the task continues: ``retry`` executes it again, ``resume`` treats it as done, ``skip`` leaves it
    undone and continues with the next tasks, and ``replan`` instead executes the :class:`~drycell.plan.TaskGraph` that
    the action returns.
    """

    name: str
    action: Callable[..., object] | None = None
    then: Then = "retry"
    when: Test | None = None
    cost: float = 0.0
    tries: int | None = None
    """How many times it may be used for one task."""

    def __post_init__(self) -> None:
        if self.then not in _THENS:
            raise PlanError(f"strategy '{self.name}' continues with '{self.then}'", hint=f"use {', '.join(_THENS)}")
        if self.then == "replan" and self.action is None:
            raise PlanError(
                f"strategy '{self.name}' replans without an action", hint="give an action that returns a TaskGraph"
            )

    def why_disabled(self, taken: int) -> str:
        """Return why it cannot be used now; empty if it can."""
        if self.tries is not None and taken >= self.tries:
            return f"used {taken} of {self.tries} times"
        if self.when is not None and not _holds(self.when):
            return f"{self.when} does not hold" if isinstance(self.when, Condition) else "its condition does not hold"
        return ""


@dataclass(frozen=True, slots=True)
class ImaginableException:
    """An exception that may occur in a task, how it is detected, and its strategies.

    It is detected by a :class:`~drycell.plan.TaskException` with its name, by an error that the task ``raises``, by a
    condition that becomes true ``during`` the task and cancels it, or by ``shown`` at the end of the task.
    """

    name: str
    strategies: tuple[Strategy, ...]
    raises: type[Exception] | None = None
    during: Condition | Signal[Any] | None = None
    shown: Test | None = None

    def __post_init__(self) -> None:
        if not self.strategies:
            raise PlanError(f"exception '{self.name}' has no strategies", hint="give it at least one Strategy")

    def is_shown(self) -> bool:
        """Return whether it is detected at the end of the task."""
        return self.shown is not None and _holds(self.shown)

    def choose(self, taken: "Counter[str]") -> Strategy | None:
        """Return the cheapest usable strategy (the first, if several cost the same), or None."""
        possible = [each for each in self.strategies if not each.why_disabled(taken[each.name])]
        return min(possible, key=lambda each: each.cost, default=None)

    def why_none(self, taken: "Counter[str]") -> str:
        """Return why none of the strategies can be used."""
        return "; ".join(f"{each.name}: {each.why_disabled(taken[each.name])}" for each in self.strategies)


def _holds(test: Test) -> bool:
    return bool(test() if callable(test) else test)
