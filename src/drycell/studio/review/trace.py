"""Traces: the changes of a signal in a stretch of time, thinned to the columns of a picture without hiding any.

A column of pixels in which a signal changes once keeps that change as it is. One with several keeps when the first and
the last of them were, how many, the value after the last, and of numbers the least and the greatest: no edge and no
extreme is lost, however far one has zoomed out.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from drycell.errors import FieldError

Value = bool | int | float | str
Change = tuple[int, Value, str]  # time in ticks, value, writer

WIDEST: Final = 8192  # columns
_LONGEST: Final = 200  # characters of a text that is shown
_time = itemgetter(0)


class Track(Protocol):
    """A signal whose history is known: all that a trace needs of it."""

    @property
    def type(self) -> str:
        """``bool``, ``int``, ``float`` or ``str``."""

    @property
    def changes(self) -> Sequence[Change]:
        """All changes so far, in the order of time; the first is its initial value."""


class Trace:
    """The changes of one signal as columns that grow with it, so that any window of it is quickly drawn."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self._numeric = track.type in ("int", "float")
        self._times: NDArray[np.int64] = np.empty(0, np.int64)
        self._values: NDArray[np.float64] = np.empty(0)
        self._known = 0
        self._first: Change | None = None

    def window(self, t0: int, t1: int, width: int) -> dict[str, Any]:
        """What is to be seen from ``t0`` to ``t1`` on so many columns.

        ``before`` is the value when the window begins (None: there was none yet). Of each column that has changes in
        it: ``t`` and ``u`` of the first and the last, their number ``n``, the value ``v`` after the last and who wrote
        it (``w``, an index of ``writers``), of numbers the least ``lo`` and the greatest ``hi`` that came up.
        """
        if t1 <= t0:
            raise FieldError(f"a window from {t0} to {t1} µs has no extent", hint="let t1 be later than t0")
        if not 1 <= width <= WIDEST:
            raise FieldError(f"a picture of {width} columns: not 1 ≤ columns ≤ {WIDEST}")
        self._grow()
        changes, times = self.track.changes, self._times[: self._known]
        first, last = int(np.searchsorted(times, t0, "left")), int(np.searchsorted(times, t1, "right"))
        told: dict[str, Any] = {
            "type": self.track.type,
            "before": None if first == 0 else plain(changes[first - 1][1]),
            "t": [],
            "u": [],
            "n": [],
            "v": [],
            "w": [],
            "writers": [],
        }
        if self._numeric:
            told["lo"], told["hi"] = [], []
        if first == last:
            return told
        inside = times[first:last]
        columns = (inside - t0) * width // (t1 - t0)
        starts = np.flatnonzero(np.diff(columns, prepend=-1))
        ends = np.append(starts[1:], last - first) - 1
        told["t"], told["u"] = inside[starts].tolist(), inside[ends].tolist()
        told["n"] = (ends - starts + 1).tolist()
        shown = [changes[first + index] for index in ends.tolist()]
        told["v"] = [change[1] if change[1].__class__ is bool else plain(change[1]) for change in shown]
        writers: dict[str, int] = {}
        told["w"] = [writers.setdefault(change[2], len(writers)) for change in shown]
        told["writers"] = list(writers)
        if self._numeric:
            values = self._values[first:last]
            told["lo"] = _finite(np.fmin.reduceat(values, starts))
            told["hi"] = _finite(np.fmax.reduceat(values, starts))
        return told

    def extent(self) -> tuple[float, float] | None:
        """The least and the greatest finite number the signal ever was; None of other signals."""
        self._grow()
        if not self._numeric:
            return None
        values = self._values[: self._known]
        values = values[np.isfinite(values)]
        return (float(values.min()), float(values.max())) if len(values) else None

    def _grow(self) -> None:
        changes = self.track.changes
        count = len(changes)
        if self._first is not (changes[0] if count else None):
            self._known = 0  # the oldest were dropped, or it is another run's
            self._first = changes[0] if count else None
        if count == self._known:
            return
        if count > len(self._times):
            room = max(count, 2 * len(self._times), 64)
            self._times = np.concatenate([self._times[: self._known], np.empty(room - self._known, np.int64)])
            if self._numeric:
                self._values = np.concatenate([self._values[: self._known], np.empty(room - self._known)])
        new = changes[self._known : count]
        self._times[self._known : count] = [change[0] for change in new]
        if self._numeric:
            self._values[self._known : count] = [float(change[1]) for change in new]
        self._known = count


def change_at(changes: Sequence[Change], t: int) -> Change | None:
    """The change that made the value of an instant; None before the first. Of several at one instant, the last."""
    index = bisect_right(changes, t, key=_time)
    return changes[index - 1] if index else None


def changes_until(changes: Sequence[Change], t: int) -> Sequence[Change]:
    """All changes up to an instant, that one included."""
    return changes[: bisect_right(changes, t, key=_time)]


def edge(changes: Sequence[Change], t: int, forward: bool) -> int | None:
    """When the next change after an instant is, or the last before it; None if there is none."""
    if forward:
        index = bisect_right(changes, t, key=_time)
        return changes[index][0] if index < len(changes) else None
    index = bisect_left(changes, t, key=_time)
    return changes[index - 1][0] if index > 0 else None


def plain(value: Value) -> bool | int | float | str | None:
    """A value as JSON can say it: None for a number that is none, ±1e308 for the infinite, long texts cut."""
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str) and len(value) > _LONGEST:
        return value[: _LONGEST - 1] + "…"
    return value


def _finite(values: NDArray[np.float64]) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    if -1e308 < value < 1e308:
        return value
    return None if math.isnan(value) else math.copysign(1e308, value)
