"""Arms: a mechanism with the tool on its flange. A motion controller needs nothing else of its robot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from drycell.base import IDENTITY, Array, Pose, Vector
from drycell.robots.spline import Spline

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism

# Newton's method ends when the flange is this close (m, rad), or after a step this small.
_CLOSE = 1e-13
_SMALL_STEP = 1e-7
_STEPS = 12
# The weight of position over orientation for arms with fewer than six axes, which cannot take every orientation: an
# orientation error of 0.1 rad moves the position by 1 nm.
_POSITION_FIRST = 1e4
# A joint that runs exactly at its limit may pass it by rounding; the move is not slowed for that.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Arm:
    """A named mechanism with a tool: ``tool`` is the TCP frame relative to the flange.

    Arms are compared by identity, so that they are cheap keys for cached plans.
    """

    name: str
    mechanism: "Mechanism"
    tool: Pose = IDENTITY

    @cached_property
    def _tool_inverse(self) -> Pose:
        return self.tool.inverse()

    def tcp(self, joints: Sequence[float]) -> Pose:
        """The TCP pose relative to the base."""
        return self.mechanism.forward(joints) @ self.tool

    def tcp_positions(self, joints: Array) -> Array:
        """TCP positions (n, 3) relative to the base for joints (n, dof), accurate to 1e-12 m."""
        mark = self.mechanism.flange
        positions, rotations = self.mechanism.link_positions(joints)
        offset = (mark.pose @ self.tool).translation
        if mark.link < 0:
            return np.broadcast_to(offset, (len(joints), 3))
        found: Array = positions[:, mark.link] + rotations[:, mark.link] @ offset
        return found

    def flange(self, tcp: Pose) -> Pose:
        """The flange pose for a TCP pose, both relative to the base."""
        return tcp @ self._tool_inverse

    def approach(self, tcp: Pose, joints: Sequence[float]) -> list[float] | None:
        """The joints for a TCP pose by Newton's method from nearby joints; None if it does not converge.

        The configuration stays the same. An arm with fewer than six axes reaches the position, and the nearest
        orientation that it can take.
        """
        target = self.flange(tcp)
        x, y, z = target.position
        q = np.array(joints, dtype=float)
        last = np.inf
        for _ in range(_STEPS):
            here = self.mechanism.forward(q.tolist())
            u, v, w = here.position
            _, b, c, _, d, _, f, _, g, h, _, _ = (target @ here.inverse()).rows
            error = np.array((x - u, y - v, z - w, 0.5 * (h - f), 0.5 * (c - g), 0.5 * (d - b)))
            if max(map(abs, error.tolist())) < _CLOSE:
                return [float(value) for value in q]
            step = self._solve(q, error)
            size = float(np.abs(step).max())
            if not size < 1.0 or (size > last and size > 1e-3):
                return None
            q = q + step
            if size < _SMALL_STEP:
                return [float(value) for value in q]
            last = size
        return None

    def speeds(self, joints: Sequence[float], velocity: Vector, turn: Vector) -> Array:
        """The joint speeds for a velocity (m/s) and an angular velocity (rad/s) of the TCP."""
        # Rigid body: v_flange = v_tcp + ω × (flange − tcp).
        flange = self.mechanism.forward(joints)
        (a, b, c), (x, y, z) = flange.position, (flange @ self.tool).position
        (u, v, w), (p, q, r) = velocity, turn
        a, b, c = a - x, b - y, c - z
        twist = np.array((u + q * c - r * b, v + r * a - p * c, w + p * b - q * a, p, q, r))
        return self._solve(np.asarray(joints, dtype=float), twist)

    def overload(self, spline: Spline) -> float:
        """The factor by which a motion must be stretched in time so that no joint passes its speed or acceleration.

        It is 1 if the motion is within the limits, and rounded up to a thousandth, so that the last bits of a
        processor's arithmetic do not change the timing.
        """
        joints = self.mechanism.joints
        speed = float((spline.top_speeds / [joint.speed for joint in joints]).max())
        acceleration = float((spline.top_accelerations / [joint.acceleration for joint in joints]).max())
        factor = max(speed, math.sqrt(acceleration))
        return math.ceil((factor - _ROUNDING) * 1000.0) / 1000.0 if factor > 1.0 + _ROUNDING else 1.0

    def _solve(self, joints: Array, twist: Array) -> Array:
        jacobian = self.mechanism.jacobian(joints.tolist())
        if self.mechanism.dof == 6:
            try:
                solved: Array = np.linalg.solve(jacobian, twist).astype(float, copy=False)
                return solved
            except np.linalg.LinAlgError:
                pass
        if self.mechanism.dof < 6:
            weight = np.array((_POSITION_FIRST,) * 3 + (1.0,) * 3)
            jacobian, twist = jacobian * weight[:, None], twist * weight
        nearest: Array = np.linalg.lstsq(jacobian, twist, rcond=1e-9)[0].astype(float, copy=False)
        return nearest
