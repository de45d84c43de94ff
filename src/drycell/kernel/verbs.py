"""The verbs of programs: they work from any depth of ordinary Python code, and only there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappushpop
from typing import TYPE_CHECKING, Any, Final, TypeVar

from drycell.base import KernelError, NotInProgram
from drycell.kernel.condition import Condition, as_condition
from drycell.kernel.event import Fibre, Timer, current_fibre
from drycell.kernel.process import Process, Waiter

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.signal import Signal

T = TypeVar("T")

CLOCK: Final = "clock"
"""The name by which a search learns that a program asked for the time, and did not only let it pass."""


def delay(seconds: float) -> None:
    """Let cell time pass."""
    me = current_fibre()
    try:
        kernel = me.kernel
    except AttributeError:
        raise _refusal("delay") from None
    # float.__round__ rounds as round() does, in half the time: this line and the next ones are the kernel's hot path.
    try:
        span = (seconds * 1e6).__round__()
    except (TypeError, ValueError, OverflowError):
        raise _no_number("delay", seconds) from None
    if span <= 0:
        _no_time(kernel, seconds)
    kernel.sequence = sequence = kernel.sequence + 1
    entry = heappushpop(me.queue, (kernel.now + span, me.level, sequence, me))
    what = entry[3]
    if what.__class__ is Fibre:
        kernel.now = entry[0]
        if what is not me:
            what.switch()
    else:
        kernel.hub.switch(entry)


def wait(what: Condition | Signal[Any] | Process, timeout: float | None = None) -> bool:
    """Block until something holds. True when it does, False when the time is out first."""
    return _wait((as_condition(what),), timeout, "wait") is not None


def wait_any(*conditions: Condition | Signal[Any] | Process, timeout: float | None = None) -> int | None:
    """Block until the first of several conditions holds, and say which; None when the time is out first."""
    if not conditions:
        raise KernelError("wait_any needs something to wait for")
    return _wait(tuple(as_condition(condition) for condition in conditions), timeout, "wait_any")


def work(*until: Condition | Signal[Any], timeout: float | None = None) -> int | None:
    """Block as ``wait_any`` does, while one's own arm or gripper moves: that does not count as a wait."""
    return _wait(tuple(as_condition(condition) for condition in until), timeout, "work", counted=False)


def now() -> float:
    """Cell time in seconds."""
    kernel = kernel_of_program("now")
    kernel.note_read(CLOCK)
    return kernel.now / 1e6


def spawn(
    function: Callable[..., object],
    *args: object,
    name: str | None = None,
    daemon: bool = False,
    priority: int = 0,
) -> Process:
    """Start another program at this instant."""
    return kernel_of_program("spawn").spawn(function, *args, name=name, daemon=daemon, priority=priority)


def choose(name: str, options: Sequence[T]) -> T:
    """One of several options, by the run's chooser: declared nondeterminism, which a search goes through."""
    return kernel_of_program("choose").choose(name, options)


def interval(name: str, low: float, high: float) -> float:
    """A number between two limits, by the run's chooser."""
    return kernel_of_program("interval").interval(name, low, high)


def current_process() -> Process:
    """The program that is running."""
    kernel_of_program("current_process")
    return current_fibre().process


def in_program() -> bool:
    """Whether a program is running here that may block."""
    return hasattr(current_fibre(), "kernel")


def kernel_of_program(verb: str) -> Kernel:
    """The kernel of the running program; the verb is named when there is none."""
    try:
        return current_fibre().kernel
    except AttributeError:
        raise _refusal(verb) from None


def _wait(conditions: tuple[Condition, ...], timeout: float | None, verb: str, *, counted: bool = True) -> int | None:
    kernel = kernel_of_program(verb)
    for index, condition in enumerate(conditions):
        if condition.holds():
            return index
    span = None
    if timeout is not None:
        try:
            span = (timeout * 1e6).__round__()
        except (TypeError, ValueError, OverflowError):
            raise _no_number(verb, timeout, "a time-out") from None
        if span <= 0:
            if span < 0:
                raise KernelError(f"a time-out of {timeout} s lies in the past", hint="0 only looks, None waits on")
            return None
    me = current_fibre()
    signals = conditions[0].signals
    if len(conditions) > 1:
        signals = tuple(dict.fromkeys(signal for condition in conditions for signal in condition.signals))
    waiter = Waiter(me, conditions, signals)
    for signal in signals:
        signal.waiters[waiter] = None
    me.waiter = waiter
    waits = me.process.waits
    waits.acted()
    if counted:
        waits.begins(waiter.text)  # before it is found to be a deadlock: who waits in one is on record
    if span is None:
        kernel.deadlock.stick(me.process)
    else:
        waiter.timed = True
        owner = f"{me.process.name}.timeout"
        waiter.timer = Timer(kernel, kernel.now + span, waiter.time_out, owner, (), me.level)
        kernel.schedule(waiter.timer.time, me.level, waiter.timer)
    kernel.block(me)
    if counted:
        waits.over()
    return waiter.outcome


def _no_time(kernel: Kernel, seconds: float) -> None:
    if seconds < 0:
        raise KernelError(f"a delay of {seconds} s lies in the past", hint="a delay is 0 or longer")
    kernel.spend()  # a zero delay is a thing that busy waits do


def _no_number(verb: str, given: object, what: str = "a time") -> KernelError:
    """The error about a time that is none: a text such as in cell files, nothing at all, or no finite number."""
    return KernelError(
        f"{verb} takes {what} as a finite number of seconds, not {given!r}",
        hint="write a number, 2.5 or 300*ms; units such as ms come from drycell.base.units",
    )


def _refusal(verb: str) -> BaseException:
    me = current_fibre()
    if me.__class__ is Fibre and not me.process.kernel.running:
        return me.process.kernel.processes.refuse(me)
    return NotInProgram(
        f"{verb} can only be used in a running program",
        hint="put it in a function that is a program: @cell.program, or kernel.spawn(function)",
    )
