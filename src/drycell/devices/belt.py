"""Parts on belts: the room they take, how a belt goes, and where each part comes to stand.

Parts ride as their belt does, and stop at stops and at what is ahead of them. Each part therefore simply rides to its
goal: the stop ahead of it, or the goal of whatever is ahead of it and overlaps it sideways. What goes on from a belt in
line and level is in its line: parts on belts ahead are in the way of what comes, and so is what pokes in from behind.
Where something ahead does not go with the belt, a part follows it until its own belt is the slower of the two. How far
a belt has gone is an exact function of time.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from drycell.base import Pose, Rows
from drycell.geometry import Compound, Shape
from drycell.world import ALWAYS, FOREVER, SECOND, Fall, LiveBody, Motion, Travel, World

ABREAST: Final = 1e-9  # metres: parts that overlap sideways by no more pass each other


@dataclass(frozen=True, slots=True)
class Footprint:
    """How far a part reaches from its origin along the belt (``rear``…``front``) and across it (``right``…``left``).

    ``centre`` is where along the belt it is balanced, ``bottom`` how far below its origin it ends.
    """

    rear: float
    front: float
    right: float
    left: float
    bottom: float = 0.0
    centre: float = 0.0

    @property
    def middle(self) -> float:
        """Half way between its ends."""
        return 0.5 * (self.rear + self.front)

    def shifted(self, x: float, y: float) -> "Footprint":
        """Seen from elsewhere."""
        return Footprint(self.rear + x, self.front + x, self.right + y, self.left + y, self.bottom, self.centre + x)

    def beside(self, other: "Footprint") -> bool:
        """Whether two, seen from one place, pass each other."""
        return self.right >= other.left - ABREAST or other.right >= self.left - ABREAST

    def overlaps(self, other: "Footprint") -> bool:
        """Whether two, seen from one place, take the same room."""
        return not self.beside(other) and self.rear < other.front and other.rear < self.front

    def covers(self, other: "Footprint") -> bool:
        """Whether all that is in the way of the other is in the way of this one."""
        return self.right <= other.right and self.left >= other.left


POINT: Final = Footprint(0.0, 0.0, 0.0, 0.0)


def footprint_of(shape: Shape, turn: Pose) -> Footprint:
    """The room a shape takes that is turned on the belt as a pose says; where the pose is does not matter."""
    a, b, c, _, d, e, f, _, g, h, i, _ = turn.rows
    return _turned(shape, (a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0))


@lru_cache(maxsize=4096)
def _turned(shape: Shape, rows: Rows) -> Footprint:
    pose = Pose.of_rows(rows)
    (rear, right, bottom), (front, left, _) = Compound(((pose, shape),)).bounds
    return Footprint(rear, front, right, left, bottom, pose.point(shape.centre_of_mass)[0])


def measured(world: World, belt: LiveBody, part: LiveBody) -> Footprint:
    """The room a part and all that lies on it take on a belt, about the part's own place across the belt."""
    local = world.relative(belt, part)
    own = POINT if part.shape is None else footprint_of(part.shape, local)
    found = own.shifted(0.0, local.y)
    for each in world.subtree(part):
        if each is not part and each.shape is not None and not each.hole:
            seen = world.relative(belt, each)
            more = footprint_of(each.shape, seen).shifted(seen.x - local.x, seen.y)
            found = Footprint(
                min(found.rear, more.rear),
                max(found.front, more.front),
                min(found.right, more.right),
                max(found.left, more.left),
                found.bottom,
                found.centre,
            )
    return found


EXACT: Final = 1e-12  # metres: sums of floats that should be equal differ by less


@dataclass(frozen=True, slots=True)
class BeltDrive:
    """From ``start`` on at ``speed``, changing by ``ramp`` m/s² until ``end``."""

    start: int
    speed: float
    ramp: float = 0.0
    end: int = FOREVER

    @property
    def moves(self) -> bool:
        """Whether it goes anywhere."""
        return self.speed > 0.0 or self.ramp > 0.0

    def speed_at(self, t: int) -> float:
        """How fast it is at an instant."""
        return max(self.speed + self.ramp * (t - self.start) * SECOND, 0.0)

    def since(self, t: int) -> "BeltDrive":
        """The same, seen from a later instant."""
        return self if t == self.start else BeltDrive(t, self.speed_at(t), self.ramp, self.end)

    def way(self, t: int) -> float:
        """How far it has gone by an instant, in metres."""
        u = (t - self.start) * SECOND
        return self.speed * u + 0.5 * self.ramp * u * u

    def reaches(self, way: float) -> int | None:
        """The first tick at which it has gone so far; None if it does not before its end."""
        enough = way - EXACT
        if enough <= 0.0:
            return self.start
        square = self.speed * self.speed + 2.0 * self.ramp * enough
        if square <= 0.0:
            return None
        tick = self.start + math.ceil(2.0 * enough / (self.speed + math.sqrt(square)) / SECOND)
        if self.way(tick - 1) >= enough:  # rounded up a hair too far
            tick -= 1
        return tick if tick <= self.end else None

    def motion(self, pose: Pose, until: int) -> Motion:
        """How a part at a pose on the belt, which runs along x, is carried along from the start until an instant."""
        if self.ramp == 0.0:
            return Travel(self.start, until, pose, (self.speed, 0.0, 0.0))
        # A steady acceleration is what a fall is, whichever way it points.
        return Fall(self.start, until, pose, (self.speed, 0.0, 0.0), (self.ramp, 0.0, 0.0))


STANDING: Final = BeltDrive(ALWAYS, 0.0)


def ramped(now: int, speed: float, wanted: float, acceleration: float) -> BeltDrive:
    """From one speed to another: at once, or with an acceleration (0: at once)."""
    if acceleration <= 0.0 or speed == wanted:
        return BeltDrive(now, wanted)
    ticks = math.ceil(abs(wanted - speed) / acceleration / SECOND)
    # The ramp ends on a tick and on the speed wanted, so that it is as steep as that takes.
    return BeltDrive(now, speed, (wanted - speed) / (ticks * SECOND), now + ticks)


TOUCHING: Final = 1e-9  # metres
HELD: Final = 1e-6  # metres: what is held so near to the edge does not go over it, though a tick may take it on


class Rider:
    """A part on a belt. Places are those of its origin along the belt."""

    __slots__ = ("arrival", "crowded", "drive", "foot", "goal", "held", "leaves", "minds", "motion", "part")

    def __init__(self, part: LiveBody, foot: Footprint, motion: Motion) -> None:
        self.part = part
        self.foot = foot
        self.motion = motion
        """How it moves, seen from the belt."""
        self.goal = -math.inf
        """Where it will come to stand, or leave the belt."""
        self.leaves = False
        """Whether nothing holds it back from the end of a belt that parts fall off."""
        self.crowded = False
        """Whether it was set down where there was no room: it overlaps what is ahead of it."""
        self.arrival: int | None = None
        """When it is at its goal, or goes on otherwise; None while it stands."""
        self.drive = STANDING
        """How it goes while it does not stand."""
        self.minds = False
        """Whether something is ahead of it that does not go with its belt."""
        self.held = False
        """Whether that makes it slower than its belt."""

    def place(self, t: int) -> float:
        """Where it is at an instant."""
        return self.motion.pose(t).x

    def rear(self, t: int) -> float:
        """Where it ends."""
        return self.place(t) + self.foot.rear

    def front(self, t: int) -> float:
        """Where it begins, seen from what is ahead of it."""
        return self.place(t) + self.foot.front

    def going(self, t: int) -> BeltDrive:
        """How it goes from an instant on, as far as that is known."""
        if self.arrival is None or self.arrival <= t:
            return BeltDrive(t, 0.0)
        drive = self.drive.since(t)
        return BeltDrive(t, drive.speed, drive.ramp, self.arrival)


@dataclass(frozen=True, slots=True)
class PartAhead:
    """A part on a belt ahead, seen from one behind."""

    rider: Rider
    foot: Footprint
    x: float
    """How far that belt's origin is ahead."""

    def place(self, t: int) -> float:
        """Where it is at an instant."""
        return self.rider.place(t) + self.x

    @property
    def goal(self) -> float:
        """Where it will come to stand."""
        return self.rider.goal + self.x

    @property
    def leaves(self) -> bool:
        """Whether nothing holds it back from leaving its own belt."""
        return self.rider.leaves

    def precedes(self, rider: Rider, t: int) -> bool:
        """Whether it is ahead of a part, and in its way."""
        middles = self.place(t) + self.foot.middle, rider.place(t) + rider.foot.middle
        return middles[0] >= middles[1] and not self.foot.beside(rider.foot)


class Belt:
    """The parts on a belt from ``start`` to ``end`` (places along it), the foremost first by their middles."""

    def __init__(self, start: float, end: float, *, falls: bool = False) -> None:
        self.start, self.end, self.falls = start, end, falls
        self.riders: list[Rider] = []

    def __iter__(self) -> Iterator[Rider]:
        return iter(self.riders)

    def insert(self, rider: Rider, t: int) -> int:
        """Puts a part where it belongs in the order; its number there."""
        middle = rider.place(t) + rider.foot.middle
        number = len(self.riders)
        while number and self.riders[number - 1].place(t) + self.riders[number - 1].foot.middle < middle:
            number -= 1
        self.riders.insert(number, rider)
        return number

    def remove(self, rider: Rider) -> int:
        """Takes a part out; its number then."""
        number = self.riders.index(rider)
        del self.riders[number]
        return number

    def plan(self, first: int, t: int, stops: Iterable[float], beyond: Sequence[PartAhead] = ()) -> None:
        """Finds the goals of all parts from a number on, as they are at an instant, with stops in their way.

        ``beyond`` are parts on the belts ahead.
        """
        closed = list(stops) if self.falls else [*stops, self.end]
        for number in range(first, len(self.riders)):
            self._aim(number, t, closed, beyond)

    def _aim(self, number: int, t: int, stops: list[float], beyond: Sequence[PartAhead]) -> None:
        rider = self.riders[number]
        here, foot = rider.place(t), rider.foot
        front = here + foot.front
        # A stop that comes up under a part, or behind it, does not hold it.
        limit = min((stop for stop in stops if stop >= front - TOUCHING), default=math.inf if self.falls else self.end)
        for before in range(number - 1, -1, -1):
            ahead = self.riders[before]
            if foot.beside(ahead.foot):
                continue
            if not ahead.leaves:
                limit = min(limit, ahead.goal + ahead.foot.rear)
            if ahead.foot.covers(foot) and not ahead.crowded:
                break  # whatever is farther on and in the way of this one is in the way of that one
        for other in beyond:
            if not other.leaves and other.precedes(rider, t):
                limit = min(limit, other.goal + other.foot.rear)
        rider.crowded = limit < front - TOUCHING
        rider.goal = max(here, limit - foot.front)  # never backwards
        edge = self.end - foot.centre
        rider.leaves = self.falls and rider.goal > edge + HELD
        if rider.leaves:
            rider.goal = max(here, edge)

    def in_the_way(self, foot: Footprint, t: int) -> Iterator[Rider]:
        """The parts that are where a part shall be put; its footprint is seen from the belt."""
        for rider in self.riders:
            if (
                not foot.beside(rider.foot)
                and rider.rear(t) < foot.front - TOUCHING
                and rider.front(t) > foot.rear + TOUCHING
            ):
                yield rider


_SLIGHT: Final = 1e-12  # m/s and m/s²: speeds that should be equal differ by less


@dataclass(frozen=True, slots=True)
class Leader:
    """What is ahead of a part: where its rear end is now, and how it goes from now on."""

    rear: float
    drive: BeltDrive


def follow(front: float, own: BeltDrive, leaders: Sequence[Leader]) -> tuple[BeltDrive, int]:
    """How a part goes whose front end is at a place, and until when that holds. All drives are seen from now.

    What a leader does after the end of its drive is not known: whoever knows asks again then.
    """
    close = [leader.drive for leader in leaders if leader.rear - front <= TOUCHING]
    pace = own
    for drive in close:
        if _slower(drive, pace):
            pace = drive
    until = min(own.end, pace.end)
    for leader in leaders:
        if leader.drive is not pace:
            caught = _caught(max(leader.rear - front, 0.0), pace, leader.drive)
            until = min(until, FOREVER if caught > leader.drive.end else caught)
    if pace is not own:
        until = min(until, _parted(pace, own))
    return pace, max(until, own.start + 1)


def _slower(one: BeltDrive, other: BeltDrive) -> bool:
    """Whether one falls behind the other from now on."""
    if abs(one.speed - other.speed) > _SLIGHT:
        return one.speed < other.speed
    return one.ramp < other.ramp - _SLIGHT


def _caught(gap: float, pace: BeltDrive, ahead: BeltDrive) -> int:
    """The first tick at which a gap is used up that grows by the difference of two drives."""
    if gap <= TOUCHING:
        gap = 0.0
    opening, bend = ahead.speed - pace.speed, 0.5 * (ahead.ramp - pace.ramp)
    if gap == 0.0:  # they part now, or never; they meet again where the one ahead gets slower
        seconds = -opening / bend if opening > _SLIGHT and bend < -_SLIGHT else math.inf
    else:
        square = opening * opening - 4.0 * bend * gap
        # The smallest positive root of gap + opening u + bend u², without loss of digits.
        divisor = -opening + math.sqrt(square) if square >= 0.0 else 0.0
        seconds = 2.0 * gap / divisor if divisor > 0.0 else math.inf
    return _tick(pace.start, seconds)


def _parted(pace: BeltDrive, own: BeltDrive) -> int:
    """The tick from which on a part's own belt is slower than what it follows."""
    gaining = pace.ramp - own.ramp
    return _tick(pace.start, (own.speed - pace.speed) / gaining if gaining > _SLIGHT else math.inf)


def _tick(start: int, seconds: float) -> int:
    return FOREVER if not seconds < 1e9 else start + math.ceil(seconds / SECOND)


_LEVEL: Final = 1e-6  # metres: what is this near to level with a belt goes on from it
_IN_LINE: Final = 1e-9  # sine of the angle between two belts


@dataclass(eq=False, slots=True)
class BeltSection:
    """One belt as the others of its row see it."""

    body: LiveBody
    belt: Belt
    top: float
    """How high its top is above the body's origin."""
    stops: Callable[[], list[float]]
    """The stops across it that are closed, its end included if that is one."""
    settle: Callable[[], None]
    """Does what is still to be done at this instant."""
    stir: Callable[[], None]
    """Tells it that something is other than it was on a belt ahead of it."""
    look: Callable[[], None]
    """Tells it that something is other than it was on a belt behind it."""

    @property
    def reach(self) -> float:
        """How far a part may poke that still lies on it: to its end, and where parts fall off, beyond."""
        over = (rider.foot.front - rider.foot.centre for rider in self.belt) if self.belt.falls else ()
        return self.belt.end + max(over, default=0.0) + HELD


class BeltLine:
    """The belts of a cell, and which of them go on from which."""

    def __init__(self) -> None:
        self._stretches: list[BeltSection] = []
        self._known: dict[tuple[BeltSection, BeltSection], tuple[int, int, tuple[float, float] | None]] = {}

    def join(self, stretch: BeltSection) -> None:
        """Takes up a belt."""
        self._stretches.append(stretch)

    def beyond(self, own: BeltSection, world: World) -> list[tuple[BeltSection, float, float]]:
        """The belts ahead of one, each with how far its origin is ahead and to the left."""
        if len(self._stretches) == 1:
            return []
        return [(each, *shift) for each in self._stretches if (shift := self._shift(own, each, world)) is not None]

    def before(self, own: BeltSection, world: World) -> Iterator[tuple[BeltSection, float, float]]:
        """The belts behind one, each with how far it sees this one's origin ahead and to the left."""
        if len(self._stretches) > 1:
            for each in self._stretches:
                shift = self._shift(each, own, world)
                if shift is not None:
                    yield each, *shift

    def _shift(self, own: BeltSection, other: BeltSection, world: World) -> tuple[float, float] | None:
        if own is other:
            return None
        known = self._known.get((own, other))
        fixed = own.body.parent is None and other.body.parent is None
        if known is not None and fixed and known[:2] == (own.body.version, other.body.version):
            return known[2]
        a, b, c, x, d, e, f, y, g, h, i, z = world.relative(own.body, other.body).rows
        in_line = max(abs(b), abs(c), abs(d), abs(f), abs(g), abs(h)) < _IN_LINE and min(a, e, i) > 0.0
        goes_on = x + other.belt.start >= own.belt.end - _LEVEL
        shift = (x, y) if in_line and goes_on and abs(z + other.top - own.top) <= _LEVEL else None
        self._known[own, other] = (own.body.version, other.body.version, shift)
        return shift


def poking_in(row: BeltLine, own: BeltSection, world: World, foot: Footprint, t: int) -> bool:
    """Whether a part of a belt behind is where one shall be put; the footprint is seen from the own belt."""
    for other, x, y in row.before(own, world):
        for rider in other.belt:
            here = rider.foot.shifted(rider.place(t) - x, -y)
            if not foot.beside(here) and here.rear < foot.front - TOUCHING and here.front > foot.rear + TOUCHING:
                return True
    return False


def in_the_way(row: BeltLine, own: BeltSection, world: World, t: int) -> tuple[list[PartAhead], list[float]]:
    """The parts and the closed stops of belts ahead that parts of a belt may come up to while they lie on it."""
    riders: list[PartAhead] = []
    stops: list[float] = []
    ahead = row.beyond(own, world)
    reach = own.reach if ahead else 0.0
    for other, _, _ in ahead:
        other.settle()  # all of them before any is read: one may hand a part on to another
    for other, x, y in ahead:
        for rider in other.belt:
            if rider.rear(t) + x < reach:
                riders.append(PartAhead(rider, rider.foot.shifted(0.0, y), x))
        stops += [stop + x for stop in other.stops() if stop + x < reach]
    return riders, stops
