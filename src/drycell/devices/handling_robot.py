"""A robot that handles parts: an arm with a gripper, and the two commands most programs are made of."""

import math

from drycell.devices.grasp import default_grasp
from drycell.devices.gripper import Gripper
from drycell.errors import MotionError, ProgramError
from drycell.robots import Place, Robot, approach
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

    def pick(self, part: Body, *, distance: float = _APPROACH, speed: float = _SLOW) -> Body:
        """Takes a part from above: approach, close on what is there, depart. Returns what is held.

        The jaws go across the part's narrow side, whichever of the two ways round is nearer.
        """
        gripper = self.gripper
        grasp = self._nearer(Workpoint(part.name, None, default_grasp(self._world, gripper, part)))
        gripper.open()
        self.move(approach(grasp, distance))
        self.move_linear(grasp, speed)
        if not gripper.close() or gripper.held is None:
            raise ProgramError(
                f"{self.name} closed its gripper on nothing at {part.name!r}",
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

    def _nearer(self, grasp: Workpoint) -> Workpoint:
        """The same grasp or the one half a turn about it: a parallel gripper holds as well either way."""
        other = Workpoint(grasp.name, None, grasp.local @ Pose.turn_z(math.pi))
        here = self.pose
        return min((grasp, other), key=lambda each: here.distance_to(each.local)[1])
