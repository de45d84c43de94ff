"""Results: what a run came to, for people, for programs and for tests."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from drycell.cell.cycle import Cycle
from drycell.cell.usage import Usage
from drycell.kernel import Outcome, Wait, seconds
from drycell.world import Parts

if TYPE_CHECKING:
    from drycell.robots import Move
    from drycell.world import Crash, NearMiss


@dataclass(frozen=True)
class Result:
    """The end of a run: how it ended, what was hit or nearly hit, what was lost, every move with its time, what became
    of every part, how much the machines were used, and how long the programs waited."""

    name: str
    seed: int
    outcome: Outcome
    crashes: "tuple[Crash, ...]" = ()
    near_misses: "tuple[NearMiss, ...]" = ()
    checked: bool = False
    moves: "dict[str, tuple[Move, ...]]" = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    parts: Parts = field(default_factory=Parts)
    devices: dict[str, Usage] = field(default_factory=dict)
    journal_hash: str = ""
    wall: float = 0.0  # seconds it took; told to people only, never compared

    @property
    def duration(self) -> float:
        """Cell time from start to end, in seconds."""
        return seconds(self.outcome.time)

    @property
    def ending(self) -> str:
        """``finished``, ``until``, ``deadlock``, ``stopped`` or ``interrupted``."""
        return self.outcome.ending

    @property
    def waits(self) -> dict[str, Wait]:
        """The longest wait of each program that ever waited, by name: how long, for what, and where."""
        return {each.process: each for each in self.outcome.waits}

    @property
    def cycle(self) -> Cycle | None:
        """The time between finished parts; None before the second of them."""
        return Cycle.of(self.parts)

    @property
    def speed(self) -> float:
        """How many times faster than real time it ran."""
        return self.duration / self.wall if self.wall > 0 else float("inf")

    @property
    def clean(self) -> bool:
        """Whether it ended well: no crash, no deadlock, nothing lost."""
        return not self.crashes and not self.lost and self.ending in ("finished", "until")

    def summary(self) -> str:
        """What a person wants to know of it, in a few lines."""
        from drycell.cell.summary import summary

        return summary(self)

    def move_table(self) -> str:
        """Every move with its start, duration, distance and top speed, robot by robot."""
        from drycell.cell.report import move_table

        return move_table(self)

    def as_json(self) -> dict[str, Any]:
        """The same as plain data, for other programs; times in seconds, lengths in metres."""
        from drycell.cell.report import as_json

        return as_json(self)
