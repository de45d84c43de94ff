"""Signals: what they were in any stretch of time and at any instant, drawn to the width of a picture."""

from typing import Any, Final

from drycell.base import FieldError, UnknownName, listed
from drycell.cell import known_kinds
from drycell.kernel import Changes
from drycell.sensors import TimedFault
from drycell.sensors.faults import KINDS, forced
from drycell.studio.host.intervention import given, locked
from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request
from drycell.studio.host.wire import Json
from drycell.studio.review.review import review
from drycell.studio.review.trace import WIDEST, edge, plain

MOST_NAMES: Final = 500
_MOST_COLUMNS: Final = 40_000  # with changes in them, of all signals together: what a message holds
_COARSEST: Final = 100


@request("signals")
def signals(session: HostSession, *, names: list[str], t0: int, t1: int, width: int) -> Reply:
    """The traces of signals from ``t0`` to ``t1`` on so many columns; see ``review.trace.Trace.window``.

    Many signals that change in every column come on fewer columns. ``until`` is up to when anything is known.
    """
    _check(names)
    seen, width = review(session), min(width, WIDEST)
    while True:
        found = {name: seen.trace(session, name).window(t0, t1, width) for name in names}
        if sum(len(trace["t"]) for trace in found.values()) <= _MOST_COLUMNS or width <= _COARSEST:
            break
        width = max(width // 2, _COARSEST)
    for name, trace in found.items():
        trace["extent"] = seen.trace(session, name).extent()
    return {"signals": found, "t0": t0, "t1": t1, "width": width, "until": session.now}


@request("signal_values")
def signal_values(session: HostSession, *, names: list[str], t: int) -> Reply:
    """The values at an instant, who wrote each and when; None before there was one."""
    _check(names)
    found: dict[str, Json] = {}
    for name in names:
        changes = _changes(session, name)
        row = changes.count(t) - 1
        if row < 0:
            found[name] = {"value": None, "since": None, "writer": ""}
        else:
            since, value, writer = changes[row]
            found[name] = {"value": plain(value), "since": since, "writer": writer}
    return {"t": t, "values": found}


@request("edge")
def next_edge(session: HostSession, *, signal: str, t: int, forward: bool) -> Reply:
    """When the signal changes next after an instant, or last before it; None: never."""
    found = edge(_changes(session, signal), t, forward)
    return {"t": None if found is None or found > session.now else found}


@request("signal_list")
def signal_list(session: HostSession) -> Reply:
    """All signals: type, unit, the group they belong to, whether they are ``quiet`` (drycell's own), what they are
    ``forced`` to, whether that is ``settled`` (or comes when a paused run goes on), the faults on them, and in
    ``locked`` why they cannot be forced. ``faults`` has the kinds of faults there are, with the fields of each."""
    seen, sensors = review(session), session.sensors
    holding = {} if session.cell is None else forced(session.cell)
    faults: dict[str, list[Json]] = {}
    for number, each in enumerate(() if session.cell is None else session.cell.faults):
        if not each.over and each not in holding.values():
            told = {"number": number, "kind": each.fault.kind, "text": _text(each.fault.kind, given(each.fault))}
            for signal in each.signals:
                faults.setdefault(signal.name, []).append(told)
    rows: list[Json] = []
    for name, track in session.record.signals.items():
        held = holding.get(name)
        rows.append(
            {
                "name": name,
                "type": track.type,
                "unit": track.unit,
                "group": "internal" if track.quiet else "sensors" if name in sensors else _group(session, name),
                "quiet": track.quiet,
                "changes": len(track) - 1,
                "forced": None if (wanted := seen.wanted.get(name)) is None else plain(wanted),
                "settled": wanted == (None if held is None else getattr(held.fault, "value", None)),
                "faults": faults.get(name, []),
                "locked": locked(session, name),
            }
        )
    known = known_kinds() if session.cell is None else session.cell.kinds
    faulty = {**KINDS, **known.under(TimedFault)}  # drycell's own first, the most common ones before the others
    kinds = {kind: [each.name for each in listed(cls)] for kind, cls in faulty.items()}
    return {"signals": rows, "faults": kinds}


def _check(names: list[str]) -> None:
    if len(names) > MOST_NAMES:
        raise FieldError(f"{len(names)} signals at once, at most {MOST_NAMES} go", hint="ask for fewer")


def _changes(session: HostSession, name: str) -> Changes[Any]:
    signals = session.record.signals
    if name not in signals:
        raise UnknownName("signal", name, signals)
    return signals[name]


def _group(session: HostSession, name: str) -> str:
    cell = session.cell
    if cell is not None and name in cell.declared:
        return "cell"
    return name.rpartition(".")[0] or ("cell" if cell is None else "others")


def _text(kind: str, given: dict[str, object]) -> str:
    more = ", ".join(f"{name} {value}" for name, value in given.items())
    return kind.replace("_", " ") + (f" ({more})" if more else "")
