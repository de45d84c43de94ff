"""Choosers: one object makes every choice of a run (ties and declared choices), and sees what each step touched.

A run is a function of its choices. A search repeats a run with other choices. A counterexample is a list of integers,
and :class:`ReplayingChooser` turns it back into the run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import TYPE_CHECKING

from drycell.kernel.event import program_of

if TYPE_CHECKING:
    from drycell.kernel.event import Entry

Key = tuple[str, int]
"""(owner, number): identifies an event in every run that reached it by the same choices."""


class Abandoned(BaseException):
    """Raised by a chooser to abandon a run that is not worth finishing. ``run`` lets it through."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An event that could run next. Only the first event of each owner is offered: the events of an owner keep their
    order."""

    key: Key
    time: int
    level: int
    made: int
    """The step that scheduled it; -1 if it was scheduled before the run."""

    @property
    def owner(self) -> str:
        return self.key[0]


@dataclass(frozen=True, slots=True)
class Step:
    """The effects of a step: the names it touched (True: written, False: only read) and the timers it cancelled.

    Two steps of different owners are independent unless they touch the same name and one of them writes it, or one
    cancels the other. Names are those of signals and of everything else that programs share: ``process:…``, ``wait:…``,
    ``timers:…``, ``choice:…``, ``random:…``, and ``instant``. Every step reads ``instant``; a step writes it if it
    schedules an event of an earlier rank at the current instant. Such an event has no alternatives: its races count as
    races of the step that scheduled it.
    """

    index: int
    event: Pending
    footprint: Mapping[str, bool]
    cancelled: tuple[Key, ...]


def offered(ties: list[Entry]) -> tuple[list[int], list[Pending]]:
    """Return the first event of each owner: its index among the ties, and its description for the chooser."""
    places: list[int] = []
    pending: list[Pending] = []
    owners: set[str] = set()
    for place, (time, at_level, _, what) in enumerate(ties):
        fibre = program_of(what)
        if fibre is None:
            owner, number, made = what.identity()
        else:
            owner, number, made = fibre.process.name, fibre.steps, fibre.made
        seen = Pending((owner, number), time, at_level, made)
        if seen.owner not in owners:
            owners.add(seen.owner)
            places.append(place)
            pending.append(seen)
    return places, pending


def point(low: float, high: float, number: int) -> float:
    """Return the value of an interval that an integer encodes: 0 is the lower limit, 1 the upper one, and integers
    from 2 on are values between them, a millionth apart (one tick, if the value is a time)."""
    if number < 2:
        return high if number else low
    return low + (number - 1) * 1e-6


def points(low: float, high: float) -> int:
    """Return the number of integers that encode a value of an interval."""
    return 1 if low == high else max(2, ceil((high - low) * 1e6 - 1e-3) + 1)


class Chooser(ABC):
    """Decides ties and declared choices. Equal answers lead to the same questions in the same order."""

    @abstractmethod
    def pick(self, pending: Sequence[Pending]) -> int:
        """Return the index of the next event among those that tie (at least one, in default order). Called
        before every step."""

    @abstractmethod
    def value(self, name: str, count: int) -> int:
        """Return the index, below ``count``, of the option for a declared choice."""

    def interval(self, name: str, low: float, high: float) -> float:
        """Return the value of a declared interval. By default this is one of its two limits."""
        return point(low, high, self.value(name, 2)) if low != high else low

    def after(self, step: Step) -> None:
        """Called after every step with the names that the step touched. By default it does nothing."""
        return


class RecordingChooser(Chooser):
    """Reduces both questions to "which of n", and stores the answers to those with more than one option."""

    def __init__(self) -> None:
        self.choices: list[int] = []

    @abstractmethod
    def answer(self, count: int) -> int:
        """Return an index below ``count``, which is at least two."""

    def pick(self, pending: Sequence[Pending]) -> int:
        return self._of(len(pending))

    def value(self, name: str, count: int) -> int:
        return self._of(count)

    def _of(self, count: int) -> int:
        if count == 1:
            return 0
        choice = self.answer(count)
        self.choices.append(choice)
        return choice


class ReplayingChooser(RecordingChooser):
    """Repeats a list of choices; after the end of the list, the default order applies. A choice that is out of range
    selects the last option, so that a list can be shortened or zeroed step by step to find a smaller counterexample.
    """

    def __init__(self, choices: Iterable[int] = ()) -> None:
        super().__init__()
        self._wanted = list(choices)

    def interval(self, name: str, low: float, high: float) -> float:
        return point(low, high, self._of(points(low, high)))

    def answer(self, count: int) -> int:
        place = len(self.choices)
        return min(self._wanted[place], count - 1) if place < len(self._wanted) else 0


class RandomWalkChooser(RecordingChooser):
    """Decides at random, with its own seed. Its ``choices`` replay the run."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = Random(seed)

    def answer(self, count: int) -> int:
        return self._random.randrange(count)
