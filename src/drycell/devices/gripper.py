"""A two-finger gripper: closing grasps what is truly between the jaws, opening lets it go.

The jaws close together. A loose part that one finger meets first is pushed along by it until the other finger meets it
too; then it is held, and moves with the gripper. A part that only one finger ever meets has been pushed aside.
"""

from collections.abc import Callable

import numpy as np

from drycell.errors import MotionError
from drycell.handling import Gravity
from drycell.kernel import Kernel, Rank, Timer, wait
from drycell.robots import Limits, Mechanism, time_law
from drycell.spatial import IDENTITY, Pose
from drycell.units import format_length
from drycell.world import Body, JointTrajectory, Linkage, World, first_contact


class Gripper:
    """Fingers on a palm, driven by one motor: the gap between the jaws."""

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        gravity: Gravity,
        name: str,
        mechanism: Mechanism,
        parent: Body | None,
        at: Pose = IDENTITY,
    ) -> None:
        self.name, self.mechanism = name, mechanism
        self._kernel, self._world, self._gravity = kernel, world, gravity
        self.palm = world.add(Body(f"{name}/palm", mechanism.base, material="aluminium"), parent, at)
        links = [Body(f"{name}/{link.name}", link.shape, material="steel") for link in mechanism.links]
        self._linkage = Linkage(world, name, mechanism, self.palm, links, mechanism.home)
        world.add_linkage(self._linkage)
        self.fingers = tuple(links)
        self.tcp = mechanism.forward(mechanism.home, "tcp")
        self.holding = kernel.signal(f"{name}.holding", False)
        self.moving = kernel.signal(f"{name}.moving", False)
        self.held: Body | None = None
        self._pushed: dict[Body, Body] = {}  # finger → the part it pushes
        self._closing = False
        self._arrival: Timer | None = None
        self._meeting: Timer | None = None
        world.subscribe(self._changed)

    @property
    def gap(self) -> float:
        """How far apart the jaws are now, in metres."""
        return self._linkage.joints()[0]

    @property
    def opening(self) -> tuple[float, float]:
        """The least and the greatest gap."""
        joint = self.mechanism.joints[0]
        return joint.lower, joint.upper

    def close(self, gap: float | None = None) -> bool:
        """Closes until something is held or the gap is reached; says whether something is held."""
        self.start_close(gap)
        wait(~self.moving)
        return self.held is not None

    def open(self, gap: float | None = None) -> None:
        """Lets go of what is held, which falls if nothing is below it, and opens."""
        self.start_open(gap)
        wait(~self.moving)

    def start_close(self, gap: float | None = None) -> None:
        """Begins to close and returns at once; ``moving`` says when it is done."""
        if self.held is None:
            self._drive("closes", self.opening[0] if gap is None else gap)
            self._closing = self.moving.value
            self._predict()

    def start_open(self, gap: float | None = None) -> None:
        """Lets go, begins to open and returns at once."""
        self._let_go()
        self._drive("opens", self.opening[1] if gap is None else gap)

    # ---------------------------------------------------------------- inside

    def _drive(self, verb: str, gap: float) -> None:
        lower, upper = self.opening
        if not lower <= gap <= upper:
            raise MotionError(
                f"{self.name} cannot open to {format_length(gap)}: "
                f"not {format_length(lower)} ≤ {format_length(gap)} ≤ {format_length(upper)}"
            )
        self._closing = False
        self._cancel()
        now, joint, here = self._kernel.now, self.mechanism.joints[0], self.gap
        self._kernel.journal.write(verb, self.name, to_mm=gap * 1e3)
        if gap == here:
            self._linkage.cut(now)
            self.moving.set(False)
            return
        law = time_law(
            gap, Limits(joint.speed, joint.acceleration, joint.jerk), (here, self._linkage.velocity()[0], 0.0)
        )
        trajectory = JointTrajectory(now, np.array(law.breaks), np.array(law.pieces)[:, :, None])
        self._linkage.follow(trajectory)
        self.moving.set(True)
        self._arrival = self._after(trajectory.end, self._stop)

    def _predict(self) -> None:
        """Sees ahead to the first part that a finger meets, as everything moves now."""
        if self._meeting is not None:
            self._meeting.cancel()
            self._meeting = None
        if not self._closing:
            return
        loose = [body for body in self._world.bodies.values() if body.part and body.shape is not None]
        end = self._linkage.history[-1].end
        first: tuple[int, Body, Body] | None = None
        for finger in self.fingers:
            others = [body for body in loose if body is not self._pushed.get(finger)]
            met = first_contact(self._world, [finger], others, self._kernel.now, end)
            if met is not None and (first is None or met.time < first[0]):
                first = (met.time, finger, met.b)
        if first is not None:
            when, finger, part = first
            self._meeting = self._after(when, lambda: self._touch(finger, part))

    def _changed(self, body: Body) -> None:
        """Something moves otherwise than it did, and may now come between the jaws, or leave them."""
        if self._closing and body not in self.fingers:
            self._predict()

    def _touch(self, finger: Body, part: Body) -> None:
        self._meeting = None
        if any(pushed is part for other, pushed in self._pushed.items() if other is not finger):
            self._grasp(part)
        else:
            self._pushed[finger] = part
            self._world.affix(part, finger)  # announced, so the next meeting is looked for

    def _grasp(self, part: Body) -> None:
        self._closing = False
        self._linkage.cut(self._kernel.now)
        self._world.affix(part, self.palm)
        self.held = part
        self._kernel.journal.write("grasps", self.name, part=part.name, gap_mm=self.gap * 1e3)
        self.holding.set(True)
        self._stop()

    def _let_go(self) -> None:
        if self.held is None:
            return
        part, self.held = self.held, None
        self._kernel.journal.write("releases", self.name, part=part.name)
        self._world.affix(part, None)
        self.holding.set(False)
        self._gravity.release(part)

    def _stop(self) -> None:
        self._closing = False
        self._cancel()
        for part in self._pushed.values():
            if part is not self.held:
                self._world.affix(part, None)
                self._gravity.release(part)
        self._pushed.clear()
        self.moving.set(False)

    def _after(self, when: int, action: Callable[[], None]) -> Timer:
        return self._kernel.at(when, action, Rank.MOTION, self.name, writes=(self.holding, self.moving))

    def _cancel(self) -> None:
        for timer in (self._arrival, self._meeting):
            if timer is not None:
                timer.cancel()
        self._arrival = self._meeting = None
