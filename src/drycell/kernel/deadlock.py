"""Deadlock detection: whether anything can still write the signals that programs wait for.

During a run, it only looks for the deadlock that ends the run: no program can continue. At the end of a run,
:meth:`DeadlockMonitor.stuck` finds the programs that are stuck while others go on. It analyses what the code of the
others may still do (:mod:`drycell.kernel.future`).

Sensors and machines never stop, so an empty queue is not the criterion. When every program waits without a timeout, a
program can continue only if something alive may write a signal of its condition. Anything without declared writes may
write any signal, so a deadlock is never reported while progress is possible.

A sensor that sleeps until something changes near it cannot end a deadlock by itself. Anything that writes signals, such
as the timer of a device or a daemon, may also move things and wake the sensor.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from drycell.kernel.event import Finish, RunEnd, Timer
from drycell.kernel.process import StuckProcess
from drycell.kernel.signal import Signal
from drycell.kernel.ticker import Ticker, TickerGroup

if TYPE_CHECKING:
    from drycell.kernel.assignments import Assignments
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.future import Polling, Prospects
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.process import Process
    from drycell.kernel.signal import Value


class DeadlockMonitor:
    """Counts the programs that wait without a timeout, and looks for a deadlock when all of them do."""

    __slots__ = (
        "_kernel",
        "_stuck",
        "assigned",
        "dormant",
        "recheck",
        "released_by_daemon",
        "running",
        "unclear",
        "unknown_writers",
        "watching",
    )

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.running = 0
        """The number of programs that keep the run alive: those that are not daemons."""
        self._stuck = 0
        self.unknown_writers = 0
        """The number of timers and tickers that have not declared what they write."""
        self.dormant: dict[Ticker, None] = {}
        """Tickers that sleep until something wakes them."""
        self.unclear: tuple[str, ...] = ()
        """What might have released programs that waited when :meth:`stuck` was asked last, though nothing says so:
        programs whose source does not say enough, timers that have not declared what they write."""
        self.assigned: Assignments | None = None
        """What the programs may still assign; None until the analysis of their code needs it."""
        self.released_by_daemon = False
        """Whether, when :meth:`stuck` was asked last, a daemon might still do something with signals of the user that
        releases a program which waits. What daemons do with robots and devices does not count."""
        self.watching = False
        """Whether all programs wait without a timeout."""
        self.recheck = False
        """Whether something that might have ended a wait was removed since all programs began to wait."""

    def stick(self, process: Process) -> None:
        """Count a program that is about to wait without a timeout; end the run if that causes a deadlock."""
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

    def stuck(self) -> dict[Process, StuckProcess]:
        """Return the programs that can never continue, each with the time: a daemon only if others are stuck with it.

        They wait without a timeout, or poll: they only read signals and let time pass. Nothing outside this set may
        still meet their conditions: no program (judged by its code and the place where it is), no timer, no sensor, no
        request. Looks at the source of the programs, so it is not for every step of a run.
        """
        self.assigned = None
        alone, self.unclear = _stuck(self._kernel)
        self.released_by_daemon = self._may_be_released()
        written = {process: _written(self._kernel, process) for process in alone}
        found: dict[Process, StuckProcess] = {}
        for group in _groups(alone, written):
            members = [process for process in group if not process.daemon]
            if members:
                since = max(_since(process, alone[process]) for process in members)
                for process in group:
                    signals, awaited = written[process], sorted(each.name for each in alone[process])
                    found[process] = StuckProcess(
                        since,
                        None if signals is None else tuple(sorted(each.name for each in signals)),
                        () if _is_blocked(process) else tuple(awaited),
                    )
        return found

    def ahead(self, process: Process) -> Prospects | None:
        """Return what a program might still do if every signal could take any value; None if that is not known."""
        return _ahead(self._kernel, process)

    def _may_be_released(self) -> bool:
        living = self._kernel.processes.living()
        awaited = {signal for process in living if not process.daemon for signal in _signals(process)}
        for process in living if awaited else ():
            if process.daemon:
                ahead = self.ahead(process)
                if ahead is None or not awaited.isdisjoint(ahead.named.union(s for s in ahead.written if _is_plain(s))):
                    return True
        return False

    def check_again(self) -> None:
        """Look for a deadlock again after something that might have ended a wait was removed. Runs on the hub."""
        self.recheck = False
        if self.watching and _is_deadlocked(self._kernel):
            raise RunEnd("deadlock")


def _is_deadlocked(kernel: Kernel) -> bool:
    """Return whether none of the programs that keep the run alive can ever continue. Called when all of them wait
    without a timeout."""
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
    free: dict[AnySignal, None] = {}
    timers = [entry[3] for entry in kernel.queue if isinstance(entry[3], Timer) and entry[3].alive and entry[3].writes]
    for timer in timers:
        _free(timer.writes or (), free, set())
    if _anyone_proceeds(waiting, {**free}, set()):
        return False  # the usual case: avoids checking a thousand sensors
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


def _anyone_proceeds(waiting: list[Process], free: dict[AnySignal, None], dormant: set[AnySignal]) -> bool:
    while True:
        freed = [process for process in waiting if _may_proceed(process, free)]
        if not freed:
            return False
        for process in freed:
            if not process.daemon or process.writes is None:
                return True
            _let_go(process, free, dormant)
        waiting = [process for process in waiting if process not in freed]


def _may_proceed(process: Process, values: Mapping[AnySignal, Collection[Value] | None]) -> bool:
    waiter = process.fibre.waiter
    return waiter is None or any(condition.possible(values)[0] for condition in waiter.conditions)


def _let_go(process: Process, free: dict[AnySignal, None], dormant: set[AnySignal]) -> None:
    if process.writes:
        _free({*process.writes, *dormant}, free, dormant)
    done = process.done_signal
    if done is not None:
        free[done] = None


def _free(written: Iterable[AnySignal], free: dict[AnySignal, None], dormant: set[AnySignal]) -> None:
    """Mark signals as free: the given ones, those that show them through a fault, and those that devices set in
    response.

    A device that responds may move things, which can wake sensors.
    """
    waiting = list(written)
    while waiting:
        signal = waiting.pop()
        if signal in free:
            continue
        free[signal] = None
        if signal.filter is not None:
            waiting.extend(signal.filter.reach())
        answers = list(signal.answered_by())
        if answers:
            waiting += [*answers, *dormant]


Awaited = Mapping["Process", Collection["AnySignal"]]
"""Programs, and the signals that each waits or asks for."""


def _stuck(kernel: Kernel, *, guess: bool = True) -> tuple[Awaited, tuple[str, ...]]:
    """Return the programs that can never continue, including daemons; if that is not known, what might release
    programs that wait.

    A program whose source does not say enough may change whatever it can reach, except without ``guess``: then it
    changes nothing. Programs that only a guess releases may be stuck or not.
    """
    from drycell.kernel.future import Polling, Prospects, foresee, polling

    living = kernel.processes.living()
    blocked = [process for process in living if _is_blocked(process)]
    if kernel.inbox.attended or kernel.inbox.expected:
        return {}, ()
    if kernel.deadlock.unknown_writers:
        return {}, _if_missed(blocked, ("a timer or sensor that has not declared what it sets",))
    prospects = Prospects([signal for ticker in kernel.deadlock.dormant for signal in ticker.writes or ()])
    for entry in kernel.queue:
        source = entry[3]
        if isinstance(source, Timer) and source.alive and source.writes:
            prospects.move()
            for signal in source.writes:
                prospects.write(signal)
        for ticker in source.tickers if isinstance(source, TickerGroup) else (source,):
            if isinstance(ticker, Ticker) and ticker.alive and not ticker.dormant:
                for signal in ticker.writes or ():
                    prospects.write(signal)
    if not guess:
        prospects.guesses = None
    going: list[Process] = []
    still: dict[Process, Polling] = {process: Polling(_signals(process), ()) for process in living}
    while True:
        size, freed = prospects.size(), len(going)
        for process in going:
            foresee(process, prospects)
        if prospects.unclear:
            return {}, _if_missed(blocked, tuple(prospects.unclear))
        for process in list(still):
            polls: Polling | None = still[process]
            if process in prospects.cancelled:
                polls = None
            elif not _is_blocked(process):
                polls = polling(process, prospects)
            elif _may_proceed(process, prospects.values):
                polls = None
            if polls is None:
                going.append(process)
                del still[process]
            else:
                still[process] = polls
        if len(going) == freed and prospects.size() == size:
            alone, unclear = _without_idle(kernel, still), prospects.guesses or ()
            if unclear and all(each.daemon for each in alone):
                others, _ = _stuck(kernel, guess=False)
                return alone, tuple(unclear) if any(not each.daemon for each in others) else ()
            return alone, ()


def _is_plain(signal: AnySignal) -> bool:
    """Return whether a signal is the user's own, rather than one of a device."""
    return type(signal) is Signal and "." not in signal.name


def _is_blocked(process: Process) -> bool:
    """Return whether a program waits without a timeout."""
    waiter = process.fibre.waiter
    return waiter is not None and not waiter.timed


def _signals(process: Process) -> frozenset[AnySignal]:
    return frozenset(() if process.fibre.waiter is None else process.fibre.waiter.signals)


def _if_missed(blocked: list[Process], unclear: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is unclear, if it may hide that a program is stuck."""
    return () if all(process.daemon for process in blocked) else unclear


def _without_idle(kernel: Kernel, still: Mapping[Process, Polling]) -> Awaited:
    """Leave out programs that poll, but are in no loop that a signal set in the cell would let them leave: they are not
    stuck, their work is done."""
    from drycell.kernel.future import Prospects, could_leave, set_in_cell

    if all(map(_is_blocked, still)):
        return {process: polls.asked for process, polls in still.items()}
    free = Prospects(())
    free.suppose(set_in_cell(kernel))
    found = {}
    for process, polls in still.items():
        if _is_blocked(process):
            found[process] = polls.asked
        elif could_leave(process, polls, free):
            found[process] = polls.asked & free.values.keys()
    return found


def _written(kernel: Kernel, process: Process) -> set[AnySignal] | None:
    """Return the signals that a program might still set if it could continue; None if that is not known."""
    ahead = _ahead(kernel, process)
    return None if ahead is None else ahead.written


def _ahead(kernel: Kernel, process: Process) -> Prospects | None:
    from drycell.kernel.future import Prospects, foresee

    prospects = Prospects(())
    prospects.suppose(kernel.signals.values())
    foresee(process, prospects)
    return None if prospects.unclear else prospects


def _groups(stuck: Awaited, written: Mapping[Process, set[AnySignal] | None]) -> list[list[Process]]:
    """Divide stuck programs into sets that wait for each other: one of them, if it could continue, might release
    another."""
    groups: list[list[Process]] = []
    for process in stuck:
        linked = [
            group
            for group in groups
            if any(_releases(written[a], stuck[b]) for each in group for a, b in ((process, each), (each, process)))
        ]
        groups = [group for group in groups if group not in linked]
        groups.append([*(each for group in linked for each in group), process])
    return groups


def _releases(written: set[AnySignal] | None, awaited: Collection[AnySignal]) -> bool:
    return written is None or any(signal in written for signal in awaited)


def _since(process: Process, asked: Collection[AnySignal]) -> int:
    """Return when a stuck program began waiting, or polling without any change."""
    waiter = process.fibre.waiter
    if waiter is not None and not waiter.timed:
        return waiter.since
    written = (signal.history for signal in process.kernel.signals.values())
    own = (history[-1][0] for history in written if history[-1][2] == process.name)
    return max([*own, *(signal.history[-1][0] for signal in asked)], default=0)
