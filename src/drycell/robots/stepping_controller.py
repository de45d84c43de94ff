"""The stepping controller of EMULA's families, which moves in basic cycles and stops instantly."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

import numpy as np

from drycell.base import Array, Duration, MotionError, Pose, Problem, Vector, mm, ms
from drycell.kernel import seconds, ticks
from drycell.robots.arm import Arm
from drycell.robots.controller import MotionController
from drycell.robots.joint_moves import NOWHERE
from drycell.robots.move_data import NO_DATA, MoveData, too_short
from drycell.robots.path import Line, Path, arc_through, for_arm
from drycell.robots.path_controllers import LinearSpeed
from drycell.robots.plan import MoveKind, Plan
from drycell.robots.spline import Spline, rest

Mode = Literal["incremental", "complete"]

# A rounding error must not add a cycle to a move.
_FULL: Final = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class StepPlan(Plan):
    """A motion from cycle to cycle, with constant joint speeds within each cycle."""

    def entry(self, zone: float) -> float:
        return self.duration

    def stopped(self, u: float) -> "StepPlan":
        return replace(self, spline=rest(self.spline.joints(u)))

    def after(self, u: float) -> "StepPlan":
        return replace(self, spline=self.spline.after(u))


class SteppingController(MotionController, kind="stepping", kw_only=False):
    """A controller without dynamics, like EMULA's, in which time passes in basic cycles.

    * In ``incremental`` mode a move is divided into equal sub-moves, one for each cycle. Their number follows from the
      commanded speed of the slowest joint, or of the TCP on a line or an arc. The joints move evenly within a cycle.
    * In ``complete`` mode the whole move takes one cycle, whatever its length, and all joints move evenly.
    * Without a sensor event both modes end at the same joints.
    * Sensors are read at the boundaries of the move's own cycles, and the arm stops there at once: at most one cycle,
      and the travel of one cycle, after the event. In complete mode that is the end of the move.
    * There are no zones and no accelerations. A move with a ``time`` takes the whole cycles that fit into it; in
      complete mode there are none.
    """

    takes: ClassVar[tuple[str, ...]] = ("time",)

    cycle: Duration = 20 * ms
    """Length of the basic cycle."""
    mode: Mode = "incremental"
    """Whether each step of a move takes one cycle, or the whole move takes one cycle."""
    linear_speed: LinearSpeed = 250 * mm
    """Speed of the TCP if the command does not set one."""

    def problems(self) -> Iterable[Problem]:
        """The cycle must be at least one tick."""
        if not ticks(self.cycle) > 0:
            yield Problem(("cycle",), f"a basic cycle cannot last {self.cycle:g} s", "give it at least 0.000001 s")

    @property
    def _period(self) -> float:
        """The cycle in seconds, rounded to whole ticks."""
        return seconds(ticks(self.cycle))

    def joint_move(
        self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float, data: MoveData = NO_DATA
    ) -> Plan:
        """Plan a move from joints to joints, at a fraction (0…1) of every joint's maximum speed."""
        speeds = data.speeds or [joint.speed * speed for joint in arm.mechanism.joints]
        needed = [abs(there - here) / pace for here, there, pace in zip(start, end, speeds, strict=True)]
        cycles = self._cycles(max(needed))
        if data.time is not None:
            cycles = self._fitting(arm, data.time, cycles, arm.mechanism.joints[needed.index(max(needed))].name)
        return self._plan(arm, "joint", np.array((start, end), dtype=float), cycles)

    def linear_move(
        self, arm: Arm, start: Sequence[float], end: Pose, speed: float, target: str, data: MoveData = NO_DATA
    ) -> Plan:
        """Plan a move with the TCP on a line at every cycle boundary, at a speed in m/s."""
        return self._path_plan(arm, "linear", Line(arm.tcp(start), end), start, speed, target, data)

    def circular_move(
        self,
        arm: Arm,
        start: Sequence[float],
        via: Vector,
        end: Pose,
        speed: float,
        target: str,
        data: MoveData = NO_DATA,
    ) -> Plan:
        """Plan a move with the TCP on an arc at every cycle boundary, at a speed in m/s."""
        return self._path_plan(arm, "circular", arc_through(arm.tcp(start), via, end), start, speed, target, data)

    def _path_plan(
        self,
        arm: Arm,
        kind: MoveKind,
        path: Path,
        start: Sequence[float],
        speed: float,
        target: str,
        data: MoveData,
    ) -> Plan:
        final = arm.mechanism.inverse(arm.flange(path.end), near=start, target=target).joints
        fitted, cycles = for_arm(arm, path), self._cycles(path.length / speed)
        if data.time is not None:
            cycles = self._fitting(arm, data.time, cycles, "the tool")
        while True:
            steps = [tuple(start)]
            for step in range(1, cycles):
                found = arm.mechanism.inverse(arm.flange(fitted.pose(step / cycles)), near=steps[-1], target=target)
                steps.append(found.joints)
            joints = np.array((*steps, final))
            # If a motor would have to move farther in a cycle than it can, the move takes more cycles.
            reach = np.array([joint.speed for joint in arm.mechanism.joints]) * self._period
            excess = float((np.abs(np.diff(joints, axis=0)) / reach).max())
            if self.mode == "complete" or excess <= 1.0 + _FULL:
                return self._plan(arm, kind, joints, cycles)
            cycles = max(cycles + 1, math.ceil(cycles * excess - _FULL))
            if data.time is not None and cycles * self._period > data.time + _FULL:
                motor = arm.mechanism.joints[int((np.abs(np.diff(joints, axis=0)) / reach).max(axis=0).argmax())].name
                raise too_short(arm.name, data.time, cycles * self._period, motor)

    def _fitting(self, arm: Arm, time: float, least: int, cause: str) -> int:
        """The whole cycles that fit into a time, if they are enough."""
        if self.mode == "complete":
            raise MotionError(
                f"{arm.name} cannot make this move in {time:.3f} s: in complete mode every move takes one cycle, "
                f"{self._period:.3f} s",
                hint="remove the time, or set mode: incremental",
            )
        cycles = math.floor(time / self._period + _FULL)
        if cycles < least:
            raise too_short(arm.name, time, least * self._period, cause)
        return cycles

    def _cycles(self, needed: float) -> int:
        if self.mode == "complete":
            return 1
        return max(1, math.ceil(needed / self._period - _FULL))

    def _plan(self, arm: Arm, kind: MoveKind, joints: Array, cycles: int) -> StepPlan:
        """A plan with constant speeds from row to row of the joints, with the same number of cycles for each."""
        rows = len(joints) - 1
        if not np.any(np.abs(np.diff(joints, axis=0)) > NOWHERE):
            return StepPlan(arm=arm, kind=kind, spline=rest(joints[-1].tolist()))
        breaks: Array = np.arange(rows + 1, dtype=float) * (self._period * (cycles // rows))
        coefficients = np.zeros((rows, 4, joints.shape[1]))
        coefficients[:, 0] = joints[:-1]
        coefficients[:, 1] = np.diff(joints, axis=0) / np.diff(breaks)[:, None]
        return StepPlan(arm=arm, kind=kind, spline=Spline(breaks, coefficients, joints[-1].tolist()))

    def notices(self, start: int, event: int) -> int:
        """The next boundary of a basic cycle, counted from the start of the move."""
        cycle = ticks(self.cycle)
        return start - (-(event - start) // cycle) * cycle
