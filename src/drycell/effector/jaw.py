"""A jaw with a servo: what is between the fingers stops them, and is pressed by what the drive goes on.

The drive turns a spindle: it follows its law whatever presses on the fingers, up to its force. Fingers and drive are
joined by pads of a stated stiffness. Where the fingers are stopped, by a part that both have met or by the end of their
stroke, the force is the stiffness times how far the drive has gone on; at the greatest force it stalls, and presses on.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from drycell.base import IDENTITY, Pose, Vector, mm
from drycell.effector.servo import Servo, held_between, one_way, passes, resting, stays_within
from drycell.geometry import TOUCH, Placed, closest, distance
from drycell.handling import FACING, Gripper, TimeLaw
from drycell.kernel import Kernel, Rank, Signal, Timer, ticks
from drycell.robots import Mechanism
from drycell.world import SECOND, Gravity, LiveBody, World

_LEAST: Final = 1e-7  # metres: the least step; a part that is only grazed may count as met
_MOST_STEPS: Final = 1000


def slack(one: LiveBody, two: LiveBody, along: Vector, parts: Iterable[LiveBody], most: float) -> float | None:
    """By how much the gap between two fingers gets smaller until a row of parts is closed; None: by ``most`` or more.

    ``along`` is the direction in the world from the first finger to the second, of length 1.
    """
    loose = [part for part in parts if part.shape is not None]
    ways = {part: _way(one, part, along, most) for part in loose}
    open_ends = {part: way for part, way in ways.items() if way < most}
    shortest = most
    while open_ends:  # Dijkstra's algorithm: the nearest end of a row is the next to be gone on from
        part = min(open_ends, key=lambda each: (open_ends[each], each.name))
        gone = open_ends.pop(part)
        if gone >= shortest:
            break
        shortest = min(shortest, gone + _way(part, two, along, shortest - gone))
        for other in loose:
            if ways[other] > gone:
                way = gone + _way(part, other, along, shortest - gone)
                if way < min(ways[other], shortest):
                    ways[other] = open_ends[other] = way
    return shortest if shortest < most else None


def _way(mover: LiveBody, other: LiveBody, along: Vector, most: float) -> float:
    """How far a body can go in a direction until it meets another, facing it; infinite if not within ``most``."""
    if mover.shape is None or other.shape is None or mover is other:
        return math.inf
    start = mover.pose
    (p, one), (q, another) = mover.shape.sphere, other.shape.sphere
    if math.dist(start.point(p), other.pose.point(q)) - one - another >= most:
        return math.inf  # as nearly all the parts of a cell: far away
    there, moved = Placed(other.shape, other.pose), Placed(mover.shape, start)
    way = 0.0
    for _ in range(_MOST_STEPS):
        apart = distance(moved, there)
        if apart <= TOUCH:
            facing = sum(n * u for n, u in zip(closest(moved, there).normal, along, strict=True)) > FACING
            return way if facing else math.inf
        way += max(apart, _LEAST)  # nothing is met before the whole distance is gone
        if way >= most:
            break
        moved.place(start.moved(*(way * each for each in along)))
    return math.inf


REACHED: Final = 0.05 * mm
"""How near to a gap the jaw counts as having reached it."""
_APART: Final = 1e-9  # metres: by so much the drive has to be farther open than the fingers to move them
_Action = Callable[[], None]
_Plan = Callable[[float, float], TimeLaw]  # from a place and a speed of the drive


def _nothing() -> None:
    pass


class Jaw(Gripper):
    """The fingers of a gripper on a servo. ``stalled`` and ``lost`` are called when it stalls, or loses its part."""

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        gravity: Gravity,
        name: str,
        mechanism: Mechanism,
        parent: LiveBody | None,
        at: Pose = IDENTITY,
        *,
        servo: Servo,
        stiffness: float,
        strength: float,
    ) -> None:
        super().__init__(kernel, world, gravity, name, mechanism, parent, at)
        self.servo, self.stiffness, self.strength = servo, stiffness, strength
        self.stalled: _Action = _nothing
        self.lost: _Action = _nothing
        self.may_write: Callable[[], Sequence[Signal[Any]]] = lambda: (self.holding, self.moving)
        """What may change by its motion; whoever answers to it tells here."""
        self.target = self.gap
        self._limit = strength
        self._law = resting(self.gap)
        self._plan: _Plan = lambda place, speed: resting(place)
        self._began = 0
        self._timers: list[Timer] = []

    # ---------------------------------------------------------------- what it is asked

    @property
    def drive(self) -> tuple[float, float]:
        """Where the drive is, as a gap, and its speed."""
        place, speed, _ = self._law.state(self._since)
        return place, speed if self._since < self._law.duration else 0.0

    def gap_at(self, t: int | None) -> float:
        """How far apart the fingers are now, or were at an instant of the run."""
        return self._linkage.joints(t)[0]

    @property
    def stops(self) -> tuple[float, float]:
        """The least and the greatest gap that the fingers can have now: what they hold, or the ends of their stroke."""
        low, high = self.opening
        return (self.gap if self.load else low), high

    @property
    def rest(self) -> float:
        """The gap at which the fingers come to stand, as things move now: at the end of their way, or at a part."""
        low, high = self.stops
        end = min(max(self._law.end, low), high)
        if self.load or end >= self.gap:
            return end
        one, two = self.fingers
        parts = [body for body in self._world.bodies.values() if body.part]
        along = self.palm.pose.direction((-1.0, 0.0, 0.0))
        met = slack(one, two, along, parts, self.gap - end)
        return end if met is None else self.gap - met

    @property
    def force(self) -> float:
        """How hard the fingers press on what is between them, or on the end of their stroke, in newtons."""
        return self._force(self.drive[0])

    @property
    def pieces(self) -> int:
        """How many cubics the motion of the drive is made of."""
        return len(self._law.pieces)

    @property
    def settles(self) -> int:
        """The instant from which on the drive stands, as it moves now."""
        return self._tick(self._law.duration)

    def reaches(self, gap: float) -> int:
        """The instant from which on the drive is at a gap, as it moves now; its end if it does not go there."""
        return self._tick(stays_within(self._law, gap, REACHED))

    def passing(self, gap: float, *, rising: bool) -> int | None:
        """The instant at which the drive comes to a gap on its way, as it moves now."""
        when = passes(self._law, gap, self._since, rising=rising)
        return None if when is None else self._tick(when)

    # ---------------------------------------------------------------- what it is told

    def go(self, target: float, *, speed: float, force: float, ratchet: int = 0) -> None:
        """Begins to go to a gap. A ratchet goes down (−1) or up (1) only: what would lead back is left out."""
        servo = self.servo.limited(speed)

        def plan(place: float, rate: float) -> TimeLaw:
            if not ratchet:
                return servo.to(target, place, rate)
            if ratchet * (target - place) <= 0.0:
                return resting(place)
            return one_way(servo.to(target, place, rate if ratchet * rate > 0.0 else 0.0), ratchet)

        self.target = target
        self._begin(plan, force)

    def run(self, rate: float, *, force: float) -> None:
        """Begins to open (above 0) or close at a steady rate, until something stops it."""
        servo, (low, high) = self.servo, self.opening
        beyond = 2.0 * self.strength / self.stiffness  # farther than it can press anything
        self.target = low if rate < 0.0 else high
        self._begin(lambda place, speed: servo.at_rate(rate, place, speed, low - beyond, high + beyond), force)

    def brake(self) -> None:
        """Comes to rest as quickly as the servo can."""
        servo, (low, high) = self.servo, self.opening
        self._begin(lambda place, speed: servo.at_rate(0.0, place, speed, low, high), self._limit)
        self.target = self.rest

    # ---------------------------------------------------------------- as a gripper without messages

    def start_close(self, gap: float | None = None) -> None:
        """Begins to close to a gap, or on what is there with all its force."""
        self.go(self._checked(self.opening[0] if gap is None else gap), speed=self.servo.speed, force=self.strength)

    def start_open(self, gap: float | None = None) -> None:
        """Begins to open; lets go when the drive has come back to where the fingers stand."""
        self.go(self._checked(self.opening[1] if gap is None else gap), speed=self.servo.speed, force=self.strength)

    def put(self, gap: float) -> None:
        """Sets the gap at once, without grasping anything: for setting a cell up."""
        super().put(gap)
        self.target = gap
        self._law, self._began = resting(gap), self._kernel.now

    # ---------------------------------------------------------------- inside

    @property
    def _since(self) -> float:
        return (self._kernel.now - self._began) * SECOND

    def _tick(self, u: float) -> int:
        """The tick by which the law has come to an instant; rounding must not make it a tick more."""
        return max(self._began + ticks(u) + (ticks(u) * SECOND < u - 1e-9), self._kernel.now)

    def _force(self, place: float) -> float:
        low, high = self.stops
        return self.stiffness * max(low - place, place - high, 0.0)

    @property
    def _limits(self) -> tuple[float, float]:
        """The places at which the drive presses with the force it is limited to."""
        low, high = self.stops
        give = self._limit / self.stiffness
        return low - give, high + give

    def _begin(self, plan: _Plan, force: float) -> None:
        self._plan, self._limit = plan, force
        place, speed = self.drive
        low, high = self._limits
        if (place <= low and speed < 0.0) or (place >= high and speed > 0.0):
            speed = 0.0  # it has no force to go on with
        self._follow_law(plan(place, speed))

    def _follow_law(self, law: TimeLaw) -> None:
        self._law, self._began = law, self._kernel.now
        self._steer()

    def _steer(self) -> None:
        """Has the fingers follow the drive between their stops, and looks ahead to where it lets go, or stalls."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        for place, sign in zip(self._limits, (-1, 1), strict=True):
            here, end = (sign * (each - place) for each in (self.drive[0], self._law.end))
            if here >= 0.0 >= end:
                continue  # pressed to the limit or more, and not to be pressed farther: it comes back, or stays
            when = passes(self._law, place, self._since, rising=sign > 0)
            if when is not None:
                self._timers.append(self._after(self._tick(when), self._stall))
        low, high = self.stops
        if self.load:
            # When the drive has come back to where the fingers stand, and goes on, it takes them along.
            opens = passes(self._law, low + _APART, self._since, rising=True)
            if opens is not None:
                self.moving.tell(True)
                self._timers.append(self._after(self._tick(opens), self._release))
            return
        self._closing = False
        self._cancel()
        law = held_between(self._law.after(self._since), low, high)
        if law.duration <= 0.0 or (law.end == self.gap and len(law.pieces) == 1):
            self._linkage.cut(self._kernel.now)
            self._stop()
            return
        self._follow(law)
        self._closing = law.end < self.gap
        self._predict()

    def _release(self) -> None:
        self._leave()
        self._let_go()
        self._steer()

    def _stall(self) -> None:
        """The drive has no more force: it stays where it is and presses on, or turns back if it was to."""
        low, high = self._limits
        place = low if self.drive[0] < 0.5 * (low + high) else high
        if low < self._law.end < high:
            self._follow_law(self._plan(place, 0.0))
            return
        self._follow_law(resting(place))
        self.stalled()

    def _grasp(self, one: LiveBody, two: LiveBody) -> None:
        super()._grasp(one, two)
        self._steer()

    def _changed(self, body: LiveBody) -> None:
        held = bool(self.load)
        super()._changed(body)
        if held and not self.load:
            self._follow_law(resting(self.gap))  # the pads spring back; the drive goes with them
            self.lost()

    def _after(self, when: int, action: _Action) -> Timer:
        return self._kernel.at(when, action, Rank.MOTION, self.name, writes=self.may_write())
