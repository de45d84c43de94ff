"""Which way of solving fits a mechanism, told by its axes alone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from drycell.base import Pose
from drycell.robots.configuration import Names
from drycell.robots.inverse.arm import OffsetArm, PitchRollArm, WristArm
from drycell.robots.inverse.eaik import Eaik
from drycell.robots.inverse.machine import Gantry, Scara
from drycell.robots.inverse.numeric import Numeric
from drycell.robots.inverse.screws import Screws, screws_of
from drycell.robots.inverse.solver import Candidates, Solver

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


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


def solver_for(mechanism: "Mechanism") -> tuple[Solver, Eaik | None]:
    """The solver of a mechanism, and EAIK for the quick way if it knows the mechanism."""
    screws = screws_of(mechanism)
    if screws is None:
        return Numeric(mechanism), None
    if Gantry.fits(screws):
        return Gantry(screws), None
    if Scara.fits(screws):
        return Scara(screws), None
    solver = _arm(screws)
    eaik = None
    if set(screws.kinds) == {"R"} and screws.joints == tuple(range(mechanism.dof)) and mechanism.dof <= 6:
        eaik = Eaik(screws)
        if not eaik.known:
            eaik = None
    if solver is None:
        solver = Refined(mechanism, eaik) if eaik else Numeric(mechanism)
    return solver, eaik


def _arm(screws: Screws) -> Solver | None:
    """The kind of an arm with waist, shoulder and elbow, if it is one."""
    if screws.kinds not in ("RRRRR", "RRRRRR") or not (screws.square(0, 1) and screws.parallel(1, 2)):
        return None
    if not _apart(screws, 1, 2):
        return None
    if screws.kinds == "RRRRR":
        if screws.parallel(2, 3) and screws.square(3, 4) and _apart(screws, 2, 3):
            return PitchRollArm(screws)
        return None
    centre = screws.meeting(4, 5)
    if centre is None or not screws.square(4, 5):
        return None
    if screws.parallel(2, 3) and screws.square(3, 4) and _apart(screws, 2, 3):
        return OffsetArm(screws, centre)
    wrist = screws.meeting(3, 4)
    if wrist is not None and screws.square(3, 4) and float(np.linalg.norm(wrist - centre)) < 1e-9:
        return WristArm(screws, centre)
    return None


def _apart(screws: Screws, i: int, j: int) -> bool:
    """Whether two parallel axes are two lines."""
    bar = screws.points[j] - screws.points[i]
    return float(np.linalg.norm(np.cross(screws.axes[i], bar))) > 1e-9
