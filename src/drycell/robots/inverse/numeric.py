"""Any mechanism, solved by Levenberg–Marquardt steps with pinocchio, from several fixed starts."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import Array, Pose
from drycell.robots.inverse.solver import Candidates, IKFailure
from drycell.robots.kinematics import chain_to
from drycell.robots.solution import Names

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism

_STARTS: Final = 30
_MORE: Final = 120  # starts where all solutions found are past a limit: with 30, 0.2 % of the Panda's poses are missed
_STEPS: Final = 100
_SOLVED: Final = 1e-10  # metres and radians together
_INSIDE: Final = 1e-9  # how far within its limits a joint is sought
_ENOUGH: Final = 8  # as many different solutions as a six-axis arm has


class Numeric:
    """Solutions from the current joints, then from seeded starts over the range, until enough are within limits."""

    names: Names = ()

    def __init__(self, mechanism: "Mechanism") -> None:
        self._mechanism = mechanism
        self._lower = np.array([max(joint.lower, -math.pi) for joint in mechanism.joints])
        self._upper = np.array([min(joint.upper, math.pi) for joint in mechanism.joints])
        chain = chain_to(mechanism.links, mechanism.flange.link)
        moving = {drive.joint for index in chain for drive in mechanism.links[index].drives}
        # Joints outside the chain, such as wheels, do not move the flange.
        self._beside = np.array([number not in moving for number in range(mechanism.dof)], dtype=bool)

    def signs(self, joints: Sequence[float]) -> Sequence[float]:
        return ()

    def candidates(self, pose: Pose, near: Sequence[float]) -> Candidates:
        found = Candidates()
        best: tuple[float, float, float] | None = None
        generator = np.random.default_rng(
            20
        )  # the same starts for every pose, because a result must not depend on earlier calls
        fitting = 0
        for attempt in range(_MORE):
            if attempt == _STARTS and found.rows and not fitting:
                self._add_within_limits(found, pose, near)
                fitting = sum(self._fits(row) for row in found.rows)
            if attempt >= _STARTS and (fitting or not found.rows):
                break
            start = np.array(near, dtype=float)
            if attempt:
                start = np.where(self._beside, start, generator.uniform(self._lower, self._upper))
            joints, shift, angle = self.refine(start, pose)
            if shift + angle < _SOLVED:
                row = joints.tolist()
                if not any(_same(row, other) for other in found.rows):
                    found.add(row)
                    fitting += self._fits(row)
                # A moving arm needs the solution nearby; the other starts are in case it exceeds a limit.
                if (attempt == 0 and fitting) or fitting >= _ENOUGH:
                    return found
            elif best is None or shift + angle < best[0]:
                best = (shift + angle, shift, angle)
        if not found.rows and best is not None:
            found.failure = IKFailure("not found", best[1], best[2])
        return found

    def _add_within_limits(self, found: Candidates, pose: Pose, near: Sequence[float]) -> None:
        """Add a solution within the limits, if more starts, in which exceeded limits count as errors, lead to one.

        The solutions of an arm with more than six joints are curves, of which often only a short piece is within the
        limits: a search that ignores them ends anywhere on such a curve.
        """
        generator = np.random.default_rng(21)
        for attempt in range(_STARTS):
            start = np.array(near, dtype=float)
            if attempt:
                start = np.where(self._beside, start, generator.uniform(self._lower, self._upper))
            joints, shift, angle = self.refine(np.clip(start, self._lower, self._upper), pose, limited=True)
            if shift + angle < _SOLVED and self._fits(joints.tolist()):
                found.add(joints.tolist())
                return

    def refine(self, start: Array, pose: Pose, limited: bool = False) -> tuple[Array, float, float]:
        """The joints near a start that fit a pose best, and their errors in metres and radians.

        If ``limited``, joints past their limits are errors too.
        """
        model = self._mechanism._model
        target = model.pin.SE3(pose.matrix)
        joints = start.copy()

        def residual() -> tuple[Array, Array]:
            error, slope = model.residual(joints, target)
            if not limited:
                return error, slope
            past = joints - np.clip(joints, self._lower + _INSIDE, self._upper - _INSIDE)
            return np.concatenate((error, past)), np.vstack((slope, np.diag((past != 0.0).astype(float))))

        error, slope = residual()
        for _ in range(_STEPS if len(joints) else 0):
            size = float(error @ error)
            if size < 1e-26:
                break
            damping = 1e-2 * size + 1e-12
            step = np.linalg.solve(slope.T @ slope + damping * np.eye(len(joints)), -slope.T @ error)
            longest = float(np.abs(step).max())
            if longest < 1e-14:
                break
            joints = joints + step * min(1.0, 1.0 / longest)
            error, slope = residual()
        return joints, math.sqrt(float(error[:3] @ error[:3])), math.sqrt(float(error[3:] @ error[3:]))

    def _fits(self, row: Sequence[float]) -> bool:
        for joint, value in zip(self._mechanism.joints, row, strict=True):
            if joint.revolute and math.isfinite(joint.lower):
                value = joint.lower + (value - joint.lower) % math.tau
            if not joint.allows(value):
                return False
        return True


def _same(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(math.remainder(a - b, math.tau)) < 1e-5 for a, b in zip(one, other, strict=True))
