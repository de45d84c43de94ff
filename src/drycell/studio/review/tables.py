"""Tables: what has become of parts, machines, programs and sensors up to an instant, as plain data.

At the end of a run the numbers are those of its result. What cannot be known is left out, and why is said in
``notes``: a recording knows nothing of waits, for one.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from drycell.cell.cycle import Cycle
from drycell.cell.usage import Usage
from drycell.devices import LiveMachine, LiveSink, LiveStore
from drycell.kernel import seconds
from drycell.kernel.location import Location, is_users
from drycell.studio.review.flow import cycles, histogram, places
from drycell.studio.review.review import Review, review
from drycell.studio.review.trace import change_at, changes_until, plain
from drycell.studio.review.usage import Span, clipped, machine_usage, machines_among, on_spans, shares
from drycell.studio.review.waiting import lines_of_waits, longest_waits
from drycell.world.ledger import PartRecord, Parts

if TYPE_CHECKING:
    from drycell.studio.stage.theatre import Theatre

Row = dict[str, Any]
_PIECES: Final = 60
_MOST: Final = 2000  # rows of a table that are sent at once: the last


def tables(theatre: "Theatre", t: int) -> dict[str, Any]:
    """All tables at an instant."""
    notes: list[str] = []
    seen = review(theatre)
    t = max(0, min(t, theatre.now))
    parts = _parts(theatre, seen, t, notes)
    return {
        "t": t,
        "parts": parts_table(parts),
        "machines": [*_machines(theatre, seen, t, notes), *_robots(theatre, seen, t)],
        "waits": _waits(theatre, t, notes),
        "cycle": cycle_table(parts),
        "places": _places(theatre, parts),
        "sensors": _sensors(theatre, seen, t),
        "notes": notes,
    }


# ---------------------------------------------------------------- parts


def _parts(theatre: "Theatre", seen: Review, t: int, notes: list[str]) -> Parts:
    if _at_end(theatre, t) and theatre.result is not None:
        return theatre.result.parts
    cell = theatre.cell
    if cell is None:
        falling = seen.flow.falling(t)
        if falling:
            names = ", ".join(sorted(falling))
            notes.append(f"{names} in the air: whether anything is below, a recording does not tell")
        return seen.flow.parts(t)
    lost = {body.name for body in cell.gravity.gone} if t >= cell.kernel.now else set()
    return Parts(seen.flow.parts(t, lost).records, cell.ledger.kept)


def _at_end(theatre: "Theatre", t: int) -> bool:
    """Whether the run is over, and the instant its end: then its result tells."""
    return theatre.result is not None and theatre.cell is not None and t >= theatre.cell.kernel.now


def parts_table(parts: Parts) -> Row:
    """How many parts came and what has become of them, and a row for each of the last of them."""
    spans = {each.part: each.span for each in cycles(parts)}
    return {
        "kept": parts.kept,
        "arrived": parts.arrived,
        "machined": parts.machined,
        "stored": parts.stored,
        "sunk": parts.sunk,
        "inside": parts.inside,
        "lost": parts.lost,
        "rows": [_part(each, spans.get(each.name)) for each in parts.records[-_MOST:]],
    }


def _part(part: PartRecord, span: float | None) -> Row:
    return {
        "name": part.name,
        "kind": part.kind,
        "source": part.source,
        "arrived_s": part.arrived,
        "machined": [{"by": each.by, "time_s": each.time} for each in part.machined],
        "end": part.end,
        "where": part.where,
        "time_s": None if part.end == "inside" else part.time,
        "through_s": part.time - part.arrived if part.end in ("stored", "sunk") else None,
        "cycle_s": span,
    }


def cycle_table(parts: Parts) -> Row:
    """The times between finished parts: mean, shortest, longest, each of them, and how they spread."""
    found, cycle = cycles(parts), Cycle.of(parts)
    spans = [each.span for each in found if each.span is not None]
    return {
        "mean_s": None if cycle is None else cycle.mean,
        "shortest_s": None if cycle is None else cycle.shortest,
        "longest_s": None if cycle is None else cycle.longest,
        "count": len(spans),
        "rows": [
            {"time_s": each.time, "part": each.part, "where": each.where, "span_s": each.span}
            for each in found[-_MOST:]
        ],
        "histogram": [[low, high, count] for low, high, count in histogram(spans)],
    }


def _places(theatre: "Theatre", parts: Parts) -> list[Row]:
    """Stores and sinks, those that nothing came to included as far as they are known."""
    found = places(parts)
    devices = {} if theatre.cell is None else theatre.cell.devices
    known = {name: each for name, each in devices.items() if isinstance(each, (LiveStore, LiveSink))}
    rows = []
    for name in dict.fromkeys([*known, *found]):
        device, lying = known.get(name), found.get(name, [])
        kind = "store" if isinstance(device, LiveStore) or (lying and lying[0].end == "stored") else "sink"
        rows.append(
            {
                "name": name,
                "kind": kind,
                "count": len(lying),
                "slots": len(device.slots) if isinstance(device, LiveStore) else None,
                "kinds": _counted(each.kind for each in lying),
                "first_s": lying[0].time if lying else None,
                "last_s": lying[-1].time if lying else None,
            }
        )
    return rows


def _counted(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts


# ---------------------------------------------------------------- machines and robots


def _machines(theatre: "Theatre", seen: Review, t: int, notes: list[str]) -> list[Row]:
    cell, signals = theatre.cell, theatre.signals
    tools = () if cell is None else [name for name, each in cell.devices.items() if isinstance(each, LiveMachine)]
    faulty = {each.signal for each in seen.flow.strikes(t)}
    rows = []
    for name in machines_among(signals) if cell is None else tools:
        ended = theatre.result if _at_end(theatre, t) else None
        usage = machine_usage(signals, name, t) if ended is None else ended.devices[name]
        broken = on_spans(signals[f"{name}.broken"].changes, t)
        spans = on_spans(signals[f"{name}.running"].changes, t)
        rows.append(_used(name, "machine", usage, spans, t) | {"broken_s": _total(broken), "failures": len(broken)})
        if ended is None and faulty & {f"{name}.running", f"{name}.ready"}:
            notes.append(f"{name}: its signals had faults, and tell its past as they showed it")
    return rows


def _robots(theatre: "Theatre", seen: Review, t: int) -> list[Row]:
    rows = []
    for name, (spans, moves) in _motions(theatre, seen, t).items():
        spent = sum(end - start for start, end in spans)
        rows.append(_used(name, "robot", Usage(seconds(spent), spent / t if t else 0.0, moves), spans, t))
    return rows


def _motions(theatre: "Theatre", seen: Review, t: int) -> dict[str, tuple[list[Span], int]]:
    """When each robot moved, and how many moves it began."""
    cell = theatre.cell
    found: dict[str, tuple[list[Span], int]] = {}
    if cell is not None:
        for name, robot in cell.robots.items():
            spans = clipped([(move.start, theatre.now if move.end is None else move.end) for move in robot.moves], t)
            found[name] = (spans, sum(move.start <= t for move in robot.moves))
    elif theatre.recording is not None:
        for name, count in seen.flow.moves(t).items():
            if name in theatre.recording.linkages:
                moves = theatre.recording.linkages[name].moves
                found[name] = (clipped([(each.start, each.end) for each in moves if each.end > each.start], t), count)
    return found


def _used(name: str, kind: str, usage: Usage, spans: list[Span], t: int) -> Row:
    over = shares(spans, t, _PIECES)
    return {
        "name": name,
        "kind": kind,
        "busy": usage.busy,
        "busy_s": usage.time,
        "cycles": usage.cycles,
        "step_s": seconds(over.step),
        "shares": [round(each, 4) for each in over.shares],
    }


def _total(spans: list[Span]) -> float:
    return seconds(sum(end - start for start, end in spans))


# ---------------------------------------------------------------- programs


def _waits(theatre: "Theatre", t: int, notes: list[str]) -> Row | None:
    cell = theatre.cell
    if cell is None:
        notes.append("how long programs waited, and where, a recording does not tell: open the cell and run it")
        return None
    log = cell.kernel.wait_log
    if log is None:
        notes.append("waits were not logged in this run")
        return None
    if theatre.failure is not None:
        notes.append("waits that went on when the run broke off are left out")
    still = () if theatre.result is None else theatre.result.outcome.waits
    longest = longest_waits(log, cell.kernel, t, still)
    return {
        "longest": [
            {
                "process": wait.process,
                "seconds": wait.seconds,
                "condition": wait.condition,
                "at": wait.at if is_users(wait.file) else "",
                "file": wait.file if is_users(wait.file) else None,
                "line": wait.line,
                "over": wait.over,
                "daemon": wait.daemon,
            }
            for wait in sorted(longest.values(), key=lambda each: (-each.seconds, each.process))
        ],
        "lines": [
            {
                "process": row.process,
                "condition": row.condition,
                "at": str(Location(row.file, row.line, "")) if is_users(row.file) else "",
                "file": row.file if is_users(row.file) else None,
                "line": row.line,
                "count": row.count,
                "total_s": row.total,
                "longest_s": row.longest,
            }
            for row in lines_of_waits(log, t)[:_MOST]
        ],
    }


# ---------------------------------------------------------------- sensors


def _sensors(theatre: "Theatre", seen: Review, t: int) -> list[Row]:
    """Sensors, and whatever else had a fault, with the faults in force at the instant and how often each struck."""
    signals, sensors = theatre.signals, theatre.sensors
    states: dict[str, dict[str, Row]] = {}
    for each in seen.flow.strikes(t):
        fault = states.setdefault(each.signal, {}).setdefault(each.fault, {"active": False, "times": 0})
        fault["times"] += each.state in ("begins", "strikes")
        if each.state != "strikes":
            fault["active"] = each.state == "begins"
    names = dict.fromkeys([*sensors, *states])
    rows = []
    for name in names:
        change = change_at(signals[name].changes, t) if name in signals else None
        rows.append(
            {
                "name": name,
                "model": sensors[name].model if name in sensors else None,
                "value": None if change is None else plain(change[1]),
                "unit": signals[name].unit if name in signals else "",
                "changes": max(len(changes_until(signals[name].changes, t)) - 1, 0) if name in signals else 0,
                "faults": [{"fault": fault, **told} for fault, told in states.get(name, {}).items()],
            }
        )
    return rows
