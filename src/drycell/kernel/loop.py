"""The event loop: runs the queue of a kernel freely, or step by step under a chooser or a pace.

The queue is a heap of tuples ``(time, level, sequence, what)``. A program that blocks takes the next entry itself: if
that resumes another program, it switches there directly, with one switch instead of two through the hub. Anything else
goes to the hub (the greenlet that called ``run``), so that no callback ever runs on a program's stack: a program's
``except`` cannot swallow a sensor's exception, and its recursion depth cannot break a device.

Everything exceptional (a post from another thread, Ctrl-C, stop, pause, a chooser) is an entry with a time before all
others, so switching from one program to the next needs no tests. ``heappush`` and ``heappop`` of such tuples run no
Python code, so they are atomic for other threads and signal handlers.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from drycell.kernel.chooser import Pending, Step, offered
from drycell.kernel.event import GATE, Fibre, Finish, Governed, Timer, is_live, program_of

if TYPE_CHECKING:
    from drycell.kernel.event import Entry
    from drycell.kernel.kernel import Kernel

INSTANT = "instant"
"""The name that makes all steps of an instant depend on a step that schedules something before them: every step reads
it; a step writes it if it schedules an event of an earlier rank at the current instant."""


def run_events(kernel: Kernel) -> None:
    """Run events until one raises RunEnd or an error."""
    while True:
        if _governed(kernel):
            _run_stepwise(kernel)
        else:
            try:
                _run_freely(kernel)
            except Governed:
                continue


def _governed(kernel: Kernel) -> bool:
    return kernel.chooser is not None or (kernel.pace is not None and kernel.pace.governs)


def _run_freely(kernel: Kernel) -> None:
    queue, deadlock = kernel.queue, kernel.deadlock
    entry = heappop(queue)
    while True:
        what = entry[3]
        if what.__class__ is Fibre:
            kernel.now = entry[0]
            handed = what.switch()
        else:
            handed = what.fire(entry[0])
            # Not while a program has taken an entry from the queue: it may be the one that ends the wait, or an error.
            if deadlock.recheck and handed is None:
                deadlock.check_again()
        entry = handed or heappop(queue)


def _run_stepwise(kernel: Kernel) -> None:
    queue = kernel.queue
    while True:
        head = queue[0]
        if head[0] < 0:
            heappop(queue)
            kernel.attend()
            continue
        if not _governed(kernel):
            return
        if not is_live(head[3]):
            _discard(kernel, head)
            continue
        if kernel.pace is not None and kernel.pace.governs and not kernel.pace.admit(kernel.now, head[0]):
            continue
        ties = _ties(kernel, head)
        place = 0
        step = None
        if kernel.chooser is not None and not isinstance(ties[0][3], Finish):
            places, pending = offered(ties)
            chosen = kernel.chooser.pick(pending)
            place = places[chosen]
            step = pending[chosen]
        entry = ties.pop(place)
        for other in ties:
            heappush(queue, other)
        _make_step(kernel, entry, step)


def _ties(kernel: Kernel, first: Entry) -> list[Entry]:
    """Remove the events that could run next from the queue, in default order."""
    _take(kernel, first)
    ties = [first]
    if kernel.chooser is not None:
        while kernel.queue and (head := kernel.queue[0])[0] == first[0] and head[1] == first[1]:
            if is_live(head[3]):
                _take(kernel, head)
                ties.append(head)
            else:
                _discard(kernel, head)
    return ties


def _take(kernel: Kernel, head: Entry) -> None:
    """Remove the first event from the queue. If another thread has called since it was chosen, that call is served
    later."""
    called = False
    while heappop(kernel.queue) is not head:
        called = True
    if called:
        kernel.call_attention()


def _discard(kernel: Kernel, entry: Entry) -> None:
    _take(kernel, entry)
    if isinstance(entry[3], Timer):
        kernel.cancelled_timers -= 1


def _make_step(kernel: Kernel, entry: Entry, pending: Pending | None) -> None:
    time, at_level, _, what = entry
    if pending is not None:
        kernel.step += 1
        kernel.step_level = at_level
        kernel.footprint = {INSTANT: False}
        kernel.cancelled_keys = []
        fibre = program_of(what)
        if fibre is not None:
            fibre.steps += 1
            fibre.made = kernel.step
            kernel.footprint[f"process:{fibre.process.name}"] = False
    heappush(kernel.queue, GATE)  # the program takes this as the next event and returns it
    try:
        if isinstance(what, Fibre):
            kernel.now = time
            handed = what.switch()
        else:
            handed = what.fire(time)
        if handed is not None:
            handed[3].fire(handed[0])
        if kernel.deadlock.recheck:
            kernel.deadlock.check_again()
    finally:
        if kernel.queue[0] is GATE:
            heappop(kernel.queue)
        if pending is not None and kernel.chooser is not None and kernel.footprint is not None:
            kernel.chooser.after(Step(kernel.step, pending, kernel.footprint, tuple(kernel.cancelled_keys)))
