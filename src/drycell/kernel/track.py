"""Tracks: what happened, in append-only columns of times and values. Signals, motions, states, waits are all kept so.

A track grows while a run goes on and is never rewritten, so that a figure at a time is a function of the rows up to
that time: the same while the run goes on, at its end, and from a file.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, MutableSequence, Sequence
from typing import Any, Final, TypeVar, overload

T = TypeVar("T")
V = TypeVar("V")


class Spans:
    """Stretches of time one after the other, with running totals: what was before t is found by a binary search."""

    __slots__ = ("_since", "_spans", "_totals", "dropped", "ends", "starts")

    def __init__(self) -> None:
        self.starts, self.ends = array("q"), array("q")
        self.dropped = 0
        """How many of the first were let go of; they still count."""
        # Of the first n that are over: how long all of them took, how long the longest, and since when that was.
        self._totals, self._spans, self._since = array("q", [0]), array("q", [0]), array("q", [0])

    def open(self, t: int) -> None:
        """One begins."""
        self.starts.append(t)

    def close(self, t: int) -> None:
        """The one that began last is over; if it took no time, it never was."""
        start = self.starts[-1]
        span = t - start
        if not span:
            self.starts.pop()
            return
        self.ends.append(t)
        self._totals.append(self._totals[-1] + span)
        longer = span > self._spans[-1]
        self._spans.append(span if longer else self._spans[-1])
        self._since.append(start if longer else self._since[-1])

    @property
    def is_open(self) -> bool:
        """Whether one goes on."""
        return len(self.starts) > len(self.ends)

    def begun(self, t: int) -> int:
        """How many had begun before an instant."""
        return self.dropped + bisect_left(self.starts, t)

    def entered(self, t: int) -> int:
        """How many had begun at an instant."""
        return self.dropped + bisect_right(self.starts, t)

    def over(self, t: int) -> int:
        """How many were over at an instant."""
        return self.dropped + bisect_right(self.ends, t)

    def going_on(self, t: int) -> int | None:
        """When the one began that was going on at an instant."""
        over = self.over(t)
        return self.starts[over - self.dropped] if self.begun(t) > over else None

    def total(self, t: int) -> int:
        """How long all of them together took up to an instant, one that goes on included."""
        since = self.going_on(t)
        return self._totals[self.over(t) - self.dropped] + (0 if since is None else t - since)

    def longest(self, t: int) -> tuple[int, int]:
        """How long the longest of those took that were over at an instant, and when it began; 0 if there was none."""
        row = self.over(t) - self.dropped
        return self._spans[row], self._since[row]

    def until(self, t: int) -> list[tuple[int, int]]:
        """Those that had begun before an instant; what goes on ends there."""
        ends = [*self.ends, t] if self.is_open else self.ends
        return [(start, min(end, t)) for start, end in zip(self.starts, ends, strict=True) if start < t]

    def forget(self, before: int) -> None:
        """Lets go of those that were over before an instant; what is asked of later ones stays the same."""
        rows = bisect_right(self.ends, before)
        for column in (self.starts, self.ends, self._totals, self._spans, self._since):
            del column[:rows]
        self.dropped += rows


class Track(Sequence[T]):
    """Values over time: the motions of a body, the states of a device, the waits of a program.

    It is the sequence of its values; ``times`` has their instants in ticks, in order.
    """

    __slots__ = ("_before", "_read", "_spans", "dropped", "times", "values")

    def __init__(self) -> None:
        self.times = array("q")
        self.values: MutableSequence[T] = []
        self.dropped = 0
        """How many rows of the beginning were let go of."""
        self._spans: dict[Hashable, Spans] = {}
        self._read = 0
        self._before: Hashable = _NOTHING

    def append(self, t: int, value: T) -> None:
        """From an instant on, it is this."""
        self.times.append(t)
        self.values.append(value)

    def __len__(self) -> int:
        return len(self.times)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...

    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        return self.values[place]

    def __iter__(self) -> Iterator[T]:
        return iter(self.values)

    @property
    def rows(self) -> int:
        """How many rows it ever had."""
        return self.dropped + len(self.times)

    def count(self, t: int) -> int:
        """How many of its rows are not later than an instant."""
        return bisect_right(self.times, t)

    def at(self, t: int) -> T | None:
        """What it was at an instant; None before the first row."""
        row = self.count(t)
        return self.values[row - 1] if row else None

    def spans(self, value: Hashable) -> Spans:
        """When it had a value."""
        return self.by_value().get(value, _NEVER)

    def by_value(self) -> dict[Hashable, Spans]:
        """When it had each of its values. Rows that came since the last question are read now, once."""
        if self.dropped > self._read:
            raise RuntimeError("rows of a track were let go of before they were read")
        for row in range(self._read - self.dropped, len(self.times)):
            t, value = self.times[row], self.values[row]
            if value != self._before:
                if self._before is not _NOTHING:
                    self._spans[self._before].close(t)
                self._spans.setdefault(value, Spans()).open(t)
                self._before = value
        self._read = self.rows
        return self._spans

    def drop(self, rows: int) -> None:
        """Lets go of so many rows at its beginning."""
        del self.times[:rows], self.values[:rows]
        self.dropped += rows

    def forget(self, before: int) -> None:
        """Lets go of what held before an instant and no longer did at it; what it came to is still counted."""
        if self._spans:
            for spans in self.by_value().values():
                spans.forget(before)
        rows = self.count(before) - 1
        if rows > 0:
            self.drop(rows)


_NOTHING: Final = object()
_NEVER: Final = Spans()


class Changes(Track[V]):
    """The changes of a signal, as published. As a sequence it has (time, value, writer) of each."""

    __slots__ = ("quiet", "type", "unit", "writers")

    def __init__(self, kind: type, unit: str = "", quiet: bool = False) -> None:
        super().__init__()
        self.type, self.unit, self.quiet = kind.__name__, unit, quiet
        if kind is float:
            self.values = array("d")  # type: ignore[assignment]  # a quarter of the memory of a list
        self.writers: list[str] = []

    def write(self, t: int, value: V, writer: str) -> None:
        """It was given a value."""
        self.times.append(t)
        self.values.append(value)
        self.writers.append(writer)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return list(zip(self.times[place], self.values[place], self.writers[place], strict=True))
        return self.times[place], self.values[place], self.writers[place]

    def __iter__(self) -> Iterator[Any]:
        return zip(self.times, self.values, self.writers, strict=True)

    def drop(self, rows: int) -> None:
        super().drop(rows)
        del self.writers[:rows]


class Tracks:
    """All tracks of a run but those of signals and bodies, by table and name: what its figures are made of.

    The tables are ``states`` (of devices, by name), ``waits`` (of programs), ``moves`` (of robots), ``faults`` (of
    signals), ``collisions`` and ``near misses`` (of monitors), ``parts``, ``lost`` and ``inputs`` (one track each,
    without a name).
    """

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Track[Any]]] = {}
        self.daemons: set[str] = set()
        """Programs that serve others: they live by waiting."""
        self.flow = False
        """Whether parts come from or go to something in the cell."""
        self.checked: int | None = None
        """Up to when collisions have been looked for; None: nobody does."""

    def track(self, table: str, name: str = "") -> Track[Any]:
        """The track of a name in a table; there is one from the first question on."""
        rows = self.tables.setdefault(table, {})
        found = rows.get(name)
        if found is None:
            found = rows[name] = Track()
        return found

    def new(self, table: str, name: str) -> Track[Any]:
        """A new track under a name, with a number after it if the name is taken."""
        taken, wanted, number = self.named(table), name, 1
        while name in taken:
            number += 1
            name = f"{wanted} {number}"
        return self.track(table, name)

    def named(self, table: str) -> dict[str, Track[Any]]:
        """The tracks of a table by name."""
        return self.tables.get(table, {})
