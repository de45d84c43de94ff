"""Arms: what a controller knows of the robot it drives, which is a mechanism and the tool on its flange."""

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

# Newton's method ends when the flange is this close (m, rad), or after a step so small that the next would be.
_CLOSE = 1e-13
_SMALL_STEP = 1e-7
_STEPS = 12
# With fewer than six axes the position is met and the orientation as nearly as can be: the weight of the one
# over the other, at which 0.1 rad of turn that cannot be met costs a nanometre.
_POSITION_FIRST = 1e4
# A joint that runs at its very limit passes it by rounding; that is no reason to slow down.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Arm:
    """A named mechanism with a tool: ``tool`` is the tool centre point's frame seen from the flange.

    Compared by identity, so that plans can be remembered by the arm they are for at no cost.
    """

    name: str
    mechanism: "Mechanism"
    tool: Pose = IDENTITY

    @cached_property
    def _tool_inverse(self) -> Pose:
        return self.tool.inverse()

    def tcp(self, joints: Sequence[float]) -> Pose:
        """The tool centre point seen from the base."""
        return self.mechanism.forward(joints) @ self.tool

    def tcp_positions(self, joints: Array) -> Array:
        """The positions (n, 3) of the tool centre point seen from the base, for joints (n, dof); good to 1e-12 m."""
        mark = self.mechanism.flange
        positions, rotations = self.mechanism.link_positions(joints)
        offset = (mark.pose @ self.tool).translation
        if mark.link < 0:
            return np.broadcast_to(offset, (len(joints), 3))
        found: Array = positions[:, mark.link] + rotations[:, mark.link] @ offset
        return found

    def flange(self, tcp: Pose) -> Pose:
        """Where the flange is when the tool centre point is somewhere, both seen from the base."""
        return tcp @ self._tool_inverse

    def approach(self, tcp: Pose, joints: Sequence[float]) -> list[float] | None:
        """The joints for a tool pose near given ones, in the same configuration; None if Newton's way leads elsewhere.

        An arm of fewer than six axes meets the position, and the orientation as nearly as it can.
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
        """The joint speeds that give the tool centre point a velocity and an angular velocity."""
        # The flange is carried along: v_flange = v_tcp + ω × (flange − tcp).
        flange = self.mechanism.forward(joints)
        (a, b, c), (x, y, z) = flange.position, (flange @ self.tool).position
        (u, v, w), (p, q, r) = velocity, turn
        a, b, c = a - x, b - y, c - z
        twist = np.array((u + q * c - r * b, v + r * a - p * c, w + p * b - q * a, p, q, r))
        return self._solve(np.asarray(joints, dtype=float), twist)

    def overload(self, spline: Spline) -> float:
        """How many times longer a motion must take for every joint to keep to its speed and acceleration; 1 if it can
        stay as it is. In steps of a thousandth, so that last bits of the processor do not reach the clock."""
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
