"""A search directed at deadlocks: it continues from the run in which the most programs were blocked at once.

The exhaustive search varies the last choice of a run first, so a deadlock of many programs that must all arrive within
a microsecond is found late. This search takes the changes that the exhaustive search would try after a run (the other
order of a race, or a delay that moves a step to the time of another), and makes them one at a time, first those of the
most promising run. It proves nothing, but finds sooner what the exhaustive search would find eventually.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Final

from drycell.kernel import Step
from drycell.verify.intervals import Delay, Identity
from drycell.verify.reduction import ChoicePoint, Option, Reduction

MOST: Final = 600
"""The number of runs after which the directed search ends."""
_TOGETHER: Final = 100
"""Delays that end within this number of ticks end together."""


@dataclass(frozen=True, slots=True)
class Start:
    """How a run differs from the usual run: the numbers of draws (see ``point``), and who goes first in ties."""

    numbers: Mapping[Identity, int] = field(default_factory=dict)
    first: Mapping[tuple[Option, ...], Option] = field(default_factory=dict)

    @property
    def identity(self) -> object:
        """Equal for equal starts."""
        return frozenset(self.numbers.items()), frozenset(self.first.items())


class DirectedRun(Reduction):
    """A run from a start. It counts the programs that are blocked at once."""

    def __init__(self, start: Start) -> None:
        super().__init__(by_order=True)
        self.start = start
        self.blocked = 0
        """The most programs that waited without a timeout at one time."""

    def begin(self) -> None:
        super().begin()
        self._asked: dict[str, int] = {}
        self._ends: dict[Delay, int] = {}

    def after(self, step: Step) -> None:
        super().after(step)
        for delay in self._node_of:
            if delay not in self._ends:  # numbers drawn in this step
                self._ends[delay] = step.event.time + delay.length
        living = () if self._kernel is None else self._kernel.processes.living()
        waiters = [process.fibre.waiter for process in living if not process.daemon]
        self.blocked = max(self.blocked, sum(waiter is not None and not waiter.timed for waiter in waiters))

    def changes(self) -> Iterator[Start]:
        """Yield the starts that differ from this run in one relevant choice.

        When a delay is lengthened, some of the starts also lengthen the delays that ended together with it, or were
        lengthened before, by an equal amount, so that simultaneous ends stay simultaneous.
        """
        numbers = {delay.identity: _number(node.chosen) for delay, node in self._node_of.items()}
        lengthened = [delay for delay in self._node_of if numbers[delay.identity]]
        for delay, node in self._node_of.items():
            together = [other for other in self._node_of if abs(self._ends[other] - self._ends[delay]) <= _TOGETHER]
            for number in sorted(map(_number, node.wanted - {node.chosen})):
                more = delay.longer(number)
                for along in (together, lengthened) if more > 0 else ():
                    moved = {other.identity: other.lengthened(more) for other in along}
                    yield Start({**numbers, **moved, delay.identity: number}, self.start.first)
                yield Start({**numbers, delay.identity: number}, self.start.first)
        for node in self._nodes:
            if isinstance(node.chosen, tuple):
                for option in node.options:
                    if option in node.wanted and option != node.chosen:
                        yield Start(numbers, {**self.start.first, tuple(node.options): option})

    def _first_number(self, name: str) -> int:
        asked = self._asked[name] = self._asked.get(name, 0) + 1
        return self.start.numbers.get((name, asked), 0)

    def _new(self, node: ChoicePoint) -> ChoicePoint:
        first = self.start.first.get(tuple(node.options))
        if first is not None:
            node.chosen = first
            node.wanted = {first}
        return super()._new(node)


def _number(option: Option) -> int:
    assert isinstance(option, int)  # an option of an interval
    return option


class DirectedSearch:
    """Chooses the runs one by one: ``next`` returns the next run, and ``note`` takes its result."""

    def __init__(self) -> None:
        self._serial = count()
        self._waiting: list[tuple[int, int, Start]] = [(0, -1, Start())]
        self._known: set[object] = set()
        self._made = 0

    def next(self) -> DirectedRun | None:
        """Return the next run, or None if nothing is left to try."""
        if not self._waiting or self._made >= MOST:
            return None
        self._made += 1
        return DirectedRun(heappop(self._waiting)[2])

    def note(self, run: DirectedRun) -> None:
        """Take the result of a run."""
        for start in run.changes():
            if start.identity not in self._known:
                self._known.add(start.identity)
                heappush(self._waiting, (-run.blocked, next(self._serial), start))
