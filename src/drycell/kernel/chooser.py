"""Choosers: one object decides every tie and every declared choice of a run, and gets to know what each step touched.

A run is a function of its choices. A search runs again and again with other choices; a counter-example is a list
of integers, and :class:`ReplayingChooser` turns it back into the run.
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
"""(owner, number): names one event the same way in every run that came to it by the same choices."""


class Abandoned(BaseException):
    """Raised by a chooser to give up a run that is not worth finishing. ``run`` lets it through."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An event that could be next. Of one owner's events only the first is offered: they keep their order."""

    key: Key
    time: int
    level: int
    made: int
    """The step that scheduled it; -1: before the run."""

    @property
    def owner(self) -> str:
        return self.key[0]


@dataclass(frozen=True, slots=True)
class Step:
    """What a step did: the names it touched (True: written, False: only read) and the timers it cancelled.

    Two steps of different owners can be swapped without anyone noticing unless they touch one name and one of them
    writes it, or one cancels the other. Names are those of signals, and of what else programs share: ``process:…``,
    ``wait:…``, ``timers:…``, ``choice:…``, ``random:…``, and ``instant``, which every step reads and a step writes that
    puts something of an earlier rank before the others. Such an event has no alternatives where it goes: its races
    are races of the step that made it.
    """

    index: int
    event: Pending
    footprint: Mapping[str, bool]
    cancelled: tuple[Key, ...]


def offered(ties: list[Entry]) -> tuple[list[int], list[Pending]]:
    """The first event of each owner: its place among the ties, and what the chooser sees of it."""
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
    """The value of an interval that an integer stands for: 0 the lower limit, 1 the upper one, and from 2 on those
    between, a millionth apart (a tick, where it is a time)."""
    if number < 2:
        return high if number else low
    return low + (number - 1) * 1e-6


def points(low: float, high: float) -> int:
    """How many integers stand for a value of an interval."""
    return 1 if low == high else max(2, ceil((high - low) * 1e6 - 1e-3) + 1)


class Chooser(ABC):
    """Decides. Asked in the same order whenever the answers so far were the same."""

    @abstractmethod
    def pick(self, pending: Sequence[Pending]) -> int:
        """Which of the events that tie (one at least, in default order) goes next. Asked before every step."""

    @abstractmethod
    def value(self, name: str, count: int) -> int:
        """Which of ``count`` options a declared choice takes."""

    def interval(self, name: str, low: float, high: float) -> float:
        """The value of a declared interval: one of its two corners, unless a chooser knows better."""
        return point(low, high, self.value(name, 2)) if low != high else low

    def after(self, step: Step) -> None:
        """Told what the step just made has touched. The default does not care."""
        return


class RecordingChooser(Chooser):
    """Reduces both questions to "which of n", and keeps the answers where there was more than one possible."""

    def __init__(self) -> None:
        self.choices: list[int] = []

    @abstractmethod
    def answer(self, count: int) -> int:
        """Which of ``count``, which is two at least."""

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
    """Repeats a list of choices; beyond its end everything takes the default order.

    A choice that is out of range here takes the last option, so that a list can be shortened or zeroed bit by bit
    while looking for a smaller counter-example.
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
    """Decides at random, by its own seed; ``choices`` then replays the walk."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = Random(seed)

    def answer(self, count: int) -> int:
        return self._random.randrange(count)
