"""Periodic callbacks in groups: a thousand sensors with one period cost one event per period, or none if all sleep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from drycell.base import KernelError
from drycell.kernel.clock import TICKS_PER_SECOND
from drycell.kernel.event import Entry, Event

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.kernel import Kernel

_MEMBERS: Final = 1 << 24
_BEFORE_ALL: Final = -(1 << 62)
_NEVER: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Grid:
    """The instants ``phase + floor(k * period)`` for k = 0, 1, 2, …: exact for any period, without drift."""

    period: Fraction
    """In ticks."""
    phase: int

    @classmethod
    def of(cls, period: int | Fraction, phase: int) -> Grid:
        """Make a grid from a period in ticks, or a Fraction of seconds (``Fraction(1, 24)``: 24 frames per second)."""
        exact = period * TICKS_PER_SECOND if isinstance(period, Fraction) else Fraction(period)
        if exact < 1:
            raise KernelError(f"a period of {float(exact)} µs is below the clock's tick of 1 µs")
        return cls(exact, phase)

    def time(self, k: int) -> int:
        """Return the k-th instant."""
        return self.phase + k * self.period.numerator // self.period.denominator

    def after(self, time: int) -> int:
        """Return the number of the first instant later than a time."""
        if time < self.phase:
            return 0
        k = (time - self.phase) * self.period.denominator // self.period.numerator
        while self.time(k) <= time:
            k += 1
        return k


class Ticker(Event):
    """One periodic callback. Under a chooser it is in the queue by itself, otherwise its group is."""

    __slots__ = (
        "_due", "_group", "_kernel", "_ticks", "action", "alive", "asleep", "made", "owner", "place", "turn", "writes",
    )  # fmt: skip

    def __init__(
        self,
        group: TickerGroup,
        action: Callable[[], object],
        owner: str,
        writes: Sequence[AnySignal] | None,
    ) -> None:
        kernel = group.kernel
        self.action = action
        self.owner = owner
        self.alive = True
        self.writes = None if writes is None else tuple(writes)
        self.made = kernel.step
        self.place = group.sequence + group.numbered
        self.turn = (group.level, self.place)
        """Its position in the order of an instant."""
        self.asleep = True
        """Whether it skips the next instant of its grid; without a chooser, until it first ticks."""
        self._kernel = kernel
        self._group = group
        self._ticks = False
        self._due = group.grid.after(kernel.now if kernel.running else kernel.now - 1)
        if writes is None:
            kernel.deadlock.unknown_writers += 1

    @property
    def number(self) -> int | None:
        """The number of its next tick on the grid; None if it sleeps until it is woken."""
        if not self.asleep and self._kernel.chooser is None:
            return self.coming
        return None if self._due == _NEVER else self._due

    @property
    def dormant(self) -> bool:
        """Whether it sleeps until something wakes it."""
        return self.asleep and self._due == _NEVER

    def is_live(self) -> bool:
        return self.alive

    def identity(self) -> tuple[str, int, int]:
        return self.owner, self._due, self.made

    def sleep(self, until: int | None = None) -> None:
        """Do not tick before a time (in ticks), or before it is woken (None). It keeps its grid and its position.

        A ticker that sleeps until it is woken does not count as a possible writer of signals.
        """
        if self.alive:
            coming = self.coming
            self._resume_at(_NEVER if until is None else max(coming, self._group.grid.after(until - 1)))

    def wake(self) -> None:
        """Tick again from its next turn, which may still come at this instant."""
        if self.alive and self.asleep:
            self._resume_at(self.coming)

    def cancel(self) -> None:
        """Stop ticking, even at this instant."""
        if self.alive:
            if not self.dormant and self.writes is None:
                self._kernel.deadlock.unknown_writers -= 1
            self._kernel.deadlock.dormant.pop(self, None)
            self.alive = False
            self.asleep = True
            self.action = _nothing
            self._group.remove(self)
            self._kernel.deadlock.recheck = self._kernel.deadlock.watching

    def fire(self, time: int) -> Entry | None:
        if self.alive:
            kernel = self._kernel
            kernel.now = time
            kernel.actor = self
            self._due += 1
            self.made = kernel.step
            self._ticks = True
            self.action()
            self._ticks = False
            if self.alive and self._due < _NEVER:
                self.queue()
        return None

    def queue(self) -> None:
        """Enter the queue for the next tick."""
        heappush(self._kernel.queue, (self._group.grid.time(self._due), *self.turn, self))

    def wanted_at(self, number: int) -> bool:
        """Return whether it sleeps until the tick with that number."""
        return self.alive and self.asleep and self._due == number

    @property
    def coming(self) -> int:
        """Return the number of the first instant of its grid at which its turn has not come yet, asleep or not."""
        kernel, grid = self._kernel, self._group.grid
        k = grid.after(kernel.now - 1)
        if grid.time(k) == kernel.now and (self.turn <= kernel.turn() if kernel.running else kernel.processes.closed):
            k += 1
        return k

    def _resume_at(self, number: int) -> None:
        kernel = self._kernel
        was_dormant, was_due = self.dormant, self._due
        self._due = number
        self.asleep = True
        self.made = kernel.step
        if self.dormant != was_dormant:
            if self.writes is None:
                kernel.deadlock.unknown_writers += 1 if was_dormant else -1
            if was_dormant:
                del kernel.deadlock.dormant[self]
            else:
                kernel.deadlock.dormant[self] = None
                kernel.deadlock.recheck = kernel.deadlock.watching
        if kernel.chooser is None:
            self._group.expect(self, number)
        elif not self._ticks and number != was_due:
            kernel.withdraw(self)
            if number < _NEVER:
                self.queue()


class TickerGroup(Event):
    """All tickers with one grid and rank. They tick in order of creation."""

    __slots__ = (
        "_awake", "_drowsy", "_resumption", "_sleepers", "_ticking", "_turns", "grid", "kernel", "level", "numbered",
        "sequence", "tickers",
    )  # fmt: skip

    def __init__(self, kernel: Kernel, number: int, grid: Grid, level: int) -> None:
        self.kernel = kernel
        self.grid = grid
        self.level = level
        # Tickers come first in their rank, ordered by group and position. The key does not depend on when a tick was
        # scheduled, so the order is the same in groups and, under a chooser, with one entry per ticker.
        self.sequence = _BEFORE_ALL + number * _MEMBERS
        self.numbered = 0
        self.tickers: list[Ticker] = []
        self._awake: list[Ticker] = []  # those that tick at every instant, in order; sleeping ones are removed later
        self._drowsy = False  # whether any of them fell asleep
        self._sleepers: list[tuple[int, int, Ticker]] = []  # a heap ordered by tick number; postponed ticks stay in it
        self._turns: dict[int, int] = {}  # the times at which the group is in the queue, and their numbers
        self._ticking = -1
        self._resumption = (-1, 0)  # an interrupted instant, and the ticker after which it continues

    def add(self, action: Callable[[], object], owner: str, writes: Sequence[AnySignal] | None) -> Ticker:
        """Add a ticker; its first tick is the next instant of the grid after now."""
        ticker = Ticker(self, action, owner, writes)
        self.numbered += 1
        self.tickers.append(ticker)
        if self.kernel.chooser is not None:
            ticker.queue()
        else:
            self.expect(ticker, ticker.number or 0)
        return ticker

    def remove(self, ticker: Ticker) -> None:
        """Remove a cancelled ticker."""
        self.tickers.remove(ticker)
        self._drowsy = True

    def expect(self, ticker: Ticker, number: int) -> None:
        """Do not run a ticker before the tick with that number."""
        self._drowsy = True
        if number < _NEVER:
            heappush(self._sleepers, (number, ticker.place, ticker))
            if number == self._ticking:
                self.kernel.preempted = True  # it must tick at this instant, so check again which tickers do
            else:
                self._queue(number)

    def fire(self, time: int) -> Entry | None:
        k = self._turns.pop(time)
        self._gather(k)
        interrupted, after = self._resumption
        roster = self._awake
        if interrupted == k:
            roster = [ticker for ticker in roster if ticker.place > after]
        if roster:
            kernel = self.kernel
            kernel.now = time
            kernel.ticking_level = self.level
            self._ticking = k
            for ticker in roster:
                if ticker.asleep:
                    continue
                kernel.actor = ticker
                ticker.action()
                if kernel.preempted:
                    # Something earlier in the order of this instant was scheduled: it runs first, then the other
                    # tickers.
                    kernel.preempted = False
                    self._resumption = (k, ticker.place)
                    self._queue(k)
                    break
            self._ticking = kernel.ticking_level = -1
        if not self._turns or min(self._turns) > time:
            self._gather(-1)
            if self._awake:
                self._queue(k + 1)
            elif self._sleepers:
                self._queue(self._sleepers[0][0])
        return None

    def _gather(self, k: int) -> None:
        """Remove the tickers that fell asleep, and add those whose sleep ends with this tick."""
        if self._drowsy:
            self._drowsy = False
            self._awake = [ticker for ticker in self._awake if not ticker.asleep]
        sleepers = self._sleepers
        risen = []
        while sleepers and (sleepers[0][0] <= k or not sleepers[0][2].wanted_at(sleepers[0][0])):
            number, _, ticker = heappop(sleepers)
            if ticker.wanted_at(number):
                ticker.asleep = False
                risen.append(ticker)
        if risen:
            self._awake = sorted([*self._awake, *risen], key=_by_place)

    def _queue(self, k: int) -> None:
        time = self.grid.time(k)
        if not self._turns or time < min(self._turns):
            self._turns[time] = k
            heappush(self.kernel.queue, (time, self.level, self.sequence, self))


_by_place = attrgetter("place")


def _nothing() -> None:
    pass
