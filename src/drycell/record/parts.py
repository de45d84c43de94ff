"""The flow of parts at any time: how many arrived, their fates, and when each was finished."""

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

from drycell.base import UnknownName
from drycell.kernel import Track, seconds
from drycell.world import PartStep

End = Literal["stored", "sunk", "inside", "lost"]
_ENDS: dict[str, End] = {
    "arrives": "inside",
    "stored": "stored",
    "unstored": "inside",
    "sunk": "sunk",
    "lost": "lost",
    "gone": "lost",
    "found": "inside",
}
FINISHED: Final = ("stored", "sunk")
"""What happens to a part when it is finished."""


@dataclass(frozen=True, slots=True)
class Machining:
    """Work done on a part: by which machine, and when it was done, in seconds."""

    by: str
    time: float


@dataclass(frozen=True, slots=True)
class PartRecord:
    """One part: where and when it arrived, the work done on it, and how, when and where it ended. ``end`` is
    ``stored``, ``sunk`` (taken out by a sink), ``lost`` or ``inside``. For ``inside``, ``time`` is the time of the
    query and ``where`` is the thing that carries the part.
    """

    name: str
    kind: str
    source: str
    arrived: float
    machined: tuple[Machining, ...]
    end: End
    where: str
    time: float


@dataclass(frozen=True, slots=True)
class PartFinish:
    """A finished part: its time, name and destination, and the time since the previous one (None for the first)."""

    time: float
    part: str
    where: str
    span: float | None


@dataclass(frozen=True, slots=True)
class PartPlace:
    """A store or a sink: its number of parts, in total and by kind, and the first and last arrival in seconds."""

    name: str
    end: End
    count: int
    kinds: dict[str, int]
    first: float
    last: float


@dataclass(frozen=True)
class Parts:
    """All parts at a time of a run: arrived = stored + sunk + inside + lost."""

    arrived: int
    machined: int
    stored: int
    sunk: int
    lost: int
    kept: bool
    """Whether the cell has sources, sinks or stores of parts."""
    _flow: "Flow"
    _t: int

    @property
    def inside(self) -> int:
        """How many parts are in the cell, but not in a store."""
        return self.arrived - self.stored - self.sunk - self.lost

    @cached_property
    def records(self) -> tuple[PartRecord, ...]:
        """The fate of each part, in order of arrival."""
        return self.last(self.arrived)

    def last(self, count: int) -> tuple[PartRecord, ...]:
        """Return the fates of the last ``count`` parts that arrived."""
        return tuple(self._flow.part(n, self._t) for n in range(max(self.arrived - count, 0), self.arrived))

    def finished(self, count: int | None = None) -> list[PartFinish]:
        """Return the finished parts in the order in which they were finished, or only the last ``count``."""
        return self._flow.finished(self._t, count)

    def places(self) -> list[PartPlace]:
        """The stores and sinks that parts reached, in order of their first part."""
        return self._flow.places(self._t)

    def __getitem__(self, name: str) -> PartRecord:
        found = [number for number in self._flow.numbers(name) if number < self.arrived]
        if not found:
            raise UnknownName("part", name, [each.name for each in self.records])
        return self._flow.part(found[-1], self._t)


@dataclass(frozen=True, slots=True)
class Cycle:
    """The time between parts that reach a store or a sink: mean, shortest and longest, in seconds."""

    mean: float
    shortest: float
    longest: float
    count: int
    """The number of times: one less than the number of parts."""


class _Finishes:
    """When parts were finished, with the shortest and longest time between them so far."""

    def __init__(self) -> None:
        self.times, self.parts = array("q"), array("q")
        self.places: list[str] = []
        self.shortest, self.longest = array("q"), array("q")

    def add(self, t: int, part: int, place: str) -> None:
        if self.times:
            span = t - self.times[-1]
            self.shortest.append(min(self.shortest[-1], span) if self.shortest else span)
            self.longest.append(max(self.longest[-1], span) if self.longest else span)
        self.times.append(t)
        self.parts.append(part)
        self.places.append(place)

    def cycle(self, count: int) -> Cycle | None:
        spans = count - 1
        if spans < 1:
            return None
        mean = (self.times[spans] - self.times[0]) / spans / 1e6
        return Cycle(mean, seconds(self.shortest[spans - 1]), seconds(self.longest[spans - 1]), spans)


class _Place:
    """When parts reached a place, and the number of each kind there after each arrival or removal."""

    def __init__(self, end: End) -> None:
        self.end: End = end
        self.came = array("q")
        self.kinds: dict[str, tuple[array[int], array[int]]] = {}

    def add(self, t: int, kind: str, count: int) -> None:
        times, counts = self.kinds.setdefault(kind, (array("q"), array("q", [0])))
        times.append(t)
        counts.append(counts[-1] + count)
        if count > 0:
            self.came.append(t)

    def at(self, name: str, t: int) -> PartPlace | None:
        came = bisect_right(self.came, t)
        if not came:
            return None
        kinds = {kind: counts[bisect_right(times, t)] for kind, (times, counts) in self.kinds.items()}
        kinds = {kind: count for kind, count in kinds.items() if count}
        return PartPlace(
            name, self.end, sum(kinds.values()), kinds, seconds(self.came[0]), seconds(self.came[came - 1])
        )


class Flow:
    """Reads the track of parts as it grows; each row is counted once."""

    def __init__(self, track: Track[PartStep]) -> None:
        self._track = track
        self._read = 0
        # Totals after each row: arrived, machined, stored, sunk and lost.
        self._counts = [array("q", [0]) for _ in range(5)]
        self._rows: list[array[int]] = []  # row numbers of each part
        self._named: dict[str, list[int]] = {}
        self._state: list[End] = []
        self._first: list[PartStep] = []  # arrival of each part
        self._lies: dict[int, str] = {}  # locations of finished parts
        self._places: dict[str, _Place] = {}
        self._machined: set[int] = set()
        self._ended: dict[int, tuple[int, PartRecord]] = {}  # the fates of parts, with the number of rows read so far
        self._finishes = _Finishes()
        self._revoked: int | None = None  # when a finished part was first taken out of a store again, or lost
        self._redone: tuple[int, _Finishes] = (-1, self._finishes)

    def read(self) -> None:
        """Read the new rows."""
        for row in range(self._read, len(self._track)):
            self._count(row, self._track.times[row], self._track.values[row])
        self._read = len(self._track)

    def numbers(self, name: str) -> list[int]:
        """Return the numbers of all parts that had a given name, in order."""
        return self._named.get(name, [])

    def parts(self, t: int, kept: bool) -> Parts:
        """Return all parts at a time."""
        row = self._track.count(t)
        arrived, machined, stored, sunk, lost = (column[row] for column in self._counts)
        return Parts(arrived, machined, stored, sunk, lost, kept, self, t)

    def cycle(self, t: int) -> Cycle | None:
        """Return the time between finished parts up to a time; None before the second of them."""
        finishes = self._finished(t)
        return finishes.cycle(bisect_right(finishes.times, t))

    def finished(self, t: int, last: int | None = None) -> list[PartFinish]:
        """Return the parts that are finished at a time, in order of finishing, or only the last ``count``."""
        finishes = self._finished(t)
        count = bisect_right(finishes.times, t)
        found = []
        for place in range(0 if last is None else max(count - last, 0), count):
            name = self._first[finishes.parts[place]].name
            span = None if place == 0 else seconds(finishes.times[place] - finishes.times[place - 1])
            found.append(PartFinish(seconds(finishes.times[place]), name, finishes.places[place], span))
        return found

    def places(self, t: int) -> list[PartPlace]:
        """Return the stores and sinks that parts had reached at a time, in order of their first part."""
        found = (place.at(name, t) for name, place in self._places.items())
        return [place for place in found if place is not None]

    def spans(self, t: int) -> list[int]:
        """Return all times between finished parts, in ticks."""
        return [span for _, span in self.intervals(t)]

    def intervals(self, t: int) -> list[tuple[int, int]]:
        """Return the end and the length of each time between finished parts, in ticks."""
        finishes = self._finished(t)
        count = bisect_right(finishes.times, t)
        return [(later, later - earlier) for earlier, later in pairwise(finishes.times[:count])]

    def part(self, number: int, t: int) -> PartRecord:
        """Return the fate of a part up to a time."""
        times, steps = self._track.times, self._track.values
        rows = self._rows[number]
        known = self._ended.get(number)
        if known is not None and known[0] == len(rows) and times[rows[-1]] <= t:
            return known[1]
        first = steps[rows[0]]
        end: End = "inside"
        carried, where, time = "", "", t
        machined: list[Machining] = []
        for row in rows:
            if times[row] > t:
                break
            step = steps[row]
            if step.step == "machined":
                machined.append(Machining(step.place, seconds(times[row])))
            elif step.step == "carried":
                carried = step.place
            elif end != "sunk" or step.step == "arrives":
                end, where, time = _ENDS[step.step], step.place, times[row]
        if end == "inside":
            where, time = carried, t
        found = PartRecord(
            first.name, first.kind, first.place, seconds(times[rows[0]]), tuple(machined), end, where, seconds(time)
        )
        if end != "inside" and times[rows[-1]] <= t:
            self._ended[number] = (len(rows), found)
        return found

    def _count(self, row: int, t: int, step: PartStep) -> None:
        counts = [column[-1] for column in self._counts]
        if step.step == "arrives":
            counts[0] += 1
            self._rows.append(array("q"))
            self._state.append("inside")
            self._first.append(step)
            self._named.setdefault(step.name, []).append(step.part)
        elif step.step == "machined":
            if step.part not in self._machined:
                self._machined.add(step.part)
                counts[1] += 1
        elif step.step != "carried":
            self._become(t, step, counts)
        self._rows[step.part].append(row)
        for column, count in zip(self._counts, counts, strict=True):
            column.append(count)

    def _become(self, t: int, step: PartStep, counts: list[int]) -> None:
        before, after = self._state[step.part], _ENDS[step.step]
        places = {"stored": 2, "sunk": 3, "lost": 4}
        if before == "sunk" or (before == after and before not in FINISHED):
            return
        if before in places:
            counts[places[before]] -= 1
        if after in places:
            counts[places[after]] += 1
        kind = self._first[step.part].kind
        if before in FINISHED:
            self._places[self._lies.pop(step.part)].add(t, kind, -1)
            if self._revoked is None:
                self._revoked = t
        if after in FINISHED:
            self._finishes.add(t, step.part, step.place)
            self._lies[step.part] = step.place
            self._places.setdefault(step.place, _Place(after)).add(t, kind, 1)
        self._state[step.part] = after

    def _finished(self, t: int) -> _Finishes:
        """The finishes that are valid at a time: a part that was taken out of a store again is no longer finished."""
        if self._revoked is None or t < self._revoked:
            return self._finishes
        row = self._track.count(t)
        if self._redone[0] != row:
            found = _Finishes()
            ends = sorted(
                (*last, number)
                for number in range(self._counts[0][row])
                if (last := self._finished_at(number, row)) is not None
            )
            for time, place, number in ends:
                found.add(time, number, self._track.values[place].place)
            self._redone = (row, found)
        return self._redone[1]

    def _finished_at(self, number: int, before: int) -> tuple[int, int] | None:
        """When a part was finished, and the corresponding row, considering only the rows before a given number."""
        found: tuple[int, int] | None = None
        for row in self._rows[number]:
            if row >= before:
                break
            step = self._track.values[row].step
            if step in _ENDS:
                found = (self._track.times[row], row) if step in FINISHED else None
        return found
