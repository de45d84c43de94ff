"""Assertions about facts that the emulation cannot know: GRASP, RELEASE, SUPPORT, and changes of the model."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drycell.base import Pose, ProgramError, Vector, WorldError
from drycell.geometry import TOUCH
from drycell.kernel import seconds
from drycell.languages.emula.bodies import BodyNames, NamedBodies, short
from drycell.languages.emula.sensor_functions import TOLERANCE
from drycell.robots import LiveRobot
from drycell.world import LiveBody, World, lineage

if TYPE_CHECKING:
    from drycell.languages.emula.emulation import Emulation

_FLAT = 1e-9


def grip_frame(world: World, robot: LiveRobot, names: BodyNames, node: NamedBodies | None) -> Pose:
    """The frame, in the world now, in which the offset of GRASP is given.

    * For a finger: at the tip of its gripping face, with x towards the other finger and z out of the hand. So
      ``at (1,0,0) from (finger1)`` puts a part 2 wide flush against it.
    * By default: at the point between the fingertips, with x along the motion of the fingers and z out of the hand.
    * For another body: its own frame.
    """
    mechanism = robot.mechanism
    flange = mechanism.flange
    if node is None:
        return world.pose(robot.flange)
    number = names.links.get(node.body)
    if number is None or mechanism.links[number].parent != flange.link:
        return world.pose(node.body)
    link = mechanism.links[number]
    drive = next((each for each in link.drives if each.kind == "prismatic"), None)
    if drive is None:
        return world.pose(node.body)
    # A finger's frame is the hand's, shifted along its motion: the flange pose in it is the tip of its inner face.
    tip = world.pose(node.body) @ flange.pose
    x, y, z = (-value if drive.ratio > 0.0 else value for value in drive.axis)
    return _facing(tip, world.pose(node.body).direction((x, y, z)))


def _facing(frame: Pose, inward: Vector) -> Pose:
    """A frame rotated about its z axis so that x points inward."""
    (_, _, zx), (_, _, zy), (_, _, zz) = frame.rotation.tolist()
    along = inward[0] * zx + inward[1] * zy + inward[2] * zz
    flat = (inward[0] - along * zx, inward[1] - along * zy, inward[2] - along * zz)
    size = (flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2) ** 0.5
    if size < _FLAT:
        return frame
    a, b, c = (value / size for value in flat)
    p, q, r = frame.position
    # y = z × x
    return Pose.of_rows((a, zy * c - zz * b, zx, p, b, zz * a - zx * c, zy, q, c, zx * b - zy * a, zz, r))


G: Final = 9.80665  # m/s²
_FAR: Final = 1000.0  # metres
_MAX_ANGLE: Final = 2000.0 * math.pi


@dataclass(frozen=True, slots=True)
class Landing:
    """The result of SUPPORT: what the body rests on (None: it left the cell), and how long it fell.

    ``overlap`` is how deep it is in what it rests on, in metres: it overlapped that body before it fell.
    """

    body: str
    on: str | None
    seconds: float = 0.0
    overlap: float = 0.0


class Assertions:
    """Carries out assertions in a world."""

    def __init__(self, emulation: "Emulation") -> None:
        self._emulation, self._world, self._gravity = emulation, emulation.cell.world, emulation.cell.gravity
        self._names, self._grasped = emulation.names, emulation.grasped

    def grasp(self, node: NamedBodies, at: Vector | None, from_: NamedBodies | None) -> LiveBody:
        """Attach a body to the hand, or to ``from_``, and return what it is attached to.

        ``at`` first moves its origin to an offset in the frame of :func:`grip_frame`; its orientation does not change.
        """
        body = node.body
        if body in self._names.links or body is self._emulation.robot.base:
            raise ProgramError(f"{node.name} belongs to the robot and cannot be grasped")
        carrier = self._names.hand if from_ is None else from_.body
        if body in lineage(carrier):
            raise ProgramError(f"{node.name} cannot be grasped from {short(carrier)}, which is attached to it")
        if at is not None:
            _check(at)
            frame = grip_frame(self._world, self._emulation.robot, self._names, from_)
            x, y, z = frame.point(at)
            here = self._world.pose(body)
            px, py, pz = here.position
            self._world.place(body, here.moved(x - px, y - py, z - pz))
        self._world.attach(body, carrier)
        self._grasped.held[body] = carrier
        return carrier

    def release(self, node: NamedBodies | None) -> list[LiveBody]:
        """Detach a held body, or all of them, from the robot. They stay where they are."""
        if node is not None and node.body not in self._grasped.held:
            held = ", ".join(short(body) for body in self._grasped.held) or "nothing"
            raise ProgramError(f"{node.name} is not held", hint=f"the robot holds {held}")
        if not self._grasped.held:
            raise ProgramError("nothing is held", hint="use grasp (body) first")
        freed = list(self._grasped.held) if node is None else [node.body]
        for body in freed:
            del self._grasped.held[body]
            self._world.attach(body, None)
        return freed

    def support(self, base: NamedBodies, node: NamedBodies, direction: Vector) -> Landing:
        """Let a body that does not touch its support fall in a direction until it hits something."""
        size = math.hypot(*direction)
        if not 0.0 < size < math.inf:
            raise ProgramError(f"{direction} is not a direction to fall in", hint="down is (0,0,-1)")
        body, emulation = node.body, self._emulation
        if body in self._names.links or body is emulation.robot.base:
            raise ProgramError(f"{node.name} belongs to the robot and cannot fall")
        if body in self._grasped.held:
            raise ProgramError(f"{node.name} is held and cannot fall", hint=f"use release ({node.name}) first")
        if body in base.roots:
            raise ProgramError(f"{node.name} cannot support itself", hint="support (table, parta)")
        now = self._world.now
        near = emulation.proximity.within(self._grasped.pairs(base, node), now, TOUCH)
        if near is not None:
            self._world.attach(body, near.a)
            return Landing(node.name, base.name)
        x, y, z = (G * value / size for value in direction)
        self._gravity.release(body, (x, y, z), "keep")  # EMULA's bodies never turn
        self._watch(body)
        gone = self._world.bodies.get(body.name) is not body
        if gone or body.parent is None:
            return Landing(node.name, None, seconds(self._world.now - now))
        pairs = self._grasped.pairs(node, self._names.node(body.parent.name))
        depth = max((-emulation.proximity.depth(x, y, self._world.now) for x, y in pairs), default=0.0)
        lasted = seconds(self._world.now - now)
        return Landing(node.name, short(body.parent), lasted, depth if depth > TOLERANCE else 0.0)

    def _watch(self, body: LiveBody) -> None:
        """Wait for the end of a fall, with collision checks once per cycle."""
        emulation = self._emulation
        cycle = emulation.cycle
        due = self._world.now + cycle
        emulation.checks.void()
        while self._gravity.falls(body):
            if not emulation.wake_signal.sleep_until(due):
                for collision in emulation.checks.look(due, due):
                    emulation.collided(collision)
                emulation.board.read_at_rest(due, cycle)
                due += cycle
            emulation.checks.void()

    def translate(self, node: NamedBodies, x: float, y: float, z: float) -> None:
        """Shift a body along its parent's axes, at once."""
        _check((x, y, z))
        self._movable(node)
        self._world.translate(node.body, x, y, z)

    def rotate(self, node: NamedBodies, axis: str, angle: float) -> None:
        """Rotate a body about one of its own axes, at once."""
        if not abs(angle) <= _MAX_ANGLE:
            raise ProgramError(f"a rotation by {math.degrees(angle):g} deg is not possible")
        self._movable(node)
        self._world.rotate(node.body, axis.casefold(), angle)

    def merge(self, node: NamedBodies) -> None:
        """Merge a body and everything below it into one indivisible body."""
        self._movable(node)
        if any(each in self._grasped.held for each in self._world.subtree(node.body)):
            raise WorldError(f"{node.name} contains a held part and cannot be merged")
        self._names.retire(node.body)
        self._world.merge(node.body)

    def _movable(self, node: NamedBodies) -> None:
        if node.body in self._names.links:
            raise ProgramError(
                f"only the robot's motors can move {node.name}", hint="move the motors, or shift the robot's base"
            )


def _check(offset: Vector) -> None:
    if not all(abs(value) <= _FAR for value in offset):
        far = ", ".join(f"{value:g}" for value in offset)
        raise ProgramError(f"({far}) m is too far away", hint=f"stay within {_FAR:g} m")
