"""EAIK, a library in C++: the fast path of inverse kinematics for up to six revolute axes.

EAIK finds a solution in 5 µs where the closed forms of arm.py take 150 to 330 µs; stepping controllers solve one every
cycle. It does not replace them: it does not say by how much a pose is out of reach, it knows no prismatic axes, and it
is wrong at singularities. So it answers only where there is no doubt, and they decide everything else. The two
differ by rounding, 2e-12 rad at most over 500 poses of each arm of the library.

What it returns is to be taken only as far as forward kinematics bears it out: there are rows that are least-squares
fits of poses out of reach, and rows that are plainly wrong (within 1e-7 rad of the wrist singularity).
"""

import math
import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array, Pose
from drycell.robots.inverse.arm import ElbowArm, Judge
from drycell.robots.inverse.numeric import Numeric
from drycell.robots.inverse.screws import Screws
from drycell.robots.inverse.solver import Candidates, Solver
from drycell.robots.solution import Names

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


class Eaik:
    """EAIK's robot for axes that are all revolute."""

    known: bool

    def __init__(self, screws: Screws) -> None:
        try:
            from eaik.pybindings.EAIK import Robot
        except ImportError:  # the extra ``fast``: without it the closed forms answer, more slowly
            self.known = False
            return
        points = [np.zeros(3), *screws.points, screws.flange.translation]
        offsets = np.stack([b - a for a, b in pairwise(points)], axis=1)
        robot = Robot(np.stack(screws.axes, axis=1), offsets, screws.flange.rotation, [], True)
        self.known = robot.has_known_decomposition()
        self.solve = robot.calculate_IK

    def rows(self, pose: Pose) -> Array:
        """(n, dof): what EAIK takes for solutions, angles in −π…π. Unverified."""
        rows: Array = self.solve(pose.matrix).Q
        return rows


_TIE: Final = 1e-9  # seconds of travel: solutions this close are ordered by name, not by rounding
_MOST_ROWS: Final = 16  # six revolute axes have at most sixteen solutions
_NEAR_SINGULAR: Final = 1e-4  # closer than this to a singularity (metres, sines) there is doubt

# Joints, the number of their configuration, and the travel; for a pose, joints to be near to, a mask and wanted bits.
Found = tuple[tuple[float, ...], int, float]
Quick = Callable[[Pose, Sequence[float], int, int], Found | None]


def quick_way(mechanism: "Mechanism", solver: Solver, eaik: Eaik) -> Quick:
    """The quick way of one mechanism. All it needs is bound here, once: look-ups would cost a fifth more."""
    pi, tau, remainder, inf = math.pi, math.tau, math.remainder, math.inf
    solve = eaik.solve
    judge = _judge_of(mechanism, solver)
    lean, fifth = (solver.lean, solver.screws.joints[-2]) if isinstance(solver, ElbowArm) else (None, 0)
    everything = (1 << len(solver.names)) - 1
    limits = [(joint.lower, joint.upper, 1.0 / joint.speed) for joint in mechanism.joints]
    weights = np.array([1.0 / joint.speed for joint in mechanism.joints])
    matrix: Array = np.eye(4)
    beside: Array = np.empty((mechanism.dof, 1))
    matrix_bytes, beside_bytes = matrix.data, beside.data
    pack_pose, pack_near = struct.Struct("12d").pack_into, struct.Struct(f"{mechanism.dof}d").pack_into
    sizes = range(_MOST_ROWS + 1)
    apart = [np.empty((mechanism.dof, size)) for size in sizes]
    half_turns = [np.full((mechanism.dof, size), pi) for size in sizes]
    pin = mechanism._model
    forward, model, data = pin.pin.framesForwardKinematics, pin.model, pin.data
    # Live views: the frame is overwritten by every forward kinematics, the target by every pose (column-major).
    target = pin.pin.SE3.Identity()
    is_at = pin.data.oMf[pin.flange].isApprox
    turned, placed = target.rotation.T, target.translation
    pack_turned, pack_placed = struct.Struct("9d").pack_into, struct.Struct("3d").pack_into
    # EAIK keeps its rows in one order: where the row of a configuration was last time is where to look for it first.
    places: dict[tuple[int, int], int] = {}

    def in_turn(row: Array, near: Sequence[float]) -> tuple[tuple[float, ...], float] | None:
        """A row in the turn nearest to ``near`` with its travel: inf if no turn fits. None in doubt: see above."""
        forward(model, data, row)
        if not is_at(target, 1e-9):
            return None
        joints = []
        travel = 0.0
        for angle, here, (lower, upper, slow) in zip(row.tolist(), near, limits, strict=True):
            way = angle - here
            if way > pi or way < -pi:
                way = remainder(way, tau)
                angle = here + way
            if not lower <= angle <= upper:
                return None if lower <= angle - tau <= upper or lower <= angle + tau <= upper else ((), inf)
            joints.append(angle)
            travel += way * slow if way > 0.0 else -way * slow
        return tuple(joints), travel

    def nearest(pose: Pose, near: Sequence[float], mask: int, wanted: int) -> Found | None:
        a, b, c, x, d, e, f, y, g, h, i, z = numbers = pose.rows
        pack_pose(matrix_bytes, 0, *numbers)
        pack_turned(turned, 0, a, d, g, b, e, h, c, f, i)
        pack_placed(placed, 0, x, y, z)
        rows = solve(matrix).Q
        count = len(rows)
        expected = wanted if mask == everything else judge(near, 7)[0] & ~mask | wanted
        first = places.get((count, expected), -1)
        found: Found | None = None
        if first >= 0:
            fitting = in_turn(rows[first], near)
            if fitting is not None and fitting[1] < inf:
                joints, travel = fitting
                bits, gap = judge(joints, mask)
                if bits == expected:
                    found = joints, bits, travel
                    # Any other way is at least `gap − travel` away; and with everything wanted there is no other.
                    if mask == everything or 2.0 * travel < gap:
                        return found
        if not 0 < count <= _MOST_ROWS:
            return None
        # A row at the wrist singularity is wrong, and so is what it scores: the right one might be the nearest.
        if lean is not None and np.absolute(np.sin(rows[:, fifth] + lean)).min() < _NEAR_SINGULAR:
            return None
        pack_near(beside_bytes, 0, *[v if -pi <= v <= pi else remainder(v, tau) for v in near])
        # With both angles in −π…π the travel round the circle is π − ||difference| − π|: least travel, highest score.
        work = apart[count]
        np.subtract(rows.T, beside, work)
        np.absolute(work, work)
        np.subtract(work, half_turns[count], work)
        np.absolute(work, work)
        scores = weights.dot(work).tolist()
        score = max(scores)
        while score >= 0.0:
            index = scores.index(score)
            scores[index] = -1.0
            following = max(scores)
            if score - following < _TIE:
                return None
            if index == first and found is not None:
                return found
            fitting = in_turn(rows[index], near)
            if fitting is None:
                return None
            joints, travel = fitting
            if travel < inf:
                bits, _ = judge(joints, mask)
                if bits < 0:
                    return None
                places[count, bits] = index
                if (bits ^ wanted) & mask == 0:
                    return joints, bits, travel
            score = following
        return None

    return nearest


def _judge_of(mechanism: "Mechanism", solver: Solver) -> Judge:
    if isinstance(solver, ElbowArm):
        return solver.judge([joint.speed for joint in mechanism.joints], _NEAR_SINGULAR)
    return lambda joints, mask: (0, 0.0)


class Refined:
    """All-revolute arms of no particular kind: EAIK's rows, brought to the pose by a few numeric steps where needed."""

    names: Names = ()

    def __init__(self, mechanism: "Mechanism", eaik: Eaik) -> None:
        self._eaik, self._numeric = eaik, Numeric(mechanism)

    def signs(self, joints: Sequence[float]) -> Sequence[float]:
        return ()

    def candidates(self, pose: Pose, near: Sequence[float]) -> Candidates:
        found = Candidates()
        for start in self._eaik.rows(pose):
            row, shift, angle = self._numeric.refine(start, pose)
            if shift + angle < 1e-9:
                found.add(row.tolist())
        return found if found.rows else self._numeric.candidates(pose, near)
