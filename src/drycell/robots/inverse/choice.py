"""Solves one mechanism: selects the solver for its axes, chooses a solution, and reports why a pose is out of reach."""

import math
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from drycell.base import MotionError, Pose, Vector, deg, mm
from drycell.robots.inverse.arm import ElbowArm, OffsetArm, PitchRollArm, WristArm, pose_at
from drycell.robots.inverse.machine import Gantry, Scara
from drycell.robots.inverse.numeric import Numeric
from drycell.robots.inverse.screws import Screws, screws_of
from drycell.robots.inverse.solver import Candidates, IKFailure, Solver
from drycell.robots.kinematics import flange_rows
from drycell.robots.links import HALF_TURN, LIMIT_TOLERANCE, nearest_turn, turn_near
from drycell.robots.solution import Choice, Configuration, OutOfReach, Questions, Reach, Solution

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


_VERIFIED: Final = 1e-8  # maximum error of a solution, m and rad
_VERIFIED_SINGULAR: Final = 5e-7  # … if a joint keeps its value at a singularity (see screws.SINGULAR)
_CERTAIN: Final = 1e-9  # maximum error of the fast method, m and direction cosines
_NEAR_SINGULAR: Final = 1e-6  # closer than this to a singularity (m, sines) the fast method gives up
_NEARBY: Final = 0.2  # a sine, or a fraction of the arm's length: closer than this an arm is near a singularity
_SAME: Final = 1e-7  # radians or metres: rows that differ by less are one solution
_TIE: Final = 1e-6  # seconds of travel: solutions this close are sorted by the number of their configuration
_PROBABLY_MILLIMETRES: Final = 50.0  # m: a target this far out of reach was probably given in millimetres
# At a wrist singularity, these offsets are tried for the joint that keeps its value, nearest first.
_GIVE_WAY: Final = tuple(sign * k * math.pi / 36.0 for k in range(1, 37) for sign in (1.0, -1.0))

# Travel, the number of the configuration, the questions without an answer, and the joints.
Fitting = tuple[float, int, int, tuple[float, ...]]
# The fast method: for a pose, near joints, a mask and required bits.
Quick = Callable[[Pose, Sequence[float], int, int], Solution | None]


class Inverse:
    """Solves poses of one mechanism."""

    def __init__(self, mechanism: "Mechanism") -> None:
        self._mechanism, self._dof = mechanism, mechanism.dof
        self.solver = solver_for(mechanism)
        self.questions = Questions(mechanism.name, self.solver.names)
        self._bits = self.questions.bits
        self._limits = [(joint.lower, joint.upper, joint.speed, joint.revolute) for joint in mechanism.joints]
        self._flange = flange_rows(mechanism.links, mechanism.flange.link, mechanism.flange.pose)
        self._stretch = sum(math.hypot(*link.origin.position) for link in mechanism.links) or 1.0
        self._quick = self._quick_way(self.solver) if isinstance(self.solver, ElbowArm) else None

    # ---------------------------------------------------------------- queries

    def nearest(self, pose: Pose, near: Sequence[float], choice: Choice, target: str | None) -> Solution:
        """The nearest solution within the limits, in a required configuration if given. Raises OutOfReach."""
        mask, wanted = self.questions.wanted(choice) if choice else (0, 0)
        self._check(near)
        if self._quick is not None:
            quick = self._quick(pose, near, mask, wanted)
            if quick is not None:
                return quick
        right = upright(pose)
        found = self.solver.candidates(right, near)
        fitting = self._within(found, near) if found.free is None else self._fitting(right, near)[1]
        for entry in fitting:
            if (entry[1] ^ wanted) & mask & ~entry[2] == 0 and self._proved(entry[3], right, entry[2]):
                return self._solution(entry)
        raise OutOfReach(self._mechanism.name, target, self.reach(pose, choice))

    def all(self, pose: Pose, near: Sequence[float]) -> list[Solution]:
        """All solutions within limits, nearest first."""
        self._check(near)
        return [self._solution(entry) for entry in self._fitting(pose, near)[1]]

    def reach(self, pose: Pose, choice: Choice) -> Reach:
        """Whether a pose can be reached; if not, the reason."""
        mechanism = self._mechanism
        mask, wanted = self.questions.wanted(choice) if choice else (0, 0)
        found, fitting = self._fitting(pose, mechanism.home)
        ways = tuple(self.questions.configurations[bits] for _, bits, _, _ in fitting)
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

    def configuration(self, joints: Sequence[float]) -> Configuration:
        """The configuration that an arm has with some joints."""
        self._check(joints)
        return self.questions.configurations[self._bits(self.solver.signs(joints))]

    def singularity(self, joints: Sequence[float]) -> str:
        """The question whose singularity is nearest, if it is near: within about ten degrees."""
        self._check(joints)
        found = ""
        nearest = _NEARBY
        for (question, _), sign in zip(self.questions.names, self.solver.signs(joints), strict=True):
            # The shoulder is a length, the others are sines.
            size = abs(sign) / self._stretch if question == "shoulder" else abs(sign)
            if size < nearest:
                nearest, found = size, question
        return found

    def pose_at(self, position: Vector, pitch: float, roll: float, tool: Pose | None) -> Pose:
        """The flange pose of a 5-axis arm for a tool position, pitch and roll."""
        if not isinstance(self.solver, PitchRollArm):
            raise MotionError(
                f"{self._mechanism.name} is not a 5-axis arm that takes position, pitch and roll",
                hint="give a full pose",
            )
        return pose_at(self._mechanism.name, self.solver, position, pitch, roll, tool)

    # ---------------------------------------------------------------- search

    def _check(self, near: Sequence[float]) -> None:
        if len(near) != self._dof:
            raise MotionError(
                f"{self._mechanism.name} has {self._mechanism.dof} joints, but {len(near)} values were given as near"
            )

    def _quick_way(self, arm: ElbowArm) -> Quick:
        """Make the fast method: it solves only the present or the required configuration, if no other can be nearer.

        It returns None in doubt: near singularities, past limits, half a turn away, or if two solutions are equally
        near. Its values are bound here once: attribute look-ups would cost 20 % more.
        """
        half, tau, dist, remainder, inf = HALF_TURN, math.tau, math.dist, math.remainder, math.inf
        joints_of, flange, ways = arm.candidates, self._flange, self.questions.configurations
        limits = [(joint.lower, joint.upper, 1.0 / joint.speed) for joint in self._mechanism.joints]
        judge = arm.judge([joint.speed for joint in self._mechanism.joints], _NEAR_SINGULAR)
        everything, places, off = len(ways) - 1, range(self._dof), _CERTAIN

        def fitted(row: list[float], pose: Pose, near: Sequence[float]) -> float:
            """The travel to a row, whose angles are changed to the nearest turns; inf in doubt."""
            if not dist(flange(row), pose.rows) < off:
                return inf
            travel = 0.0
            for place, angle, here, (lower, upper, slow) in zip(places, row, near, limits):  # noqa: B905, strict costs time
                difference = angle - here
                if difference > half or difference < -half:
                    row[place] = angle = angle - tau * round(difference / tau)
                    difference = angle - here
                    if difference > half or difference < -half:
                        return inf
                if not lower <= angle <= upper:
                    return inf
                travel += difference * slow if difference > 0.0 else -difference * slow
            return travel

        def nearest(pose: Pose, near: Sequence[float]) -> list[float] | None:
            """The nearest row without regard to turns and limits; None if two are equally near, or one is singular."""
            found = joints_of(pose, near)
            first = second = inf
            nearest = None
            for row in found.rows:
                travel = 0.0
                for angle, here, (_, _, slow) in zip(row, near, limits):  # noqa: B905, strict costs time
                    travel += abs(remainder(angle - here, tau)) * slow
                if travel < first:
                    first, second, nearest = travel, first, row
                elif travel < second:
                    second = travel
            return nearest if second > first + _TIE and not any(found.loose) else None

        def quick(pose: Pose, near: Sequence[float], mask: int, wanted: int) -> Solution | None:
            expected = wanted if mask == everything else judge(near, 7)[0]
            if expected < 0:
                return None
            expected = expected & ~mask | wanted
            found = joints_of(pose, near, expected)
            if len(found.rows) != 1 or found.loose[0]:
                return None
            row = found.rows[0]
            travel = fitted(row, pose, near)
            bits, gap = judge(row, mask)
            # Any other solution needs at least the travel `gap − travel`; if the configuration is fixed there is none.
            if bits == expected and (mask == everything or 2.0 * travel < gap - _TIE):
                return Solution(tuple(row), ways[bits], travel) if travel < inf else None
            other = None if mask else nearest(pose, near)
            if other is None:
                return None
            travel = fitted(other, pose, near)
            bits, _ = judge(other, mask)
            return Solution(tuple(other), ways[bits], travel) if bits >= 0 and travel < inf else None

        return quick

    def _fitting(self, pose: Pose, near: Sequence[float]) -> tuple[Candidates, list[Fitting]]:
        """The verified candidates, and those within the limits.

        At a wrist singularity one joint keeps its value. If no candidate is within the limits, that joint is moved by
        the smallest offset that helps.
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
        """The candidates that forward kinematics confirms."""
        pose = upright(pose)
        found = self.solver.candidates(pose, near)
        good = Candidates(failure=found.failure, free=found.free)
        for row, loose in zip(found.rows, found.loose, strict=True):
            if self._proved(row, pose, loose):
                good.add(row, loose)
        return good

    def _proved(self, row: Sequence[float], pose: Pose, loose: int) -> bool:
        """Whether forward kinematics confirms a candidate."""
        return math.dist(self._flange(row), pose.rows) <= (_VERIFIED_SINGULAR if loose else _VERIFIED)

    def _within(self, found: Candidates, near: Sequence[float]) -> list[Fitting]:
        """The candidates within the limits, each in its nearest turns, nearest first."""
        fitting: list[Fitting] = []
        for row, loose in zip(found.rows, found.loose, strict=True):
            joints: list[float] = []
            travel = 0.0
            for (lower, upper, speed, revolute), angle, beside in zip(self._limits, row, near, strict=True):
                if revolute and not (-HALF_TURN < angle - beside < HALF_TURN and lower <= angle <= upper):
                    turned = nearest_turn(angle, beside, lower, upper)
                    if turned is None:
                        break
                    angle = turned
                elif not lower - LIMIT_TOLERANCE <= angle <= upper + LIMIT_TOLERANCE:
                    break
                joints.append(lower if angle < lower else min(angle, upper))
                travel += abs(angle - beside) / speed
            else:
                # A question without an answer gets its first answer: the sign of a zero is rounding.
                bits = self._bits(self.solver.signs(joints)) & ~loose
                fitting.append((travel, bits, loose, tuple(joints)))
        return nearest_first(fitting)

    def _solution(self, entry: Fitting) -> Solution:
        travel, bits, loose, joints = entry
        singular = tuple(name for k, (name, _) in enumerate(self.questions.names) if loose >> k & 1)
        return Solution(joints, self.questions.configurations[bits], travel, singular)


def nearest_first(fitting: Sequence[Fitting]) -> list[Fitting]:
    """Distinct solutions sorted by travel, then by configuration number if the travel differs by less than 1 µs.

    Travels that are equal in theory differ in their last bits, which must not decide how an arm moves.
    """
    ordered: list[Fitting] = []
    tied: list[Fitting] = []
    for entry in sorted(fitting, key=itemgetter(0)):
        if tied and entry[0] > tied[0][0] + _TIE:
            ordered += _by_number(tied)
            tied = []
        tied.append(entry)
    return ordered + _by_number(tied)


def _by_number(tied: list[Fitting]) -> list[Fitting]:
    """Distinct solutions of equal travel, sorted by the number of their configuration."""
    if len(tied) == 1:
        return tied
    kept: list[Fitting] = []
    for entry in sorted(tied, key=itemgetter(1)):
        if all(math.dist(entry[3], other[3]) > _SAME for other in kept):
            kept.append(entry)
    return kept


def upright(pose: Pose) -> Pose:
    """A pose with an orthonormal rotation: the pose itself, bit for bit, if its error is only rounding."""
    right = pose.orthonormal()
    return pose if all(abs(a - b) < _CERTAIN for a, b in zip(pose.rows, right.rows, strict=True)) else right


def solver_for(mechanism: "Mechanism") -> Solver:
    """The solver of a mechanism."""
    screws = screws_of(mechanism)
    if screws is None:
        return Numeric(mechanism)
    if Gantry.fits(screws):
        return Gantry(screws)
    if Scara.fits(screws):
        return Scara(screws)
    return _arm(screws, mechanism.dof) or Numeric(mechanism)


def _arm(screws: Screws, dof: int) -> Solver | None:
    """The solver of an arm with waist, shoulder and elbow; None if the mechanism is not such an arm."""
    if screws.kinds not in ("RRRRR", "RRRRRR") or not (screws.square(0, 1) and screws.parallel(1, 2)):
        return None
    if not _apart(screws, 1, 2):
        return None
    if screws.kinds == "RRRRR":
        if screws.parallel(2, 3) and screws.square(3, 4) and _apart(screws, 2, 3):
            return PitchRollArm(screws, dof)
        return None
    centre = screws.meeting(4, 5)
    if centre is None or not screws.square(4, 5):
        return None
    if screws.parallel(2, 3) and screws.square(3, 4) and _apart(screws, 2, 3):
        return OffsetArm(screws, dof, centre)
    wrist = screws.meeting(3, 4)
    if wrist is not None and screws.square(3, 4) and float(np.linalg.norm(wrist - centre)) < 1e-9:
        return WristArm(screws, dof, centre)
    return None


def _apart(screws: Screws, i: int, j: int) -> bool:
    """Whether two parallel axes are distinct lines."""
    bar = screws.points[j] - screws.points[i]
    return float(np.linalg.norm(np.cross(screws.axes[i], bar))) > 1e-9


def geometry_verdict(mechanism: "Mechanism", pose: Pose, failure: IKFailure | None) -> Reach:
    """Why no joint values fit a pose, without regard to the limits."""
    if failure is None:
        return Reach("not found", "no joint values fit the pose", hint="move or turn the target")
    far, tilted = f"{failure.amount / mm:.1f} mm", f"{failure.amount / deg:.1f} deg"
    match failure.reason:
        case "too far":
            hint = f"move the target {far} towards the base"
            if failure.amount > _PROBABLY_MILLIMETRES:
                hint = "positions are in metres: write 450*mm, not 450"
            return Reach("too far", f"beyond reach by {far}", failure.amount, hint=hint)
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
                f"its orientation is off by {tilted} from the nearest one that the axes can reach",
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
    """Why all joint values for a pose are past a limit, for the solution that exceeds it least."""

    least: tuple[float, list[tuple[float, int, float]]] | None = None
    for row in rows:
        past: list[tuple[float, int, float]] = []
        for number, (joint, value) in enumerate(zip(mechanism.joints, row, strict=True)):
            if joint.allows(value):
                continue
            if joint.revolute:
                if nearest_turn(value, (joint.lower + joint.upper) / 2.0, joint.lower, joint.upper) is not None:
                    continue
                # The turn that is past a limit by the least.
                value = turn_near(value, (joint.lower + joint.upper) / 2.0)
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
    """Why a pose cannot be reached in the required configuration."""
    mask, bits = questions.wanted(choice)
    wanted = questions.configurations[bits].only(
        *(name for k, (name, _) in enumerate(questions.names) if mask >> k & 1)
    )
    text = f"no solution with {wanted}"
    if not ways:
        return Reach("configuration", text, hint="try it without a configuration to see the reason")
    return Reach(
        "configuration", text, hint=f"another configuration ({ways[0]} reaches it)", configurations=tuple(ways)
    )
