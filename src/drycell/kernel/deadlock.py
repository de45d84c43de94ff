"""Deadlock detection: whether anything can still write what the waiting programs wait for.

Sensors and machines never stop, so an empty queue is not the criterion. When every program waits without a timeout, a
program can continue only if something alive may write a signal of its condition. Whatever has not declared its writes
may write anything, so a deadlock is never reported while progress is possible.

A sensor that sleeps until something changes near it cannot end a deadlock by itself. Whatever writes signals may also
move things and so wake it: the timer of a device, or a daemon.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from drycell.kernel.event import Finish, RunEnd, Timer
from drycell.kernel.ticker import Ticker, TickerGroup

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.process import Process


class DeadlockMonitor:
    """Counts the programs that wait without a timeout, and looks for a deadlock when all of them do."""

    __slots__ = ("_kernel", "_stuck", "dormant", "recheck", "running", "unknown_writers", "watching")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.running = 0
        """The number of programs that keep the run alive: those that are not daemons."""
        self._stuck = 0
        self.unknown_writers = 0
        """The number of timers and tickers that have not declared what they write."""
        self.dormant: dict[Ticker, None] = {}
        """Tickers that sleep until something wakes them."""
        self.watching = False
        """Whether all programs wait without a timeout."""
        self.recheck = False
        """Whether something that might have ended a wait is gone since all programs wait."""

    def stick(self, process: Process) -> None:
        """Count a program that is about to wait without a timeout; end the run if that makes a deadlock."""
        self._stuck += not process.daemon
        if self._stuck == self.running and self.found():
            self._kernel.hub.switch((-1, 0, 0, Finish("deadlock")))

    def unstick(self) -> None:
        """Count a program that no longer waits without a timeout."""
        self._stuck -= 1
        self.watching = False

    def found(self) -> bool:
        """Return whether all programs wait without a timeout, and none of them can ever continue."""
        if not self.running or self._stuck != self.running:
            return False
        self.watching = True
        return _is_deadlocked(self._kernel)

    def check_again(self) -> None:
        """Look for a deadlock again, after something that might have ended a wait is gone. On the hub."""
        self.recheck = False
        if self.watching and _is_deadlocked(self._kernel):
            raise RunEnd("deadlock")


def _is_deadlocked(kernel: Kernel) -> bool:
    """Return whether no program that keeps the run alive can ever continue. Called when all of them wait without a
    timeout."""
    if kernel.inbox.expects_requests() or kernel.deadlock.unknown_writers:
        return False
    waiting: list[Process] = []
    going: list[Process] = []
    for process in kernel.processes.living():
        waiter = process.fibre.waiter
        if waiter is not None and not waiter.timed:
            waiting.append(process)
        elif process.writes is None:
            return False  # it continues, and may write anything
        else:
            going.append(process)
    free: set[AnySignal] = set()
    timers = [entry[3] for entry in kernel.queue if isinstance(entry[3], Timer) and entry[3].alive and entry[3].writes]
    for timer in timers:
        _free(timer.writes or (), free, set())
    if _anyone_proceeds(waiting, {*free}, set()):
        return False  # the usual case, found without looking at a thousand sensors
    dormant = {signal for ticker in kernel.deadlock.dormant for signal in ticker.writes or ()}
    if timers:
        _free(dormant, free, dormant)
    for entry in kernel.queue:
        source = entry[3]
        for ticker in source.tickers if isinstance(source, TickerGroup) else (source,):
            if isinstance(ticker, Ticker) and ticker.alive and not ticker.dormant:
                _free(ticker.writes or (), free, dormant)
    for process in going:
        _let_go(process, free, dormant)
    return not _anyone_proceeds(waiting, free, dormant)


def _anyone_proceeds(waiting: list[Process], free: set[AnySignal], dormant: set[AnySignal]) -> bool:
    while True:
        freed = [process for process in waiting if _may_proceed(process, free)]
        if not freed:
            return False
        for process in freed:
            if not process.daemon or process.writes is None:
                return True
            _let_go(process, free, dormant)
        waiting = [process for process in waiting if process not in freed]


def _may_proceed(process: Process, free: set[AnySignal]) -> bool:
    waiter = process.fibre.waiter
    return waiter is None or any(condition.possible(free)[0] for condition in waiter.conditions)


def _let_go(process: Process, free: set[AnySignal], dormant: set[AnySignal]) -> None:
    if process.writes:
        _free({*process.writes, *dormant}, free, dormant)
    done = process.done_signal
    if done is not None:
        free.add(done)


def _free(written: Iterable[AnySignal], free: set[AnySignal], dormant: set[AnySignal]) -> None:
    """Mark signals as free: those that are written, those on which a fault shows them, and those that devices set in
    response.

    A device that responds may move things, and so wake sensors.
    """
    waiting = list(written)
    while waiting:
        signal = waiting.pop()
        if signal in free:
            continue
        free.add(signal)
        if signal.filter is not None:
            waiting.extend(signal.filter.reach())
        answers = list(signal.answered_by())
        if answers:
            waiting += [*answers, *dormant]
