"""Execution of a precedence graph: each task is a program of the cell that starts when its predecessors are done."""

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
from drycell.plan.recovery import ImaginableException, PlanError, Strategy, TaskException, Unrecovered

if TYPE_CHECKING:
    from drycell.cell import Cell


class TaskExecution:
    """Executes a graph in a cell: a program for each task, and a signal ``GRAPH.TASK`` that is on when it is done.

    Tasks that need the same resource take turns: each waits until all its resources are free, then takes them all
    together. Each recovery is written to the journal as ``recovers``.

    Args:
        cell: the cell to add the programs to.
        graph: the graph.

    Raises:
        PlanError: if tasks wait for each other.
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
        """Holds when all tasks are done."""
        return _all([signal.is_on for signal in self.done.values()], f"{self.graph.name} is finished")

    def _program(self, task: Task) -> Action:
        free = [self.done[name].is_on for name in task.after] + [self._busy[name].is_off for name in task.needs]

        def work(*things: object) -> None:
            if free:
                ready = _all(free, " & ".join(condition.text for condition in free))
                while not ready.holds():  # another task may have taken them at the same instant
                    wait(ready)
            for name in task.needs:
                self._busy[name].set(True)
            try:
                self._execute(task, things)
            finally:
                for name in task.needs:
                    self._busy[name].set(False)
            self.done[task.name].set(True)

        return work if task.action is None else functools.wraps(task.action)(work)

    def _execute(self, task: Task, things: tuple[object, ...]) -> None:
        taken: Counter[str] = Counter()
        while True:
            detected = self._attempt(task, things)
            if detected is None:
                return
            trouble = detected.trouble
            strategy = trouble.choose(taken)
            if strategy is None:
                raise Unrecovered(
                    f"task '{task.name}' detected '{trouble.name}', and no strategy is left",
                    where=current_process().place(detected.at),
                    hint=trouble.why_none(taken) or None,
                )
            taken[strategy.name] += 1
            if self._recover(task, trouble, strategy):
                return

    def _attempt(self, task: Task, things: tuple[object, ...]) -> "_Detected | None":
        """Execute a task once and return the detected exception, if any."""
        if task.action is None:
            return None
        watched = [each for each in task.exceptions if each.during is not None]
        if not watched:
            return _try(task, things)
        detected: list[_Detected | None] = []
        process: Process = spawn(lambda: detected.append(_try(task, things)), name=f"{task.name} at work")
        came = wait_any(process, *(each.during for each in watched if each.during is not None))
        if came:
            process.cancel()
            wait(process)
            return _Detected(watched[came - 1], _definition(task))
        return detected[0]

    def _recover(self, task: Task, trouble: ImaginableException, strategy: Strategy) -> bool:
        """Execute a strategy and return whether the task has ended."""
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
                    f"strategy '{strategy.name}' replans, but its action returned {type(outcome).__name__}",
                    hint="return a TaskGraph",
                )
            for name in outcome.order:
                instead = outcome.tasks[name]
                self._execute(instead, () if instead.action is None else self._things(instead.action))
        if strategy.then == "skip":
            self.skipped.append(task.name)
        return strategy.then != "retry"

    def _things(self, action: Callable[..., object]) -> tuple[object, ...]:
        """Return the objects of the cell named by an action's parameters."""
        from drycell.cell import LiveProgram

        return tuple(LiveProgram(action).arguments(self.cell.offered()))


@dataclass(frozen=True, slots=True)
class _Detected:
    """A detected exception, and the line of the program."""

    trouble: ImaginableException
    at: Location


def _try(task: Task, things: tuple[object, ...]) -> _Detected | None:
    assert task.action is not None
    try:
        task.action(*things)
    except DrycellError as error:
        at = location_in_traceback(error.__traceback__) or _definition(task)
        for each in task.exceptions:
            if isinstance(error, TaskException) and error.name == each.name:
                return _Detected(each, at)
            if each.raises is not None and isinstance(error, each.raises):
                return _Detected(each, at)
        if isinstance(error, TaskException) and error.hint is None and task.exceptions:
            error.hint = did_you_mean(error.name, [each.name for each in task.exceptions])
        raise
    shown = next((each for each in task.exceptions if each.is_shown()), None)
    return None if shown is None else _Detected(shown, _definition(task))


def _definition(task: Task) -> Location:
    """Return where a task is defined."""
    code = getattr(task.action, "__code__", None)
    return Location("?", 0, "?") if code is None else Location(code.co_filename, code.co_firstlineno, code.co_name)


def _all(conditions: list[Condition], text: str) -> Condition:
    whole = conditions[0]
    for other in conditions[1:]:
        whole = whole & other
    return whole.named(text)
