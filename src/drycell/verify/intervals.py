"""Declared intervals, searched by the order of events rather than by value.

A program that draws a number from an interval and waits that long causes an event at *the time of the draw plus the
delay*. The length of the delay matters only through the order of events that depend on each other. The search therefore
starts with the shortest delay and lengthens it only for a reason: to move a step to the time of another step that it
races with, or past it. The lengths that it tries are those at which an order changes, to the tick.

This is valid as long as the program uses the number only as a delay and no program reads the clock. A number that is
used in any other way (compared, added to, stored in a signal) reports this, and its interval is then searched at its
limits.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from drycell.kernel import LONGEST, Event, Fibre, Finish, Kernel, Key, point, program_of, ticks

_TICKS: Final = 1e6


class TrackedFloat(float):
    """A number from an interval that reports any use other than as a delay."""

    _otherwise: Callable[[], None]
    _counted = False

    @classmethod
    def of(cls, value: float, otherwise: Callable[[], None]) -> "TrackedFloat":
        """Create the number; ``otherwise`` is called if it is used in another way."""
        made = cls(value)
        made._otherwise = otherwise
        return made

    def __mul__(self, other: Any) -> Any:
        if other != _TICKS or self._counted:  # delay() and ticks() together do this once
            self._otherwise()
        self._counted = True
        return float.__mul__(self, other)

    def __abs__(self) -> "TrackedFloat":
        return TrackedFloat.of(float.__abs__(self), self._otherwise)

    def __lt__(self, other: Any) -> Any:
        if other != LONGEST:  # ticks() checks that it is a valid time
            self._otherwise()
        return float.__lt__(self, other)


def _reporting(name: str) -> Callable[..., Any]:
    plain = getattr(float, name)

    def reporting(self: TrackedFloat, *others: Any) -> Any:
        self._otherwise()
        return plain(self, *others)

    return reporting


for _name in (
    "__add__", "__radd__", "__sub__", "__rsub__", "__rmul__", "__truediv__", "__rtruediv__", "__floordiv__", "__mod__",
    "__pow__", "__neg__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__bool__", "__int__",
    "__float__", "__round__", "__hash__", "__str__", "__repr__", "__format__", "__trunc__", "__floor__",
    "__ceil__", "__divmod__", "__rdivmod__", "__rmod__", "__rpow__", "__rfloordiv__", "is_integer", "as_integer_ratio",
    "hex",
):  # fmt: skip
    setattr(TrackedFloat, _name, _reporting(_name))


Identity = tuple[str, int]
"""The name of an interval, and the number of earlier draws from it."""
Why = frozenset[Identity]
"""The delays from which a length was computed; empty for a limit."""


class Delay:
    """A number drawn from an interval in one run, and the event whose time it determines."""

    def __init__(
        self, identity: Identity, low: float, high: float, number: int, step: int, whys: tuple[Why, ...]
    ) -> None:
        self.identity = identity
        self.step = step
        self.whys = whys
        self.event: Key | None = None
        self.otherwise = False
        """Whether the number is used other than as a delay."""
        self._low = ticks(low)
        self._room = ticks(high) - self._low
        self.length = ticks(point(low, high, number))

    def lengthened(self, more: int) -> int:
        """Return the number (see ``point``) of a value that is ``more`` ticks longer, or of the longest value."""
        above = self.length - self._low + more
        return 1 if above >= self._room else above + 1

    def longer(self, number: int) -> int:
        """Return the number of ticks by which the value of a number is longer."""
        above = self._room if number == 1 else max(number - 1, 0)
        return self._low + above - self.length


Due = tuple[int, int, int]
"""The time of an event, its level, and the step that scheduled it."""


class IntervalDelays:
    """The delays of one run, and the delays on which the time of each step depends."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._drawn: dict[int, list[Delay]] = {}
        self._asked: dict[str, int] = {}
        self._behind: list[frozenset[Delay]] = []
        self._times: list[int] = []
        self._levels: list[int] = []
        self._due: dict[Key, Due] = {}

    def draw(self, name: str, low: float, high: float, number: int, whys: tuple[Why, ...]) -> Delay:
        """Add a delay drawn by the current step; ``whys`` are the ways in which its length was computed."""
        asked = self._asked[name] = self._asked.get(name, 0) + 1
        delay = Delay((name, asked), low, high, number, len(self._times), whys)
        self._drawn.setdefault(delay.step, []).append(delay)
        return delay

    def add(self, key: Key, time: int, level: int, made: int) -> None:
        """Add the latest step, and find the events to which its delays belong."""
        owner = key[0]
        self._behind.append(self.behind(key, (time, level, made)))
        self._levels.append(self._effective(time, level, made))
        self._times.append(time)
        if not self._drawn:
            return
        self._due.update(agenda(self._kernel))
        step = len(self._times) - 1
        for delay in self._drawn.get(step, ()):
            events = [key for key, due in self._due.items() if due[2] == step and due[0] - time == delay.length]
            if len(events) > 1 and delay.length == 0:
                # Programs woken by the step are also due at once, but the number was not used for them.
                woken = {process.name for process in self._kernel.processes.living()} - {owner}
                events = [key for key in events if key[0] not in woken]
            if len(events) == 1:
                delay.event = events[0]
            else:
                delay.otherwise = True

    def due(self, key: Key) -> Due | None:
        """Return the data of a pending or past event."""
        return self._due.get(key)

    def behind(self, key: Key, due: Due) -> frozenset[Delay]:
        """Return the delays on which the time of an event depends."""
        made = due[2]
        if made < 0:
            return frozenset()
        own = (delay for delay in self._drawn.get(made, ()) if delay.event == key)
        return self._behind[made].union(own)

    def delaying(self, first: int, key: Key, due: Due) -> Iterator[tuple[Delay, int, Why]]:
        """Yield delays, each with a new number, that move a step to the time of a later event or past it.

        A length computed from a length of the same delay leads to no new order: for any set of compatible orders, the
        earliest times follow from the limits without a cycle.
        """
        need = due[0] - self._times[first] + (self._effective(*due) > self._levels[first])
        if need <= 0:
            return
        before, after = self._behind[first], self.behind(key, due)
        for delay in before - after:
            why = _without(delay.identity, after - before)
            if why is not None:
                number = delay.lengthened(need)
                yield delay, number, frozenset() if number == 1 else why | {delay.identity}

    def _effective(self, time: int, level: int, made: int) -> int:
        """Return the level of an event among those of its time: an event scheduled at that time has at least the level
        of the step that scheduled it."""
        return max(level, self._levels[made]) if made >= 0 and self._times[made] == time else level


def _without(identity: Identity, delays: frozenset[Delay]) -> Why | None:
    """Return the delays from which some lengths were computed, if they can be computed without a given delay."""
    found: Why = frozenset()
    for delay in delays:
        way = next((why for why in delay.whys if identity not in why), None)
        if way is None:
            return None
        found |= way
    return found


def agenda(kernel: Kernel) -> Iterator[tuple[Key, Due]]:
    """Yield everything in the queue, including cancelled timers."""
    for time, level, _, what in kernel.queue:
        if time < 0 or isinstance(what, Finish):
            continue
        yield identified(time, level, what)


def identified(time: int, level: int, what: Fibre | Event) -> tuple[Key, Due]:
    """Return the key of an entry of the queue, and when it is due."""
    program = program_of(what)
    if program is None:
        owner, number, made = what.identity()
    else:
        owner, number, made = program.process.name, program.steps, program.made
    return (owner, number), (time, level, made)
