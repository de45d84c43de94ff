"""Signal traces: the changes of a signal in a time window, reduced to pixel columns without hiding any change.

A column with one change keeps it unchanged. A column with several changes keeps the times of the first and the last,
their number, the value after the last, and for numbers the lowest and the highest value. No edge and no extreme is
lost, however far the diagram is zoomed out.
"""

import math
from bisect import bisect_left, bisect_right
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import FieldError
from drycell.kernel import Changes
from drycell.studio.api.signals import SignalValue, TraceWindow

WIDEST: Final = 8192  # columns
_LONGEST: Final = 200  # characters of a text that is shown


class SignalTrace:
    """The changes of one signal, reduced to any window. Only the changes in the window are copied."""

    def __init__(self, changes: Changes[Any]) -> None:
        self.changes = changes
        self._numeric = changes.type in ("int", "float")
        self._read = 0
        self._least, self._greatest = math.inf, -math.inf

    def window(self, t0: int, t1: int, width: int) -> TraceWindow:
        """The changes from ``t0`` to ``t1``, reduced to ``width`` columns."""
        if t1 <= t0:
            raise FieldError(f"a window from {t0} to {t1} µs is empty", hint="t1 must be later than t0")
        if not 1 <= width <= WIDEST:
            raise FieldError(f"a trace of {width} columns: {width} is not between 1 and {WIDEST}")
        changes = self.changes
        first, last = bisect_left(changes.times, t0), bisect_right(changes.times, t1)
        before = None if first == 0 else plain(changes.values[first - 1])
        if first == last:
            none = () if self._numeric else None
            return TraceWindow(changes.type, before, lo=none, hi=none, extent=self.extent())
        # The view must not outlive this call: nothing can be appended to the array while numpy holds a view of it.
        inside = np.frombuffer(changes.times, np.int64)[first:last]
        columns = (inside - t0) * width // (t1 - t0)
        starts = np.flatnonzero(np.diff(columns, prepend=-1))
        ends = np.append(starts[1:], last - first) - 1
        places = (ends + first).tolist()
        shown = [changes.values[place] for place in places]
        writers: dict[str, int] = {}
        numbers = self._numbers(first, last) if self._numeric else None
        return TraceWindow(
            type=changes.type,
            before=before,
            t=tuple(inside[starts].tolist()),
            u=tuple(inside[ends].tolist()),
            n=tuple((ends - starts + 1).tolist()),
            v=tuple(shown if changes.type == "bool" else [plain(value) for value in shown]),
            w=tuple(writers.setdefault(changes.writers[place], len(writers)) for place in places),
            writers=tuple(writers),
            lo=None if numbers is None else _finite(np.fmin.reduceat(numbers, starts)),
            hi=None if numbers is None else _finite(np.fmax.reduceat(numbers, starts)),
            extent=self.extent(),
        )

    def extent(self) -> tuple[float, float] | None:
        """The lowest and highest finite value of the whole run; None if the signal is not a number."""
        if not self._numeric:
            return None
        changes = self.changes
        if changes.rows > self._read:
            values = self._numbers(max(self._read - changes.dropped, 0), len(changes))
            values = values[np.isfinite(values)]
            self._least = min(self._least, float(values.min(initial=math.inf)))
            self._greatest = max(self._greatest, float(values.max(initial=-math.inf)))
            self._read = changes.rows
        return (self._least, self._greatest) if self._least <= self._greatest else None

    def _numbers(self, first: int, last: int) -> NDArray[np.float64]:
        """The values from row ``first`` up to ``last``. Do not keep it: it may be a view of the signal's own array."""
        values: Any = self.changes.values
        if self.changes.type == "float" and len(values):
            return np.frombuffer(values)[first:last]
        return np.fromiter(values[first:last], float, last - first)


def edge(changes: Changes[Any], t: int, forward: bool) -> int | None:
    """The time of the next change after ``t``, or of the last before it; None if there is none."""
    times = changes.times
    place = bisect_right(times, t) if forward else bisect_left(times, t) - 1
    return times[place] if 0 <= place < len(times) else None


def plain(value: SignalValue) -> bool | int | float | str | None:
    """A value that JSON can express: None for NaN, ±1e308 for infinity; long texts are cut."""
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str) and len(value) > _LONGEST:
        return value[: _LONGEST - 1] + "…"
    return value


def _finite(values: NDArray[np.float64]) -> tuple[float | None, ...]:
    return tuple(_number(value) for value in values.tolist())


def _number(value: float) -> float | None:
    if -1e308 < value < 1e308:
        return value
    return None if math.isnan(value) else math.copysign(1e308, value)
