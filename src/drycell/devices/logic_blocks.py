"""Function blocks of a logic block: timers, edges, latches and counters, as IEC 61131-3 has them.

Each remembers something from scan to scan. It tells the scan when that has changed, and when it will change by itself:
a scan in which nothing has changed need not be repeated before that time.
"""

from typing import Final, Protocol

from drycell.kernel import FOREVER

Value = bool | float | str


class Scan:
    """One pass through the rules: the values read, the instant, and what follows for the next pass."""

    __slots__ = ("due", "image", "stirred", "time")

    def __init__(self) -> None:
        self.image: list[Value] = []
        self.time = 0
        self.due = FOREVER
        """When, with no input changing, something will be different."""
        self.stirred = False
        """Whether something is different from the scan before."""

    def passed(self, since: int, span: int) -> bool:
        """Whether a span of time is over; if not, that instant is due."""
        end = since + span
        if self.time >= end:
            return True
        self.due = min(self.due, end)
        return False


class Block(Protocol):
    """What goes on between two scans of one call in a rule."""

    def __call__(self, scan: Scan, *values: Value) -> Value:
        """Its output in a scan with these values."""


class OnDelay:
    """``ton(x, 2 s)``: on once x has been on for that long."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._since: int | None = None

    def __call__(self, scan: Scan, *values: Value) -> Value:
        if not values[0]:
            scan.stirred |= self._since is not None
            self._since = None
            return False
        if self._since is None:
            self._since, scan.stirred = scan.time, True
        return scan.passed(self._since, self._span)


class OffDelay:
    """``tof(x, 2 s)``: on with x, and for that long after."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._on = False
        self._since: int | None = None  # when x went off

    def __call__(self, scan: Scan, *values: Value) -> Value:
        on = bool(values[0])
        if on != self._on:
            self._on, scan.stirred = on, True
            self._since = None if on else scan.time
        return on or (self._since is not None and not scan.passed(self._since, self._span))


class Pulse:
    """``tp(x, 2 s)``: on for that long whenever x comes on; what x does meanwhile does not matter."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._edge = Edge(rising=True)
        self._since: int | None = None

    def __call__(self, scan: Scan, *values: Value) -> Value:
        came = self._edge(scan, *values)
        if self._since is None and came:
            self._since, scan.stirred = scan.time, True
        if self._since is None:
            return False
        if not scan.passed(self._since, self._span):
            return True
        self._since, scan.stirred = None, True
        return False


class Edge:
    """``rise(x)``, ``fall(x)``: on for the one scan in which x has come on, or gone off; never in the first scan."""

    def __init__(self, *, rising: bool) -> None:
        self._rising = rising
        self._last: bool | None = None

    def __call__(self, scan: Scan, *values: Value) -> Value:
        now, before = bool(values[0]), self._last
        if now == before:
            return False
        self._last, scan.stirred = now, True
        return before is not None and now is self._rising


class Latch:
    """``sr(set, reset)`` and ``rs(set, reset)``: on from set to reset; at both, ``sr`` is on and ``rs`` is off."""

    def __init__(self, *, set_wins: bool) -> None:
        self._set_wins = set_wins
        self._on = False

    def __call__(self, scan: Scan, *values: Value) -> Value:
        sets, resets = values
        on = bool(sets or (self._on and not resets)) if self._set_wins else bool((self._on or sets) and not resets)
        if on != self._on:
            self._on, scan.stirred = on, True
        return on


_MOST: Final = 2**53  # beyond this a float does not tell two counts apart


class Counter:
    """``count(x, reset)``: how often x has come on since the last reset. ``ctu(x, reset, 5)``: on from so many on."""

    def __init__(self, preset: int | None = None) -> None:
        self._edge = Edge(rising=True)
        self._preset = preset
        self._number = 0

    def __call__(self, scan: Scan, *values: Value) -> Value:
        x, reset = values
        came = self._edge(scan, x)
        number = 0 if reset else min(self._number + bool(came), _MOST)
        if number != self._number:
            self._number, scan.stirred = number, True
        return float(number) if self._preset is None else number >= self._preset
