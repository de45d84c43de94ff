"""Results with properties for assertions: ``assert result.no_collision``, ``assert result.parts_lost == 0``."""

from dataclasses import dataclass, fields

from drycell.base import KernelError
from drycell.cell import Result
from drycell.kernel import Blocked


@dataclass(frozen=True, repr=False)
class CheckedResult(Result):
    """The result of a run, with properties that tests assert."""

    @classmethod
    def of(cls, result: Result) -> "CheckedResult":
        """Convert a plain result."""
        return cls(**{field.name: getattr(result, field.name) for field in fields(Result)})

    @property
    def no_collision(self) -> bool:
        """Whether there was no collision.

        Raises:
            KernelError: The cell has no collision check, so collisions are unknown.
        """
        if not self.checked:
            raise KernelError(
                f"{self.name!r} was not checked for collisions, so collisions are unknown",
                hint="add checks: {collision: {}} to the cell file, or cell.check_collisions() to its build",
            )
        return not self.collisions

    @property
    def no_near_miss(self) -> bool:
        """Whether there was no collision, and no pass closer than the clearance of the cell."""
        return self.no_collision and not self.near_misses

    @property
    def no_deadlock(self) -> bool:
        """Whether the run did not end in a deadlock."""
        return not self.stuck

    @property
    def parts_lost(self) -> int:
        """The number of parts that fell out of the cell or are missing."""
        return max(self.parts.lost, len(self.lost))

    @property
    def waiting(self) -> tuple[Blocked, ...]:
        """The programs that were waiting at the end, and for what."""
        return self.outcome.blocked

    def __repr__(self) -> str:
        # pytest shows this for a failing assertion; a section of its report has the whole result.
        return f"<result of {self.name!r}, seed {self.seed}: {self.ending} at {self.duration:.3f} s>"
