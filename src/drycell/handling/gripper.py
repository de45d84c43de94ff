"""A two-finger gripper: closing it grasps the parts that are between the jaws, opening it releases them.

The two jaws close at the same speed. A finger pushes the first loose part that it touches, and that part pushes the
next one. When the other finger touches the row from its side, the gripper holds all parts of the row and they move with
it. A part that only one finger touches is pushed aside.

A single part that is not flush with the jaws turns between them while they close on, until an edge is flush or friction
wedges it (``squeeze.py``). This is computed if the part touches the jaws at its outline, as seen along the tool. Other
parts are held as they are, and so is a part that meets another body while it turns.

A body that is not a part stops the jaws where a finger, or a part that it pushes, touches it. A part that does not fit
between the jaws overlaps a finger before they close, so it stops them too. In both cases nothing is held.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np

from drycell.base import IDENTITY, MotionError, Pose, Vector, format_length, mm
from drycell.geometry import TOUCH, Placed, Shape, closest, convex_outline, distance
from drycell.handling.holder import Holder
from drycell.handling.resting_box import part_meant
from drycell.handling.squeeze import PartTurn, Point, Squeeze
from drycell.handling.timelaw import MotionLimits, TimeLaw, time_law
from drycell.kernel import DeviceOutput, Kernel, Rank, Timer, work
from drycell.looks import OWN, Look
from drycell.world import (
    Contact,
    Gravity,
    JointTrajectory,
    Linkage,
    LinkKinematics,
    LiveBody,
    Sampled,
    World,
    first_contact,
    lineage,
)

FACING = 0.7
"""The minimum cosine of the angle between a contact normal and the jaw axis at which a part is squeezed: 45°."""
_AGAINST = 0.1  # for bodies that stop a finger: it slides only along faces nearly parallel to the jaw axis
_STRAIGHT = 1e-6  # metres: jaws that leave the jaw axis by less slide along it
_PUSH_STEP = 1000  # ticks: how finely the motion of a part is sampled that jaws turn, or a finger on an arc pushes
_FACE = 0.5 * mm  # what is this close to the contact along the jaw axis belongs to the face of a jaw
_TICK = 1e-6  # metres: jaws close by less within a tick
_REACHED = 1e-9  # metres: a gap that differs by less is reached
_OUTLINE = 0.1 * mm  # a part whose outline is this much wider or narrower than the gap is not touched at its outline
_ARC_STEPS = 8  # positions of the fingers at which their reach is measured while they close
_WEDGED = 5e-6  # metres: parts touched at the same instant overlap by up to 2 µm until each is pushed


class FingerJoint(Protocol):
    """The joint of a gripper: its limits in metres or radians, and per second (², ³)."""

    @property
    def lower(self) -> float:
        """The lower limit."""

    @property
    def upper(self) -> float:
        """The upper limit."""

    @property
    def speed(self) -> float:
        """The maximum speed."""

    @property
    def acceleration(self) -> float:
        """The maximum acceleration."""

    @property
    def jerk(self) -> float:
        """The maximum jerk."""


class Finger(Protocol):
    """A moving link of a gripper."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def shape(self) -> Shape | None:
        """Its solid."""

    @property
    def deviation(self) -> float:
        """How far the surface of the real link protrudes from its solid, at most, in metres."""


class FrameMark(Protocol):
    """A frame on a link."""

    @property
    def link(self) -> int:
        """The number of the link; −1 is the palm."""


class GripperMechanism(LinkKinematics, Protocol):
    """The interface of a gripper to its mechanism. A ``robots.Mechanism`` with one joint fits.

    Its frame ``tcp`` is between the jaws: x points along their motion, z outward. If it has the frames ``jaw1`` and
    ``jaw2``, one on the inner face of each jaw, the gap is their distance along x, for any type of joint. Otherwise the
    joint value is the gap, and all links are fingers.
    """

    @property
    def base(self) -> Shape | None:
        """The solid of the palm."""

    @property
    def base_deviation(self) -> float:
        """How far the surface of the real palm protrudes from its solid, at most, in metres."""

    @property
    def joints(self) -> Sequence[FingerJoint]:
        """The joint that opens and closes it."""

    @property
    def links(self) -> Sequence[Finger]:
        """The fingers."""

    @property
    def home(self) -> Sequence[float]:
        """The joint value at the start."""

    @property
    def frames(self) -> "Sequence[tuple[str, FrameMark]]":
        """Its named frames."""

    def forward(self, joints: Sequence[float], frame: str) -> Pose:
        """The pose of a named frame relative to the palm."""


def jaw_gap(mechanism: GripperMechanism, value: float) -> float:
    """The gap between the jaws of a mechanism at a joint value (rad or m), in metres."""
    if not any(name == "jaw1" for name, _ in mechanism.frames):
        return value
    one, two = (mechanism.forward([value], frame).position for frame in ("jaw1", "jaw2"))
    x = mechanism.forward([value], "tcp").direction((1.0, 0.0, 0.0))
    return sum((a - b) * c for a, b, c in zip(one, two, x, strict=True))


class Gripper(Holder):
    """Two fingers on a palm, driven by one motor. It is commanded by the gap between the jaws.

    The fingers follow a time law to the commanded gap. ``effector.Jaw`` is a gripper whose fingers follow a servo that
    messages command: it inherits the handling of parts (pushing, grasping, releasing) and has its own drive, force and
    stall.
    """

    turns_parts: ClassVar[bool] = True
    """Whether it turns a part that is not flush with the jaws; False if a force stops the jaws at the first contact."""

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
        palm = LiveBody(f"{name}/palm", mechanism.base, material="aluminium", deviation=mechanism.base_deviation)
        palm.look = _palm_look
        super().__init__(kernel, world, gravity, name, palm, mechanism.forward(mechanism.home, "tcp"), parent, at)
        self.mechanism = mechanism
        links = [
            LiveBody(f"{name}/{link.name}", link.shape, material="steel", deviation=link.deviation, look=_finger_look)
            for link in mechanism.links
        ]
        self._linkage = Linkage(world, name, mechanism, self.palm, links, mechanism.home)
        world.add_linkage(self._linkage)
        self.links = tuple(links)
        jaws = dict(mechanism.frames)
        self._has_jaws = "jaw1" in jaws and "jaw2" in jaws
        self.fingers = (links[jaws["jaw1"].link], links[jaws["jaw2"].link]) if self._has_jaws else tuple(links)
        self._arcs = self._has_jaws and _on_arcs(mechanism, self.tcp)
        self.moving = DeviceOutput(kernel, name, f"{name}.moving", False)
        self.obstacle: LiveBody | None = None
        """The body that stopped the jaws when they last closed: a part that is too wide, or another body."""
        self._pushed: dict[LiveBody, LiveBody] = {}  # part → the finger or part that pushes it
        self._beside: set[tuple[LiveBody, LiveBody]] = set()  # pushed parts that touch, but not between the jaws
        self._turning: LiveBody | None = None  # the part that turns between the jaws
        self._closing = False
        self._protrusions: dict[float, float] = {}  # by the gap that the jaws close to
        self._arrival: Timer | None = None
        self._meeting: Timer | None = None
        world.subscribe(self._changed)

    @property
    def gap(self) -> float:
        """The current gap between the jaws, in metres."""
        return self._gap_at(self._linkage.joints()[0])

    @property
    def opening(self) -> tuple[float, float]:
        """The smallest and the largest gap, in metres."""
        joint = self.mechanism.joints[0]
        least, most = sorted((self._gap_at(joint.lower), self._gap_at(joint.upper)))
        return least, most

    def close(self, gap: float | None = None) -> bool:
        """Close until a part is held or the gap is reached. Blocks until then.

        Args:
            gap: The distance between the jaws to close to, in metres; by default the smallest.

        Returns:
            Whether a part is held. If not, ``obstacle`` is the body that stopped the jaws before the gap, if any.

        Raises:
            MotionError: The gap is out of range, or wider than the current one.
        """
        self.start_close(gap)
        work(~self.moving)
        return self.held is not None

    def open(self, gap: float | None = None) -> None:
        """Release held parts, which fall if nothing is below them, and open. Blocks until the gripper is open.

        Args:
            gap: The distance between the jaws to open to, in metres; by default the largest.

        Raises:
            MotionError: The gap is out of range.
        """
        self.start_open(gap)
        work(~self.moving)

    def start_close(self, gap: float | None = None) -> None:
        """Start to close and return at once. The signal ``moving`` is true until the jaws stop.

        Args:
            gap: The distance between the jaws to close to, in metres; by default the smallest.

        Raises:
            MotionError: The gap is out of range, or wider than the current one.
        """
        wanted = self._checked(self.opening[0] if gap is None else gap)
        if wanted > self.gap:
            raise MotionError(
                f"{self.name} cannot close to {format_length(wanted)}: its gap is only {format_length(self.gap)}",
                hint="use open(gap) for a wider gap",
            )
        if not self.load:
            self.obstacle = None
            self._drive("closes", wanted)
            self._closing = self.moving.value
            self._predict()

    def start_open(self, gap: float | None = None) -> None:
        """Release held parts, start to open and return at once. The signal ``moving`` is true until the jaws stop.

        Args:
            gap: The distance between the jaws to open to, in metres; by default the largest.

        Raises:
            MotionError: The gap is out of range.
        """
        wanted = self._checked(self.opening[1] if gap is None else gap)
        self._leave()
        self._let_go()
        self.obstacle = None
        self._drive("opens", wanted)

    def default_grasp(self, part: LiveBody) -> Pose:
        """The TCP pose that grasps a part from above, across its narrowest level side.

        Args:
            part: The part.

        Raises:
            MotionError: The part has no shape, or no level side fits between the jaws.
        """
        return default_grasp(self._world, self, part)

    def protrusion(self, gap: float) -> float:
        """How far the fingers reach beyond the TCP, along its z axis, while they close to a gap from fully open.

        It includes how far the surface of the real fingers protrudes from their solids.

        Args:
            gap: The distance between the jaws to close to, in metres.
        """
        if gap not in self._protrusions:
            start, end = (self._joint_at(each) for each in (self.opening[1], gap))
            steps = _ARC_STEPS if self._arcs else 0
            values = [end + (start - end) * k / max(steps, 1) for k in range(steps + 1)]
            self._protrusions[gap] = max(self._protrusion_at(value) for value in values)
        return self._protrusions[gap]

    def stop(self) -> None:
        """Stop the jaws where they are, at once. A part that is held stays held."""
        if self.moving.peek():
            self._linkage.cut(self._kernel.now)
            self._stop()

    @property
    def arrival(self) -> int:
        """The tick at which the jaws reach the commanded gap if nothing stops them; now, if they are at rest."""
        return self._linkage.history.values[-1].end if self.moving.peek() else self._kernel.now

    def put(self, gap: float) -> None:
        """Set the gap at once, without grasping anything; for setting up a cell.

        Args:
            gap: The distance between the jaws, in metres.

        Raises:
            MotionError: The gripper moves or holds a part, or the gap is out of range.
        """
        if self.moving.peek() or self.load:
            raise MotionError(f"{self.name} {'holds a part' if self.load else 'moves'}, so its gap cannot be set")
        self._linkage.jump([self._joint_at(self._checked(gap))])

    # ---------------------------------------------------------------- inside

    def _gap_at(self, value: float) -> float:
        """The gap at a joint value."""
        return jaw_gap(self.mechanism, value) if self._has_jaws else value

    def _joint_at(self, gap: float) -> float:
        """The joint value at a gap, found by bisection: the gap grows or shrinks over the whole range."""
        if not self._has_jaws:
            return gap
        joint = self.mechanism.joints[0]
        narrow, wide = sorted((joint.lower, joint.upper), key=self._gap_at)
        if gap <= self._gap_at(narrow):
            return narrow
        if gap >= self._gap_at(wide):
            return wide
        for _ in range(60):
            middle = 0.5 * (narrow + wide)
            narrow, wide = (middle, wide) if self._gap_at(middle) <= gap else (narrow, middle)
        return narrow

    def _protrusion_at(self, value: float) -> float:
        """How far the fingers reach beyond the TCP at a joint value."""
        reached, X_TP = 0.0, self.tcp.inverse()
        for link, X_PL in zip(self.mechanism.links, self.mechanism.link_poses([value]), strict=True):
            for piece in () if link.shape is None else link.shape.pieces():
                placed = piece.at(X_TP @ X_PL)
                outward = placed.pose.inverse().direction((0.0, 0.0, 1.0))
                reached = max(reached, placed.core.extent(*outward) + placed.pose.z + link.deviation)
        return reached

    def _checked(self, gap: float) -> float:
        lower, upper = self.opening
        if not lower <= gap <= upper:
            raise MotionError(
                f"{self.name} cannot open to {format_length(gap)}: "
                f"{format_length(gap)} is not between {format_length(lower)} and {format_length(upper)}",
                hint=f"give a gap from {format_length(lower)} to {format_length(upper)}",
            )
        return gap

    def _drive(self, verb: str, gap: float) -> None:
        self._closing = False
        if self._turning is not None:
            self._leave()  # the jaws meet it again, as it lies now
        self._cancel()
        now, joint = self._kernel.now, self.mechanism.joints[0]
        here, there = self._linkage.joints()[0], self._joint_at(gap)
        self._kernel.journal.write(verb, self.name, to_mm=gap * 1e3)
        if there == here:
            self._linkage.cut(now)
            self._stop()
            return
        law = time_law(
            there, MotionLimits(joint.speed, joint.acceleration, joint.jerk), (here, self._linkage.velocity()[0], 0.0)
        )
        self._follow(law)

    def _follow(self, law: TimeLaw) -> None:
        """Let the joint follow a time law, starting now."""
        breaks, pieces = np.array(law.breaks), np.array(law.pieces)[:, :, None]
        trajectory = JointTrajectory(self._kernel.now, breaks, pieces)
        self._linkage.follow(trajectory)
        self.moving.publish(True)
        self._arrival = self._after(trajectory.end, self._arrived)

    def _arrived(self) -> None:
        """The jaws have reached their gap. If a part is between them that they do not touch, the journal says so."""
        if self._closing and not self._pushed:
            loose = [each for each in self._world.bodies.values() if each.part and not each.hole]
            meant = part_meant(self._world, loose, self.palm.pose @ self.tcp)
            if meant is not None:
                self._kernel.journal.write("differs", self.name, meant=meant.name)
        self._stop()

    def _predict(self) -> None:
        """Find the next contact of a finger, or of a part it pushes, with another body, and schedule it."""
        if self._meeting is not None:
            self._meeting.cancel()
            self._meeting = None
        if not self._closing or self._turning is not None:
            return
        own = {*lineage(self.palm), *(body for body in self._world.subtree(self.palm) if not body.part)}
        solid = [body for body in self._world.bodies.values() if body.shape is not None and not body.hole]
        # Of two contacts at one instant, the contact with a part wins, so that a part in a nest is held and does not
        # stop the jaws.
        solid = sorted((body for body in solid if body not in own), key=lambda body: not body.part)
        obstacle = next((body for body in solid if any(self._blocks(finger, body) for finger in self.fingers)), None)
        if obstacle is not None:
            self._block(obstacle)
            return
        now, end = self._kernel.now, self._linkage.history.values[-1].end
        first: Contact | None = None
        for finger in self.fingers:
            pushing = self._pushing(finger)
            for pusher in pushing:
                others = [each for each in solid if each not in pushing and (pusher, each) not in self._beside]
                met = first_contact(self._world, [pusher], others, now, end)
                if met is not None and (first is None or met.time < first.time):
                    first = met
        if first is not None:
            _, pusher, body = first
            self._meeting = self._after(first.time, lambda: self._touch(pusher, body))

    def _blocks(self, finger: LiveBody, body: LiveBody) -> bool:
        """Whether a body that it touches, or a part that it overlaps, prevents a finger from closing."""
        if body in self._pushed or (finger, body) in self._beside or not _near(finger, body):
            return False
        if not body.part:
            return _touching(finger, body) and self._against(finger, finger, body)
        if finger.shape is None or body.shape is None:
            return False
        if distance(Placed(finger.shape, finger.pose), Placed(body.shape, body.pose)) >= -_WEDGED:
            return False
        # A part beyond the finger does not matter: the finger moves away from it.
        ahead = (b - f for b, f in zip(_centre(body), _centre(finger), strict=True))
        return sum(a * d for a, d in zip(ahead, self._direction(finger), strict=True)) > 0.0

    def _block(self, body: LiveBody) -> None:
        """Stop the jaws at a body that they cannot hold."""
        self.obstacle = body
        self._closing = False
        self._linkage.cut(self._kernel.now)
        self._kernel.journal.write("jams", self.name, at=body.name, gap_mm=self.gap * 1e3)
        self._stop()

    def _pushing(self, finger: LiveBody) -> list[LiveBody]:
        """A finger and all parts that it pushes."""
        return [finger, *(part for part in self._pushed if list(self._row(part))[-1] is finger)]

    def _row(self, body: LiveBody) -> Iterator[LiveBody]:
        """Yield a body, the body that pushes it, and so on up to the finger."""
        yield body
        while body in self._pushed:
            body = self._pushed[body]
            yield body

    def _changed(self, body: LiveBody) -> None:
        """Handle a changed motion: a body may now enter or leave the space between the jaws."""
        self._lost(body)
        solid = (each is self.palm or each.shape is not None for each in self._world.subtree(body))
        if self._closing and body not in self.fingers and any(solid):
            self._predict()

    def _touch(self, pusher: LiveBody, part: LiveBody) -> None:
        self._meeting = None
        if not part.part:
            *_, finger = self._row(pusher)
            if self._against(finger, pusher, part):
                self._block(part)
            else:  # it slides along the body, or the arm has moved it there
                self._beside.add((pusher, part))
                self._predict()
            return
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
            self._push(part, finger)  # this calls _changed, which looks for the next contact

    def _push(self, part: LiveBody, finger: LiveBody) -> None:
        """Let a part move as a finger pushes it: along the jaw axis, even if the fingers move on arcs."""
        if not self._arcs:
            self._world.attach(part, finger)
            return
        law, now = self._linkage.history.values[-1], self._kernel.now
        frame = "jaw1" if finger is self.fingers[0] else "jaw2"
        x = self.tcp.direction((1.0, 0.0, 0.0))

        def along(t: int) -> float:
            return sum(a * b for a, b in zip(self.mechanism.forward(law.joints(t), frame).position, x, strict=True))

        times = [*range(now, max(law.end, now + 1), _PUSH_STEP), max(law.end, now + 1)]
        start, here = along(now), self._world.relative(self.palm, part)
        poses = [here.moved(*((along(t) - start) * each for each in x)) for t in times]
        self._world.move(part, Sampled(times, poses), self.palm)

    def _grasp(self, one: LiveBody, two: LiveBody) -> None:
        """Hold a row of parts. The two bodies touch, and each is pushed from its own side."""
        row = [*reversed(list(self._row(one))), *self._row(two)]
        if row[0] is not self.fingers[0]:
            row.reverse()
        parts = row[1:-1]
        if self.turns_parts and len(parts) == 1:
            turn, middle, touched = self._turn_of(parts[0])
            if turn is not None and turn.angle:
                self._turn(parts[0], turn, middle, touched)
                return
            if turn is not None:
                self._write_turn("wedges", parts[0], turn, 0.0)
        self._hold(parts)

    def _hold(self, parts: Sequence[LiveBody]) -> None:
        """Hold the parts between the jaws, at the present gap."""
        self._closing = False
        self._linkage.cut(self._kernel.now)
        for part in parts:
            del self._pushed[part]
        self._take(parts, gap_mm=self.gap * 1e3)
        self._stop()

    def _turn_of(self, part: LiveBody) -> tuple[PartTurn | None, Point, float]:
        """How the closing jaws turn the part that both touch, about which point of the jaws' plane, and the exact gap.

        No turn if the part is flush, round, or not a simple case.
        """
        nothing = None, (0.0, 0.0), self.gap
        if part.shape is None:
            return nothing
        to_jaws = (self.palm.pose @ self.tcp).inverse()
        placed = Placed(part.shape, part.pose)
        faces = [_jaw_face(finger, placed, to_jaws) for finger in self.fingers]
        (x, one), (u, two) = faces
        vertices, _ = part.shape.triangles()
        corners = convex_outline(to_jaws.point(part.pose.point(v))[:2] for v in vertices.tolist())
        if len(corners) < 3:
            return nothing
        a, b = _middle(corners)
        squeeze = Squeeze(tuple((c - a, d - b) for c, d in corners), (one[0] - b, one[1] - b), (two[0] - b, two[1] - b))
        if not abs(squeeze.width(0.0) - (x - u)) < _OUTLINE:
            return nothing
        materials = self._world.materials
        friction = min(materials[each.material].friction for each in (part, *self.fingers))
        # The jaws met the part within the last tick: at a gap that differs by less than their step in it.
        exact = squeeze.width(0.0)
        return squeeze.turn(friction), (a, b), exact if abs(exact - self.gap) < _TICK else self.gap

    def _turn(self, part: LiveBody, turn: PartTurn, about: Point, start: float) -> None:
        """Let the jaws close on and turn a part. The motion of the part follows from the gap, from ``start`` on."""
        law, now = self._linkage.history.values[-1], self._kernel.now
        end = max(law.end, now + 1)
        low, high = now, end  # the jaws only close, so the instant at which the turn ends can be bisected
        while high - low > 1:
            middle = (low + high) // 2
            narrowed = start - self._gap_at(law.joints(middle)[0])
            low, high = (middle, high) if narrowed < turn.narrowing - _REACHED else (low, middle)
        times = [*range(now, high, _PUSH_STEP), high]
        angles = [turn.at(start - self._gap_at(law.joints(t)[0])) for t in times]
        to_jaws = (self.palm.pose @ self.tcp).inverse()
        here, (a, b) = to_jaws @ part.pose, about
        poses = [
            self.tcp @ Pose(a + turn.shift(angle), b) @ Pose.turn_z(angle) @ Pose(-a, -b) @ here for angle in angles
        ]
        self._turning = part
        self._cancel()
        self._world.move(part, Sampled(times, poses), self.palm)
        own = {*lineage(self.palm), *self._world.subtree(self.palm)}
        others = [
            each for each in self._world.bodies.values() if each.shape is not None and not each.hole and each not in own
        ]
        met = first_contact(self._world, [part, *self.fingers], others, now, high)
        when, by = (high, None) if met is None else (met.time, met.b)
        reached = angles[-1] if met is None else turn.at(start - self._gap_at(law.joints(when)[0]))

        def turned() -> None:
            verb = "wedges" if turn.wedged and reached == turn.angle else "turns"
            self._write_turn(verb, part, turn, reached, by)
            self._turning = None
            self._hold([part])

        self._meeting = self._after(when, turned)

    def _write_turn(self, verb: str, part: LiveBody, turn: PartTurn, angle: float, at: LiveBody | None = None) -> None:
        """Report how far the jaws have turned a part; with ``wedges``, also which friction would not have held it."""
        details: dict[str, object] = {"turned_deg": math.degrees(angle)}
        if verb == "wedges":
            details["needs_friction"] = round(math.tan(turn.squeeze.between(angle)), 3)
        if at is not None:
            details["at"] = at.name
        self._kernel.journal.write(verb, self.name, part=part.name, **details)

    def _leave(self) -> None:
        """Stop pushing: every pushed part stays where it is."""
        pushed, self._pushed = self._pushed, {}
        turning, self._turning = self._turning, None
        self._beside.clear()
        for part in pushed:
            carriers = (self.palm,) if self._arcs or part is turning else self.fingers
            if any(self._has(part, carrier) for carrier in carriers):
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
        """Whether the contact between two bodies is along the jaw axis, rather than sideways or vertical."""
        return abs(_cosine(one, two, self._direction(self.fingers[0]))) > FACING

    def _against(self, finger: LiveBody, pusher: LiveBody, body: LiveBody) -> bool:
        """Whether a closing finger presses a pusher (itself or a part) against a body that the pusher touches."""
        return _cosine(pusher, body, self._direction(finger)) > _AGAINST

    def _direction(self, finger: LiveBody) -> Vector:
        """The direction in which a finger closes, in the world."""
        return self.palm.pose.direction(self.tcp.direction((-1.0 if finger is self.fingers[0] else 1.0, 0.0, 0.0)))


def _on_arcs(mechanism: GripperMechanism, tcp: Pose) -> bool:
    """Whether the jaws of a gripper leave the jaw axis while they close."""
    joint, x = mechanism.joints[0], tcp.direction((1.0, 0.0, 0.0))
    values = [joint.lower + (joint.upper - joint.lower) * k / 4 for k in range(5)]
    places = [mechanism.forward([value], "jaw1").position for value in values]
    moved = [tuple(b - a for a, b in zip(places[0], each, strict=True)) for each in places]
    along = [sum(m * c for m, c in zip(each, x, strict=True)) for each in moved]
    return any(
        math.dist(each, [distance * c for c in x]) > _STRAIGHT for each, distance in zip(moved, along, strict=True)
    )


def _jaw_face(finger: LiveBody, part: Placed, to_jaws: Pose) -> tuple[float, tuple[float, float]]:
    """Where the face of a finger that touches a part is, along the jaw axis, and the range that it covers across it."""
    assert finger.shape is not None
    touched = to_jaws.point(closest(Placed(finger.shape, finger.pose), part).point_a)
    vertices, _ = finger.shape.triangles()
    corners = [to_jaws.point(finger.pose.point(v)) for v in vertices.tolist()]
    across = [y for x, y, _ in corners if abs(x - touched[0]) < _FACE] or [touched[1]]
    return touched[0], (min(across), max(across))


def _middle(corners: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The centre of area of a convex outline."""
    (x, y), area, u, v = corners[0], 0.0, 0.0, 0.0
    for (a, b), (c, d) in pairwise(corners[1:]):
        each = (a - x) * (d - y) - (b - y) * (c - x)
        area, u, v = area + each, u + each * (a + c - 2 * x), v + each * (b + d - 2 * y)
    return x + u / (3 * area), y + v / (3 * area)


def _cosine(one: LiveBody, two: LiveBody, direction: Vector) -> float:
    """The cosine of the angle between a direction and the contact normal from one body to the other."""
    if one.shape is None or two.shape is None:
        return 0.0
    normal = closest(Placed(one.shape, one.pose), Placed(two.shape, two.pose)).normal
    return sum(n * d for n, d in zip(normal, direction, strict=True))


def _centre(body: LiveBody) -> Vector:
    return body.pose.position if body.shape is None else body.pose.point(body.shape.sphere[0])


def _near(a: LiveBody, b: LiveBody) -> bool:
    """Whether the bounding balls of two bodies touch."""
    if a.shape is None or b.shape is None:
        return False
    return math.dist(_centre(a), _centre(b)) <= a.shape.sphere[1] + b.shape.sphere[1] + TOUCH


def _touching(a: LiveBody, b: LiveBody) -> bool:
    if a.shape is None or b.shape is None:
        return False
    return distance(Placed(a.shape, a.pose), Placed(b.shape, b.pose), TOUCH) <= TOUCH


_NARROWER = 0.99  # of the narrowest side of its box: a part that is narrower elsewhere is grasped there
_DEPTH = 25 * mm  # the jaws grasp a tall part this far below its top, and a low part at half its height
_CLEARANCE = 2 * mm  # minimum clearance between the part and the open jaws, sum of both sides
_TIP_CLEARANCE = 3 * mm  # minimum height of the fingertips above the bottom of the part, and so above what it is on


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
    u, v, _ = pose.point([(a + b) / 2 for a, b in zip(lower, upper, strict=True)])
    middles = {number: (u, v) for _, number, _ in sides}
    vertices, _ = part.shape.triangles()
    across = calipers(convex_outline(pose.point(vertex)[:2] for vertex in vertices.tolist()))
    if across and (not sides or across[0][0] < _NARROWER * min(sides)[0]):
        # The part is narrower between other edges of its outline than between the sides of its box.
        sides = [(round(width, 9), 3 + number, angle) for number, (width, angle, _) in enumerate(across)]
        middles = {3 + number: middle for number, (_, _, middle) in enumerate(across)}
    widest = gripper.opening[1] - _CLEARANCE
    fitting = [side for side in sorted(sides) if side[0] <= widest]
    if not fitting:
        sizes = " × ".join(format_length(size) for size, _, _ in sides) or "no level side"
        raise MotionError(
            f"{gripper.name} cannot take {part.name!r} from above: it opens {format_length(gripper.opening[1])}, "
            f"the part has {sizes}",
            hint="turn the part, use a wider gripper, or move to your own grasp pose and call close()",
        )
    width, number, turn = fitting[0]
    u, v = middles[number]
    depth = min((top - bottom) / 2, _DEPTH)
    # Fingers that move on arcs reach furthest when they are closed, so what counts is where they hold the part. On a
    # thin part they still reach down to half its height.
    lowest = bottom + min(_TIP_CLEARANCE, (top - bottom) / 2)
    height = max(top - depth, lowest + gripper.protrusion(width))
    # The jaws move along the tool's x axis; the tool points down.
    return Pose(u, v, height) @ Pose.turn_z(turn) @ Pose.turn_x(math.pi)


def calipers(outline: Sequence[Point]) -> list[tuple[float, float, Point]]:
    """The widths at which jaws hold a convex outline flush: width, direction of the jaw axis, middle between the jaws.

    They are the local minima of the width, narrowest first (rotating calipers: an edge lies flat on one jaw, and what
    touches the other is opposite to that edge).
    """
    if len(outline) < 3:
        return []
    x, y = _middle(outline)
    found = []
    for (a, b), (c, d) in pairwise([*outline, outline[0]]):
        length = math.hypot(c - a, d - b)
        if length < _STRAIGHT:
            continue
        along, normal = ((c - a) / length, (d - b) / length), ((d - b) / length, (a - c) / length)
        depths = [(a - p) * normal[0] + (b - q) * normal[1] for p, q in outline]
        width = max(depths)
        touched = [p for p, depth in zip(outline, depths, strict=True) if depth > width - _STRAIGHT]
        spans = [(p - a) * along[0] + (q - b) * along[1] for p, q in touched]
        if max(spans) < -_STRAIGHT or min(spans) > length + _STRAIGHT:
            continue  # the jaws would turn it further
        middle = (x - a) * normal[0] + (y - b) * normal[1] + width / 2
        at = (x - middle * normal[0], y - middle * normal[1])
        found.append((round(width, 9), round(math.atan2(normal[1], normal[0]) % math.pi, 9) % math.pi, at))
    return sorted(found)


def _palm_look() -> Look:
    return Look().add(OWN, "anodised", tint="dark")


def _finger_look() -> Look:
    return Look().add(OWN, "anodised", tint="#aab1b7")
