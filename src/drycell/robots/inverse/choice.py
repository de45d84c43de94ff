"""Solving one mechanism: which solver fits its axes, the choice among solutions, and why a pose cannot be reached."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import MotionError, Pose, Vector, deg, mm
from drycell.robots.inverse.arm import OffsetArm, PitchRollArm, WristArm, pose_at
from drycell.robots.inverse.eaik import Eaik, Refined, quick_way
from drycell.robots.inverse.machine import Gantry, Scara
from drycell.robots.inverse.numeric import Numeric
from drycell.robots.inverse.screws import Screws, screws_of
from drycell.robots.inverse.solver import Candidates, IKFailure, Solver
from drycell.robots.links import LIMIT_TOLERANCE
from drycell.robots.solution import Choice, Configuration, OutOfReach, Questions, Reach, Solution

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


_VERIFIED: Final = 1e-8  # metres and radians a solution may be off
_VERIFIED_SINGULAR: Final = 5e-7  # … where a joint keeps its value at a singularity (see screws.SINGULAR)
_SAME: Final = 1e-7  # radians or metres: rows that differ by less are one solution
_TIE: Final = 1e-9  # seconds of travel: solutions this close are ordered by name, not by rounding
# At a wrist singularity the joint that keeps its value tries these steps away from it, nearest first.
_GIVE_WAY: Final = tuple(sign * k * math.pi / 36.0 for k in range(1, 37) for sign in (1.0, -1.0))

# Travel, the number of the configuration, the questions without an answer, and the solution.
Fitting = tuple[float, int, int, Solution]


class Inverse:
    """Solves poses of one mechanism."""

    def __init__(self, mechanism: "Mechanism") -> None:
        self._mechanism, self._dof = mechanism, mechanism.dof
        self.solver, self.eaik = solver_for(mechanism)
        self.questions = Questions(mechanism.name, self.solver.names)
        self._bits = self.questions.bits
        self._quick = quick_way(mechanism, self.solver, self.eaik) if self.eaik else None

    # ---------------------------------------------------------------- what is asked

    def nearest(self, pose: Pose, near: Sequence[float], choice: Choice, target: str | None) -> Solution:
        """The nearest solution within limits in a wanted configuration; raises OutOfReach."""
        mask, wanted = self.questions.wanted(choice) if choice else (0, 0)
        self._check(near)
        if self._quick is not None:
            quick = self._quick(pose, near, mask, wanted)
            if quick is not None:
                joints, bits, travel = quick
                return Solution(joints, self.questions.configurations[bits], travel)
        _, fitting = self._fitting(pose, near)
        for _, bits, loose, solution in fitting:
            if (bits ^ wanted) & mask & ~loose == 0:
                return solution
        raise OutOfReach(self._mechanism.name, target, self.reach(pose, choice))

    def all(self, pose: Pose, near: Sequence[float]) -> list[Solution]:
        """All solutions within limits, nearest first."""
        self._check(near)
        return [solution for _, _, _, solution in self._fitting(pose, near)[1]]

    def reach(self, pose: Pose, choice: Choice) -> Reach:
        """Whether a pose can be reached, and why not."""
        mechanism = self._mechanism
        mask, wanted = self.questions.wanted(choice) if choice else (0, 0)
        found, fitting = self._fitting(pose, mechanism.home)
        ways = tuple(solution.configuration for _, _, _, solution in fitting)
        if any((bits ^ wanted) & mask & ~loose == 0 for _, bits, loose, _ in fitting):
            many = len(ways)
            return Reach("reachable", f"reachable in {many} way{'s' if many > 1 else ''}", configurations=ways)
        if not found.rows:
            return geometry_verdict(mechanism, pose, found.failure)
        asked = [
            row
            for row, loose in zip(found.rows, found.loose, strict=True)
            if (self._bits(self.solver.signs(row)) ^ wanted) & mask & ~loose == 0
        ]
        if not asked:
            return other_configuration(self.questions, choice, ways)
        return limit_verdict(mechanism, asked, ways, self.questions.wanted(choice)[0], self.questions)

    def pose_at(self, position: Vector, pitch: float, roll: float, tool: Pose | None) -> Pose:
        """The flange pose of a 5-axis arm for a tool position, pitch and roll."""
        if not isinstance(self.solver, PitchRollArm):
            raise MotionError(
                f"{self._mechanism.name} is no 5-axis arm that takes position, pitch and roll", hint="give a full pose"
            )
        return pose_at(self._mechanism.name, self.solver, position, pitch, roll, tool)

    # ---------------------------------------------------------------- how it is found

    def _check(self, near: Sequence[float]) -> None:
        if len(near) != self._dof:
            raise MotionError(
                f"{self._mechanism.name} has {self._mechanism.dof} joints, but {len(near)} values were given as near"
            )

    def _fitting(self, pose: Pose, near: Sequence[float]) -> tuple[Candidates, list[Fitting]]:
        """The verified candidates, and those within limits.

        At a wrist singularity one joint keeps its value. If nothing fits so, it gives way, by as little as helps.
        """
        found = self._verified(pose, near)
        fitting = self._within(found, near)
        if found.free is None or fitting:
            return found, fitting
        for step in _GIVE_WAY:
            elsewhere = list(near)
            elsewhere[found.free] += step
            other = self._verified(pose, elsewhere)
            fitting = self._within(other, near)
            if fitting:
                return other, fitting
        return found, []

    def _verified(self, pose: Pose, near: Sequence[float]) -> Candidates:
        """The candidates that forward kinematics bears out, each once."""
        pose = pose.orthonormal()
        found = self.solver.candidates(pose, near)
        good = Candidates(failure=found.failure, free=found.free)
        for row, loose in zip(found.rows, found.loose, strict=True):
            shift, angle = self._mechanism.forward(row).distance_to(pose)
            within = _VERIFIED_SINGULAR if loose else _VERIFIED
            if shift <= within and angle <= within and not any(self._same(row, other) for other in good.rows):
                good.add(row, loose)
        return good

    def _same(self, one: Sequence[float], other: Sequence[float]) -> bool:
        for a, b, revolute in zip(one, other, self._mechanism.revolute, strict=True):
            if abs(math.remainder(a - b, math.tau) if revolute else a - b) > _SAME:
                return False
        return True

    def _within(self, found: Candidates, near: Sequence[float]) -> list[Fitting]:
        """The candidates that fit the limits in some turn, each in its nearest, the nearest first."""
        fitting: list[Fitting] = []
        for row, loose in zip(found.rows, found.loose, strict=True):
            joints: list[float] = []
            travel = 0.0
            for joint, angle, beside in zip(self._mechanism.joints, row, near, strict=True):
                value = nearest_turn(angle, beside, joint.lower, joint.upper) if joint.revolute else angle
                if value is None or not joint.allows(value):
                    break
                joints.append(min(max(value, joint.lower), joint.upper))
                travel += abs(value - beside) / joint.speed
            else:
                bits = self._bits(self.solver.signs(joints))
                singular = tuple(name for k, (name, _) in enumerate(self.questions.names) if loose >> k & 1)
                way = self.questions.configurations[bits]
                fitting.append((travel, bits, loose, Solution(tuple(joints), way, travel, singular)))
        fitting.sort(key=lambda entry: (round(entry[0] / _TIE), entry[1]))
        return fitting


def nearest_turn(angle: float, near: float, lower: float, upper: float) -> float | None:
    """An angle, with whole turns added, within limits and nearest to another; None if no turn is within limits."""
    angle = near + math.remainder(angle - near, math.tau)
    if angle > upper + LIMIT_TOLERANCE:
        angle -= math.tau * math.ceil((angle - upper - LIMIT_TOLERANCE) / math.tau)
    elif angle < lower - LIMIT_TOLERANCE:
        angle += math.tau * math.ceil((lower - LIMIT_TOLERANCE - angle) / math.tau)
    return angle if lower - LIMIT_TOLERANCE <= angle <= upper + LIMIT_TOLERANCE else None


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


def geometry_verdict(mechanism: "Mechanism", pose: Pose, failure: IKFailure | None) -> Reach:
    """The verdict on a pose that no joint values fit, limits aside."""
    if failure is None:
        return Reach("not found", "no joint values fit the pose", hint="move or turn the target")
    far, tilted = f"{failure.amount / mm:.1f} mm", f"{failure.amount / deg:.1f} deg"
    match failure.reason:
        case "too far":
            return Reach(
                "too far", f"beyond reach by {far}", failure.amount, hint=f"move the target {far} towards the base"
            )
        case "too near":
            return Reach(
                "too near", f"too close to the base by {far}", failure.amount, hint="move the target away from the base"
            )
        case "orientation" if mechanism.dof == 5:
            return Reach(
                "orientation",
                f"its yaw is off by {tilted}: the approach direction must lie in the vertical plane through the waist",
                failure.amount,
                hint="give position, pitch and roll, or turn the target about the vertical",
            )
        case "orientation":
            return Reach(
                "orientation",
                f"its orientation is off by {tilted} from what the axes can make",
                failure.amount,
                hint=f"turn the target by {tilted}",
            )
        case "off":
            return Reach(
                "off",
                f"the target is {far} beside where the axes can go",
                failure.amount,
                hint=f"move the target {far}",
            )
        case _:
            return Reach(
                "not found",
                f"the nearest found is {far} and {failure.second / deg:.1f} deg away",
                failure.amount,
                hint="move the target towards the base or turn it",
            )


def limit_verdict(
    mechanism: "Mechanism",
    rows: Sequence[Sequence[float]],
    ways: Sequence[Configuration],
    mask: int,
    questions: Questions,
) -> Reach:
    """The verdict on a pose that joint values fit, but all past a limit: the way that is past it by least."""

    least: tuple[float, list[tuple[float, int, float]]] | None = None
    for row in rows:
        past: list[tuple[float, int, float]] = []
        for number, (joint, value) in enumerate(zip(mechanism.joints, row, strict=True)):
            if joint.allows(value):
                continue
            if joint.revolute:
                if nearest_turn(value, (joint.lower + joint.upper) / 2.0, joint.lower, joint.upper) is not None:
                    continue
                # Of all turns the one that is past a limit by least.
                turns = (nearest_turn(value, end, -1e9, 1e9) for end in (joint.lower, joint.upper))
                value = min((turn for turn in turns if turn is not None), key=joint.excess)
            if not joint.allows(value):
                past.append((joint.excess(value), number, value))
        past.sort(reverse=True)
        worst = past[0][0] / (deg if mechanism.joints[past[0][1]].revolute else mm)
        if least is None or worst < least[0]:
            least = (worst, past)
    if least is None:
        return Reach("not found", "no joint values fit the pose")
    texts = []
    for _, number, value in least[1]:
        joint = mechanism.joints[number]
        texts.append(f"{joint.name} needs {joint.show(value)}, limit {joint.range}")
    excess, number, _ = least[1][0]
    hint = "move or turn the target"
    if ways:
        asked = [name for k, (name, _) in enumerate(questions.names) if mask >> k & 1]
        hint = f"another configuration ({ways[0].only(*asked)} reaches it)"
    return Reach("limit", "; ".join(texts), excess, mechanism.joints[number].name, hint, tuple(ways))


def other_configuration(questions: Questions, choice: Choice, ways: Sequence[Configuration]) -> Reach:
    """The verdict on a pose that is not to be had in the wanted configuration."""
    mask, bits = questions.wanted(choice)
    wanted = questions.configurations[bits].only(
        *(name for k, (name, _) in enumerate(questions.names) if mask >> k & 1)
    )
    text = f"no solution with {wanted}"
    if not ways:
        return Reach("configuration", text, hint="leave the configuration open to see why")
    return Reach(
        "configuration", text, hint=f"another configuration ({ways[0]} reaches it)", configurations=tuple(ways)
    )
