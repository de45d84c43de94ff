"""The verbs of programs. They work at any depth of ordinary Python code, but only in a running program."""

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

AWAITED: Final = "awaits:"
"""The prefix of the footprint of a program that waits, or would have waited, for a signal."""
CLOCK: Final = "clock"
"""The footprint of a program that reads the clock, rather than only letting time pass."""


def delay(seconds: float) -> None:
    """Let cell time pass for the program that calls it.

    >>> from drycell import Cell, delay, ms, now
    >>> cell = Cell()
    >>> @cell.program
    ... def blink():
    ...     delay(300 * ms)
    ...     print(now())
    >>> _ = cell.run()
    0.3

    Args:
        seconds: How long, in seconds of cell time. 0 lets other programs go first at the same instant.

    Raises:
        KernelError: The time is negative or not a finite number.
        NotInProgram: No program is running.
    """
    me = current_fibre()
    try:
        kernel = me.kernel
    except AttributeError:
        raise _refusal("delay") from None
    # float.__round__ rounds like round(), in half the time: these lines are the kernel's hot path.
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
    """Block until a condition holds.

    >>> from drycell import Cell, delay, wait
    >>> cell = Cell()
    >>> ready = cell.signal("ready", False)
    >>> @cell.program
    ... def press():
    ...     delay(2)
    ...     ready.set(True)
    >>> @cell.program
    ... def robot():
    ...     print(wait(ready, timeout=1), wait(ready))
    >>> _ = cell.run()
    False True

    Args:
        what: A condition such as ``parts > 2``, a signal (until it is true), or a program (until it ends).
        timeout: The longest wait, in seconds; 0 only checks. By default there is no limit.

    Returns:
        True when the condition holds, False after the timeout.

    Raises:
        KernelError: The timeout is negative or not a finite number, or ``what`` cannot be waited for.
        NotInProgram: No program is running.
    """
    return _wait((as_condition(what),), timeout, "wait") is not None


def wait_any(*conditions: Condition | Signal[Any] | Process, timeout: float | None = None) -> int | None:
    """Block until the first of several conditions holds.

    >>> from drycell import Cell, delay, wait_any
    >>> cell = Cell()
    >>> left, right = cell.signal("left", False), cell.signal("right", False)
    >>> @cell.program
    ... def door():
    ...     delay(1)
    ...     right.set(True)
    >>> @cell.program
    ... def robot():
    ...     print(wait_any(left, right))
    >>> _ = cell.run()
    1

    Args:
        *conditions: Conditions, signals or programs, as for ``wait``.
        timeout: The longest wait, in seconds; 0 only checks. By default there is no limit.

    Returns:
        The index of the condition that holds, the lowest one if several do; None after the timeout.

    Raises:
        KernelError: There are no conditions, or the timeout is negative or not a finite number.
        NotInProgram: No program is running.
    """
    if not conditions:
        raise KernelError("wait_any needs a condition to wait for", hint="pass at least one: wait_any(eye, button)")
    return _wait(tuple(as_condition(condition) for condition in conditions), timeout, "wait_any")


def work(*until: Condition | Signal[Any], timeout: float | None = None) -> int | None:
    """Block like ``wait_any`` while the program's own arm or gripper moves. This does not count as waiting."""
    return _wait(tuple(as_condition(condition) for condition in until), timeout, "work", counted=False)


def now() -> float:
    """Return the cell time in seconds since the start of the run.

    >>> from drycell import Cell, delay, now
    >>> cell = Cell()
    >>> @cell.program
    ... def clock():
    ...     delay(1.5)
    ...     print(now())
    >>> _ = cell.run()
    1.5

    Raises:
        NotInProgram: No program is running. Outside a program, use ``cell.time``.
    """
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
    """Start another program at this instant.

    >>> from drycell import Cell, delay, spawn, wait
    >>> cell = Cell()
    >>> @cell.program
    ... def line():
    ...     helper = spawn(delay, 2)
    ...     wait(helper)
    >>> cell.run().duration
    2.0

    Args:
        function: The function to run as a program.
        *args: The arguments of the function.
        name: The name of the program in reports; by default the name of the function.
        daemon: Whether the run may end while the program still runs.
        priority: Of several programs that are due at the same instant, the one with the highest priority goes first.

    Returns:
        The program: wait for its end with ``wait(process)``, end it with ``process.cancel()``.

    Raises:
        NotInProgram: No program is running.
    """
    return kernel_of_program("spawn").spawn(function, *args, name=name, daemon=daemon, priority=priority)


def choose(name: str, options: Sequence[T]) -> T:
    """Return one of several options: a random one in a run, each of them in turn in a search (``drycell verify``).

    >>> from drycell import Cell, choose
    >>> cell = Cell(seed=1)
    >>> @cell.program
    ... def sort():
    ...     print(choose("quality", ["good", "bad"]))
    >>> _ = cell.run()
    bad

    Args:
        name: The name of the choice. Each name has its own random stream, which depends on the seed.
        options: The options to choose from.

    Raises:
        KernelError: There are no options.
        NotInProgram: No program is running.
    """
    return kernel_of_program("choose").choose(name, options)


def interval(name: str, low: float, high: float) -> float:
    """Return a number between two limits: a random one in a run, chosen by the search in ``drycell verify``.

    >>> from drycell import Cell, delay, interval
    >>> cell = Cell()
    >>> @cell.program
    ... def work():
    ...     delay(interval("drilling", 2.0, 3.0))
    >>> 2.0 <= cell.run().duration <= 3.0
    True

    Args:
        name: The name of the choice. Each name has its own random stream, which depends on the seed.
        low: The lower limit.
        high: The upper limit.

    Raises:
        KernelError: The upper limit is below the lower one, or a limit is not a finite number.
        NotInProgram: No program is running.
    """
    return kernel_of_program("interval").interval(name, low, high)


def current_process() -> Process:
    """Return the program that is running.

    >>> from drycell import Cell, current_process
    >>> cell = Cell()
    >>> @cell.program
    ... def robot():
    ...     print(current_process().name)
    >>> _ = cell.run()
    robot

    Raises:
        NotInProgram: No program is running.
    """
    kernel_of_program("current_process")
    return current_fibre().process


def in_program() -> bool:
    """Return whether a program is running that may block."""
    return hasattr(current_fibre(), "kernel")


def kernel_of_program(verb: str) -> Kernel:
    """Return the kernel of the running program; an error names the verb if there is none."""
    try:
        return current_fibre().kernel
    except AttributeError:
        raise _refusal(verb) from None


def _wait(conditions: tuple[Condition, ...], timeout: float | None, verb: str, *, counted: bool = True) -> int | None:
    kernel = kernel_of_program(verb)
    if kernel.footprint is not None:
        for condition in conditions:
            for signal in condition.signals:
                kernel.note_read(f"{AWAITED}{signal.name}")
    for index, condition in enumerate(conditions):
        if condition.holds():
            return index
    span = None
    if timeout is not None:
        try:
            span = (timeout * 1e6).__round__()
        except (TypeError, ValueError, OverflowError):
            raise _no_number(verb, timeout, "a timeout") from None
        if span <= 0:
            if span < 0:
                raise KernelError(
                    f"a timeout of {timeout} s is negative", hint="0 only checks, None waits without a limit"
                )
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
        waits.begins(waiter.text)  # before the deadlock check, because a deadlock records the waiting programs
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
    if +seconds < 0:  # + gives a plain number: a search notices comparisons of drawn ones
        raise KernelError(f"a delay of {seconds} s is negative", hint="use 0 or more")
    kernel.spend()  # a zero delay counts towards a busy wait


def _no_number(verb: str, given: object, what: str = "a time") -> KernelError:
    """Return the error about an invalid time: a string as in cell files, None, or a number that is not finite."""
    return KernelError(
        f"{verb} takes {what} as a finite number of seconds, not {given!r}",
        hint="write a number, 2.5 or 300*ms; units such as ms come from drycell",
    )


def _refusal(verb: str) -> BaseException:
    me = current_fibre()
    if me.__class__ is Fibre and not me.process.kernel.running:
        return me.process.kernel.processes.refuse(me)
    return NotInProgram(
        f"{verb} can only be used in a running program",
        hint="call it in a program: @cell.program, or kernel.spawn(function)",
    )
