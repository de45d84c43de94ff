"""Interventions: signals forced by hand, and faults put on them, in a cell on the bench or at work.

What is done to a cell is a request, kept on the tape of the run: the journal reports it, and a recording repeats it. In
a run it is an event of its own, and so comes, in one that is paused, when that goes on or is stepped.
"""

import math
from typing import Any, Final

from drycell.base import DrycellError, FieldError, KernelError, fields_of
from drycell.kernel import Signal, clock_text
from drycell.sensors import TimedFault
from drycell.sensors.faults import Value, forced
from drycell.studio.host.session import HostSession
from drycell.studio.host.trouble import trouble
from drycell.studio.review.review import review

WHO: Final = "studio"
"""Who asks, in the journal and on the tape."""


def locked(session: HostSession, name: str) -> str | None:
    """Why a signal cannot be forced, and no fault put on it; None: it can."""
    if session.cell is None:
        return "a recording is the past" if session.mode == "recorded" else "no cell is on stage"
    if session.mode == "ended":
        return "the run is over; restart the cell"
    if session.cell.kernel.signal_named(name).quiet:
        return "it is drycell's own bookkeeping, and no input or output of the cell"
    return None


def force(session: HostSession, name: str, value: Value) -> bool:
    """Holds a signal at a value, whatever is written to it, until it is released or forced to another one.

    Like the others, it says whether that is yet to come, the run being paused.
    """
    signal = _free(session, name)
    held = signal.accepted(value)
    if isinstance(held, float) and not math.isfinite(held):
        raise FieldError(f"signal '{name}' cannot be forced to {held}", hint="give a finite number")
    review(session).wanted[name] = held
    return _do(session, "force", signal=name, value=held)


def release(session: HostSession, name: str) -> bool:
    """Lets a forced signal show again what is written to it."""
    signal = _free(session, name)
    seen = review(session)
    if seen.wanted.get(signal.name) is None:
        raise KernelError(f"signal '{name}' is not forced", hint="force it first")
    del seen.wanted[name]
    return _do(session, "release", signal=name)


def put(session: HostSession, name: str, fault: TimedFault) -> bool:
    """Puts a fault on a signal, from now on if it does not say when."""
    signal = _free(session, name)
    cell = session.needs_cell()
    fault.effect(signal)  # raises if it does not fit
    now = cell.kernel.now
    for what, time in (("at", fault.at), ("until", fault.until)):
        if time is not None and time * 1e6 <= now and now:
            raise KernelError(
                f"'{fault.kind}' on '{name}' has {what}={time:g} s, but it is {clock_text(now)} s already",
                hint=f"give a later time, or leave '{what}' out",
            )
    return _do(session, "fault", signal=name, kind=fault.kind, fields=given(fault))


def given(fault: TimedFault) -> dict[str, Any]:
    """The fields of a fault that were given, by name."""
    return {each.name: getattr(fault, each.name) for each in fields_of(type(fault)) if each.name in fault.given}


def clear(session: HostSession, name: str, number: int | None) -> int:
    """Ends one fault of a signal, or all of them; returns how many."""
    _free(session, name)
    cell = session.needs_cell()
    held = forced(cell).values()
    found: dict[int, str] = {}
    for index, each in enumerate(cell.faults):
        concerned = name in {signal.name for signal in each.signals} and number in (None, index)
        if concerned and not each.over and each not in held:
            found[index] = each.fault.kind
    if not found:
        raise KernelError(f"signal '{name}' has no such fault", hint="it may be over already")
    _do(session, "clear", signal=name, kinds=", ".join(found.values()), numbers=list(found))
    return len(found)


def _free(session: HostSession, name: str) -> Signal[Any]:
    signal = session.needs_cell().kernel.signal_named(name)
    why = locked(session, name)
    if why is not None:
        raise KernelError(f"signal '{name}' cannot be interfered with: {why}")
    return signal


def _do(session: HostSession, what: str, **arguments: Any) -> bool:
    """On the bench at once, in a run at the end of the instant. A refusal does not end the run."""
    cell = session.needs_cell()
    if session.mode != "live":
        cell.request_before(what, arguments, who=WHO)
        return False
    note = f"{what} {arguments['signal']}"

    def done(refused: DrycellError | None) -> None:
        if refused is not None:
            session.push("refused", {"note": note, **trouble(refused)})
        session.push("interfered", {"note": note})

    cell.request(what, arguments, who=WHO, done=done)
    return session.pace is not None and session.pace.position.state == "paused"
