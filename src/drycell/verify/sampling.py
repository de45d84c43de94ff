"""Values between the limits of intervals, for runs whose course depends on more than the order of events.

Once bodies move or a program reads the clock, the length of a delay can matter in ways that no footprint shows. The
search then samples. A run is given by a *point*: a fraction of its interval for every draw. The search alternates
between two kinds of points:

- *Scattered* points: in 128 runs, every draw uses each of 128 equal parts of its interval once.
- Points on *lines*: one draw varies, and the others stay as they were in a run. Between two neighbouring points whose
runs took different courses, the line is halved repeatedly, down to the tick. This finds a course between them even if
its part of the line is short. Each new course starts its own lines.

The *course* of a run is the order in which owners touched each signal, and the values written.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Final

from drycell.kernel import Kernel, Pending, RecordingChooser, Step, point, points
from drycell.verify.intervals import Identity

PARTS: Final = 128
"""The number of equal parts of an interval over which scattered points are spread."""
SCATTERED: Final = 2 * PARTS
"""The number of scattered points."""
MOST: Final = 1000
"""The number of runs after which sampling ends, even if lines remain."""
_ALIKE: Final = 0.125
"""The weight of a segment whose ends took equal courses, relative to a segment whose ends took different courses."""
_LATER: Final = 0.5
"""The weight of a line relative to the line on which its course was found."""
_COARSE: Final = 1 / 16
"""On lines of later courses, segments with the same course at both ends are halved down to this length."""


@dataclass(frozen=True, slots=True)
class Point:
    """Fractions of intervals, by draw. Other draws, and ties, follow ``scatter``: None means the lower limit and the
    usual order."""

    fractions: Mapping[Identity, float] = field(default_factory=dict)
    scatter: int | None = None

    def fraction(self, draw: Identity) -> float:
        """Return the fraction for a draw."""
        known = self.fractions.get(draw)
        if known is not None:
            return known
        if self.scatter is None:
            return 0.0
        block, place = divmod(self.scatter, PARTS)
        random = Random(f"{draw} {block}")
        parts = list(range(PARTS))
        random.shuffle(parts)
        return (parts[place] + Random(f"{draw} {self.scatter}").random()) / PARTS

    def rank(self, owner: str) -> float:
        """Return the rank of an owner of events in ties; the highest comes first."""
        return 0.0 if self.scatter is None else Random(f"{owner} {self.scatter}").random()

    def option(self, draw: Identity, options: int) -> int:
        """Return the option for a declared choice."""
        return 0 if self.scatter is None else Random(f"{draw} {self.scatter}").randrange(options)


class PointChooser(RecordingChooser):
    """Runs a cell at a point, and records the course of the run."""

    def __init__(self, place: Point) -> None:
        super().__init__()
        self.place = place
        self.drawn: dict[Identity, int] = {}
        """The number of possible values of each interval used."""
        self._asked: dict[str, int] = {}
        self._ranks: dict[str, float] = {}
        self._kernel: Kernel | None = None
        self._accesses: dict[str, list[object]] = {}
        self._readers: dict[str, set[str]] = {}
        self._answer = 0

    def bind(self, kernel: Kernel) -> None:
        """Use this kernel in the next run; the cell has been built."""
        self._kernel = kernel

    @property
    def course(self) -> bytes:
        """A digest of the course of the run so far."""
        digest = blake2b(digest_size=16)
        for name in sorted({*self._accesses, *self._readers}):
            readers = sorted(self._readers.get(name, ()))
            digest.update(repr((name, self._accesses.get(name), readers)).encode())
        return digest.digest()

    # -- as a chooser

    def answer(self, count: int) -> int:
        return self._answer

    def pick(self, pending: Sequence[Pending]) -> int:
        self._answer = 0
        if len(pending) > 1 and self.place.scatter is not None:
            self._answer = max(range(len(pending)), key=lambda index: self._rank(pending[index].owner))
        return super().pick(pending)

    def value(self, name: str, count: int) -> int:
        self._answer = self.place.option(self._next(name), count)
        return super().value(name, count)

    def interval(self, name: str, low: float, high: float) -> float:
        draw, most = self._next(name), points(low, high)
        if most == 1:
            return low
        self.drawn[draw] = most
        fraction = self.place.fraction(draw)
        inner = round(fraction * (most - 1)) + 1
        self._answer = 0 if inner < 2 else 1 if inner >= most else inner
        return point(low, high, self._of(most))

    def after(self, step: Step) -> None:
        owner = step.event.owner
        signals = {} if self._kernel is None else self._kernel.signals
        for name, written in step.footprint.items():
            if name not in signals and not name.startswith("variable:"):
                continue
            if not written:
                self._readers.setdefault(name, set()).add(owner)
                continue
            value = signals[name].peek() if name in signals else None
            kept = value if isinstance(value, (bool, int, str)) else None
            readers = sorted(self._readers.pop(name, ()))
            self._accesses.setdefault(name, []).append((readers, owner, kept))

    def _next(self, name: str) -> Identity:
        asked = self._asked[name] = self._asked.get(name, 0) + 1
        return name, asked

    def _rank(self, owner: str) -> float:
        if owner not in self._ranks:
            self._ranks[owner] = self.place.rank(owner)
        return self._ranks[owner]


@dataclass(frozen=True, slots=True)
class DrawLine:
    """The points that differ from one point in a single draw."""

    origin: Point
    draw: Identity
    tick: float
    weight: float

    def at(self, fraction: float) -> Point:
        """Return a point of the line."""
        return Point({**self.origin.fractions, self.draw: fraction}, self.origin.scatter)


End = tuple[float, bytes]
"""A point of a line that was tried, and the course of its run."""


@dataclass(frozen=True, slots=True)
class DrawSegment:
    """A part of a line between two tried points; None is an untried limit of the interval."""

    line: DrawLine
    left: End | None
    right: End | None

    @property
    def weight(self) -> float:
        """The priority of trying a point inside it; 0 if there is no need."""
        line = self.line
        if self.left is None or self.right is None:
            length = self._place(self.right, 1.0) - self._place(self.left, 0.0)
            return line.weight * length if length >= line.tick else 0.0
        (start, one), (end, other) = self.left, self.right
        length = end - start
        if one != other:
            return line.weight * length if length > 1.5 * line.tick else 0.0
        finest = 1 / PARTS if line.weight == 1 else _COARSE
        return line.weight * length * _ALIKE if length > max(finest, 1.5 * line.tick) else 0.0

    @property
    def middle(self) -> float:
        """The fraction to try next."""
        if self.left is None:
            return 0.0
        return 1.0 if self.right is None else (self.left[0] + self.right[0]) / 2

    def halves(self, course: bytes) -> list["DrawSegment"]:
        """Return its remaining parts after its middle was tried."""
        end = (self.middle, course)
        found = []
        if self.left is not None:
            found.append(DrawSegment(self.line, self.left, end))
        if self.right is not None:
            found.append(DrawSegment(self.line, end, self.right))
        return found

    @staticmethod
    def _place(end: End | None, otherwise: float) -> float:
        return otherwise if end is None else end[0]


class IntervalSampler:
    """Chooses the points to try one by one: ``next`` returns the next run, and ``note`` takes its result."""

    def __init__(self) -> None:
        self.names: Collection[str] | None = None
        """The intervals to sample; None means all."""
        self.tried = 0
        """The number of runs at points."""
        self._courses: set[bytes] = set()
        self._segments: list[tuple[float, int, DrawSegment]] = []
        self._serial = count()
        self._scattered = 0
        self._current: DrawSegment | None = None

    def next(self) -> PointChooser | None:
        """Return the next run, or None if nothing is left to try."""
        self._current = None
        if not self.tried:
            return PointChooser(Point())
        if self._scattered < SCATTERED and (self.tried % 2 or not self._segments):
            self._scattered += 1
            return PointChooser(Point({}, self._scattered - 1))
        if not self._segments or self.tried >= MOST:
            return None
        self._current = heappop(self._segments)[2]
        return PointChooser(self._current.line.at(self._current.middle))

    def note(self, run: PointChooser) -> None:
        """Take the result of a run."""
        self.tried += 1
        course, segment = run.course, self._current
        if segment is not None:
            for half in segment.halves(course):
                self._push(half)
        if course not in self._courses:
            self._courses.add(course)
            self._lines(run, course, segment)

    def _lines(self, run: PointChooser, course: bytes, found_on: DrawSegment | None) -> None:
        """Start the lines of a new course."""
        weight = 1.0 if self.tried == 1 else _LATER * (1.0 if found_on is None else found_on.line.weight)
        fractions = {draw: run.place.fraction(draw) for draw in run.drawn}
        origin = Point(fractions, run.place.scatter)
        for draw, most in run.drawn.items():
            if (found_on is not None and draw == found_on.line.draw) or not self._wanted(draw):
                continue
            line = DrawLine(origin, draw, 1 / (most - 1), weight)
            end = (fractions[draw], course)
            self._push(DrawSegment(line, None, end))
            self._push(DrawSegment(line, end, None))

    def _wanted(self, draw: Identity) -> bool:
        return self.names is None or draw[0] in self.names

    def _push(self, segment: DrawSegment) -> None:
        weight = segment.weight
        if weight > 0:
            heappush(self._segments, (-weight, next(self._serial), segment))
