"""Precedence graphs: tasks and their order, with checks, sequences and schedules."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from drycell.base import UnknownName
from drycell.pictures import Arrow, Diagram, DiagramNode, lay_out
from drycell.plan.recovery import ImaginableException, PlanError

Action = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Task:
    """A node of a precedence graph. Its action is a program whose parameters name things in the cell."""

    name: str
    action: Action | None = None
    after: tuple[str, ...] = ()
    lasts: float = 0.0
    """Expected duration in seconds, for the schedule only."""
    needs: tuple[str, ...] = ()
    """Resources it uses exclusively, such as an arm: tasks that need the same resource take turns."""
    exceptions: tuple[ImaginableException, ...] = ()


_MOST_SETS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class TaskSpan:
    """The earliest start and end of a task, in seconds."""

    begin: float
    end: float


class TaskGraph:
    """Tasks and their precedence.

    >>> graph = TaskGraph("hinge")
    >>> graph.task("fetch", lasts=4)
    >>> graph.task("drill", after="fetch", lasts=6)
    >>> graph.order
    ['fetch', 'drill']
    """

    def __init__(self, name: str = "tasks") -> None:
        self.name = name
        self.tasks: dict[str, Task] = {}

    def task(
        self,
        name: str,
        action: Action | None = None,
        *,
        after: str | Iterable[str] = (),
        lasts: float = 0.0,
        needs: str | Iterable[str] = (),
        exceptions: Iterable[ImaginableException] = (),
    ) -> None:
        """Add a task.

        Args:
            name: its name.
            action: the program to execute; None for a milestone.
            after: the tasks before it, which may be added later.
            lasts: expected duration in seconds.
            needs: resources that it uses exclusively.
            exceptions: foreseeable exceptions, with their strategies.

        Raises:
            PlanError: if the name is taken or the duration is invalid.
        """
        if name in self.tasks:
            raise PlanError(f"there is already a task '{name}' in '{self.name}'", hint="give it another name")
        if not 0.0 <= float(lasts) < math.inf:
            raise PlanError(f"task '{name}' cannot last {lasts:g} s", hint="give seconds, 0 or more")
        before = (after,) if isinstance(after, str) else tuple(dict.fromkeys(after))
        using = (needs,) if isinstance(needs, str) else tuple(dict.fromkeys(needs))
        self.tasks[name] = Task(name, action, before, float(lasts), using, tuple(exceptions))

    # ---------------------------------------------------------------- order

    def check(self) -> None:
        """Raise UnknownName for a task that does not exist, and PlanError for tasks that wait for each other."""
        for task in self.tasks.values():
            for name in task.after:
                if name not in self.tasks:
                    raise UnknownName(f"task before '{task.name}'", name, self.tasks)
        cycle = self._cycle()
        if cycle:
            raise PlanError(
                f"tasks of '{self.name}' wait for each other: {' → '.join(cycle)}",
                hint="remove one of these dependencies",
            )

    @property
    def order(self) -> list[str]:
        """A valid sequence of the tasks, as close as possible to the order in which they were added."""
        return next(self.orders())

    def orders(self) -> Iterator[list[str]]:
        """Yield every valid sequence of the tasks. Their number can be very large."""
        self.check()
        yield from self._orders([], set())

    def count_orders(self) -> int:
        """Return the number of possible sequences, without listing them."""
        self.check()
        bits = {name: 1 << number for number, name in enumerate(self.tasks)}
        needed = {name: sum(bits[each] for each in task.after) for name, task in self.tasks.items()}
        counts = {0: 1}
        for _ in self.tasks:
            further: dict[int, int] = {}
            for done, count in counts.items():
                for name, bit in bits.items():
                    if not done & bit and needed[name] & done == needed[name]:
                        further[done | bit] = further.get(done | bit, 0) + count
            if len(further) > _MOST_SETS:
                raise PlanError(f"'{self.name}' has too many orders to count: over {_MOST_SETS:,} sets of tasks")
            counts = further
        return sum(counts.values())

    def violation(self, done: Sequence[str]) -> str | None:
        """Return the first violation of the order in a sequence of tasks, as text; None if there is none."""
        before: set[str] = set()
        for name in done:
            if name not in self.tasks:
                raise UnknownName("task", name, self.tasks)
            missing = [each for each in self.tasks[name].after if each not in before]
            if missing:
                return f"'{name}' came before {' and '.join(map(repr, missing))}"
            before.add(name)
        return None

    # ---------------------------------------------------------------- time

    def schedule(self) -> dict[str, TaskSpan]:
        """Return the schedule of all tasks, with as many as possible in parallel."""
        spans: dict[str, TaskSpan] = {}
        for name in self.order:
            task = self.tasks[name]
            begin = max((spans[each].end for each in task.after), default=0.0)
            spans[name] = TaskSpan(begin, begin + task.lasts)
        return spans

    def critical_path(self) -> tuple[list[str], float]:
        """Return the tasks on the critical path, and its duration in seconds."""
        spans = self.schedule()
        whole = max((span.end for span in spans.values()), default=0.0)
        last = next((name for name, span in spans.items() if span.end == whole), None)
        path: list[str] = []
        while last is not None:
            path.append(last)
            begin = spans[last].begin
            last = next((each for each in self.tasks[last].after if spans[each].end == begin), None)
        return path[::-1], whole

    # ---------------------------------------------------------------- inside

    def _orders(self, done: list[str], seen: set[str]) -> Iterator[list[str]]:
        if len(done) == len(self.tasks):
            yield list(done)
            return
        for name, task in self.tasks.items():
            if name not in seen and seen.issuperset(task.after):
                done.append(name)
                seen.add(name)
                yield from self._orders(done, seen)
                seen.remove(done.pop())

    def _cycle(self) -> list[str]:
        """Return tasks that wait for each other in a cycle, if any."""
        left = dict(self.tasks)
        while True:
            free = [name for name, task in left.items() if not any(each in left for each in task.after)]
            if not free:
                break
            for name in free:
                del left[name]
        if not left:
            return []
        path = [next(iter(left))]
        while path.count(path[-1]) < 2:
            path.append(next(each for each in left[path[-1]].after if each in left))
        cycle = path[path.index(path[-1]) :]
        return cycle[::-1]


_ROW: Final = 66.0
_GAP: Final = 30.0


def precedence_picture(graph: TaskGraph) -> str:
    """Draw the graph as SVG, with the earliest start and end of tasks with durations."""
    spans = graph.schedule()
    path, whole = graph.critical_path()
    critical = set(path) if whole > 0 else set()
    names = list(graph.tasks)
    number = {name: at for at, name in enumerate(names)}
    links = [(before, name) for name, task in graph.tasks.items() for before in task.after]
    nodes = []
    for name in names:
        times = f"{spans[name].begin:g}–{spans[name].end:g} s" if whole > 0 else ""
        nodes.append(DiagramNode((0.0, 0.0), "box", name, times, accent=name in critical))
    layout = lay_out(
        len(names),
        [(number[start], number[end]) for start, end in links],
        room=[(node.room[0] + _GAP / 2, node.room[1] + _GAP / 2) for node in nodes],
        joint=_GAP / 2,
    )
    diagram = Diagram(graph.name)
    for node, (x, y) in zip(nodes, layout.nodes, strict=True):
        diagram.nodes.append(replace(node, at=(x, y * _ROW)))
    for (start, end), points in zip(links, layout.arrows, strict=True):
        both = start in critical and end in critical and path.index(end) == path.index(start) + 1
        through = [(x, y * _ROW) for x, y in points[1:-1]]
        diagram.arrows.append(Arrow(number[start], number[end], through, accent=both))
    return diagram.svg()
