"""Recovery: exceptions that can be imagined, the strategies against each, and which of them is taken when it comes.

The model is Meijer and Hertzberger's (EHM; seed 001, section 7.4): a list of imaginable exceptions is made for the
tasks of a precedence graph, strategies are connected to each, and one is chosen and carried out at run time.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from drycell.base import DrycellError, ProgramError
from drycell.kernel import Condition, Signal


class PlanError(DrycellError):
    """Tasks whose order makes no sense, with the ring or the name that is to blame."""


class Trouble(ProgramError):
    """Raised by a task that has met one of the exceptions imagined for it, by its name."""

    def __init__(self, name: str, what: str = "", **more: str) -> None:
        super().__init__(what or f"{name}, which nothing was imagined for", **more)
        self.name = name


class Unrecovered(ProgramError):
    """An exception for which no strategy is left."""


Then = Literal["retry", "resume", "skip", "replan"]
_THENS = ("retry", "resume", "skip", "replan")
Test = Condition | Signal[Any] | Callable[[], object]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way out: what to do, when it can be done, what it costs, and how to go on.

    ``then`` is how the task goes on: ``retry`` does it once more, ``resume`` takes it for done, ``skip`` leaves it
    undone and goes on with what follows, ``replan`` does the :class:`~drycell.plan.TaskGraph` that the action returns
    in its place.
    """

    name: str
    action: Callable[..., object] | None = None
    then: Then = "retry"
    when: Test | None = None
    cost: float = 0.0
    tries: int | None = None
    """How often it is taken for one task at most."""

    def __post_init__(self) -> None:
        if self.then not in _THENS:
            raise PlanError(f"strategy '{self.name}' goes on with '{self.then}'", hint=f"there are {', '.join(_THENS)}")
        if self.then == "replan" and self.action is None:
            raise PlanError(
                f"strategy '{self.name}' plans anew", hint="its action returns the graph of what is to be done"
            )

    def why_disabled(self, taken: int) -> str:
        """Why it cannot be taken now; empty if it can."""
        if self.tries is not None and taken >= self.tries:
            return f"taken {taken} of {self.tries} times"
        if self.when is not None and not _holds(self.when):
            return f"{self.when} does not hold" if isinstance(self.when, Condition) else "its condition does not hold"
        return ""


@dataclass(frozen=True, slots=True)
class Imagined:
    """An exception that may come in a task, how it is noticed, and the strategies against it.

    It is noticed by a :class:`~drycell.plan.Trouble` of its name, by an error that the task ``raises``, by a condition
    that comes true ``during`` the task, which is then cut off, or when ``shown`` is true at the end of it.
    """

    name: str
    strategies: tuple[Strategy, ...]
    raises: type[Exception] | None = None
    during: Condition | Signal[Any] | None = None
    shown: Test | None = None

    def __post_init__(self) -> None:
        if not self.strategies:
            raise PlanError(f"nothing is to be done about '{self.name}'", hint="give it at least one Strategy")

    def is_shown(self) -> bool:
        """Whether the end of the task shows it."""
        return self.shown is not None and _holds(self.shown)

    def choose(self, taken: "Counter[str]") -> Strategy | None:
        """The strategy that can be taken and costs least; the first of those that cost the same."""
        possible = [each for each in self.strategies if not each.why_disabled(taken[each.name])]
        return min(possible, key=lambda each: each.cost, default=None)

    def told(self, taken: "Counter[str]") -> str:
        """Why none of the strategies can be taken."""
        return "; ".join(f"{each.name}: {each.why_disabled(taken[each.name])}" for each in self.strategies)


def _holds(test: Test) -> bool:
    return bool(test() if callable(test) else test)
