"""What each kind of fault makes of the values that come in while it is in force."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from drycell.kernel import Rank, Signal, Timer
from drycell.sensors.fault import Value

if TYPE_CHECKING:
    from drycell.sensors.faults.chain import Stage


class Effect:
    """Values as they are; the base of all effects."""

    stage: Stage
    """Where it stands; given when it is put there."""
    restless = False
    """Whether every sample counts, even one that is equal to the last."""

    def begin(self, value: Value) -> None:
        """Come into force; ``value`` is what came in last."""

    def sampled(self, time: int) -> None:
        """A sample taken at a time is about to come in."""

    def apply(self, value: Value) -> Value:
        """What becomes of a value. Asked again without a change it must answer the same."""
        return value

    def end(self) -> None:
        """Go out of force."""


class Replaced(Effect):
    """One and the same value, whatever comes in."""

    def __init__(self, value: Value) -> None:
        self._value = value

    def apply(self, value: Value) -> Value:
        return self._value


class Held(Effect):
    """The value that came in last before it began."""

    def begin(self, value: Value) -> None:
        self._value = value

    def apply(self, value: Value) -> Value:
        return self._value


class Inverted(Effect):
    """On for off and off for on."""

    def apply(self, value: Value) -> Value:
        return not value


class Raised(Effect):
    """A number with so much added."""

    def __init__(self, size: float) -> None:
        self._size = size

    def apply(self, value: Value) -> Value:
        return _sum(value, self._size)


class Drifting(Effect):
    """A number with more and more added: at every sample, or, on a signal that is not sampled, in steps of time."""

    restless = True

    def __init__(self, per_second: float, step: int | None) -> None:
        self._per_second = per_second
        self._step = step
        self._since = 0
        self._elapsed = 0
        self._timer: Timer | None = None

    def begin(self, value: Value) -> None:
        self._since = self.stage.kernel.now
        self._elapsed = 0
        self._wait()

    def sampled(self, time: int) -> None:
        # A sample that was taken before the drift began may be published after: it is right.
        self._elapsed = max(self._elapsed, time - self._since)

    def apply(self, value: Value) -> Value:
        return _sum(value, self._per_second * (self._elapsed / 1e6))

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        if self._step is not None:
            stage = self.stage
            due = stage.kernel.now + self._step
            self._timer = stage.kernel.at(due, self._go_on, Rank.SENSOR, stage.name, writes=stage.writes)

    def _go_on(self) -> None:
        self._wait()
        self.sampled(self.stage.kernel.now)
        self.stage.chain.refresh()


class Delayed(Effect):
    """Every change so much later, in order."""

    def __init__(self, by: int) -> None:
        self._by = by
        self._timers: list[Timer] = []

    def begin(self, value: Value) -> None:
        self._last = self._shown = value

    def apply(self, value: Value) -> Value:
        if _differ(value, self._last):
            self._last = value
            stage = self.stage
            due = stage.kernel.now + self._by
            self._timers.append(
                stage.kernel.at(due, lambda: self._deliver(value), Rank.SENSOR, stage.name, writes=stage.writes)
            )
        return self._shown

    def end(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _deliver(self, value: Value) -> None:
        del self._timers[0]
        self._shown = value
        self.stage.chain.refresh()


class Exchanged(Effect):
    """What comes in at its counterpart on another signal."""

    counterpart: Stage

    def __init__(self, other: Signal[Any]) -> None:
        self.other = other

    def begin(self, value: Value) -> None:
        self._passed_on = value

    def apply(self, value: Value) -> Value:
        if _differ(value, self._passed_on):
            self._passed_on = value
            self.counterpart.chain.refresh()
        return self.counterpart.input


def _differ(a: Value, b: Value) -> bool:
    return a != b and (a == a or b == b)  # two that are no number are the same


def _sum(value: Any, more: float) -> Value:
    """A number with something added, as its signal holds it: whole numbers round half away from zero."""
    total: float = value + more
    if isinstance(value, int):
        return int(math.copysign(math.floor(abs(total) + 0.5), total))
    return total
