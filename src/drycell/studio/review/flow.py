"""The flow of parts as it was at any instant of a run, from its journal and its bodies.

What the ledger of a cell knows of the present, this knows of every past instant as well, and of recordings, which have
no ledger.
"""

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import Literal

from drycell.kernel import JournalLine, seconds
from drycell.world import Body
from drycell.world.ledger import Machining, PartRecord, Parts

Step = Literal["stored", "unstored", "sunk", "lost", "falls", "rests"]
_STEPS: dict[str, Step] = {
    "stores": "stored",
    "unstores": "unstored",
    "sinks": "sunk",
    "lost": "lost",
    "falls": "falls",
    "rests": "rests",
}
_time = itemgetter(0)


@dataclass
class _Part:
    """What the journal says of one part."""

    kind: str = ""
    source: str = ""
    arrived: int | None = None
    machined: list[tuple[int, str]] = field(default_factory=list)
    steps: list[tuple[int, Step, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Cycle:
    """A finished part: when, in seconds, which, where it went, and how long after the one before (None: the first)."""

    time: float
    part: str
    where: str
    span: float | None


@dataclass(frozen=True)
class Strike:
    """A fault that began, ended or struck a single sample, as the journal tells it."""

    time: int
    signal: str
    fault: str
    state: str


class Flow:
    """Reads a journal as it grows. ``bodies`` are all that ever were in the cell.

    ``tail`` gives the records that are written, but not yet final: others may still come between them, of crashes,
    which parts and faults do not depend on.
    """

    def __init__(
        self, journal: Sequence[JournalLine], bodies: Sequence[Body], tail: Callable[[], Sequence[JournalLine]] = tuple
    ) -> None:
        self._journal, self._bodies, self._tail = journal, bodies, tail
        self._parts: dict[str, _Part] = {}
        self._body: dict[str, list[Body]] = {}
        self._read = self._seen = 0
        self._early: dict[int, JournalLine] = {}  # what was read before it was final, by identity
        self._moves: dict[str, list[int]] = {}
        self._strikes: list[Strike] = []
        self.kept = False
        """Whether parts are known to come from or go to somewhere."""

    def parts(self, t: int, lost: Container[str] = ()) -> Parts:
        """All parts at an instant, as the ledger of the cell would have told them then.

        ``lost`` are parts that fall with nothing below them, which the journal tells only when they are out of sight.
        """
        self._catch_up()
        records = [
            record
            for name, bodies in self._body.items()
            for body in bodies
            if (record := self._record(name, body, t, lost)) is not None
        ]
        return Parts(tuple(sorted(records, key=lambda each: each.arrived)), self.kept)

    def moves(self, t: int) -> dict[str, int]:
        """How many moves each robot had begun at an instant."""
        self._catch_up()
        return {name: bisect_right(times, t) for name, times in self._moves.items()}

    def strikes(self, t: int) -> list[Strike]:
        """What the faults of signals did up to an instant."""
        self._catch_up()
        return self._strikes[: bisect_right(self._strikes, t, key=lambda each: each.time)]

    def falling(self, t: int) -> frozenset[str]:
        """The parts that are in the air at an instant, let go and not yet landed."""
        self._catch_up()
        found = set()
        for name, part in self._parts.items():
            past = [step for _, step, _ in _until(part.steps, t) if step in ("falls", "rests", "lost", "sunk")]
            if past and past[-1] == "falls" and not self._caught(name, part, t):
                found.add(name)
        return frozenset(found)

    def _caught(self, name: str, part: _Part, t: int) -> bool:
        """Whether a part that fell was taken hold of before it landed."""
        fell = max(time for time, step, _ in _until(part.steps, t) if step == "falls")
        body = self._body[name][-1] if name in self._body else None
        return body is None or any(segment.start > fell for segment in body.segments(fell, t))

    def _record(self, name: str, body: Body, t: int, lost: Container[str]) -> PartRecord | None:
        part = self._parts.get(name) or _Part()
        arrived = max(body.born, 0) if part.arrived is None else part.arrived
        if arrived > t:
            return None
        end: Literal["stored", "sunk", "inside", "lost"] = "inside"
        where, time = "", t
        for when, step, place in _until(part.steps, t):
            if not body.born <= when <= body.gone:
                continue  # of another body that had its name
            if step in ("stored", "sunk"):
                end, where, time = "stored" if step == "stored" else "sunk", place, when
            elif step == "unstored":
                end, where, time = "inside", "", t
        if end != "sunk" and (body.gone <= t or name in lost):
            end, where, time = "lost", "", min(body.gone, t)
        elif end == "inside":
            parent = body.segment(t).parent
            where = "" if parent is None else parent.name
        machined = tuple(Machining(by, seconds(when)) for when, by in _until(part.machined, t))
        kind = part.kind or name.rstrip("0123456789")
        return PartRecord(name, kind, part.source, seconds(arrived), machined, end, where, seconds(time))

    def _catch_up(self) -> None:
        for body in self._bodies[self._seen :]:
            if body.part:
                self._body.setdefault(body.name, []).append(body)
        self._seen = len(self._bodies)
        for record in self._journal[self._read :]:
            if self._early.pop(id(record), None) is None:
                self._enter(record)
        self._read = len(self._journal)
        for record in self._tail():
            if id(record) not in self._early:
                self._early[id(record)] = record
                self._enter(record)

    def _enter(self, record: JournalLine) -> None:
        kind, fields = record.kind, record.fields
        if kind == "arrives":
            self.kept = True
            part = self._part(record.subject)
            part.kind, part.source, part.arrived = str(fields.get("of", "")), str(fields.get("source", "")), record.time
        elif kind == "machined" and isinstance(fields.get("part"), str):
            self._part(str(fields["part"])).machined.append((record.time, record.subject))
        elif kind == "move":
            self._moves.setdefault(record.subject, []).append(record.time)
        elif kind == "fault":
            fault, state = (str(fields.get(name, "")) for name in ("fault", "state"))
            self._strikes.append(Strike(record.time, record.subject, fault, state))
        elif kind in _STEPS:
            step = _STEPS[kind]
            self.kept = self.kept or step in ("stored", "unstored", "sunk")
            place = fields.get("into", fields.get("store", fields.get("on", "")))
            self._part(record.subject).steps.append((record.time, step, str(place)))

    def _part(self, name: str) -> _Part:
        return self._parts.setdefault(name, _Part())


def cycles(parts: Parts) -> list[Cycle]:
    """The finished parts in the order of their end, each with the time since the one before."""
    done = sorted((each for each in parts.records if each.end in ("stored", "sunk")), key=lambda each: each.time)
    if not done:
        return []
    first = Cycle(done[0].time, done[0].name, done[0].where, None)
    return [first, *(Cycle(b.time, b.name, b.where, b.time - a.time) for a, b in pairwise(done))]


def places(parts: Parts) -> dict[str, list[PartRecord]]:
    """What lies in each store and went into each sink, in the order it came."""
    found: dict[str, list[PartRecord]] = {}
    for each in sorted(parts.records, key=lambda each: each.time):
        if each.end in ("stored", "sunk"):
            found.setdefault(each.where, []).append(each)
    return found


def histogram(spans: Iterable[float], most: int = 12) -> list[tuple[float, float, int]]:
    """How many times are from each step to the next: steps of 1, 2 or 5 times a power of ten, so many at most."""
    values = sorted(spans)
    if not values:
        return []
    step = 1e-6
    for step in (digit * 10.0**power for power in range(-6, 7) for digit in (1, 2, 5)):
        if values[-1] // step - values[0] // step < most:
            break
    low, high = int(values[0] // step), int(values[-1] // step)
    counts = [0] * (high - low + 1)
    for value in values:
        counts[int(value // step) - low] += 1
    return [((low + index) * step, (low + index + 1) * step, count) for index, count in enumerate(counts)]


def _until(rows: Sequence[tuple], t: int) -> Sequence[tuple]:  # type: ignore[type-arg]  # rows that begin with a time
    return rows[: bisect_right(rows, t, key=_time)]
