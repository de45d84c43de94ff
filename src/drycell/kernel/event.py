"""Entries of the event queue: programs to be resumed, timers, and how a run is interrupted and ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop
from typing import TYPE_CHECKING, Final, Literal, cast

from greenlet import GreenletExit, getcurrent, greenlet  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.deadlock import DeadlockMonitor
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.process import Process, Waiter

Ending = Literal["finished", "until", "deadlock", "stopped", "interrupted"]


class Fibre(greenlet):  # type: ignore[misc]
    """The stack of a program. It carries the data for ``delay``, so that a program finds its kernel with one attribute
    lookup.

    ``kernel`` is deleted while the program must not block (a subscriber runs, or the run has ended). Every verb then
    fails on the missing attribute, so programs that may block need no test.
    """

    __slots__ = ("kernel", "level", "made", "process", "queue", "steps", "waiter")

    kernel: Kernel
    process: Process
    queue: list[Entry]
    level: int
    waiter: Waiter | None
    steps: int
    """The number of steps so far; counted only for a chooser."""
    made: int
    """The step that scheduled the next one; kept only for a chooser."""


class Event:
    """An entry of the queue that is not a program to be resumed. It runs on the hub, never on a program's stack."""

    __slots__ = ()

    def fire(self, time: int) -> Entry | None:
        """Run it. Returns an entry to run next, if a program handed one back."""
        raise NotImplementedError

    def is_live(self) -> bool:
        """Return whether it will still have an effect."""
        return True

    def program(self) -> Fibre | None:
        """Return the program it belongs to."""
        return None

    def identity(self) -> tuple[str, int, int]:
        """Return (owner, number, step that made it), for a chooser."""
        raise NotImplementedError


Entry = tuple[int, int, int, Fibre | Event]
"""(time, level, sequence, what): the first three are unique, so a comparison never reaches the fourth."""

current_fibre = cast(Callable[[], Fibre], getcurrent)
"""Return the running greenlet. If it is not a fibre, it has no attribute ``kernel``."""


def program_of(what: Fibre | Event) -> Fibre | None:
    """Return the program that an entry belongs to."""
    return what if isinstance(what, Fibre) else what.program()


def is_live(what: Fibre | Event) -> bool:
    """Return whether an entry will still have an effect."""
    return isinstance(what, Fibre) or what.is_live()


class Timer(Event):
    """Calls an action once at ``time`` unless it is cancelled. Cancelled timers stay queued until the next clean-up."""

    __slots__ = ("_action", "_kernel", "alive", "made", "owner", "serial", "time", "turn", "writes")

    def __init__(
        self,
        kernel: Kernel,
        time: int,
        action: Callable[[], object],
        owner: str,
        writes: Sequence[AnySignal] | None,
        at_level: int,
    ) -> None:
        self._kernel = kernel
        self.turn = (at_level, 0)
        self._action = action
        self.time = time
        self.owner = owner
        self.writes = None if writes is None else tuple(writes)
        self.alive = True
        self.made = kernel.step
        self.serial = 0 if kernel.chooser is None else kernel.serial(owner)  # numbered only if there is a chooser
        if writes is None:
            kernel.deadlock.unknown_writers += 1

    def fire(self, time: int) -> Entry | None:
        kernel = self._kernel
        if self.alive:
            kernel.now = time
            kernel.actor = self
            self._gone(kernel.deadlock)
            self._action()
        else:
            kernel.cancelled_timers -= 1
        return None

    def is_live(self) -> bool:
        return self.alive

    def identity(self) -> tuple[str, int, int]:
        return self.owner, self.serial, self.made

    def cancel(self) -> None:
        """Cancel the timer. Cancelling it twice, or after it fired, changes nothing."""
        if self.alive:
            self._gone(self._kernel.deadlock)
            self._kernel.timer_cancelled(self)

    def _gone(self, deadlock: DeadlockMonitor) -> None:
        self.alive = False
        if self.writes is None:
            deadlock.unknown_writers -= 1
        deadlock.recheck = deadlock.watching


class Governed(BaseException):
    """Raised when the loop must from now on run events one by one."""


class Attention(Event):
    """An event that makes the loop serve other threads."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def fire(self, time: int) -> Entry | None:
        self._kernel.attend()
        if self._kernel.pace is not None and self._kernel.pace.governs:
            raise Governed
        # The next event stays the same: an inspection must not trigger an early deadlock check.
        return heappop(self._kernel.queue)


class RunEnd(BaseException):
    """Carries the ending from the event that causes it to ``run``. Raised only on the hub."""

    def __init__(self, ending: Ending, reason: str = "") -> None:
        super().__init__(ending)
        self.ending: Ending = ending
        self.reason = reason


class Finish(Event):
    """The end of a run."""

    __slots__ = ("ending", "reason")

    def __init__(self, ending: Ending, reason: str = "") -> None:
        self.ending: Ending = ending
        self.reason = reason

    def fire(self, time: int) -> Entry | None:
        raise RunEnd(self.ending, self.reason)


class Failure(Event):
    """An event that carries an error from a program to ``run``."""

    __slots__ = ("_error",)

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def fire(self, time: int) -> Entry | None:
        raise self._error


class _Gate(Event):
    """An event that precedes everything else during a step, so that a program that blocks returns to the hub."""

    __slots__ = ()

    def fire(self, time: int) -> Entry | None:
        return None


GATE: Final[Entry] = (-2, 0, 0, _Gate())

__all__ = [
    "GATE", "Attention", "Ending", "Entry", "Event", "Failure", "Fibre", "Finish", "Governed", "GreenletExit", "RunEnd",
    "Timer", "current_fibre", "getcurrent", "greenlet", "is_live", "program_of",
]  # fmt: skip
