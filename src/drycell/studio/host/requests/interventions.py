"""Forcing signals, and putting faults on them; answers say in ``later`` whether it comes when a paused run goes on."""

from typing import Any, cast

from drycell.base import MISSING, FieldError, UnknownName, did_you_mean, fields_of
from drycell.sensors import TimedFault
from drycell.studio.host import intervention
from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request


@request("force")
def force(session: HostSession, *, signal: str, value: bool | int | float | str) -> Reply:
    """Holds a signal at a value of its type, until it is released."""
    return {"signal": signal, "value": value, "later": intervention.force(session, signal, value)}


@request("release")
def release(session: HostSession, *, signal: str) -> Reply:
    """Lets a forced signal go."""
    return {"signal": signal, "later": intervention.release(session, signal)}


@request("fault")
def fault(
    session: HostSession,
    *,
    signal: str,
    kind: str,
    at: float | None = None,
    until: float | None = None,
    lasting: float | None = None,
    rate: float | None = None,
    share: float | None = None,
    value: bool | int | float | str | None = None,
    size: float | None = None,
    per_second: float | None = None,
    every: float | None = None,
    by: float | None = None,
    other: str | None = None,
) -> Reply:
    """Puts a fault on a signal; its fields are those of its kind in ``drycell.sensors``, times in seconds."""
    fields: dict[str, Any] = {
        "at": at,
        "until": until,
        "lasting": lasting,
        "rate": rate,
        "share": share,
        "value": value,
        "size": size,
        "per_second": per_second,
        "every": every,
        "by": by,
        "other": other,
    }
    made = _made(session, kind, {name: each for name, each in fields.items() if each is not None})
    return {"signal": signal, "kind": made.kind, "later": intervention.put(session, signal, made)}


def _made(session: HostSession, kind: str, given: dict[str, Any]) -> TimedFault:
    known = session.needs_cell().kinds.under(TimedFault)
    if kind not in known:
        raise UnknownName("fault", kind, known)
    fields = {each.name: each for each in fields_of(known[kind])}
    for name in given:
        if name not in fields:
            raise FieldError(f"a fault {kind!r} has no {name!r}", hint=did_you_mean(name, fields))
    for name, field in fields.items():
        if field.default is MISSING and name not in given:
            raise FieldError(f"a fault {kind!r} needs {name!r}", hint=field.doc)
    made: Any = known[kind](**given)
    return cast(TimedFault, made)


@request("clear_fault")
def clear_fault(session: HostSession, *, signal: str, number: int | None = None) -> Reply:
    """Ends one fault of a signal, by its number in ``signal_list``, or all of them."""
    return {"signal": signal, "cleared": intervention.clear(session, signal, number)}
