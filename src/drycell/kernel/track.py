"""Tracks: what happened, in append-only columns of times and values. Signals, motions, states and waits are tracks.

A track grows during a run and is never rewritten, so a figure at a time is a function of the rows up to that time. It
is the same during the run, at its end, and from a file.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, MutableSequence, Sequence
from typing import Any, Final, TypeVar, overload

T = TypeVar("T")
V = TypeVar("V")


class Spans:
    """Consecutive intervals of time with running totals: the sum before t is found by binary search."""

    __slots__ = ("_since", "_spans", "_totals", "dropped", "ends", "starts")

    def __init__(self) -> None:
        self.starts, self.ends = array("q"), array("q")
        self.dropped = 0
        """The number of intervals removed at the beginning; they still count."""
        # For the first n that have ended: their total length, the length of the longest, and when it began.
        self._totals, self._spans, self._since = array("q", [0]), array("q", [0]), array("q", [0])

    def open(self, t: int) -> None:
        """Begin an interval."""
        self.starts.append(t)

    def close(self, t: int) -> None:
        """End the current interval; an empty interval is removed."""
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
        """Whether an interval is open."""
        return len(self.starts) > len(self.ends)

    def begun(self, t: int) -> int:
        """Return the number that began before an instant."""
        return self.dropped + bisect_left(self.starts, t)

    def entered(self, t: int) -> int:
        """Return the number that began at or before an instant."""
        return self.dropped + bisect_right(self.starts, t)

    def over(self, t: int) -> int:
        """Return the number that had ended at an instant."""
        return self.dropped + bisect_right(self.ends, t)

    def going_on(self, t: int) -> int | None:
        """Return the start of the interval that was open at an instant."""
        over = self.over(t)
        return self.starts[over - self.dropped] if self.begun(t) > over else None

    def total(self, t: int) -> int:
        """Return the total length up to an instant, including an open interval."""
        since = self.going_on(t)
        return self._totals[self.over(t) - self.dropped] + (0 if since is None else t - since)

    def longest(self, t: int) -> tuple[int, int]:
        """Return the length and the start of the longest interval that had ended at an instant; 0 if there was none."""
        row = self.over(t) - self.dropped
        return self._spans[row], self._since[row]

    def until(self, t: int) -> list[tuple[int, int]]:
        """Return the intervals that began before an instant; an open interval ends there."""
        ends = [*self.ends, t] if self.is_open else self.ends
        return [(start, min(end, t)) for start, end in zip(self.starts, ends, strict=True) if start < t]

    def forget(self, before: int) -> None:
        """Remove the intervals that ended before an instant; totals at later instants stay the same."""
        rows = bisect_right(self.ends, before)
        for column in (self.starts, self.ends, self._totals, self._spans, self._since):
            del column[:rows]
        self.dropped += rows


class Track(Sequence[T]):
    """Values over time: the motions of a body, the states of a device, the waits of a program.

    As a sequence, it holds the values; ``times`` holds their instants in ticks, in order.
    """

    __slots__ = ("_before", "_read", "_spans", "dropped", "times", "values")

    def __init__(self) -> None:
        self.times = array("q")
        self.values: MutableSequence[T] = []
        self.dropped = 0
        """The number of rows at the beginning that were removed."""
        self._spans: dict[Hashable, Spans] = {}
        self._read = 0
        self._before: Hashable = _NOTHING

    def append(self, t: int, value: T) -> None:
        """Append a value that holds from an instant on."""
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
        """The number of rows, including removed ones."""
        return self.dropped + len(self.times)

    def count(self, t: int) -> int:
        """Return the number of its rows up to and including an instant."""
        return bisect_right(self.times, t)

    def at(self, t: int) -> T | None:
        """Return the value at an instant; None before the first row."""
        row = self.count(t)
        return self.values[row - 1] if row else None

    def spans(self, value: Hashable) -> Spans:
        """Return the intervals in which the track had this value."""
        return self.by_value().get(value, _NEVER)

    def by_value(self) -> dict[Hashable, Spans]:
        """Return the intervals of each value. Only rows that are new since the last call are read."""
        if self.dropped > self._read:
            raise RuntimeError("rows of a track were removed before they were read")
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
        """Remove a number of rows at the beginning."""
        del self.times[:rows], self.values[:rows]
        self.dropped += rows

    def forget(self, before: int) -> None:
        """Remove values that had ended before an instant; totals still include them."""
        if self._spans:
            for spans in self.by_value().values():
                spans.forget(before)
        rows = self.count(before) - 1
        if rows > 0:
            self.drop(rows)


_NOTHING: Final = object()
_NEVER: Final = Spans()


class Changes(Track[V]):
    """The published changes of a signal. As a sequence, it holds (time, value, writer) of each."""

    __slots__ = ("quiet", "type", "unit", "writers")

    def __init__(self, kind: type, unit: str = "", quiet: bool = False) -> None:
        super().__init__()
        self.type, self.unit, self.quiet = kind.__name__, unit, quiet
        if kind is float:
            self.values = array("d")  # type: ignore[assignment]  # a quarter of the memory of a list
        self.writers: list[str] = []

    def write(self, t: int, value: V, writer: str) -> None:
        """Append a value."""
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
    """All tracks of a run except those of signals and bodies, by table and name: figures are computed from them.

    The tables are ``states`` (of devices, by name), ``waits`` (of programs), ``moves`` (of robots), ``faults`` (of
    signals), ``collisions`` and ``near misses`` (of monitors), ``courses`` (numbers that change all the time, such
    as the travel of a belt), ``measures`` (of the user, by name), ``parts``, ``lost`` and ``inputs`` (one track each,
    without a name).
    """

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Track[Any]]] = {}
        self.daemons: set[str] = set()
        """Programs that serve others and therefore wait most of the time."""
        self.flow = False
        """Whether the cell has sources, sinks or stores of parts."""
        self.checked: int | None = None
        """The time up to which collisions were checked; None if they are not checked."""

    def track(self, table: str, name: str = "") -> Track[Any]:
        """Return the track with a name in a table; create it if there is none."""
        rows = self.tables.setdefault(table, {})
        found = rows.get(name)
        if found is None:
            found = rows[name] = Track()
        return found

    def new(self, table: str, name: str) -> Track[Any]:
        """Add a track, with a number after its name if the name is taken."""
        taken, wanted, number = self.named(table), name, 1
        while name in taken:
            number += 1
            name = f"{wanted} {number}"
        return self.track(table, name)

    def named(self, table: str) -> dict[str, Track[Any]]:
        """Return the tracks of a table by name."""
        return self.tables.get(table, {})
