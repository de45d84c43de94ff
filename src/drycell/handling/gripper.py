"""A two-finger gripper: closing it grasps the parts that are between the jaws, opening it releases them.

The two jaws close at the same speed. A finger pushes the first loose part that it touches, and that part pushes the
next one. When the other finger touches the row from its side, the gripper holds all parts of the row and they move with
it. A part that only one finger touches is pushed aside.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np

from drycell.base import IDENTITY, MotionError, Pose, format_length, mm
from drycell.geometry import TOUCH, Placed, Shape, closest, distance
from drycell.handling.timelaw import MotionLimits, TimeLaw, time_law
from drycell.kernel import DeviceOutput, Kernel, Rank, Timer, work
from drycell.world import (
    Contact,
    Gravity,
    JointTrajectory,
    Linkage,
    LinkKinematics,
    LiveBody,
    World,
    first_contact,
)

FACING = 0.7
"""The least cosine of the angle between a contact normal and the jaw axis at which a part is squeezed: 45°."""


class FingerJoint(Protocol):
    """The joint of a gripper, whose value is the gap: its limits in metres, m/s, m/s² and m/s³."""

    @property
    def lower(self) -> float:
        """The smallest gap."""

    @property
    def upper(self) -> float:
        """The largest gap."""

    @property
    def speed(self) -> float:
        """The greatest speed."""

    @property
    def acceleration(self) -> float:
        """The greatest acceleration."""

    @property
    def jerk(self) -> float:
        """The greatest jerk."""


class Finger(Protocol):
    """A moving link of a gripper."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def shape(self) -> Shape | None:
        """Its solid."""


class GripperMechanism(LinkKinematics, Protocol):
    """What a gripper needs to know about its mechanism. A ``robots.Mechanism`` with one joint fits."""

    @property
    def base(self) -> Shape | None:
        """The solid of the palm."""

    @property
    def joints(self) -> Sequence[FingerJoint]:
        """The joint of the gap."""

    @property
    def links(self) -> Sequence[Finger]:
        """The fingers."""

    @property
    def home(self) -> Sequence[float]:
        """The gap at the start."""

    def forward(self, joints: Sequence[float], frame: str) -> Pose:
        """The pose of a named frame relative to the palm."""


class Gripper:
    """Two fingers on a palm, driven by one motor. Its joint value is the gap between the jaws.

    The fingers follow a time law to the commanded gap. ``effector.Jaw`` is a gripper whose fingers follow a servo that
    messages command: it inherits the handling of parts (pushing, grasping, releasing) and has its own drive, force and
    stall.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        gravity: Gravity,
        name: str,
        mechanism: GripperMechanism,
        parent: LiveBody | None,
        at: Pose = IDENTITY,
    ) -> None:
        self.name, self.mechanism = name, mechanism
        self._kernel, self._world, self._gravity = kernel, world, gravity
        self.palm = world.add(LiveBody(f"{name}/palm", mechanism.base, material="aluminium"), parent, at)
        links = [LiveBody(f"{name}/{link.name}", link.shape, material="steel") for link in mechanism.links]
        self._linkage = Linkage(world, name, mechanism, self.palm, links, mechanism.home)
        world.add_linkage(self._linkage)
        self.fingers = tuple(links)
        self.tcp = mechanism.forward(mechanism.home, "tcp")
        self.holding = DeviceOutput(kernel, name, f"{name}.holding", False)
        self.moving = DeviceOutput(kernel, name, f"{name}.moving", False)
        self.load: tuple[LiveBody, ...] = ()
        """The parts it holds: one, or several in a row between the jaws."""
        self._pushed: dict[LiveBody, LiveBody] = {}  # a part → the finger, or the part, that pushes it
        self._beside: set[tuple[LiveBody, LiveBody]] = set()  # pushed parts that touch, but not between the jaws
        self._closing = False
        self._arrival: Timer | None = None
        self._meeting: Timer | None = None
        world.subscribe(self._changed)

    @property
    def held(self) -> LiveBody | None:
        """The part it holds, or the first of several; None if it holds none."""
        return self.load[0] if self.load else None

    @property
    def gap(self) -> float:
        """The current gap between the jaws, in metres."""
        return self._linkage.joints()[0]

    @property
    def opening(self) -> tuple[float, float]:
        """The smallest and the largest gap, in metres."""
        joint = self.mechanism.joints[0]
        return joint.lower, joint.upper

    def close(self, gap: float | None = None) -> bool:
        """Close until a part is held or the gap is reached. Blocks until then.

        Args:
            gap: The distance between the jaws to close to, in metres; by default the smallest.

        Returns:
            Whether a part is held.

        Raises:
            MotionError: The gap is out of range, or wider than the present one.
        """
        self.start_close(gap)
        work(~self.moving)
        return self.held is not None

    def open(self, gap: float | None = None) -> None:
        """Release what is held, which falls if nothing is below it, and open. Blocks until the gripper is open.

        Args:
            gap: The distance between the jaws to open to, in metres; by default the largest.

        Raises:
            MotionError: The gap is out of range.
        """
        self.start_open(gap)
        work(~self.moving)

    def start_close(self, gap: float | None = None) -> None:
        """Begin to close and return at once. The signal ``moving`` is true until it is done.

        Args:
            gap: The distance between the jaws to close to, in metres; by default the smallest.

        Raises:
            MotionError: The gap is out of range, or wider than the present one.
        """
        wanted = self._checked(self.opening[0] if gap is None else gap)
        if wanted > self.gap:
            raise MotionError(
                f"{self.name} cannot close to {format_length(wanted)}: it is at {format_length(self.gap)} already",
                hint="use open(gap) to go to a wider gap",
            )
        if not self.load:
            self._drive("closes", wanted)
            self._closing = self.moving.value
            self._predict()

    def start_open(self, gap: float | None = None) -> None:
        """Release what is held, begin to open and return at once. The signal ``moving`` is true until it is done.

        Args:
            gap: The distance between the jaws to open to, in metres; by default the largest.

        Raises:
            MotionError: The gap is out of range.
        """
        wanted = self._checked(self.opening[1] if gap is None else gap)
        self._leave()
        self._let_go()
        self._drive("opens", wanted)

    def put(self, gap: float) -> None:
        """Set the gap at once, without grasping anything; for setting up a cell.

        Args:
            gap: The distance between the jaws, in metres.

        Raises:
            MotionError: The gripper moves or holds a part, or the gap is out of range.
        """
        if self.moving.peek() or self.load:
            raise MotionError(
                f"{self.name} {'holds a part' if self.load else 'moves'} and cannot be put at another gap"
            )
        self._linkage.jump([self._checked(gap)])

    # ---------------------------------------------------------------- inside

    def _checked(self, gap: float) -> float:
        lower, upper = self.opening
        if not lower <= gap <= upper:
            raise MotionError(
                f"{self.name} cannot open to {format_length(gap)}: "
                f"not {format_length(lower)} ≤ {format_length(gap)} ≤ {format_length(upper)}",
                hint=f"give a gap from {format_length(lower)} to {format_length(upper)}",
            )
        return gap

    def _drive(self, verb: str, gap: float) -> None:
        self._closing = False
        self._cancel()
        now, joint, here = self._kernel.now, self.mechanism.joints[0], self.gap
        self._kernel.journal.write(verb, self.name, to_mm=gap * 1e3)
        if gap == here:
            self._linkage.cut(now)
            self._stop()
            return
        law = time_law(
            gap, MotionLimits(joint.speed, joint.acceleration, joint.jerk), (here, self._linkage.velocity()[0], 0.0)
        )
        self._follow(law)

    def _follow(self, law: TimeLaw) -> None:
        """Let the gap follow a time law from now on."""
        breaks, pieces = np.array(law.breaks), np.array(law.pieces)[:, :, None]
        trajectory = JointTrajectory(self._kernel.now, breaks, pieces)
        self._linkage.follow(trajectory)
        self.moving.publish(True)
        self._arrival = self._after(trajectory.end, self._stop)

    def _predict(self) -> None:
        """Find the next contact of a finger, or of a part it pushes, with another part, and schedule it."""
        if self._meeting is not None:
            self._meeting.cancel()
            self._meeting = None
        if not self._closing:
            return
        loose = [body for body in self._world.bodies.values() if body.part and body.shape is not None]
        now, end = self._kernel.now, self._linkage.history.values[-1].end
        first: Contact | None = None
        for finger in self.fingers:
            pushing = self._pushing(finger)
            for pusher in pushing:
                others = [each for each in loose if each not in pushing and (pusher, each) not in self._beside]
                met = first_contact(self._world, [pusher], others, now, end)
                if met is not None and (first is None or met.time < first.time):
                    first = met
        if first is not None:
            _, pusher, part = first
            self._meeting = self._after(first.time, lambda: self._touch(pusher, part))

    def _pushing(self, finger: LiveBody) -> list[LiveBody]:
        """A finger and all parts that it pushes."""
        return [finger, *(part for part in self._pushed if list(self._row(part))[-1] is finger)]

    def _row(self, body: LiveBody) -> Iterator[LiveBody]:
        """A body, then the body that pushes it, and so on up to the finger."""
        yield body
        while body in self._pushed:
            body = self._pushed[body]
            yield body

    def _changed(self, body: LiveBody) -> None:
        """Handle a changed motion: a body may now enter or leave the space between the jaws."""
        if body in self.load and not self._has(body, self.palm):
            self.load = tuple(part for part in self.load if part is not body)
            self.holding.publish(bool(self.load))
        if self._closing and body not in self.fingers:
            below = list(self._world.subtree(body))
            if self.palm in below or any(each.part for each in below):
                self._predict()

    def _has(self, part: LiveBody, carrier: LiveBody) -> bool:
        """Whether a part is still in the cell and still attached to a carrier."""
        return self._world.bodies.get(part.name) is part and part.parent is carrier

    def _touch(self, pusher: LiveBody, part: LiveBody) -> None:
        self._meeting = None
        if not self._along_jaws(pusher, part) and pusher not in self.fingers:
            self._beside |= {(pusher, part), (part, pusher)}  # side by side: no part is squeezed
            self._predict()
            return
        if part in self._pushed:  # the other finger pushes it from its side
            self._grasp(pusher, part)
            return
        self._pushed[part] = pusher
        *_, finger = self._row(part)
        (other,) = (each for each in self.fingers if each is not finger)
        facing = (each for each in self._pushing(other) if _touching(each, part) and self._along_jaws(each, part))
        against = next(facing, None)
        if against is not None:
            self._grasp(part, against)
        else:
            self._world.attach(part, finger)  # this calls _changed, which looks for the next contact

    def _grasp(self, one: LiveBody, two: LiveBody) -> None:
        """Hold a row of parts. The two bodies touch, and each is pushed from its own side."""
        self._closing = False
        self._linkage.cut(self._kernel.now)
        row = [*reversed(list(self._row(one))), *self._row(two)]
        if row[0] is not self.fingers[0]:
            row.reverse()
        self.load = tuple(row[1:-1])
        for part in self.load:
            del self._pushed[part]
            self._world.attach(part, self.palm)
            self._kernel.journal.write("grasps", self.name, part=part.name, gap_mm=self.gap * 1e3)
        self.holding.publish(True)
        self._stop()

    def _let_go(self) -> None:
        if not self.load:
            return
        load, self.load = self.load, ()
        self.holding.publish(False)
        for part in load:
            self._kernel.journal.write("releases", self.name, part=part.name)
            # A part that another gripper holds now, or that has left the cell, must not fall.
            if self._has(part, self.palm):
                self._world.attach(part, None)
                self._gravity.release(part)

    def _leave(self) -> None:
        """Stop pushing: every pushed part stays where it is."""
        pushed, self._pushed = self._pushed, {}
        self._beside.clear()
        for part in pushed:
            if any(self._has(part, finger) for finger in self.fingers):
                self._world.attach(part, None)
                self._gravity.release(part)

    def _stop(self) -> None:
        self._closing = False
        self._cancel()
        self._leave()
        self.moving.publish(False)

    def _after(self, when: int, action: Callable[[], None]) -> Timer:
        return self._kernel.at(when, action, Rank.MOTION, self.name, writes=(self.holding, self.moving))

    def _cancel(self) -> None:
        for timer in (self._arrival, self._meeting):
            if timer is not None:
                timer.cancel()
        self._arrival = self._meeting = None

    def _along_jaws(self, one: LiveBody, two: LiveBody) -> bool:
        """Whether the contact between two bodies is along the jaw axis, not sideways or vertical."""
        if one.shape is None or two.shape is None:
            return False
        normal = closest(Placed(one.shape, one.pose), Placed(two.shape, two.pose)).normal
        axis = self.palm.pose.direction((1.0, 0.0, 0.0))
        return abs(sum(n * a for n, a in zip(normal, axis, strict=True))) > FACING


def _touching(a: LiveBody, b: LiveBody) -> bool:
    if a.shape is None or b.shape is None:
        return False
    return distance(Placed(a.shape, a.pose), Placed(b.shape, b.pose), TOUCH) <= TOUCH


_DEPTH = 25 * mm  # the jaws grasp a tall part this far below its top, and a low part at half its height
_CLEARANCE = 2 * mm  # least clearance between the part and the open jaws, sum of both sides


def default_grasp(world: World, gripper: Gripper, part: LiveBody) -> Pose:
    """The TCP pose that grasps a part from above, across its narrowest level side.

    Raises:
        MotionError: The part has no shape, or no level side fits between the jaws.
    """
    if part.shape is None:
        raise MotionError(f"{part.name!r} has no shape, so there is nothing to grasp")
    lower, upper = part.shape.bounds
    pose = world.pose(part)
    corners = [
        pose.point((x, y, z)) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])
    ]
    top, bottom = max(corner[2] for corner in corners), min(corner[2] for corner in corners)
    sides = []
    for number, axis in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
        size = upper[number] - lower[number]
        x, y, z = pose.direction(axis)
        if abs(z) < 1e-3:  # only level sides can be grasped from above
            sides.append((round(size, 9), number, math.atan2(y, x)))  # of equal sides, the first axis of the part wins
    widest = gripper.opening[1] - _CLEARANCE
    fitting = [side for side in sorted(sides) if side[0] <= widest]
    if not fitting:
        sizes = " × ".join(format_length(size) for size, _, _ in sides) or "no level side"
        raise MotionError(
            f"{gripper.name} cannot take {part.name!r} from above: it opens {format_length(gripper.opening[1])}, "
            f"the part has {sizes}",
            hint="turn the part, use a wider gripper, or move to your own grasp pose and call close()",
        )
    across = fitting[0][2]
    u, v, _ = pose.point([(a + b) / 2 for a, b in zip(lower, upper, strict=True)])
    depth = min((top - bottom) / 2, _DEPTH)
    # The jaws move along the tool's x axis; the tool points down.
    return Pose(u, v, top - depth) @ Pose.turn_z(across) @ Pose.turn_x(math.pi)
