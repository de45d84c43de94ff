"""Comparing two recordings: the first difference between two runs, in words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest
from typing import Literal, TypeVar

from drycell.base import Pose
from drycell.kernel import JournalLine, clock_text
from drycell.recording.recording import Recording
from drycell.recording.world import kinematics_data
from drycell.world import Along, Fall, JointTrajectory, LinkMotion, LiveBody, Sampled, Segment, Travel

Kind = Literal["run", "body", "workpoint", "linkage", "motion", "joints", "signal", "record", "journal", "ending"]
T = TypeVar("T")
Fact = tuple[str, object]  # the subject, and the value

_AXES = ("x", "y", "z")
_PLACES = {3: "x in m", 7: "y in m", 11: "z in m"}


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two runs: the time (ticks; None for the initial state), the subject, and both values."""

    time: int | None
    kind: Kind
    subject: str
    what: str
    recorded: str
    replayed: str

    def __str__(self) -> str:
        when = "from the start" if self.time is None else f"at {clock_text(self.time)} s"
        return (
            f"{when}, {self.kind} {self.subject!r}: {self.what}\n"
            f"  recorded: {self.recorded}\n"
            f"  replayed: {self.replayed}"
        )


def compare(recorded: Recording, replayed: Recording, tolerance: float = 0.0) -> Difference | None:
    """Return the earliest difference between two recordings, or None.

    Numbers in motions and signals may differ by ``tolerance``. 0 means bit for bit, which only works on one machine: on
    other processors the last bits differ. 1e-9 is the resolution of the journal. Versions and source files are not
    compared: they are in the header.
    """
    for what, one, other in (
        ("cell", recorded.header.cell, replayed.header.cell),
        ("seed", recorded.header.seed, replayed.header.seed),
    ):
        if one != other:
            return Difference(None, "run", recorded.header.cell, what, str(one), str(other))
    found = [each for part in _PARTS for each in part(recorded, replayed, tolerance)]
    # Ties follow the order of _PARTS: motions cause sensor readings, and these cause journal lines.
    return min(found, key=lambda each: -1 if each.time is None else each.time, default=None)


def _bodies(recorded: Recording, replayed: Recording, tolerance: float) -> Iterator[Difference]:
    ones, others = _named(recorded.bodies), _named(replayed.bodies)
    for name in dict.fromkeys([*ones, *others]):
        for one, other in zip_longest(ones.get(name, []), others.get(name, [])):
            if one is None or other is None:
                there = one or other
                yield Difference(
                    _time(there.born), "body", name, "is only in one of the runs", *_sides(one, other, "there")
                )
                continue
            found = _first(_body_facts(one), _body_facts(other), 0.0)
            if found is not None:
                yield Difference(_time(min(one.born, other.born)), "body", name, *found)
            yield from _pairs(
                "motion", name, one.history.values, other.history.values, _segment_time, _segment_facts, tolerance
            )
            if one.gone != other.gone:
                yield Difference(
                    min(one.gone, other.gone),
                    "body",
                    name,
                    "leaves the cell",
                    f"at {one.gone} µs",
                    f"at {other.gone} µs",
                )


def _linkages(recorded: Recording, replayed: Recording, tolerance: float) -> Iterator[Difference]:
    ones, others = recorded.linkages, replayed.linkages
    for name in dict.fromkeys([*ones, *others]):
        one, other = ones.get(name), others.get(name)
        if one is None or other is None:
            yield Difference(None, "linkage", name, "is only in one of the runs", *_sides(one, other, "there"))
            continue
        if kinematics_data(one) != kinematics_data(other):
            yield Difference(None, "linkage", name, "is a different mechanism", one.base.name, other.base.name)
        yield from _pairs(
            "joints",
            name,
            one.history.values,
            other.history.values,
            lambda each: each.start,
            _trajectory_facts,
            tolerance,
            lambda one, other: one.start == other.start and one.content == other.content,
        )


def _workpoints(recorded: Recording, replayed: Recording, tolerance: float) -> Iterator[Difference]:
    ones, others = recorded.world.workpoints, replayed.world.workpoints
    for name in dict.fromkeys([*ones, *others]):
        one, other = ones.get(name), others.get(name)
        if one is None or other is None:
            yield Difference(None, "workpoint", name, "is only in one of the runs", *_sides(one, other, "there"))
        elif (one.body and one.body.name, one.local) != (other.body and other.body.name, other.local):
            yield Difference(
                None, "workpoint", name, "is elsewhere", f"{one.local} on {one.body}", f"{other.local} on {other.body}"
            )


def _signals(recorded: Recording, replayed: Recording, tolerance: float) -> Iterator[Difference]:
    ones, others = recorded.signals, replayed.signals
    for name in dict.fromkeys([*ones, *others]):
        one, other = ones.get(name), others.get(name)
        if one is None or other is None:
            there = one or other
            time = there.times[0] if there else None
            yield Difference(time, "signal", name, "is only in one of the runs", *_sides(one, other, "there"))
            continue
        yield from _pairs(
            "signal",
            name,
            one,
            other,
            lambda change: change[0],
            lambda change: (("time in µs", change[0]), ("value", change[1]), ("writer", change[2])),
            tolerance,
        )


def _tracks(recorded: Recording, replayed: Recording, tolerance: float) -> Iterator[Difference]:
    for table in dict.fromkeys([*recorded.tracks.tables, *replayed.tracks.tables]):
        ones, others = recorded.tracks.named(table), replayed.tracks.named(table)
        for name in dict.fromkeys([*ones, *others]):
            one, other = ones.get(name), others.get(name)
            if one is None or other is None:
                yield Difference(
                    None, "record", name or table, f"has {table} only in one of the runs", *_sides(one, other, "yes")
                )
                continue
            yield from _pairs(
                "record",
                name or table,
                list(zip(one.times, one.values, strict=True)),
                list(zip(other.times, other.values, strict=True)),
                lambda row: row[0],
                _row_facts,
                tolerance,
                lambda one, other: one == other,
            )


def _journal(recorded: Recording, replayed: Recording, tolerance: float) -> Iterator[Difference]:
    for number, (one, other) in enumerate(zip_longest(recorded.journal(), replayed.journal()), 1):
        if one != other:
            there = one or other
            time = min(each.time for each in (one, other) if each is not None)
            subject = there.subject if there is not None else ""
            yield Difference(time, "journal", subject, f"line {number}", _line(one), _line(other))
            return


def _ending(recorded: Recording, replayed: Recording, tolerance: float) -> Iterator[Difference]:
    one, other = recorded.header, replayed.header
    for what, first, second in (
        ("duration in µs", one.duration, other.duration),
        ("outcome", one.outcome, other.outcome),
    ):
        if first != second:
            yield Difference(min(one.duration, other.duration), "ending", one.cell, what, str(first), str(second))
            return


_PARTS = (_bodies, _linkages, _workpoints, _signals, _tracks, _journal, _ending)


def _pairs(
    kind: Kind,
    subject: str,
    ones: Sequence[T],
    others: Sequence[T],
    time: Callable[[T], int],
    facts: Callable[[T], Iterable[Fact]],
    tolerance: float,
    same: Callable[[T, T], bool] = lambda one, other: False,
) -> Iterator[Difference]:
    """The first pair that differs, if any; ``same`` is a quick test of equality."""
    for one, other in zip_longest(ones, others):
        if one is None or other is None:
            last = one if one is not None else other
            if last is not None:
                text = ", ".join(f"{name} {value}" for name, value in list(facts(last))[:4])
                sides = (text, "nothing more") if other is None else ("nothing more", text)
                yield Difference(_time(time(last)), kind, subject, "continues only in one of the runs", *sides)
            return
        found = None if same(one, other) else _first(facts(one), facts(other), tolerance)
        if found is not None:
            yield Difference(_time(min(time(one), time(other))), kind, subject, *found)
            return


def _first(ones: Iterable[Fact], others: Iterable[Fact], tolerance: float) -> tuple[str, str, str] | None:
    for one, other in zip_longest(ones, others, fillvalue=("", "nothing")):
        if one != other and not _near(one[1], other[1], tolerance):
            return (one[0] or other[0], str(one[1]), str(other[1]))
    return None


def _near(one: object, other: object, tolerance: float) -> bool:
    if not isinstance(one, float) or not isinstance(other, float):
        return False
    return abs(one - other) <= tolerance or (one != one and other != other)  # NaN counts as equal to NaN


def _named(bodies: Iterable[LiveBody]) -> dict[str, list[LiveBody]]:
    named: dict[str, list[LiveBody]] = {}
    for body in bodies:
        named.setdefault(body.name, []).append(body)
    return named


def _time(ticks: int) -> int | None:
    return ticks if ticks >= 0 else None


def _segment_time(segment: Segment) -> int:
    return segment.start


def _sides(one: object, other: object, text: str) -> tuple[str, str]:
    return (text if one is not None else "not there", text if other is not None else "not there")


def _line(record: JournalLine | None) -> str:
    return "the journal has ended" if record is None else record.text().strip()


# ---------------------------------------------------------------- facts to compare


def _body_facts(body: LiveBody) -> Iterator[Fact]:
    """The identity of a body."""
    yield "born at, in µs", body.born
    yield "shape", None if body.shape is None else body.shape.key
    yield "material", body.material
    yield "part", body.part
    yield "hole", body.hole


def _segment_facts(segment: Segment) -> Iterator[Fact]:
    """The motion of a body from a given time."""
    motion = segment.motion
    yield "start in µs", segment.start
    yield "attached to", "the world" if segment.parent is None else segment.parent.name
    yield "motion", type(motion).__name__
    if isinstance(motion, LinkMotion):
        yield "moves with", f"{motion.linkage.name}, link {motion.index}"
    elif isinstance(motion, Sampled):
        yield "number of samples", len(motion.times)
        for place, (time, pose) in enumerate(zip(motion.times, motion.poses, strict=True)):
            yield f"time of sample {place} in µs", time
            yield from _pose_facts(pose, f" of sample {place}")
    elif isinstance(motion, Along):
        yield "motion's start in µs", motion.start
        yield "motion's end in µs", motion.end
        yield "place on its path in m", motion.place
        yield "speed in m/s", motion.speed
        yield from _pose_facts(motion.path.pose(motion.place) @ motion.offset, "")
    elif isinstance(motion, Travel | Fall):
        yield "motion's start in µs", motion.start
        yield "motion's end in µs", motion.end
        yield from _pose_facts(motion.first, "")
        for axis, value in zip(_AXES, motion.velocity, strict=True):
            yield f"velocity {axis} in m/s", value
        if isinstance(motion, Fall):
            for axis, value in zip(_AXES, motion.gravity, strict=True):
                yield f"gravity {axis} in m/s²", value
    else:
        yield from _pose_facts(motion.pose(segment.start), "")


def _trajectory_facts(trajectory: JointTrajectory) -> Iterator[Fact]:
    """The motion of the joints."""
    yield "start in µs", trajectory.start
    yield "number of pieces", len(trajectory.breaks) - 1
    for place, value in enumerate(trajectory.breaks.tolist()):
        yield f"break {place} in s", value
    for piece, powers in enumerate(trajectory.coefficients.tolist()):
        for power, joints in enumerate(powers):
            for joint, value in enumerate(joints):
                yield f"coefficient {power} of joint {joint} in piece {piece}", value
    yield "end in µs", trajectory.end


def _row_facts(row: tuple[int, object]) -> Iterator[Fact]:
    """A row of a track: its time and the fields of its value."""
    yield "time in µs", row[0]
    value = row[1]
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield each.name.replace("_", " "), getattr(value, each.name)
    elif isinstance(value, tuple):
        for name, each in zip(getattr(value, "_fields", ("value",) * len(value)), value, strict=True):
            yield str(name), each
    else:
        yield "value", value


def _pose_facts(pose: Pose, of: str) -> Iterator[Fact]:
    for place, value in enumerate(pose.rows):
        yield _PLACES.get(place, f"rotation, entry {place}") + of, value
