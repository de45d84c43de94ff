"""Carrying out a precedence graph: every task a program of the cell that starts when those before it are done."""

import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drycell.base import DrycellError, did_you_mean
from drycell.kernel import (
    Condition,
    Location,
    Process,
    Signal,
    current_process,
    location_in_traceback,
    spawn,
    wait,
    wait_any,
)
from drycell.plan.precedence import Action, Task, TaskGraph
from drycell.plan.recovery import Imagined, PlanError, Strategy, Trouble, Unrecovered

if TYPE_CHECKING:
    from drycell.cell import Cell


class TaskExecution:
    """A graph in a cell: a program for each task, and a signal ``GRAPH.TASK`` that is on when it is done.

    Tasks that need the same thing take turns; each waits until all it needs is free, and takes it at one instant. What
    goes wrong is met with the strategies of the task, journalled as ``recovers``.
    """

    def __init__(self, cell: "Cell", graph: TaskGraph) -> None:
        graph.check()
        self.cell, self.graph = cell, graph
        self.done: dict[str, Signal[bool]] = {
            name: cell.kernel.signal(f"{graph.name}.{name}", False) for name in graph.tasks
        }
        needed = dict.fromkeys(name for task in graph.tasks.values() for name in task.needs)
        self._busy: dict[str, Signal[bool]] = {
            name: cell.kernel.signal(f"{graph.name}.uses {name}", False, quiet=True) for name in needed
        }
        self.recovered: list[tuple[str, str, str]] = []
        """Task, exception and strategy of every recovery, in order."""
        self.skipped: list[str] = []
        for task in graph.tasks.values():
            cell.program(self._program(task), name=task.name)

    @property
    def finished(self) -> Condition:
        """That all tasks are done."""
        return _all([signal.is_on for signal in self.done.values()], f"{self.graph.name} is finished")

    def _program(self, task: Task) -> Action:
        free = [self.done[name].is_on for name in task.after] + [self._busy[name].is_off for name in task.needs]

        def work(*things: object) -> None:
            if free:
                ready = _all(free, " & ".join(condition.text for condition in free))
                while not ready.holds():  # another task may have taken it at the instant at which it became free
                    wait(ready)
            for name in task.needs:
                self._busy[name].set(True)
            try:
                self._carry_out(task, things)
            finally:
                for name in task.needs:
                    self._busy[name].set(False)
            self.done[task.name].set(True)

        return work if task.action is None else functools.wraps(task.action)(work)

    def _carry_out(self, task: Task, things: tuple[object, ...]) -> None:
        taken: Counter[str] = Counter()
        while True:
            met = self._attempt(task, things)
            if met is None:
                return
            trouble = met.trouble
            strategy = trouble.choose(taken)
            if strategy is None:
                raise Unrecovered(
                    f"task '{task.name}' met '{trouble.name}', and no strategy is left",
                    where=current_process().place(met.at),
                    hint=trouble.told(taken) or None,
                )
            taken[strategy.name] += 1
            if self._recover(task, trouble, strategy):
                return

    def _attempt(self, task: Task, things: tuple[object, ...]) -> "_Met | None":
        """Does a task once; returns the exception that was noticed, if any."""
        if task.action is None:
            return None
        watched = [each for each in task.exceptions if each.during is not None]
        if not watched:
            return _tried(task, things)
        met: list[_Met | None] = []
        process: Process = spawn(lambda: met.append(_tried(task, things)), name=f"{task.name} at work")
        came = wait_any(process, *(each.during for each in watched if each.during is not None))
        if came:
            process.cancel()
            wait(process)
            return _Met(watched[came - 1], _home(task))
        return met[0]

    def _recover(self, task: Task, trouble: Imagined, strategy: Strategy) -> bool:
        """Carries out a strategy; says whether the task is over with it."""
        self.recovered.append((task.name, trouble.name, strategy.name))
        self.cell.kernel.journal.write(
            "recovers", task.name, exception=trouble.name, strategy=strategy.name, then=strategy.then
        )
        outcome = None
        if strategy.action is not None:
            outcome = strategy.action(*self._things(strategy.action))
        if strategy.then == "replan":
            if not isinstance(outcome, TaskGraph):
                raise PlanError(
                    f"strategy '{strategy.name}' plans anew, but its action returned {type(outcome).__name__}",
                    hint="return a TaskGraph",
                )
            for name in outcome.order:
                instead = outcome.tasks[name]
                self._carry_out(instead, () if instead.action is None else self._things(instead.action))
        if strategy.then == "skip":
            self.skipped.append(task.name)
        return strategy.then != "retry"

    def _things(self, action: Callable[..., object]) -> tuple[object, ...]:
        """What the parameters of an action name in the cell."""
        from drycell.cell import LiveProgram

        return tuple(LiveProgram(action).arguments(self.cell.offered()))


@dataclass(frozen=True, slots=True)
class _Met:
    """What went wrong, and in which line of the author's."""

    trouble: Imagined
    at: Location


def _tried(task: Task, things: tuple[object, ...]) -> _Met | None:
    assert task.action is not None
    try:
        task.action(*things)
    except DrycellError as error:
        at = location_in_traceback(error.__traceback__) or _home(task)
        for each in task.exceptions:
            if isinstance(error, Trouble) and error.name == each.name:
                return _Met(each, at)
            if each.raises is not None and isinstance(error, each.raises):
                return _Met(each, at)
        if isinstance(error, Trouble) and error.hint is None and task.exceptions:
            error.hint = did_you_mean(error.name, [each.name for each in task.exceptions])
        raise
    shown = next((each for each in task.exceptions if each.is_shown()), None)
    return None if shown is None else _Met(shown, _home(task))


def _home(task: Task) -> Location:
    """Where a task begins."""
    code = getattr(task.action, "__code__", None)
    return Location("?", 0, "?") if code is None else Location(code.co_filename, code.co_firstlineno, code.co_name)


def _all(conditions: list[Condition], text: str) -> Condition:
    whole = conditions[0]
    for other in conditions[1:]:
        whole = whole & other
    return whole.named(text)
