"""Parts on belts: the space they need, the motion of a belt, and where each part stops.

Parts move with their belt and stop at closed stops and behind other parts. Each part therefore has a goal: the stop
ahead of it, or the goal of the part ahead that overlaps it sideways. Belts that continue each other, straight and
level, form a line: parts on the belt ahead block arriving parts, and parts on the belt behind may protrude. A part
behind a part that does not move with its belt follows it, until its own belt is slower. The distance that a belt has
moved is an exact function of time.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from drycell.base import Pose, Rows
from drycell.geometry import Compound, Shape
from drycell.world import ALWAYS, FOREVER, SECOND, Fall, LiveBody, Motion, Travel, World

ABREAST: Final = 1e-9  # metres: parts that overlap sideways by less than this pass each other


@dataclass(frozen=True, slots=True)
class Footprint:
    """The extent of a part from its origin along the belt (``rear``, ``front``) and across it (``right``, ``left``).

    ``centre`` is its centre of mass along the belt, ``bottom`` its lowest point, both from its origin, in metres.
    """

    rear: float
    front: float
    right: float
    left: float
    bottom: float = 0.0
    centre: float = 0.0

    @property
    def middle(self) -> float:
        """The midpoint between rear and front."""
        return 0.5 * (self.rear + self.front)

    def shifted(self, x: float, y: float) -> "Footprint":
        """The footprint shifted by x and y."""
        return Footprint(self.rear + x, self.front + x, self.right + y, self.left + y, self.bottom, self.centre + x)

    def beside(self, other: "Footprint") -> bool:
        """Whether two footprints in one frame do not overlap sideways."""
        return self.right >= other.left - ABREAST or other.right >= self.left - ABREAST

    def overlaps(self, other: "Footprint") -> bool:
        """Whether two footprints in one frame overlap."""
        return not self.beside(other) and self.rear < other.front and other.rear < self.front

    def covers(self, other: "Footprint") -> bool:
        """Whether it is at least as wide, so that anything that blocks the other also blocks this one."""
        return self.right <= other.right and self.left >= other.left


POINT: Final = Footprint(0.0, 0.0, 0.0, 0.0)


def footprint_of(shape: Shape, turn: Pose) -> Footprint:
    """The footprint of a shape in the orientation of a pose; the position is ignored."""
    a, b, c, _, d, e, f, _, g, h, i, _ = turn.rows
    return _turned(shape, (a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0))


@lru_cache(maxsize=4096)
def _turned(shape: Shape, rows: Rows) -> Footprint:
    pose = Pose.of_rows(rows)
    (rear, right, bottom), (front, left, _) = Compound(((pose, shape),)).bounds
    return Footprint(rear, front, right, left, bottom, pose.point(shape.centre_of_mass)[0])


def measured(world: World, belt: LiveBody, part: LiveBody) -> Footprint:
    """The footprint on a belt of a part and everything that lies on it, from the part's position along the belt."""
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


EXACT: Final = 1e-12  # metres: differences of sums that should be equal are smaller


@dataclass(frozen=True, slots=True)
class BeltDrive:
    """The motion of a belt: from ``start`` at ``speed``, accelerating by ``ramp`` m/s² until ``end``."""

    start: int
    speed: float
    ramp: float = 0.0
    end: int = FOREVER

    @property
    def moves(self) -> bool:
        """Whether the belt moves."""
        return self.speed > 0.0 or self.ramp > 0.0

    def speed_at(self, t: int) -> float:
        """Speed at an instant, in m/s."""
        return max(self.speed + self.ramp * (t - self.start) * SECOND, 0.0)

    def since(self, t: int) -> "BeltDrive":
        """The rest of the motion from a later instant."""
        return self if t == self.start else BeltDrive(t, self.speed_at(t), self.ramp, self.end)

    def distance(self, t: int) -> float:
        """Distance moved by an instant, in metres."""
        u = (t - self.start) * SECOND
        return self.speed * u + 0.5 * self.ramp * u * u

    def reaches(self, distance: float) -> int | None:
        """The first tick at which it has moved a distance; None if it does not before its end."""
        enough = distance - EXACT
        if enough <= 0.0:
            return self.start
        square = self.speed * self.speed + 2.0 * self.ramp * enough
        if square <= 0.0:
            return None
        tick = self.start + math.ceil(2.0 * enough / (self.speed + math.sqrt(square)) / SECOND)
        if self.distance(tick - 1) >= enough:  # rounded up too far
            tick -= 1
        return tick if tick <= self.end else None

    def motion(self, pose: Pose, until: int) -> Motion:
        """The motion of a part at a pose on the belt, which runs along x, until an instant."""
        if self.ramp == 0.0:
            return Travel(self.start, until, pose, (self.speed, 0.0, 0.0))
        # Fall is a motion with constant acceleration, in any direction.
        return Fall(self.start, until, pose, (self.speed, 0.0, 0.0), (self.ramp, 0.0, 0.0))


STANDING: Final = BeltDrive(ALWAYS, 0.0)


def ramped(now: int, speed: float, wanted: float, acceleration: float) -> BeltDrive:
    """A change from one speed to another with an acceleration in m/s²; 0 means at once."""
    if acceleration <= 0.0 or speed == wanted:
        return BeltDrive(now, wanted)
    ticks = math.ceil(abs(wanted - speed) / acceleration / SECOND)
    # The ramp ends on a tick and with the exact speed, so its slope is adapted.
    return BeltDrive(now, speed, (wanted - speed) / (ticks * SECOND), now + ticks)


TOUCHING: Final = 1e-9  # metres
HELD: Final = 1e-6  # metres: a part that stops this close to the edge does not fall


class BeltPart:
    """A part on a belt. Positions are those of its origin along the belt, in metres."""

    __slots__ = ("arrival", "crowded", "drive", "follows", "foot", "goal", "held", "leaves", "motion", "part")

    def __init__(self, part: LiveBody, foot: Footprint, motion: Motion) -> None:
        self.part = part
        self.foot = foot
        self.motion = motion
        """Its motion relative to the belt."""
        self.goal = -math.inf
        """Where it will stop or leave the belt."""
        self.leaves = False
        """Whether it will fall off the end of the belt."""
        self.crowded = False
        """Whether it was placed without enough space: it overlaps the part ahead of it."""
        self.arrival: int | None = None
        """When it reaches its goal or changes its motion; None while it is stationary."""
        self.drive = STANDING
        """Its motion along the belt while it is not stationary."""
        self.follows = False
        """Whether a part ahead of it does not move with its belt."""
        self.held = False
        """Whether the part ahead slows it below the speed of its belt."""

    def place(self, t: int) -> float:
        """Position at an instant."""
        return self.motion.pose(t).x

    def rear(self, t: int) -> float:
        """Position of its rear end."""
        return self.place(t) + self.foot.rear

    def front(self, t: int) -> float:
        """Position of its front end."""
        return self.place(t) + self.foot.front

    def going(self, t: int) -> BeltDrive:
        """Its known motion from an instant."""
        if self.arrival is None or self.arrival <= t:
            return BeltDrive(t, 0.0)
        drive = self.drive.since(t)
        return BeltDrive(t, drive.speed, drive.ramp, self.arrival)


@dataclass(frozen=True, slots=True)
class PartAhead:
    """A part on a belt ahead, in the frame of the belt behind."""

    part: BeltPart
    foot: Footprint
    x: float
    """Distance from the origin of the belt behind to that of the belt ahead."""

    def place(self, t: int) -> float:
        """Position at an instant."""
        return self.part.place(t) + self.x

    @property
    def goal(self) -> float:
        """Where it will stop."""
        return self.part.goal + self.x

    @property
    def leaves(self) -> bool:
        """Whether it will fall off its own belt."""
        return self.part.leaves

    def blocks(self, other: BeltPart, t: int) -> bool:
        """Whether it is ahead of another part and overlaps it sideways."""
        ahead = self.place(t) + self.foot.middle >= other.place(t) + other.foot.middle
        return ahead and not self.foot.beside(other.foot)


class Belt:
    """The parts on a belt from ``start`` to ``end``, sorted by their middles, the foremost first.

    If ``falls`` is set, parts fall off the end; otherwise the end is a stop.
    """

    def __init__(self, start: float, end: float, *, falls: bool = False) -> None:
        self.start, self.end, self.falls = start, end, falls
        self.parts: list[BeltPart] = []

    def __iter__(self) -> Iterator[BeltPart]:
        return iter(self.parts)

    def insert(self, part: BeltPart, t: int) -> int:
        """Add a part. Returns its index."""
        middle = part.place(t) + part.foot.middle
        number = len(self.parts)
        while number and self.parts[number - 1].place(t) + self.parts[number - 1].foot.middle < middle:
            number -= 1
        self.parts.insert(number, part)
        return number

    def remove(self, part: BeltPart) -> int:
        """Remove a part. Returns the index it had."""
        number = self.parts.index(part)
        del self.parts[number]
        return number

    def plan(self, first: int, t: int, stops: Iterable[float], beyond: Sequence[PartAhead] = ()) -> None:
        """Find the goals of parts.

        Args:
            first: index of the first part to plan; those before it keep their goals.
            t: the instant.
            stops: positions of closed stops.
            beyond: parts on the belts ahead.
        """
        closed = list(stops) if self.falls else [*stops, self.end]
        for number in range(first, len(self.parts)):
            self._aim(number, t, closed, beyond)

    def _aim(self, number: int, t: int, stops: list[float], beyond: Sequence[PartAhead]) -> None:
        part = self.parts[number]
        here, foot = part.place(t), part.foot
        front = here + foot.front
        # A stop that closes under a part, or behind it, does not hold it.
        limit = min((stop for stop in stops if stop >= front - TOUCHING), default=math.inf if self.falls else self.end)
        for before in range(number - 1, -1, -1):
            ahead = self.parts[before]
            if foot.beside(ahead.foot):
                continue
            if not ahead.leaves:
                limit = min(limit, ahead.goal + ahead.foot.rear)
            if ahead.foot.covers(foot) and not ahead.crowded:
                break  # anything else that blocks this part also blocks the part ahead
        for other in beyond:
            if not other.leaves and other.blocks(part, t):
                limit = min(limit, other.goal + other.foot.rear)
        part.crowded = limit < front - TOUCHING
        part.goal = max(here, limit - foot.front)  # never backwards
        edge = self.end - foot.centre
        part.leaves = self.falls and part.goal > edge + HELD
        if part.leaves:
            part.goal = max(here, edge)

    def blocking(self, foot: Footprint, t: int) -> Iterator[BeltPart]:
        """The parts that overlap a footprint in the frame of the belt."""
        for part in self.parts:
            if (
                not foot.beside(part.foot)
                and part.rear(t) < foot.front - TOUCHING
                and part.front(t) > foot.rear + TOUCHING
            ):
                yield part


_SLIGHT: Final = 1e-12  # m/s and m/s²: differences of speeds that should be equal are smaller


@dataclass(frozen=True, slots=True)
class Leader:
    """A part ahead: the position of its rear end now, and its motion from now on."""

    rear: float
    drive: BeltDrive


def follow(front: float, own: BeltDrive, leaders: Sequence[Leader]) -> tuple[BeltDrive, int]:
    """The motion of a part behind others, and the time until which it is valid.

    Args:
        front: position of the part's front end.
        own: motion of its belt from now on.
        leaders: the parts ahead. Their motions after the end of a drive are not known: call again then.
    """
    close = [leader.drive for leader in leaders if leader.rear - front <= TOUCHING]
    pace = own
    for drive in close:
        if _slower(drive, pace):
            pace = drive
    until = min(own.end, pace.end)
    for leader in leaders:
        if leader.drive is not pace:
            caught = _contact(max(leader.rear - front, 0.0), pace, leader.drive)
            until = min(until, FOREVER if caught > leader.drive.end else caught)
    if pace is not own:
        until = min(until, _separation(pace, own))
    return pace, max(until, own.start + 1)


def _slower(one: BeltDrive, other: BeltDrive) -> bool:
    """Whether one motion falls behind the other, starting now."""
    if abs(one.speed - other.speed) > _SLIGHT:
        return one.speed < other.speed
    return one.ramp < other.ramp - _SLIGHT


def _contact(gap: float, pace: BeltDrive, ahead: BeltDrive) -> int:
    """The first tick at which a part reaches the part ahead of it."""
    if gap <= TOUCHING:
        gap = 0.0
    opening, bend = ahead.speed - pace.speed, 0.5 * (ahead.ramp - pace.ramp)
    if gap == 0.0:  # if they separate, they do it now, and meet again if the part ahead slows down
        seconds = -opening / bend if opening > _SLIGHT and bend < -_SLIGHT else math.inf
    else:
        square = opening * opening - 4.0 * bend * gap
        # The smallest positive root of gap + opening u + bend u², without loss of digits.
        divisor = -opening + math.sqrt(square) if square >= 0.0 else 0.0
        seconds = 2.0 * gap / divisor if divisor > 0.0 else math.inf
    return _tick(pace.start, seconds)


def _separation(pace: BeltDrive, own: BeltDrive) -> int:
    """The tick from which a part's own belt is slower than the part it follows."""
    gaining = pace.ramp - own.ramp
    return _tick(pace.start, (own.speed - pace.speed) / gaining if gaining > _SLIGHT else math.inf)


def _tick(start: int, seconds: float) -> int:
    return FOREVER if not seconds < 1e9 else start + math.ceil(seconds / SECOND)


_LEVEL: Final = 1e-6  # metres: tolerance in height between two belts that continue each other
_IN_LINE: Final = 1e-9  # sine of the angle between two belts


@dataclass(eq=False, slots=True)
class BeltSection:
    """A belt as seen by the other belts of its line."""

    body: LiveBody
    belt: Belt
    top: float
    """Height of its top above the body's origin."""
    stops: Callable[[], list[float]]
    """The positions of its closed stops, including its end if that is a stop."""
    settle: Callable[[], None]
    """Perform the pending work of this instant."""
    changed_ahead: Callable[[], None]
    """Called when something has changed on a belt ahead of it."""
    changed_behind: Callable[[], None]
    """Called when something has changed on a belt behind it."""

    @property
    def reach(self) -> float:
        """The position up to which its parts can reach: its end, or beyond it if parts fall off."""
        over = (part.foot.front - part.foot.centre for part in self.belt) if self.belt.falls else ()
        return self.belt.end + max(over, default=0.0) + HELD


class BeltLine:
    """The belts of a cell, and how they continue each other."""

    def __init__(self) -> None:
        self._sections: list[BeltSection] = []
        self._known: dict[tuple[BeltSection, BeltSection], tuple[int, int, tuple[float, float] | None]] = {}

    def join(self, section: BeltSection) -> None:
        """Add a belt."""
        self._sections.append(section)

    def ahead(self, own: BeltSection, world: World) -> list[tuple[BeltSection, float, float]]:
        """The belts ahead of a belt, each with the distance of its origin ahead and to the left."""
        if len(self._sections) == 1:
            return []
        return [(each, *shift) for each in self._sections if (shift := self._shift(own, each, world)) is not None]

    def behind(self, own: BeltSection, world: World) -> Iterator[tuple[BeltSection, float, float]]:
        """The belts behind a belt, each with the distance of the belt's origin ahead of it and to the left."""
        if len(self._sections) > 1:
            for each in self._sections:
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
        continues = x + other.belt.start >= own.belt.end - _LEVEL
        shift = (x, y) if in_line and continues and abs(z + other.top - own.top) <= _LEVEL else None
        self._known[own, other] = (own.body.version, other.body.version, shift)
        return shift


def blocked_from_behind(line: BeltLine, own: BeltSection, world: World, foot: Footprint, t: int) -> bool:
    """Whether a part that protrudes from a belt behind overlaps a footprint in the frame of this belt."""
    for other, x, y in line.behind(own, world):
        for part in other.belt:
            here = part.foot.shifted(part.place(t) - x, -y)
            if not foot.beside(here) and here.rear < foot.front - TOUCHING and here.front > foot.rear + TOUCHING:
                return True
    return False


def obstacles_ahead(line: BeltLine, own: BeltSection, world: World, t: int) -> tuple[list[PartAhead], list[float]]:
    """The parts and the closed stops of belts ahead that the parts of a belt can reach."""
    parts: list[PartAhead] = []
    stops: list[float] = []
    ahead = line.ahead(own, world)
    reach = own.reach if ahead else 0.0
    for other, _, _ in ahead:
        other.settle()  # settle all before reading any, because a belt may pass a part to another
    for other, x, y in ahead:
        for part in other.belt:
            if part.rear(t) + x < reach:
                parts.append(PartAhead(part, part.foot.shifted(0.0, y), x))
        stops += [stop + x for stop in other.stops() if stop + x < reach]
    return parts, stops
