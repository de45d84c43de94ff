"""A robot that handles parts: an arm with a gripper, and the two commands most programs are made of."""

import math

from drycell.errors import MotionError, ProgramError, UnknownName
from drycell.robots.grasp import default_grasp
from drycell.robots.gripper import Gripper
from drycell.robots.robot import Robot
from drycell.robots.target import Place, approach
from drycell.spatial import Pose
from drycell.units import mm, s
from drycell.world import Body, Workpoint

_APPROACH = 80 * mm
_SLOW = 100 * mm / s


class HandlingRobot(Robot):
    """A robot with what it carries on its flange. ``gripper`` is there once one is mounted."""

    _gripper: Gripper | None = None

    @property
    def gripper(self) -> Gripper:
        """What it grasps with."""
        if self._gripper is None:
            raise MotionError(
                f"{self.name} has no gripper",
                hint=f'give it one: cell.add_robot(…, name={self.name!r}, gripper="two-finger")',
            )
        return self._gripper

    @property
    def has_gripper(self) -> bool:
        """Whether one is mounted."""
        return self._gripper is not None

    def mount(self, gripper: Gripper) -> None:
        """Puts a gripper on the flange; the tool centre point is now between its jaws."""
        self._gripper = gripper
        self.tool = gripper.tcp

    def pick(self, part: Body | str, *, distance: float = _APPROACH, speed: float = _SLOW) -> Body:
        """Takes a part, or the one of that name, from above: approach, close on what is there, depart.

        Returns what is held. The jaws go across the part's narrow side, whichever of the two ways round is nearer.
        """
        gripper, body = self.gripper, self._part(part)
        grasp = self._nearer(Workpoint(body.name, None, default_grasp(self._world, gripper, body)))
        gripper.open()
        self.move(approach(grasp, distance))
        self.move_linear(grasp, speed)
        if not gripper.close() or gripper.held is None:
            raise ProgramError(
                f"{self.name} closed its gripper on nothing at {body.name!r}",
                hint="see where the part is at this time: drycell picture CELL --at T",
            )
        self.move_linear(approach(grasp, distance), speed)
        return gripper.held

    def place(self, target: Place, *, distance: float = _APPROACH, speed: float = _SLOW) -> None:
        """Sets what it holds down with the tool at a target: approach, open, depart."""
        self.move(approach(target, distance))
        self.move_linear(target, speed)
        self.gripper.open()
        self.move_linear(approach(target, distance), speed)

    def _part(self, given: object) -> Body:
        if isinstance(given, str):
            if given not in self._world.bodies:
                raise UnknownName("body", given, self._world.bodies)
            return self._world.bodies[given]
        if isinstance(given, Body):
            return given
        what = f"{type(given).__name__.lower()} {getattr(given, 'name', given)!r}"
        raise ProgramError(
            f"{self.name}.pick takes a part, and {what} is none",
            hint="name the part; or move to the place, and close the gripper: it takes what is there",
        )

    def _nearer(self, grasp: Workpoint) -> Workpoint:
        """The same grasp or the one half a turn about it: a parallel gripper holds as well either way."""
        other = Workpoint(grasp.name, None, grasp.local @ Pose.turn_z(math.pi))
        here = self.pose
        return min((grasp, other), key=lambda each: here.distance_to(each.local)[1])
