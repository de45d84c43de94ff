"""Intervals: declared intervals searched by the order of events instead of by their values.

A program that draws a number from an interval and lets that time pass makes an event whose time is *its maker's time
plus the delay*. How long it is matters only through the order of events that depend on each other. The search
therefore begins with the shortest delay, and lengthens one only for a reason: a step that came first shall come at the
instant of, or after, one that it races with. The lengths tried are those at which an order changes, to the tick.

This holds as long as nothing else is done with the number and nobody looks at the clock. A number that is used
otherwise (compared, added to, put in a signal) tells so, and its interval is searched by its corners.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from drycell.kernel import LONGEST, Finish, Kernel, Key, point, program_of, ticks

_TICKS: Final = 1e6


class TrackedFloat(float):
    """A number from an interval that tells when something else is done with it than letting that time pass."""

    _otherwise: Callable[[], None]
    _counted = False

    @classmethod
    def of(cls, value: float, otherwise: Callable[[], None]) -> "TrackedFloat":
        """The number, and whom to tell."""
        made = cls(value)
        made._otherwise = otherwise
        return made

    def __mul__(self, other: Any) -> Any:
        if other != _TICKS or self._counted:  # delay and ticks() count it so, and one of them once
            self._otherwise()
        self._counted = True
        return float.__mul__(self, other)

    def __abs__(self) -> "TrackedFloat":
        return TrackedFloat.of(float.__abs__(self), self._otherwise)

    def __lt__(self, other: Any) -> Any:
        if other != LONGEST:  # ticks() asks so whether it is a time at all
            self._otherwise()
        return float.__lt__(self, other)


def _telling(name: str) -> Callable[..., Any]:
    plain = getattr(float, name)

    def told(self: TrackedFloat, *others: Any) -> Any:
        self._otherwise()
        return plain(self, *others)

    return told


for _name in (
    "__add__", "__radd__", "__sub__", "__rsub__", "__rmul__", "__truediv__", "__rtruediv__", "__floordiv__", "__mod__",
    "__pow__", "__neg__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__bool__", "__int__",
    "__float__", "__round__", "__hash__", "__str__", "__repr__", "__format__", "__trunc__", "__floor__",
    "__ceil__", "__divmod__", "__rdivmod__", "__rmod__", "__rpow__", "__rfloordiv__", "is_integer", "as_integer_ratio",
    "hex",
):  # fmt: skip
    setattr(TrackedFloat, _name, _telling(_name))


Identity = tuple[str, int]
"""The name of an interval, and which time it was asked for."""
Why = frozenset[Identity]
"""The delays that a length was computed from; none for one of the limits."""


class Delay:
    """One number drawn from an interval in one run, and the event it is the time of."""

    def __init__(
        self, identity: Identity, low: float, high: float, number: int, step: int, whys: tuple[Why, ...]
    ) -> None:
        self.identity = identity
        self.step = step
        self.whys = whys
        self.event: Key | None = None
        self.otherwise = False
        """Whether its length matters by itself."""
        self._low = ticks(low)
        self._room = ticks(high) - self._low
        self.length = ticks(point(low, high, number))

    def lengthened(self, more: int) -> int:
        """The number (see ``point``) of a value that is so many ticks longer, or the longest."""
        above = self.length - self._low + more
        return 1 if above >= self._room else above + 1


Due = tuple[int, int, int]
"""When something is due, its level, and the step that made it."""


class IntervalDelays:
    """The delays of one run, and which of them the time of each step rests on."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._drawn: dict[int, list[Delay]] = {}
        self._asked: dict[str, int] = {}
        self._behind: list[frozenset[Delay]] = []
        self._times: list[int] = []
        self._levels: list[int] = []
        self._due: dict[Key, Due] = {}

    def draw(self, name: str, low: float, high: float, number: int, whys: tuple[Why, ...]) -> Delay:
        """A delay drawn in the step that is being made; ``whys`` are the ways to come to its length."""
        asked = self._asked[name] = self._asked.get(name, 0) + 1
        delay = Delay((name, asked), low, high, number, len(self._times), whys)
        self._drawn.setdefault(delay.step, []).append(delay)
        return delay

    def add(self, key: Key, time: int, level: int, made: int) -> None:
        """Enters the step just made, and sees what its delays have become."""
        self._behind.append(self.behind(key, (time, level, made)))
        self._levels.append(self._effective(time, level, made))
        self._times.append(time)
        if not self._drawn:
            return
        self._due.update(agenda(self._kernel))
        step = len(self._times) - 1
        for delay in self._drawn.get(step, ()):
            events = [key for key, due in self._due.items() if due[2] == step and due[0] - time == delay.length]
            if len(events) == 1:
                delay.event = events[0]
            else:
                delay.otherwise = True

    def due(self, key: Key) -> Due | None:
        """What is known of an event that is, or was, to come."""
        return self._due.get(key)

    def behind(self, key: Key, due: Due) -> frozenset[Delay]:
        """The delays that the time of an event rests on."""
        made = due[2]
        if made < 0:
            return frozenset()
        own = (delay for delay in self._drawn.get(made, ()) if delay.event == key)
        return self._behind[made].union(own)

    def delaying(self, first: int, key: Key, due: Due) -> Iterator[tuple[Delay, int, Why]]:
        """What brings a step to, or past, the instant of an event after it: delays, each with its new number.

        A length that rests on a length of the same delay leads to no order that is not come to otherwise: of a set of
        orders that can be had together, the earliest times follow from limits without going round in a circle.
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
        """The level of an event in the order of its instant: one made at that very instant comes with its maker."""
        return max(level, self._levels[made]) if made >= 0 and self._times[made] == time else level


def _without(identity: Identity, delays: frozenset[Delay]) -> Why | None:
    """What the lengths of some delays rest on, if they can be come to without a certain one."""
    found: Why = frozenset()
    for delay in delays:
        way = next((why for why in delay.whys if identity not in why), None)
        if way is None:
            return None
        found |= way
    return found


def agenda(kernel: Kernel) -> Iterator[tuple[Key, Due]]:
    """All that is in the queue, cancelled timers included."""
    for time, level, _, what in kernel.queue:
        if time < 0 or isinstance(what, Finish):
            continue
        strand = program_of(what)
        if strand is None:
            owner, number, made = what.identity()
        else:
            owner, number, made = strand.process.name, strand.steps, strand.made
        yield (owner, number), (time, level, made)
