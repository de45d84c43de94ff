"""Periodic callbacks, grouped: a thousand sensors of one period cost one event per period."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappush
from typing import TYPE_CHECKING, Final

from drycell.errors import KernelError
from drycell.kernel.clock import TICKS_PER_SECOND
from drycell.kernel.strand import Entry, Event

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.kernel import Kernel

_MEMBERS: Final = 1 << 24
_BEFORE_ALL: Final = -(1 << 62)


@dataclass(frozen=True, slots=True)
class Grid:
    """The instants ``phase + floor(k * period)`` for k = 0, 1, 2, …: exact for any period, without drift."""

    period: Fraction
    """in ticks"""
    phase: int

    @classmethod
    def of(cls, period: int | Fraction, phase: int) -> Grid:
        """From a period in ticks, or a Fraction of seconds (``Fraction(1, 24)`` for 24 frames a second)."""
        exact = period * TICKS_PER_SECOND if isinstance(period, Fraction) else Fraction(period)
        if exact < 1:
            raise KernelError(f"a period of {float(exact)} µs is below the clock's tick of 1 µs")
        return cls(exact, phase)

    def time(self, k: int) -> int:
        """The k-th instant."""
        return self.phase + k * self.period.numerator // self.period.denominator

    def after(self, time: int) -> int:
        """The number of the first instant later than a time."""
        if time < self.phase:
            return 0
        k = (time - self.phase) * self.period.denominator // self.period.numerator
        while self.time(k) <= time:
            k += 1
        return k


class Ticker(Event):
    """One periodic callback. Under a chooser it stands in the queue by itself, otherwise its group does."""

    __slots__ = ("_group", "_k", "_kernel", "_sequence", "action", "alive", "made", "owner", "writes")

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
        self._kernel = kernel
        self._group = group
        self._sequence = group.sequence + group.numbered
        self._k = group.grid.after(kernel.now if kernel.running else kernel.now - 1)
        if writes is None:
            kernel.unknown_writers += 1

    @property
    def number(self) -> int:
        """The number of its next tick on the grid."""
        return self._k

    def is_live(self) -> bool:
        return self.alive

    def identity(self) -> tuple[str, int, int]:
        return self.owner, self._k, self.made

    def cancel(self) -> None:
        """No more ticks, not even one that is due at this very instant."""
        if self.alive:
            self.alive = False
            self.action = _nothing
            self._group.remove(self)
            if self.writes is None:
                self._kernel.unknown_writers -= 1
            self._kernel.recheck = self._kernel.watching

    def fire(self, time: int) -> Entry | None:
        if self.alive:
            kernel = self._kernel
            kernel.now = time
            kernel.actor = self
            self._k += 1
            self.made = kernel.step
            self.queue()
            self.action()
        return None

    def queue(self) -> None:
        """Stand in the queue for the next tick."""
        heappush(self._kernel.queue, (self._group.grid.time(self._k), self._group.level, self._sequence, self))


class TickerGroup(Event):
    """All tickers of one grid and rank: they tick in the order in which they were made."""

    __slots__ = ("_k", "_rest", "grid", "kernel", "level", "numbered", "queued", "sequence", "tickers")

    def __init__(self, kernel: Kernel, number: int, grid: Grid, level: int) -> None:
        self.kernel = kernel
        self.grid = grid
        self.level = level
        # Tickers come first in their rank, by group and place in it. The key says nothing about when a tick was
        # scheduled, so that grouping, and queueing each by itself under a chooser, give one and the same order.
        self.sequence = _BEFORE_ALL + number * _MEMBERS
        self.numbered = 0
        self.tickers: list[Ticker] = []
        self.queued = False
        self._k = 0
        self._rest: Iterator[Ticker] | None = None

    def add(self, action: Callable[[], object], owner: str, writes: Sequence[AnySignal] | None) -> Ticker:
        """A new member; its first tick is the next of the grid after now."""
        ticker = Ticker(self, action, owner, writes)
        self.numbered += 1
        self.tickers = [*self.tickers, ticker]  # a new list: the old one may be ticking just now
        if self.kernel.chooser is not None:
            ticker.queue()
        elif not self.queued:
            self._k = ticker.number
            self._queue()
        return ticker

    def remove(self, ticker: Ticker) -> None:
        """Leave out a cancelled member."""
        self.tickers = [other for other in self.tickers if other is not ticker]

    def fire(self, time: int) -> Entry | None:
        rest = self._rest or iter(self.tickers)
        self._rest = None
        self.queued = bool(self.tickers)
        if not self.queued:
            return None
        kernel = self.kernel
        kernel.now = time
        kernel.ticking_level = self.level
        for ticker in rest:
            kernel.actor = ticker
            ticker.action()
            if kernel.preempted:
                # Something earlier in the order of this instant came up: it goes first, the others tick after it.
                kernel.preempted = False
                self._rest = rest
                heappush(kernel.queue, (time, self.level, self.sequence, self))
                kernel.ticking_level = -1
                return None
        kernel.ticking_level = -1
        self._k += 1
        self._queue()
        return None

    def _queue(self) -> None:
        self.queued = True
        heappush(self.kernel.queue, (self.grid.time(self._k), self.level, self.sequence, self))


def _nothing() -> None:
    pass
