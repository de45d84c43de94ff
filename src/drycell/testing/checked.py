"""Results that read as assertions: ``assert result.no_collision``, ``assert result.parts_lost == 0``."""

from dataclasses import dataclass, fields

from drycell.base import KernelError
from drycell.cell import Result
from drycell.kernel import Blocked


@dataclass(frozen=True, repr=False)
class CheckedResult(Result):
    """A result with questions that tests ask."""

    @classmethod
    def of(cls, result: Result) -> "CheckedResult":
        """The same result."""
        return cls(**{field.name: getattr(result, field.name) for field in fields(Result)})

    @property
    def no_collision(self) -> bool:
        """That nothing was hit. A cell that is not checked for collisions cannot say so, and an error is raised."""
        if not self.checked:
            raise KernelError(
                f"{self.name!r} was not checked for collisions, so that nobody knows whether there was one",
                hint="add checks: {collision: {}} to the cell file, or cell.check_collisions() to its build",
            )
        return not self.collisions

    @property
    def no_near_miss(self) -> bool:
        """That nothing was hit, nor passed nearer than the cell's near-miss distance."""
        return self.no_collision and not self.near_misses

    @property
    def no_deadlock(self) -> bool:
        """That programs did not block each other for ever."""
        return self.ending != "deadlock"

    @property
    def parts_lost(self) -> int:
        """How many parts fell out of the cell, or went astray."""
        return max(self.parts.lost, len(self.lost))

    @property
    def waiting(self) -> tuple[Blocked, ...]:
        """The programs that waited at the end, and for what."""
        return self.outcome.blocked

    def __repr__(self) -> str:
        # Shown by pytest where an assertion fails; the whole of it stands in the report's own section.
        return f"<result of {self.name!r}, seed {self.seed}: {self.ending} at {self.duration:.3f} s>"
