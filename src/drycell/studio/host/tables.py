"""Tables of parts, machines, programs and sensors up to a time.

All figures come from :mod:`drycell.record.figures`, for a live run, a finished run and a recording.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from drycell.base import format_time
from drycell.devices import LiveSink, LiveStore
from drycell.kernel import is_users, seconds
from drycell.record import PartFinish, PartRecord, Parts, Record, Usage, Wait, WaitLine, figures
from drycell.studio.api.tables import (
    CycleRow,
    CycleTable,
    EncounterRow,
    EncounterTable,
    LongestWait,
    MachinedBy,
    MachineRow,
    PartsTable,
    PartTableRow,
    PlaceRow,
    RunTables,
    SensorFaultCount,
    SensorRow,
    TablesApi,
    WaitRow,
)
from drycell.studio.host.session import HostSession
from drycell.studio.host.signal_trace import plain

_PIECES: Final = 60
_MOST: Final = 200  # rows of a long table that are sent: the latest
_MOST_CYCLES: Final = 2000  # rows of cycle times, which are also drawn as a chart


class HostTables(TablesApi):
    """The figures of a session's run."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def at(self, t: int | None = None) -> RunTables:
        session = self._session
        if session.mode == "live":
            # Collisions are searched for periodically. The time of the search does not affect the run; search now.
            session.require_cell().kernel.settle()
        return tables(session, session.shown if t is None else t)


def tables(session: HostSession, t: int, most: int = _MOST) -> RunTables:
    """All tables at a time, with the last ``most`` rows of long ones."""
    record = session.record
    t = max(0, min(t, session.now))
    parts = figures.parts(record, t)
    finished = parts.finished(max(most, _MOST_CYCLES))
    longest = sorted(figures.waits(record, t).values(), key=lambda each: (-each.seconds, each.process))
    return RunTables(
        t=t,
        parts=_parts(parts, finished, most),
        machines=(*_machines(record, t), *_robots(record, t)),
        longest_waits=tuple(
            LongestWait(each.process, each.seconds, each.condition, *_where(session, each), each.over, each.daemon)
            for each in longest
        ),
        waits=tuple(
            WaitRow(each.process, each.condition, *_where(session, each), each.count, each.total, each.longest)
            for each in figures.wait_lines(record, t)[:most]
        ),
        cycle=_cycle(record, finished, t),
        places=tuple(_places(session, parts)),
        encounters=_encounters(record, t, most),
        sensors=tuple(_sensors(session, t)),
        notes=tuple(_notes(record, t)),
    )


def _notes(record: Record, t: int) -> list[str]:
    checked = record.tracks.checked
    if checked is None or t <= checked:
        return []
    return [f"collisions checked up to {format_time(seconds(checked))} so far"]


# ---------------------------------------------------------------- parts


def _parts(parts: Parts, finished: list[PartFinish], most: int) -> PartsTable:
    spans = {each.part: each.span for each in finished}
    return PartsTable(
        kept=parts.kept,
        arrived=parts.arrived,
        machined=parts.machined,
        stored=parts.stored,
        sunk=parts.sunk,
        inside=parts.inside,
        lost=parts.lost,
        rows=tuple(_part(each, spans.get(each.name)) for each in parts.last(most)),
    )


def _part(part: PartRecord, span: float | None) -> PartTableRow:
    return PartTableRow(
        name=part.name,
        kind=part.kind,
        source=part.source,
        arrived_s=part.arrived,
        machined=tuple(MachinedBy(each.by, each.time) for each in part.machined),
        end=part.end,
        where=part.where,
        time_s=None if part.end == "inside" else part.time,
        through_s=part.time - part.arrived if part.end in ("stored", "sunk") else None,
        cycle_s=span,
    )


def _cycle(record: Record, finished: list[PartFinish], t: int) -> CycleTable:
    cycle = figures.cycle(record, t)
    return CycleTable(
        mean_s=None if cycle is None else cycle.mean,
        shortest_s=None if cycle is None else cycle.shortest,
        longest_s=None if cycle is None else cycle.longest,
        count=0 if cycle is None else cycle.count,
        rows=tuple(CycleRow(each.time, each.part, each.where, each.span) for each in finished),
        histogram=tuple((low, high, count) for low, high, count in figures.spread(record, t)),
    )


def _places(session: HostSession, parts: Parts) -> Iterator[PlaceRow]:
    """Stores and sinks. For a cell this includes those without any parts."""
    found = {place.name: place for place in parts.places()}
    devices = {} if session.cell is None else session.cell.devices
    known = {name: each for name, each in devices.items() if isinstance(each, (LiveStore, LiveSink))}
    for name in dict.fromkeys([*known, *found]):
        device, place = known.get(name), found.get(name)
        store = isinstance(device, LiveStore) or (place is not None and place.end == "stored")
        yield PlaceRow(
            name=name,
            kind="store" if store else "sink",
            count=0 if place is None else place.count,
            slots=len(device.slots) if isinstance(device, LiveStore) else None,
            kinds={} if place is None else dict(place.kinds),
            first_s=None if place is None else place.first,
            last_s=None if place is None else place.last,
        )


# ---------------------------------------------------------------- machines and robots


def _machines(record: Record, t: int) -> Iterator[MachineRow]:
    for name, usage in figures.devices(record, t).items():
        failures, broken = figures.failures(record, name, t)
        yield replace(_used(record, name, "machine", usage, t), broken_s=broken, failures=failures)


def _robots(record: Record, t: int) -> Iterator[MachineRow]:
    for name, usage in figures.robots(record, t).items():
        yield _used(record, name, "robot", usage, t)


def _used(record: Record, name: str, kind: str, usage: Usage, t: int) -> MachineRow:
    step, shares = figures.shares(record, name, t, _PIECES)
    shown = tuple(round(each, 4) for each in shares)
    return MachineRow(name, kind, usage.busy, usage.time, usage.cycles, step, shown)


def _where(session: HostSession, wait: Wait | WaitLine) -> tuple[str, str | None, int | None]:
    """The place in the user's code where a program waited; empty if drycell itself waited."""
    if not is_users(wait.file):
        return "", None, None
    return f"{os.path.basename(wait.file)}:{wait.line}", session.source_file(wait.file), wait.line


# ---------------------------------------------------------------- collisions and near misses


def _encounters(record: Record, t: int, most: int) -> EncounterTable:
    collisions, misses = figures.collisions(record, t), figures.near_misses(record, t)
    closest = figures.clearance(record, t)
    rows = [
        EncounterRow(seconds(each.time), "collision", each.a, each.b, depth_m=each.depth) for each in collisions[-most:]
    ]
    rows += [
        EncounterRow(seconds(each.time), "near miss", each.a, each.b, distance_m=each.distance)
        for each in misses[-most:]
    ]
    return EncounterTable(
        checked=record.checked,
        collisions=len(collisions),
        near_misses=len(misses),
        closest_m=None if closest is None else closest.distance,
        rows=tuple(sorted(rows, key=lambda row: (row.time_s, row.a, row.b))[-most:]),
    )


# ---------------------------------------------------------------- sensors


def _sensors(session: HostSession, t: int) -> Iterator[SensorRow]:
    """Sensors, and other signals that have had a fault, with active faults and the number of times each occurred."""
    signals, sensors = session.record.signals, session.sensors
    faults = figures.faults(session.record, t)
    for name in dict.fromkeys([*sensors, *faults]):
        changes = signals.get(name)
        count = 0 if changes is None else changes.count(t)
        yield SensorRow(
            name=name,
            model=sensors[name].model if name in sensors else None,
            value=plain(changes.values[count - 1]) if changes is not None and count else None,
            unit="" if changes is None else changes.unit,
            changes=max(count - 1, 0),
            faults=tuple(SensorFaultCount(each.fault, each.active, each.times) for each in faults.get(name, ())),
        )
