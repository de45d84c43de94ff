"""What can stand in the event queue: programs to be resumed, timers, and how a run is interrupted and ends."""

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
    """A program's own stack. It carries what ``delay`` needs, so that a program finds its kernel in one look.

    ``kernel`` is deleted while the program must not block (a subscriber runs, the run has ended): every verb then
    fails on the missing attribute, and a program that may block pays for no test.
    """

    __slots__ = ("kernel", "level", "made", "process", "queue", "steps", "waiter")

    kernel: Kernel
    process: Process
    queue: list[Entry]
    level: int
    waiter: Waiter | None
    steps: int
    """Steps made so far; counted for a chooser only."""
    made: int
    """The step that scheduled the next one; kept for a chooser only."""


class Event:
    """Anything in the queue that is not a program to be resumed. It runs on the hub, never on a program's stack."""

    __slots__ = ()

    def fire(self, time: int) -> Entry | None:
        """Do it. The return value is an entry that came back from a program and is to be run next."""
        raise NotImplementedError

    def is_live(self) -> bool:
        """Whether it will still do anything."""
        return True

    def program(self) -> Fibre | None:
        """The program it is a step of."""
        return None

    def identity(self) -> tuple[str, int, int]:
        """(owner, number, step that made it), for a chooser."""
        raise NotImplementedError


Entry = tuple[int, int, int, Fibre | Event]
"""(time, level, sequence, what): the first three are unique, so comparing never reaches the fourth."""

current_fibre = cast(Callable[[], Fibre], getcurrent)
"""The running greenlet. It may not be a fibre at all: then it has no attribute ``kernel``."""


def program_of(what: Fibre | Event) -> Fibre | None:
    """The program that something in the queue is a step of."""
    return what if isinstance(what, Fibre) else what.program()


def is_live(what: Fibre | Event) -> bool:
    """Whether something in the queue will still do anything."""
    return isinstance(what, Fibre) or what.is_live()


class Timer(Event):
    """Done once at ``time`` unless cancelled before. Cancelled ones stay in the queue until it is tidied."""

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
        self.serial = 0 if kernel.chooser is None else kernel.serial(owner)  # told apart by number for a chooser only
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
        """Let it not happen. Cancelling twice, or after it happened, changes nothing."""
        if self.alive:
            self._gone(self._kernel.deadlock)
            self._kernel.timer_cancelled(self)

    def _gone(self, deadlock: DeadlockMonitor) -> None:
        self.alive = False
        if self.writes is None:
            deadlock.unknown_writers -= 1
        deadlock.recheck = deadlock.watching


class Governed(BaseException):
    """Events must be let through one by one from now on."""


class Attention(Event):
    """Makes the loop look at what other threads want."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def fire(self, time: int) -> Entry | None:
        self._kernel.attend()
        if self._kernel.pace is not None and self._kernel.pace.governs:
            raise Governed
        # What would have been next is next: an inspection at this point must not bring forward a check for deadlock.
        return heappop(self._kernel.queue)


class RunEnd(BaseException):
    """Carries the ending from the event that brings it to ``run``. Raised on the hub only."""

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
    """An error on its way from a program to ``run``."""

    __slots__ = ("_error",)

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def fire(self, time: int) -> Entry | None:
        raise self._error


class _Gate(Event):
    """Stands before everything else while a step is made, so that a program that blocks comes back to the hub."""

    __slots__ = ()

    def fire(self, time: int) -> Entry | None:
        return None


GATE: Final[Entry] = (-2, 0, 0, _Gate())

__all__ = [
    "GATE", "Attention", "Ending", "Entry", "Event", "Failure", "Fibre", "Finish", "Governed", "GreenletExit", "RunEnd",
    "Timer", "current_fibre", "getcurrent", "greenlet", "is_live", "program_of",
]  # fmt: skip
