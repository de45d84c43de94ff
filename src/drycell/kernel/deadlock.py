"""Whether any program can ever proceed, found by who could still write what they wait for.

Sensors and machines never come to rest, so an idle queue says nothing. When every program waits without a time-out, a
program can go on only if somebody alive may write a signal of its condition. Whoever has not declared what he
writes may write anything: the verdict "deadlock" is never given while progress is possible.

A sensor that sleeps until something changes near it is no hope by itself. Whoever has anything to write at all may also
move things, and so wake it: a timer of a device, a daemon.
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
    """Counts who waits without a time-out, and looks for a deadlock when all programs do."""

    __slots__ = ("_kernel", "_stuck", "dormant", "recheck", "running", "unknown_writers", "watching")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.running = 0
        """Programs that keep the run alive: those that are not daemons."""
        self._stuck = 0
        self.unknown_writers = 0
        """Timers and tickers that have not declared what they write."""
        self.dormant: dict[Ticker, None] = {}
        """Tickers that sleep until somebody wakes them."""
        self.watching = False
        """Whether all programs wait without a time-out."""
        self.recheck = False
        """Whether somebody is gone, while all wait, who might have helped."""

    def stick(self, process: Process) -> None:
        """A program is about to wait without a time-out: the last one that could may find itself in a deadlock."""
        self._stuck += not process.daemon
        if self._stuck == self.running and self.found():
            self._kernel.hub.switch((-1, 0, 0, Finish("deadlock")))

    def unstick(self) -> None:
        """A program that waited without a time-out no longer does."""
        self._stuck -= 1
        self.watching = False

    def found(self) -> bool:
        """Whether all programs wait without a time-out, and none of them can ever proceed."""
        if not self.running or self._stuck != self.running:
            return False
        self.watching = True
        return _is_deadlocked(self._kernel)

    def check_again(self) -> None:
        """Look again, after somebody who might have helped is gone. On the hub."""
        self.recheck = False
        if self.watching and _is_deadlocked(self._kernel):
            raise RunEnd("deadlock")


def _is_deadlocked(kernel: Kernel) -> bool:
    """Whether no program that keeps the run alive can ever proceed. Asked when all of them wait without time-out."""
    if kernel.inbox.expects_requests() or kernel.deadlock.unknown_writers:
        return False
    waiting: list[Process] = []
    going: list[Process] = []
    for process in kernel.processes.living():
        waiter = process.fibre.waiter
        if waiter is not None and not waiter.timed:
            waiting.append(process)
        elif process.writes is None:
            return False  # it runs on, and may write anything
        else:
            going.append(process)
    free: set[AnySignal] = set()
    timers = [entry[3] for entry in kernel.queue if isinstance(entry[3], Timer) and entry[3].alive and entry[3].writes]
    for timer in timers:
        _free(timer.writes or (), free, set())
    if _anyone_proceeds(waiting, {*free}, set()):
        return False  # as most often, and found without asking a thousand sensors
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
    """What is written may change, and so may the signals on which a fault shows it, and what devices set in answer.

    A device that answers may move things, and so wake sensors.
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
