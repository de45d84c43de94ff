"""Figures of a run up to a time. Each is a function of (record, t), and is derived here and nowhere else.

The command line, JSON, tests, the studio and reports all call these functions, for a run that goes on, for one that is
over and for a file. Asking again costs only what is new since then, and a few binary searches.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol, cast

from drycell.kernel import Awaited, Track, seconds
from drycell.record.parts import Cycle, Parts
from drycell.record.record import FaultCount, Record
from drycell.world import Collision, NearMiss

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
    """How much a device or a robot was used: seconds, the fraction of the time, and completed cycles or moves."""

    time: float
    busy: float
    cycles: int


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a program waited, for what, and where in its source; ``over`` unless it is still waiting."""

    process: str
    seconds: float
    condition: str
    file: str
    line: int
    over: bool = True
    daemon: bool = False

    @property
    def at(self) -> str:
        """The place as reports show it: ``robot.pas:61``."""
        return f"{os.path.basename(self.file)}:{self.line}"


@dataclass(frozen=True, slots=True)
class WaitLine:
    """All waits of a program in one line for one condition: how many, the total and the longest, in seconds."""

    process: str
    condition: str
    file: str
    line: int
    count: int
    total: float
    longest: float


@dataclass(frozen=True, slots=True)
class MoveTotals:
    """All moves of a robot together: the number of each kind, the distance and the top speed of the TCP in m and m/s,
    and the move that took longest (None if it made no move)."""

    kinds: Mapping[str, int]
    distance: float
    top_speed: float
    longest: MoveRow | None


# ---------------------------------------------------------------- parts


def parts(record: Record, t: int) -> Parts:
    """Return how many parts arrived, and what became of them."""
    return record.flow.parts(t, record.tracks.flow)


def cycle(record: Record, t: int) -> Cycle | None:
    """Return the time between finished parts; None before the second of them."""
    return record.flow.cycle(t)


def spread(record: Record, t: int, most: int = 12) -> list[tuple[float, float, int]]:
    """Return the distribution of the times between finished parts: how many lie from each number of seconds to the
    next, in at most ``most`` steps of 1, 2 or 5 times a power of ten."""
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
    """Return what fell out of the cell, or falls with nothing below it."""
    track = record.tracks.track("lost")
    found: dict[str, None] = {}
    for name, gone in track.values[: track.count(t)]:
        if gone:
            found[name] = None
        else:
            found.pop(name, None)
    return tuple(found)


# ---------------------------------------------------------------- use


def devices(record: Record, t: int) -> dict[str, Usage]:
    """Return how much each device was used whose states are recorded, by name."""
    return {name: device(record, name, t) for name in record.tracks.named("states")}


def device(record: Record, name: str, t: int) -> Usage:
    """Return how much a device was used, from its true states, whatever its signals showed."""
    by_state = record.tracks.track("states", name).by_value()
    spent = sum(spans.total(t) for state, spans in by_state.items() if state not in _NO_USE)
    working, broken = by_state.get("working"), by_state.get("broken")
    done = 0 if working is None else working.over(t)
    # Work also ends when a device breaks, and is resumed later: each time, one cycle was not completed.
    failed = 0 if broken is None else broken.entered(t)
    return Usage(seconds(spent), spent / t if t else 0.0, done - failed)


def failures(record: Record, name: str, t: int) -> tuple[int, float]:
    """Return how often a device broke, and for how many seconds it was broken in total."""
    broken = record.tracks.track("states", name).spans("broken")
    return broken.entered(t), seconds(broken.total(t))


def robots(record: Record, t: int) -> dict[str, Usage]:
    """Return how long each robot moved, and how many moves it began, by name."""
    return {name: robot(record, name, t) for name in record.tracks.named("moves")}


def robot(record: Record, name: str, t: int) -> Usage:
    """Return how long a robot moved, and how many moves it began."""
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
    """Return how busy a device or a robot was over time: the length of equal stretches in seconds, and the fraction of
    each in which it was used."""
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


# ---------------------------------------------------------------- waits


def waits(record: Record, t: int) -> dict[str, Wait]:
    """Return the longest wait of each program that waited, by name: how long, for what, and where."""
    found: dict[str, Wait] = {}
    for name, track in record.tracks.named("waits").items():
        wait = _longest(name, track, t, name in record.tracks.daemons)
        if wait is not None:
            found[name] = wait
    return found


def waiting(record: Record, t: int) -> list[Wait]:
    """Return the programs that wait at an instant, and how long each has waited by then."""
    found = []
    for name, track in record.tracks.named("waits").items():
        at = track.at(t)
        if at is not None:
            since = track.spans(at).going_on(t)
            taken = seconds(0 if since is None else t - since)
            found.append(Wait(name, taken, at.condition, at.file, at.line, False, name in record.tracks.daemons))
    return found


def wait_lines(record: Record, t: int) -> list[WaitLine]:
    """Return where programs waited, the longest total first; a wait that goes on counts up to now."""
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


def _longest(name: str, track: "Track[Awaited | None]", t: int, daemon: bool) -> Wait | None:
    best: tuple[int, int, Awaited, bool] | None = None  # less its length, its start, what for, whether it is over
    for place, spans in track.by_value().items():
        if place is None:
            continue
        at, since, (span, start) = cast(Awaited, place), spans.going_on(t), spans.longest(t)
        candidates = []
        if span:
            candidates.append((-span, start, at, True))
        if since is not None and since < t:
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


# ---------------------------------------------------------------- encounters


def collisions(record: Record, t: int) -> tuple[Collision, ...]:
    """Return all collisions in the order of time. ``depth`` and ``end`` are those of the whole collision, as far as it
    is known."""
    return record.encounters("collisions", t)


def near_misses(record: Record, t: int) -> tuple[NearMiss, ...]:
    """Return all near misses in the order of time; one counts when it is over."""
    return record.encounters("near misses", t)


def clearance(record: Record, t: int) -> NearMiss | None:
    """Return the closest near miss; None if there was none."""
    return min(near_misses(record, t), key=lambda miss: miss.distance, default=None)
