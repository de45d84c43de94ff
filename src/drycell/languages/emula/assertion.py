"""Assertions: what the emulation cannot know and is told. GRASP, RELEASE and SUPPORT."""

import math
from dataclasses import dataclass
from typing import Final

from drycell.base import ProgramError, Vector, WorldError
from drycell.geometry import TOUCH
from drycell.kernel import seconds
from drycell.languages.emula.grip_frame import grip_frame
from drycell.languages.emula.holding import Holding
from drycell.languages.emula.names import Names, Node, short
from drycell.languages.emula.stride import Stage
from drycell.languages.emula.vicinity import Vicinity
from drycell.world import Gravity, LiveBody, World, lineage

G: Final = 9.80665  # m/s²
_FAR: Final = 1000.0  # metres
_TURNS: Final = 2000.0 * math.pi


@dataclass(frozen=True, slots=True)
class Landing:
    """What became of a SUPPORT: on what the body rests (None: it left the cell), and how long it fell."""

    body: str
    on: str | None
    seconds: float = 0.0


class Assertions:
    """Carries them out in a world."""

    def __init__(
        self, stage: Stage, world: World, names: Names, holding: Holding, solids: Vicinity, gravity: Gravity
    ) -> None:
        self._stage, self._world, self._names, self._holding = stage, world, names, holding
        self._solids, self._gravity = solids, gravity

    def grasp(self, node: Node, at: Vector | None, from_: Node | None) -> LiveBody:
        """The body moves with the hand, or with ``from_``, from now on; returns what it moves with.

        ``at`` puts its origin at an offset first, counted as :func:`grip_frame` says, and leaves its orientation.
        """
        body = node.body
        if body in self._names.links or body is self._stage.robot.base:
            raise ProgramError(f"{node.name} belongs to the robot and cannot be grasped")
        carrier = self._names.hand if from_ is None else from_.body
        if body in lineage(carrier):
            raise ProgramError(f"{node.name} cannot be grasped from {short(carrier)}, which hangs on it")
        if at is not None:
            _check(at)
            frame = grip_frame(self._world, self._stage.robot, self._names, from_)
            x, y, z = frame.point(at)
            here = self._world.pose(body)
            px, py, pz = here.position
            self._world.place(body, here.moved(x - px, y - py, z - pz))
        self._world.attach(body, carrier)
        self._holding.held[body] = carrier
        return carrier

    def release(self, node: Node | None) -> list[LiveBody]:
        """Bodies no longer move with the robot, and stay where they are; without a name, all that are held."""
        if node is not None and node.body not in self._holding.held:
            held = ", ".join(short(body) for body in self._holding.held) or "nothing"
            raise ProgramError(f"{node.name} is not held", hint=f"held is {held}")
        if not self._holding.held:
            raise ProgramError("nothing is held", hint="grasp (body) first")
        freed = list(self._holding.held) if node is None else [node.body]
        for body in freed:
            del self._holding.held[body]
            self._world.attach(body, None)
        return freed

    def support(self, base: Node, node: Node, direction: Vector) -> Landing:
        """A body that does not touch its support falls in a direction, in physical time, until it meets something."""
        size = math.hypot(*direction)
        if not 0.0 < size < math.inf:
            raise ProgramError(f"{direction} is no direction to fall in", hint="down is (0,0,-1)")
        body, stage = node.body, self._stage
        if body in self._names.links or body is stage.robot.base:
            raise ProgramError(f"{node.name} belongs to the robot and cannot fall")
        if body in self._holding.held:
            raise ProgramError(f"{node.name} is held and cannot fall", hint=f"release ({node.name}) first")
        now = stage.kernel.now
        near = self._solids.within(self._holding.pairs(base, node), now, TOUCH)
        if near is not None:
            self._world.attach(body, near.a)
            return Landing(node.name, base.name)
        x, y, z = (G * value / size for value in direction)
        self._gravity.release(body, (x, y, z))
        self._watch(body)
        gone = self._world.bodies.get(body.name) is not body
        on = None if gone or body.parent is None else short(body.parent)
        return Landing(node.name, on, seconds(stage.kernel.now - now))

    def _watch(self, body: LiveBody) -> None:
        """Waits for the end of a fall, with collision checks once a cycle."""
        stage = self._stage
        cycle = stage.cycle()
        due = stage.kernel.now + cycle
        stage.collisions.void()
        while self._gravity.falls(body):
            if not stage.stir.sleep_until(due):
                for collision in stage.collisions.look(due, due):
                    stage.collided(collision)
                due += cycle
            stage.collisions.void()

    def translate(self, node: Node, x: float, y: float, z: float) -> None:
        """Shifts a body along its parent's axes, at once."""
        _check((x, y, z))
        self._movable(node)
        self._world.translate(node.body, x, y, z)

    def rotate(self, node: Node, axis: str, angle: float) -> None:
        """Turns a body about one of its own axes, at once."""
        if not abs(angle) <= _TURNS:
            raise ProgramError(f"nothing can be turned by {math.degrees(angle):g} deg")
        self._movable(node)
        self._world.rotate(node.body, axis.casefold(), angle)

    def merge(self, node: Node) -> None:
        """Makes a sub-tree one indivisible body."""
        self._movable(node)
        if any(each in self._holding.held for each in self._world.subtree(node.body)):
            raise WorldError(f"{node.name} has a held part below it and cannot be merged")
        self._names.retire(node.body)
        self._world.merge(node.body)

    def _movable(self, node: Node) -> None:
        if node.body in self._names.links:
            raise ProgramError(
                f"{node.name} is moved by the robot's motors only", hint="move the motors; the base can be shifted"
            )


def _check(offset: Vector) -> None:
    if not all(abs(value) <= _FAR for value in offset):
        far = ", ".join(f"{value:g}" for value in offset)
        raise ProgramError(f"({far}) m is no place in a cell", hint=f"keep within {_FAR:g} m")
