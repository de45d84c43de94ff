"""Figures of a run up to a time. Each is a function of (record, t), and is computed only here. The command line, JSON,
tests, the studio and reports all call these functions, during a run, after it, and for recordings. A repeated query
costs only the new rows and a few binary searches.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, cast

from drycell.base import format_length
from drycell.kernel import Awaited, Outcome, Track, seconds
from drycell.record.parts import Cycle, Parts
from drycell.record.record import FaultCount, Record
from drycell.world import CarriedLoad, Collision, NearMiss, rests_from

_NO_USE: Final = ("idle", "broken")


class MoveRow(Protocol):
    """A move of a robot. Times are ticks; distance and speed are those of the TCP."""

    @property
    def kind(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def guard(self) -> str | None: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int | None: ...
    @property
    def start_time(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def distance(self) -> float: ...
    @property
    def top_speed(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Usage:
    """The utilisation of a device or a robot: seconds, the fraction of the time, and completed cycles or moves."""

    time: float
    busy: float
    cycles: int


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a program waited, for what, and where in its source. ``over`` is False while it is still waiting."""

    process: str
    seconds: float
    condition: str
    file: str
    line: int
    over: bool = True
    daemon: bool = False

    @property
    def at(self) -> str:
        """The source line as shown in reports: ``robot.pas:61``."""
        return f"{os.path.basename(self.file)}:{self.line}"


@dataclass(frozen=True, slots=True)
class WaitLine:
    """All waits of a program at one line for one condition: their number, total and longest, in seconds."""

    process: str
    condition: str
    file: str
    line: int
    count: int
    total: float
    longest: float


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that went wrong in a run, or nearly did, at a time in ticks.

    ``text`` is for people. A collision or near miss has two ``bodies`` and the ``point`` where they are closest; a
    program that cannot continue has the place in its source.
    """

    time: int
    kind: Literal["collision", "near miss", "lost part", "deadlock", "stuck program", "warning"]
    text: str
    bodies: tuple[str, str] | None = None
    point: tuple[float, float, float] | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class MoveTotals:
    """Totals of a robot's moves: the number of each kind, the distance and the top speed of the TCP in m and m/s,
    and the move that took longest (None if it made no move)."""

    kinds: Mapping[str, int]
    distance: float
    top_speed: float
    longest: MoveRow | None


# ---------------------------------------------------------------- parts


def parts(record: Record, t: int) -> Parts:
    """Return the number of parts that arrived, and their fates."""
    return record.flow.parts(t, record.tracks.flow)


def cycle(record: Record, t: int, since: int = 0) -> Cycle | None:
    """Return the time between finished parts; None before the second part. Only parts finished from ``since`` on
    count."""
    if not since:
        return record.flow.cycle(t)
    spans = [span for end, span in record.flow.intervals(t) if end - span >= since]
    if not spans:
        return None
    return Cycle(seconds(sum(spans)) / len(spans), seconds(min(spans)), seconds(max(spans)), len(spans))


def spread(record: Record, t: int, most: int = 12) -> list[tuple[float, float, int]]:
    """Return a histogram of the times between finished parts: at most ``most`` bins of a round width in seconds."""
    spans = record.flow.spans(t)
    if not spans:
        return []
    shortest, longest = min(spans), max(spans)
    steps = (digit * 10**power for power in range(19) for digit in (1, 2, 5))
    step = next(step for step in steps if longest // step - shortest // step < most)
    low = shortest // step
    counts = [0] * (longest // step - low + 1)
    for span in spans:
        counts[span // step - low] += 1
    return [(seconds((low + k) * step), seconds((low + k + 1) * step), count) for k, count in enumerate(counts)]


def lost(record: Record, t: int) -> tuple[str, ...]:
    """Return the bodies that fell out of the cell, or are falling with nothing below them."""
    return tuple(_lost(record, t))


def _lost(record: Record, t: int) -> dict[str, int]:
    """Return when each of the bodies that are still lost was lost."""
    track = record.tracks.track("lost")
    found: dict[str, int] = {}
    for time, (name, gone) in zip(track.times, track.values[: track.count(t)], strict=False):
        if gone:
            found[name] = time
        else:
            found.pop(name, None)
    return found


# ---------------------------------------------------------------- use


def devices(record: Record, t: int, since: int = 0) -> dict[str, Usage]:
    """Return the utilisation of every device with recorded states, by name, from an instant on."""
    return {name: _from(since, t, device, record, name) for name in record.tracks.named("states")}


def _from(since: int, t: int, figure: Callable[[Record, str, int], Usage], record: Record, name: str) -> Usage:
    """Return the part of a utilisation that falls after an instant."""
    whole = figure(record, name, t)
    if not since:
        return whole
    before = figure(record, name, since)
    spent = whole.time - before.time
    return Usage(spent, spent / seconds(t - since) if t > since else 0.0, whole.cycles - before.cycles)


def device(record: Record, name: str, t: int) -> Usage:
    """Return the utilisation of a device, computed from its states, not from its signals."""
    by_state = record.tracks.track("states", name).by_value()
    spent = sum(spans.total(t) for state, spans in by_state.items() if state not in _NO_USE)
    working, broken = by_state.get("working"), by_state.get("broken")
    done = 0 if working is None else working.over(t)
    # A breakdown interrupts work, which is resumed later, so each one adds an interval but no cycle.
    failed = 0 if broken is None else broken.entered(t)
    return Usage(seconds(spent), spent / t if t else 0.0, done - failed)


def failures(record: Record, name: str, t: int) -> tuple[int, float]:
    """Return how many times a device broke down, and for how many seconds in total."""
    broken = record.tracks.track("states", name).spans("broken")
    return broken.entered(t), seconds(broken.total(t))


def robots(record: Record, t: int, since: int = 0) -> dict[str, Usage]:
    """Return how long each robot moved and the number of moves it began, by name, from an instant on."""
    return {name: _from(since, t, robot, record, name) for name in record.tracks.named("moves")}


def robot(record: Record, name: str, t: int) -> Usage:
    """Return how long a robot moved and the number of moves it began."""
    spent = record.moving(name).total(t)
    return Usage(seconds(spent), spent / t if t else 0.0, record.tracks.track("moves", name).count(t))


def moves(record: Record, t: int) -> Mapping[str, tuple[MoveRow, ...]]:
    """Return all moves that each robot began, in order."""
    return {name: tuple(track.values[: track.count(t)]) for name, track in record.tracks.named("moves").items()}


def move_totals(record: Record, name: str, t: int) -> MoveTotals:
    """Return the totals of all moves that a robot began."""
    track = record.tracks.track("moves", name)
    found: list[MoveRow] = list(track.values[: track.count(t)])
    kinds: dict[str, int] = {}
    for move in found:
        kinds[move.kind] = kinds.get(move.kind, 0) + 1
    return MoveTotals(
        kinds,
        sum(move.distance for move in found),
        max((move.top_speed for move in found), default=0.0),
        max(found, key=lambda move: move.duration, default=None),
    )


def shares(record: Record, name: str, t: int, pieces: int = 60) -> tuple[float, list[float]]:
    """Return utilisation over time: the length of the equal intervals in seconds, and the busy fraction of each."""
    if name in record.tracks.named("moves"):
        uses = [record.moving(name)]
    else:
        by_state = record.tracks.track("states", name).by_value()
        uses = [spans for state, spans in by_state.items() if state not in _NO_USE]
    step = max(-(-t // pieces), 1)
    edges = [*range(0, t, step), t]
    totals = [sum(spans.total(edge) for spans in uses) for edge in edges]
    return seconds(step), [
        (totals[place + 1] - totals[place]) / (edges[place + 1] - edges[place]) for place in range(len(edges) - 1)
    ]


def loads(record: Record, t: int) -> dict[str, CarriedLoad]:
    """Return the maximum load that each robot and gripper carried, by name, if the most it may carry is known.

    Of equal loads, the one with more parts of unknown mass counts, and then the first.
    """
    found: dict[str, CarriedLoad] = {}
    for name, track in record.tracks.named("loads").items():
        carried = track.values[: track.count(t)]
        if carried:
            found[name] = max(carried, key=lambda load: (load.mass, len(load.unknown)))
    return found


# ---------------------------------------------------------------- waits


def waits(record: Record, t: int, since: int = 0) -> dict[str, Wait]:
    """Return the longest wait of each program that waited, by name: how long, for what, and where. Only waits that
    began from ``since`` on count."""
    found: dict[str, Wait] = {}
    for name, track in record.tracks.named("waits").items():
        wait = _longest(name, track, t, name in record.tracks.daemons, since)
        if wait is not None:
            found[name] = wait
    return found


def waiting(record: Record, t: int) -> list[Wait]:
    """Return the programs that are waiting at a time, and how long each has been waiting."""
    found = []
    for name, track in record.tracks.named("waits").items():
        at = track.at(t)
        if at is not None:
            since = track.spans(at).going_on(t)
            taken = seconds(0 if since is None else t - since)
            found.append(Wait(name, taken, at.condition, at.file, at.line, False, name in record.tracks.daemons))
    return found


def stalled(record: Record, t: int) -> float | None:
    """Return the time of the last activity if nothing happened for half of the run; otherwise None.

    If a program waits, activity means: a robot moves, a program continues or sets a signal, or something is done to a
    part. Arriving parts and devices do not count. If none waits, a program may still poll: then every motion and every
    change of a signal counts, except those by sensors. Without programs, the cell has stalled only if nothing at all
    happened, although it has robots or devices.
    """
    programs = {
        name: track for name, track in record.tracks.named("waits").items() if name not in record.tracks.daemons
    }
    if any(track.at(t) is not None for track in programs.values()):
        last = _last_work(record, programs, t)
    else:
        last = _last_change(record, t)
        if not programs and (last > 0 or not _can_act(record)):
            return None
    return seconds(last) if t > 0 and t - last >= t / 2 else None


def _last_work(record: Record, programs: "Mapping[str, Track[Any]]", t: int) -> int:
    """The last time at which a robot, a program or a device did productive work."""
    happened = [time for track in programs.values() for time in _latest(track, t)]
    for name in record.tracks.named("moves"):
        happened += [end for _, end in record.moving(name).until(t)[-1:]]
    steps = record.tracks.track("parts")
    last_step = next((row for row in reversed(range(steps.count(t))) if steps.values[row].step != "arrives"), None)
    happened += [] if last_step is None else [steps.times[last_step]]
    for changes in record.signals.values():
        if (times := _latest(changes, t)) and changes.writers[-1] in programs:
            happened += times
    return max(happened, default=0)


def _last_change(record: Record, t: int) -> int:
    """When anything last moved or changed in the cell, apart from what sensors measure."""
    tables = ("waits", "states", "parts", "lost", "inputs")
    happened = [time for table in tables for track in record.tracks.named(table).values() for time in _latest(track, t)]
    for name, changes in record.signals.items():
        if (times := _latest(changes, t)) and changes.writers[-1] != name:
            happened += times
    happened += [min(rests_from(body), t) for body in record.world.bodies.values()]
    return max(happened, default=0)


def _can_act(record: Record) -> bool:
    """Whether a cell has robots or devices: their signals have an owner and a dot in their names."""
    return record.tracks.flow or any("." in name for name in record.signals)


def _latest(track: "Track[Any]", t: int) -> list[int]:
    count = track.count(t)
    return [track.times[count - 1]] if count else []


def wait_lines(record: Record, t: int) -> list[WaitLine]:
    """Return where programs waited, the longest total first; an unfinished wait counts up to now."""
    found = []
    for name, track in record.tracks.named("waits").items():
        for place, spans in track.by_value().items():
            count = spans.begun(t)
            if place is not None and count:
                at = cast(Awaited, place)
                since = spans.going_on(t)
                longest = max(spans.longest(t)[0], 0 if since is None else t - since)
                total = seconds(spans.total(t))
                found.append(WaitLine(name, at.condition, at.file, at.line, count, total, seconds(longest)))
    return sorted(found, key=lambda row: (-row.total, row.process, row.line))


def _longest(name: str, track: "Track[Awaited | None]", t: int, daemon: bool, first: int) -> Wait | None:
    best: tuple[int, int, Awaited, bool] | None = None  # negative length, start, condition, whether it is over
    for place, spans in track.by_value().items():
        if place is None:
            continue
        at, since = cast(Awaited, place), spans.going_on(t)
        if first:
            ended = [(start, end - start) for start, end in spans.until(t) if start >= first and start != since]
            start, span = max(ended, key=lambda each: each[1], default=(0, 0))
        else:
            span, start = spans.longest(t)
        candidates = []
        if span:
            candidates.append((-span, start, at, True))
        if since is not None and first <= since < t:
            candidates.append((since - t, since, at, False))
        for each in candidates:
            if best is None or each[:2] < best[:2]:
                best = each
    if best is None:
        return None
    span, _, at, over = -best[0], *best[1:]
    return Wait(name, seconds(span), at.condition, at.file, at.line, over, daemon)


# ---------------------------------------------------------------- faults


def faults(record: Record, t: int) -> dict[str, list[FaultCount]]:
    """Return the faults that occurred on each signal, by its name."""
    counted = {name: record.faults(name).counts(t) for name in record.tracks.named("faults")}
    return {name: found for name, found in counted.items() if found}


def warnings(record: Record, t: int) -> tuple[str, ...]:
    """Return warnings of probable mistakes in the cell or its programs, with their subjects, in chronological order."""
    return tuple(text for _, text in _warnings(record, t))


def _warnings(record: Record, t: int) -> list[tuple[int, str]]:
    found = [
        (time, f"{name}: {text}")
        for name, track in record.tracks.named("warnings").items()
        for time, text in zip(track.times, track.values, strict=True)
        if time <= t
    ]
    return sorted(found, key=lambda each: each[0])


def measures(record: Record, t: int) -> dict[str, float]:
    """Return the last value of each measure of the user (``cell.measure``), by name."""
    found = ((name, track.at(t)) for name, track in record.tracks.named("measures").items())
    return {name: value for name, value in found if value is not None}


# ---------------------------------------------------------------- encounters


def collisions(record: Record, t: int) -> tuple[Collision, ...]:
    """Return all collisions in chronological order. ``depth`` and ``end`` are those of the whole collision, as far as
    it is known."""
    return record.encounters("collisions", t)


def near_misses(record: Record, t: int) -> tuple[NearMiss, ...]:
    """Return all near misses in chronological order; a near miss counts once it is over."""
    return record.encounters("near misses", t)


def clearance(record: Record, t: int) -> NearMiss | None:
    """Return the closest near miss; None if there was none."""
    return min(near_misses(record, t), key=lambda miss: miss.distance, default=None)


# ---------------------------------------------------------------- everything that went wrong


def incidents(record: Record, t: int, outcome: Outcome | None = None) -> list[Incident]:
    """Return what went wrong up to a time, in chronological order: collisions, near misses, lost parts and warnings;
    with the ``outcome`` of the run, also each program that can never continue, at the time when it got stuck."""
    found = [
        Incident(each.time, "collision", _touch(each), (each.a, each.b), each.point) for each in collisions(record, t)
    ]
    for miss in near_misses(record, t):
        text = f"{miss.a} – {miss.b} within {format_length(miss.distance, 2)}"
        found.append(Incident(miss.time, "near miss", text, (miss.a, miss.b), miss.points[0]))
    found += [Incident(time, "lost part", f"{name} fell out of the cell") for name, time in _lost(record, t).items()]
    found += [Incident(time, "warning", text) for time, text in _warnings(record, t)]
    if outcome is not None:
        dead = outcome.ending == "deadlock"
        for each in outcome.stuck:
            since = outcome.time if each.stuck_since is None else each.stuck_since
            text = f"{each.process} waits for {each.waits_for}, which can never happen"
            if since <= t:
                kind: Literal["deadlock", "stuck program"] = "deadlock" if dead else "stuck program"
                found.append(Incident(since, kind, text, file=each.file, line=each.line))
    return sorted(found, key=lambda each: each.time)


def _touch(collision: Collision) -> str:
    return f"{collision.a} – {collision.b}, {format_length(collision.depth, 2)} deep"
