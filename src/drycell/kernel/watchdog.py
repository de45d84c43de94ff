"""The watchdog: finds a program that computes endlessly without using the clock (``while True: pass``).

Nothing inside a run can see such a loop, so a thread checks all running kernels periodically. If nothing has happened
in a run while its thread computed for as long as its ``patience``, and every check found the user's own code running
(not drycell, not a library, not a debugger), ``Stalled`` is raised in the thread of that run. Computing is measured in
processor time where the system measures it, so that neither a sleeping program nor a busy machine is mistaken for a
loop. Real time therefore only decides how soon an endless run is aborted.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Thread, get_ident
from typing import TYPE_CHECKING, Final

from drycell.kernel.inspection import is_users

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel

_LOOKS: Final = 10
"""Number of consecutive checks that must find a run without progress."""
_REST: Final = 30.0
"""Seconds without any run after which the thread ends."""


class Stalled(BaseException):
    """Raised in a program that computes endlessly."""


class WatchedRun:
    """One run that is watched."""

    def __init__(self, kernel: Kernel, patience: float) -> None:
        self._kernel = kernel
        self._thread = get_ident()
        self._clock = _clock_of(self._thread)
        self.interval = patience / _LOOKS
        self._patience = patience
        self._seen: tuple[int, ...] = ()
        self._looks = 0
        self._since = 0.0
        self.barked = False

    def look(self) -> None:
        """Check once; raise ``Stalled`` in the run's thread when there was no progress for too long."""
        kernel = self._kernel
        seen = (kernel.now, kernel.sequence, kernel.budget, kernel.writes)
        frame = sys._current_frames().get(self._thread)
        if seen != self._seen or frame is None or not is_users(frame.f_code.co_filename):
            self._seen = seen
            self._looks = 0
            self._since = self._clock()
            return
        self._looks += 1
        if self._looks >= _LOOKS and self._clock() - self._since >= self._patience * 0.9:
            self._looks = 0
            self._since = self._clock()
            self.barked = True
            _raise_in(self._thread, Stalled)

    def over(self) -> None:
        """End the watch, so that a late exception cannot hit code after the run."""
        if self.barked:
            _raise_in(self._thread, None)


class _Watchdog:
    """The one thread that checks all runs of this process."""

    def __init__(self) -> None:
        self._condition = Condition()
        self._watches: list[WatchedRun] = []
        self._thread: Thread | None = None
        self._interval = _REST

    def add(self, watch: WatchedRun) -> None:
        with self._condition:
            self._watches.append(watch)
            if self._thread is None:
                self._thread = Thread(target=self._look_around, name="drycell watchdog", daemon=True)
                self._thread.start()
            elif watch.interval < self._interval:
                self._condition.notify()

    def remove(self, watch: WatchedRun) -> None:
        with self._condition:
            self._watches.remove(watch)
            watch.over()

    def _look_around(self) -> None:
        with self._condition:
            while True:
                idle = not self._watches
                self._interval = min((watch.interval for watch in self._watches), default=_REST)
                notified = self._condition.wait(self._interval)
                if not notified:
                    if idle and not self._watches:
                        self._thread = None
                        return
                    for watch in self._watches:
                        watch.look()


_watchdog = _Watchdog()


def _forget() -> None:
    """In a forked child, the thread is gone and may have left the lock held: start with a new watchdog."""
    global _watchdog
    _watchdog = _Watchdog()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@contextmanager
def watched(kernel: Kernel, patience: float | None) -> Iterator[None]:
    """Inside the block, ``Stalled`` is raised in a run without progress for ``patience`` seconds (None: never)."""
    if patience is None:
        yield
        return
    dog = _watchdog
    watch = WatchedRun(kernel, patience)
    dog.add(watch)
    try:
        yield
    finally:
        dog.remove(watch)


def _clock_of(thread: int) -> Callable[[], float]:
    """Return the processor time of a thread, or the monotonic clock where the system does not measure it."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    number = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(number)


def _raise_in(thread: int, exception: type[BaseException] | None) -> None:
    import ctypes  # only if a program hangs

    what = ctypes.py_object(exception) if exception is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
