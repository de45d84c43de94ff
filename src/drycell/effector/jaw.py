"""A jaw with a servo drive and elastic pads. A part between the fingers stops them, and the drive presses on it.

The drive turns a spindle. It follows its law regardless of forces on the fingers, up to its maximum force. Pads of a
given stiffness connect the fingers to the drive. When the fingers are stopped, by a part between them or by the end of
their stroke, the force is the stiffness times the distance that the drive has moved since. At the maximum force the
drive stalls and keeps pressing.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final

from drycell.base import IDENTITY, Pose, Vector, mm
from drycell.effector.servo import Servo, limited_between, one_way, passes, resting, stays_within
from drycell.geometry import TOUCH, Placed, closest, distance
from drycell.handling import FACING, Gripper, TimeLaw
from drycell.kernel import Kernel, Rank, Signal, Timer, ticks
from drycell.robots import Mechanism
from drycell.world import SECOND, Gravity, LiveBody, World

_LEAST: Final = 1e-7  # metres: the minimum step; a grazed part may count as touched
_MOST_STEPS: Final = 1000


def closing_distance(
    one: LiveBody, two: LiveBody, along: Vector, parts: Iterable[LiveBody], most: float
) -> float | None:
    """Find the distance by which two fingers can close until they hold a part, or several parts in a row.

    Args:
        one: the first finger.
        two: the second finger.
        along: the unit vector from the first finger to the second, in the world.
        parts: the bodies that may be between them.
        most: the maximum distance to look for, in metres.

    Returns:
        The distance in metres; None if it is ``most`` or more.
    """
    loose = [part for part in parts if part.shape is not None]
    distances = {part: _distance_to_contact(one, part, along, most) for part in loose}
    open_ends = {part: distance for part, distance in distances.items() if distance < most}
    shortest = most
    while open_ends:  # Dijkstra's algorithm: extend the row that has closed the least
        part = min(open_ends, key=lambda each: (open_ends[each], each.name))
        closed = open_ends.pop(part)
        if closed >= shortest:
            break
        shortest = min(shortest, closed + _distance_to_contact(part, two, along, shortest - closed))
        for other in loose:
            if distances[other] > closed:
                distance = closed + _distance_to_contact(part, other, along, shortest - closed)
                if distance < min(distances[other], shortest):
                    distances[other] = open_ends[other] = distance
    return shortest if shortest < most else None


def _distance_to_contact(mover: LiveBody, other: LiveBody, along: Vector, most: float) -> float:
    """The distance a body can move until it touches a face of another; infinite if it is ``most`` or more."""
    if mover.shape is None or other.shape is None or mover is other:
        return math.inf
    start = mover.pose
    (p, one), (q, another) = mover.shape.sphere, other.shape.sphere
    if math.dist(start.point(p), other.pose.point(q)) - one - another >= most:
        return math.inf  # far away, like most parts of a cell
    there, moved = Placed(other.shape, other.pose), Placed(mover.shape, start)
    moved_by = 0.0
    for _ in range(_MOST_STEPS):
        clearance = distance(moved, there)
        if clearance <= TOUCH:
            facing = sum(n * u for n, u in zip(closest(moved, there).normal, along, strict=True)) > FACING
            return moved_by if facing else math.inf
        moved_by += max(clearance, _LEAST)  # they cannot touch within the distance between them
        if moved_by >= most:
            break
        moved.place(start.moved(*(moved_by * each for each in along)))
    return math.inf


REACHED: Final = 0.05 * mm
"""Tolerance within which the jaw counts as having reached a gap."""
_APART: Final = 1e-9  # metres: the drive must be this much wider open than the fingers to move them
_Action = Callable[[], None]
_Plan = Callable[[float, float], TimeLaw]  # plans a law from the drive's position and speed


def _nothing() -> None:
    pass


class Jaw(Gripper):
    """A gripper driven by a servo. It calls ``stalled`` when it stalls, and ``lost`` when it loses its part.

    The pads take up the part as it is: the force of the servo, not the gap, follows from the first contact.
    """

    turns_parts: ClassVar[bool] = False

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
        """The signals that its motion may change; the owner of the jaw adds its own."""
        self.target = self.gap
        self._limit = strength
        self._law = resting(self.gap)
        self._plan: _Plan = lambda place, speed: resting(place)
        self._began = 0
        self._timers: list[Timer] = []

    # ---------------------------------------------------------------- state

    @property
    def drive(self) -> tuple[float, float]:
        """Position of the drive, as a gap in metres, and its speed in m/s."""
        place, speed, _ = self._law.state(self._since)
        return place, speed if self._since < self._law.duration else 0.0

    def gap_at(self, t: int | None) -> float:
        """The gap between the fingers at an instant of the run, or now."""
        return self._linkage.joints(t)[0]

    @property
    def stops(self) -> tuple[float, float]:
        """The smallest and largest possible gap now, limited by bodies between the fingers or by their stroke."""
        low, high = self.opening
        return (self.gap if self.load or self.obstacle else low), high

    @property
    def rest(self) -> float:
        """The gap at which the fingers will stop if no motion changes: at the end of their motion, or at a part."""
        low, high = self.stops
        end = min(max(self._law.end, low), high)
        if self.load or self.obstacle or end >= self.gap:
            return end
        one, two = self.fingers
        parts = [body for body in self._world.bodies.values() if body.part]
        along = self.palm.pose.direction((-1.0, 0.0, 0.0))
        met = closing_distance(one, two, along, parts, self.gap - end)
        return end if met is None else self.gap - met

    @property
    def force(self) -> float:
        """The force of the fingers on the part between them, or on the end of their stroke, in newtons."""
        return self._force(self.drive[0])

    @property
    def pieces(self) -> int:
        """Number of cubics in the motion of the drive."""
        return len(self._law.pieces)

    @property
    def settles(self) -> int:
        """The tick at which the drive stops if its motion does not change."""
        return self._tick(self._law.duration)

    def reaches(self, gap: float) -> int:
        """The tick from which the drive is at a gap if its motion does not change; otherwise the end of its motion."""
        return self._tick(stays_within(self._law, gap, REACHED))

    def passing(self, gap: float, *, rising: bool) -> int | None:
        """The tick at which the drive passes a gap if its motion does not change; None if it does not."""
        when = passes(self._law, gap, self._since, rising=rising)
        return None if when is None else self._tick(when)

    # ---------------------------------------------------------------- motions

    def go(self, target: float, *, speed: float, force: float, ratchet: int = 0) -> None:
        """Start a move to a gap. With ``ratchet`` it only closes (−1) or only opens (1)."""
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
        """Start to open (above 0) or close at a constant rate in m/s, until something stops it."""
        servo, (low, high) = self.servo, self.opening
        beyond = 2.0 * self.strength / self.stiffness  # beyond the reach of its maximum force
        self.target = low if rate < 0.0 else high
        self._begin(lambda place, speed: servo.at_rate(rate, place, speed, low - beyond, high + beyond), force)

    def brake(self) -> None:
        """Stop as quickly as the servo can."""
        servo, (low, high) = self.servo, self.opening
        self._begin(lambda place, speed: servo.at_rate(0.0, place, speed, low, high), self._limit)
        self.target = self.rest

    # ---------------------------------------------------------------- as a gripper without messages

    def start_close(self, gap: float | None = None) -> None:
        """Start to close to a gap, or with the maximum force on a part."""
        self.go(self._checked(self.opening[0] if gap is None else gap), speed=self.servo.speed, force=self.strength)

    def start_open(self, gap: float | None = None) -> None:
        """Start to open. It releases its part when the drive is back at the gap of the fingers."""
        self.go(self._checked(self.opening[1] if gap is None else gap), speed=self.servo.speed, force=self.strength)

    def put(self, gap: float) -> None:
        """Set the gap at once, without grasping anything. For setting up a cell."""
        super().put(gap)
        self.target = gap
        self._law, self._began = resting(gap), self._kernel.now

    # ---------------------------------------------------------------- inside

    @property
    def _since(self) -> float:
        return (self._kernel.now - self._began) * SECOND

    def _tick(self, u: float) -> int:
        """The first tick at or after ``u`` seconds of the law; rounding must not delay it by a tick."""
        return max(self._began + ticks(u) + (ticks(u) * SECOND < u - 1e-9), self._kernel.now)

    def _force(self, place: float) -> float:
        low, high = self.stops
        return self.stiffness * max(low - place, place - high, 0.0)

    @property
    def _limits(self) -> tuple[float, float]:
        """The drive positions at which the force is at its limit."""
        low, high = self.stops
        give = self._limit / self.stiffness
        return low - give, high + give

    def _begin(self, plan: _Plan, force: float) -> None:
        self._plan, self._limit = plan, force
        place, speed = self.drive
        low, high = self._limits
        if (place <= low and speed < 0.0) or (place >= high and speed > 0.0):
            speed = 0.0  # it has no force left to move on
        self._follow_law(plan(place, speed))

    def _follow_law(self, law: TimeLaw) -> None:
        self._law, self._began = law, self._kernel.now
        self._steer()

    def _steer(self) -> None:
        """Let the fingers follow the drive between their stops, and schedule when it releases its part or stalls."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        for place, sign in zip(self._limits, (-1, 1), strict=True):
            here, end = (sign * (each - place) for each in (self.drive[0], self._law.end))
            if here >= 0.0 >= end:
                continue  # at or beyond the limit, and not about to press harder
            when = passes(self._law, place, self._since, rising=sign > 0)
            if when is not None:
                self._timers.append(self._after(self._tick(when), self._stall))
        low, high = self.stops
        if self.load or self.obstacle:
            # Once the drive is back at the gap of the fingers and opens further, it moves them again.
            opens = passes(self._law, low + _APART, self._since, rising=True)
            if opens is not None:
                self.moving.publish(True)
                self._timers.append(self._after(self._tick(opens), self._release))
            return
        self._closing = False
        self._cancel()
        law = limited_between(self._law.after(self._since), low, high)
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
        self.obstacle = None
        self._steer()

    def _stall(self) -> None:
        """Handle the maximum force of the drive: it stays there and keeps pressing, or reverses if commanded."""
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

    def _block(self, body: LiveBody) -> None:
        super()._block(body)
        self._steer()

    def _changed(self, body: LiveBody) -> None:
        held = bool(self.load)
        super()._changed(body)
        if held and not self.load:
            self._follow_law(resting(self.gap))  # the pads spring back together with the drive
            self.lost()
        if self.obstacle is not None and not any(self._blocks(finger, self.obstacle) for finger in self.fingers):
            self.obstacle = None  # it was taken away, or the hand has left it
            self._follow_law(resting(self.gap))

    def _after(self, when: int, action: _Action) -> Timer:
        return self._kernel.at(when, action, Rank.MOTION, self.name, writes=self.may_write())
