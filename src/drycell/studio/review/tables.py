"""Tables: what has become of parts, machines, programs and sensors up to an instant, as plain data.

All figures are those of :mod:`drycell.record.figures`, of a run that goes on, of one that is over and of a recording
alike.
"""

import os
from typing import TYPE_CHECKING, Any, Final

from drycell.base import format_time
from drycell.devices import LiveSink, LiveStore
from drycell.kernel import is_users, seconds
from drycell.record import PartFinish, PartRecord, Parts, Record, Usage, Wait, WaitLine, figures
from drycell.studio.review.trace import plain
from drycell.world import Collision, NearMiss

if TYPE_CHECKING:
    from drycell.studio.host.session import HostSession

Row = dict[str, Any]
_PIECES: Final = 60
_MOST: Final = 200  # rows of a long table that are sent at once: the last
_MOST_CYCLES: Final = 2000  # rows that are drawn, too


def tables(session: "HostSession", t: int) -> dict[str, Any]:
    """All tables at an instant."""
    record = session.record
    t = max(0, min(t, session.now))
    parts = figures.parts(record, t)
    finished = parts.finished(_MOST_CYCLES)
    return {
        "t": t,
        "parts": _parts(parts, finished),
        "machines": [*_machines(record, t), *_robots(record, t)],
        "waits": _waits(session, t),
        "cycle": _cycle(record, finished, t),
        "places": _places(session, parts),
        "encounters": _encounters(record, t),
        "sensors": _sensors(session, t),
        "notes": _notes(record, t),
    }


def _notes(record: Record, t: int) -> list[str]:
    checked = record.tracks.checked
    if checked is None or t <= checked:
        return []
    return [f"collisions are checked up to {format_time(seconds(checked))} so far"]


# ---------------------------------------------------------------- parts


def _parts(parts: Parts, finished: list[PartFinish]) -> Row:
    """How many parts came and what has become of them, and a row for each of the last of them."""
    spans = {each.part: each.span for each in finished}
    return {
        "kept": parts.kept,
        "arrived": parts.arrived,
        "machined": parts.machined,
        "stored": parts.stored,
        "sunk": parts.sunk,
        "inside": parts.inside,
        "lost": parts.lost,
        "rows": [_part(each, spans.get(each.name)) for each in parts.last(_MOST)],
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


def _cycle(record: Record, finished: list[PartFinish], t: int) -> Row:
    """The times between finished parts: mean, shortest, longest, the last of them, and how they spread."""
    cycle = figures.cycle(record, t)
    return {
        "mean_s": None if cycle is None else cycle.mean,
        "shortest_s": None if cycle is None else cycle.shortest,
        "longest_s": None if cycle is None else cycle.longest,
        "count": 0 if cycle is None else cycle.count,
        "rows": [
            {"time_s": each.time, "part": each.part, "where": each.where, "span_s": each.span} for each in finished
        ],
        "histogram": [[low, high, count] for low, high, count in figures.spread(record, t)],
    }


def _places(session: "HostSession", parts: Parts) -> list[Row]:
    """Stores and sinks; in a cell, those that nothing came to as well."""
    found = {place.name: place for place in parts.places()}
    devices = {} if session.cell is None else session.cell.devices
    known = {name: each for name, each in devices.items() if isinstance(each, (LiveStore, LiveSink))}
    rows = []
    for name in dict.fromkeys([*known, *found]):
        device, place = known.get(name), found.get(name)
        store = isinstance(device, LiveStore) or (place is not None and place.end == "stored")
        rows.append(
            {
                "name": name,
                "kind": "store" if store else "sink",
                "count": 0 if place is None else place.count,
                "slots": len(device.slots) if isinstance(device, LiveStore) else None,
                "kinds": {} if place is None else place.kinds,
                "first_s": None if place is None else place.first,
                "last_s": None if place is None else place.last,
            }
        )
    return rows


# ---------------------------------------------------------------- machines and robots


def _machines(record: Record, t: int) -> list[Row]:
    rows = []
    for name, usage in figures.devices(record, t).items():
        failures, broken = figures.failures(record, name, t)
        rows.append(_used(record, name, "machine", usage, t) | {"broken_s": broken, "failures": failures})
    return rows


def _robots(record: Record, t: int) -> list[Row]:
    return [_used(record, name, "robot", usage, t) for name, usage in figures.robots(record, t).items()]


def _used(record: Record, name: str, kind: str, usage: Usage, t: int) -> Row:
    step, shares = figures.shares(record, name, t, _PIECES)
    return {
        "name": name,
        "kind": kind,
        "busy": usage.busy,
        "busy_s": usage.time,
        "cycles": usage.cycles,
        "step_s": step,
        "shares": [round(each, 4) for each in shares],
    }


# ---------------------------------------------------------------- programs


def _waits(session: "HostSession", t: int) -> Row:
    longest = sorted(figures.waits(session.record, t).values(), key=lambda each: (-each.seconds, each.process))
    return {
        "longest": [
            {
                "process": wait.process,
                "seconds": wait.seconds,
                "condition": wait.condition,
                **_where(session, wait),
                "over": wait.over,
                "daemon": wait.daemon,
            }
            for wait in longest
        ],
        "lines": [
            {
                "process": row.process,
                "condition": row.condition,
                **_where(session, row),
                "count": row.count,
                "total_s": row.total,
                "longest_s": row.longest,
            }
            for row in figures.wait_lines(session.record, t)[:_MOST]
        ],
    }


def _where(session: "HostSession", wait: Wait | WaitLine) -> Row:
    """Where in the user's own code a program waited; nowhere if drycell waited for it."""
    if not is_users(wait.file):
        return {"at": "", "file": None, "line": None}
    at = f"{os.path.basename(wait.file)}:{wait.line}"
    return {"at": at, "file": session.source_file(wait.file), "line": wait.line}


# ---------------------------------------------------------------- collisions and near misses


def _encounters(record: Record, t: int) -> Row:
    """How often bodies touched or passed too near, a row for each of the last; ``checked`` unless nobody looked."""
    collisions, misses = figures.collisions(record, t), figures.near_misses(record, t)
    closest = figures.clearance(record, t)
    rows = [_encounter("collision", each) | {"depth_m": each.depth} for each in collisions[-_MOST:]]
    rows += [_encounter("near miss", each) | {"distance_m": each.distance} for each in misses[-_MOST:]]
    return {
        "checked": record.checked,
        "collisions": len(collisions),
        "near_misses": len(misses),
        "closest_m": None if closest is None else closest.distance,
        "rows": sorted(rows, key=lambda row: (row["time_s"], row["a"], row["b"]))[-_MOST:],
    }


def _encounter(kind: str, each: Collision | NearMiss) -> Row:
    return {"time_s": seconds(each.time), "kind": kind, "a": each.a, "b": each.b}


# ---------------------------------------------------------------- sensors


def _sensors(session: "HostSession", t: int) -> list[Row]:
    """Sensors, and whatever else had a fault, with the faults in force at the instant and how often each struck."""
    signals, sensors = session.record.signals, session.sensors
    faults = figures.faults(session.record, t)
    rows = []
    for name in dict.fromkeys([*sensors, *faults]):
        changes = signals.get(name)
        count = 0 if changes is None else changes.count(t)
        rows.append(
            {
                "name": name,
                "model": sensors[name].model if name in sensors else None,
                "value": plain(changes.values[count - 1]) if changes is not None and count else None,
                "unit": "" if changes is None else changes.unit,
                "changes": max(count - 1, 0),
                "faults": [
                    {"fault": each.fault, "active": each.active, "times": each.times} for each in faults.get(name, ())
                ],
            }
        )
    return rows
