"""The interface of solvers: candidate joint values for a pose, or the reason why there are none."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from drycell.base import Pose
from drycell.robots.solution import Names, Reason


@dataclass(frozen=True, slots=True)
class IKFailure:
    """Why a pose has no solution, without regard to joint limits: a reason, and an amount in metres or radians."""

    reason: Reason
    amount: float
    second: float = 0.0  # radians in addition to metres, if both are known


@dataclass(slots=True)
class Candidates:
    """Candidate joint values: angles in any turn, not checked against limits, not yet verified."""

    rows: list[list[float]] = field(default_factory=list)
    # For each row the configuration questions that have no answer there (bit k for question k): singularities.
    loose: list[int] = field(default_factory=list)
    failure: IKFailure | None = None
    free: int | None = None  # the joint that keeps its value because the pose is at a wrist singularity

    def add(self, row: list[float], loose: int = 0) -> None:
        """Add a candidate."""
        self.rows.append(row)
        self.loose.append(loose)

    def miss(self, reason: Reason, amount: float) -> None:
        """Add a reason why there is no solution. The one with the smallest amount is kept."""
        if self.failure is None or amount < self.failure.amount:
            self.failure = IKFailure(reason, amount)


class Solver(Protocol):
    """Finds candidates for one mechanism and distinguishes their configurations."""

    @property
    def names(self) -> Names:
        """The configuration questions it can answer."""

    def candidates(self, pose: Pose, near: Sequence[float]) -> Candidates:
        """All solutions for a pose.

        Joints that the pose does not determine (at singularities, or a gripper's) stay as in ``near``.
        """

    def signs(self, joints: Sequence[float]) -> Sequence[float]:
        """For each question a number whose sign answers it; zero at its singularity."""
