"""The stepping controller of EMULA's families: one sub-move a basic cycle, or a whole move in one; instant stops."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from drycell.errors import MotionError, UnknownName
from drycell.kernel.clock import seconds, ticks
from drycell.robots.arm import Arm
from drycell.robots.path import Line, Path, arc_through
from drycell.robots.path_controller import NOWHERE
from drycell.robots.pitchroll_path import for_arm
from drycell.robots.plan import MoveKind, Plan
from drycell.robots.spline import Spline, rest
from drycell.spatial import Array, Pose, Vector
from drycell.units import mm, ms

Mode = Literal["incremental", "complete"]
_MODES: Final = ("incremental", "complete")

# A move that fills its cycles but for rounding does not get one more.
_FULL: Final = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class StepPlan(Plan):
    """From cycle to cycle, evenly in between."""

    def entry(self, zone: float) -> float:
        return self.duration

    def stopped(self, u: float) -> "StepPlan":
        return replace(self, spline=rest(self.spline.joints(u)))

    def after(self, u: float) -> "StepPlan":
        return replace(self, spline=self.spline.after(u))


class SteppingController:
    """A controller without dynamics, as EMULA's: time passes in basic cycles of ``cycle`` seconds.

    * In ``incremental`` mode a move is divided into equal sub-moves, one a cycle, as many as the slowest joint needs at
      its commanded speed (on a line or an arc: as the tool needs at its own); the joints go evenly within a cycle.
    * In ``complete`` mode the whole move is done in one cycle, evenly in all joints, whatever its length.
    * The mode may be changed at any time and counts from the next move on; without a sensor event both modes end at
      the same joints.
    * Sensors are looked at on the boundaries of the move's own cycles, and the arm stops there at once: within one
      cycle of the event in time, and within one cycle's travel in place. In complete mode that is the end of the move.
    * No zones.
    """

    name: Final = "stepping"

    def __init__(self, cycle: float = 20 * ms, mode: Mode = "incremental", linear_speed: float = 250 * mm) -> None:
        self._cycle = 0
        self.cycle, self.mode, self.linear_speed = cycle, mode, linear_speed

    @property
    def cycle(self) -> float:
        """The length of the basic cycle in seconds."""
        return seconds(self._cycle)

    @cycle.setter
    def cycle(self, length: float) -> None:
        if not ticks(length) > 0:
            raise MotionError(f"a basic cycle cannot last {length:g} s", hint="give it at least 0.000001 s")
        self._cycle = ticks(length)

    @property
    def mode(self) -> Mode:
        """``"incremental"`` or ``"complete"``."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        if mode not in _MODES:
            raise UnknownName("mode of the stepping controller", mode, _MODES)
        self._mode: Mode = mode

    def joint_move(self, arm: Arm, start: Sequence[float], end: Sequence[float], speed: float) -> Plan:
        """From joints to joints, at a share (0…1) of every joint's greatest speed."""
        needed = max(
            abs(there - here) / (joint.speed * speed)
            for here, there, joint in zip(start, end, arm.mechanism.joints, strict=True)
        )
        cycles = self._cycles(needed)
        return self._plan(arm, "joint", np.array((start, end), dtype=float), cycles)

    def linear_move(self, arm: Arm, start: Sequence[float], end: Pose, speed: float, target: str) -> Plan:
        """The tool on a line at every cycle boundary, at a speed in m/s."""
        return self._path_plan(arm, "linear", Line(arm.tcp(start), end), start, speed, target)

    def circular_move(
        self, arm: Arm, start: Sequence[float], via: Vector, end: Pose, speed: float, target: str
    ) -> Plan:
        """The tool on an arc at every cycle boundary, at a speed in m/s."""
        return self._path_plan(arm, "circular", arc_through(arm.tcp(start), via, end), start, speed, target)

    def _path_plan(
        self, arm: Arm, kind: MoveKind, path: Path, start: Sequence[float], speed: float, target: str
    ) -> Plan:
        final = arm.mechanism.inverse(arm.flange(path.end), near=start, target=target).joints
        fitted, cycles = for_arm(arm, path), self._cycles(path.length / speed)
        while True:
            steps = [tuple(start)]
            for step in range(1, cycles):
                found = arm.mechanism.inverse(arm.flange(fitted.pose(step / cycles)), near=steps[-1], target=target)
                steps.append(found.joints)
            joints = np.array((*steps, final))
            # No motor goes farther in a cycle than it can: if one would, the move takes so many cycles more.
            reach = np.array([joint.speed for joint in arm.mechanism.joints]) * self.cycle
            excess = float((np.abs(np.diff(joints, axis=0)) / reach).max())
            if self._mode == "complete" or excess <= 1.0 + _FULL:
                return self._plan(arm, kind, joints, cycles)
            cycles = max(cycles + 1, math.ceil(cycles * excess - _FULL))

    def _cycles(self, needed: float) -> int:
        if self._mode == "complete":
            return 1
        return max(1, math.ceil(needed / self.cycle - _FULL))

    def _plan(self, arm: Arm, kind: MoveKind, joints: Array, cycles: int) -> StepPlan:
        """Evenly from row to row of the joints, which share the cycles equally."""
        rows = len(joints) - 1
        if not np.any(np.abs(np.diff(joints, axis=0)) > NOWHERE):
            return StepPlan(arm=arm, kind=kind, spline=rest(joints[-1].tolist()))
        breaks: Array = np.arange(rows + 1, dtype=float) * (seconds(self._cycle) * (cycles // rows))
        coefficients = np.zeros((rows, 4, joints.shape[1]))
        coefficients[:, 0] = joints[:-1]
        coefficients[:, 1] = np.diff(joints, axis=0) / np.diff(breaks)[:, None]
        return StepPlan(arm=arm, kind=kind, spline=Spline(breaks, coefficients, joints[-1].tolist()))

    def zone_entry(self, plan: Plan, zone: float) -> float | None:
        """None: it stops at every point."""
        return None

    def blend(self, plan: Plan, after: float, following: Plan, zone: float) -> Plan | None:
        """None: it stops at every point."""
        return None

    def stop(self, plan: Plan, after: float) -> Plan:
        """At once."""
        return plan.stopped(after)

    def notices(self, start: int, event: int) -> int:
        """The next boundary of a basic cycle, counted from the start of the move."""
        return start - (-(event - start) // self._cycle) * self._cycle
