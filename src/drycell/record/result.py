"""Results: what a run came to, for people, for programs and for tests, by its record at its end."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from drycell.kernel import Outcome, seconds
from drycell.record import figures
from drycell.record.figures import MoveRow, Usage, Wait
from drycell.record.parts import Cycle, Parts
from drycell.record.record import Record
from drycell.world import Collision, NearMiss

if TYPE_CHECKING:
    from drycell.record.report import Section


@dataclass(frozen=True)
class Result:
    """The end of a run: how it ended, what was hit or nearly hit, what was lost, every move with its time, what became
    of every part, how much the machines were used, and how long the programs waited."""

    name: str
    seed: int
    outcome: Outcome
    record: Record
    journal_hash: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Fields of the cell file that had other values than there, by path."""
    wall: float = 0.0  # seconds it took; told to people only, never compared

    @property
    def duration(self) -> float:
        """Cell time from start to end, in seconds."""
        return seconds(self.outcome.time)

    @property
    def ending(self) -> str:
        """``finished``, ``until``, ``deadlock``, ``stopped`` or ``interrupted``."""
        return self.outcome.ending

    @cached_property
    def parts(self) -> Parts:
        """How many parts came, and what has become of each."""
        return figures.parts(self.record, self.outcome.time)

    @cached_property
    def cycle(self) -> Cycle | None:
        """The time between finished parts; None before the second of them."""
        return figures.cycle(self.record, self.outcome.time)

    @cached_property
    def collisions(self) -> tuple[Collision, ...]:
        """Who touched whom."""
        return figures.collisions(self.record, self.outcome.time)

    @cached_property
    def near_misses(self) -> tuple[NearMiss, ...]:
        """Who passed whom too near."""
        return figures.near_misses(self.record, self.outcome.time)

    @property
    def checked(self) -> bool:
        """Whether collisions were looked for."""
        return self.record.checked

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """What fell out of the cell."""
        return figures.lost(self.record, self.outcome.time)

    @cached_property
    def moves(self) -> Mapping[str, tuple[MoveRow, ...]]:
        """Every move of each robot, in order."""
        return figures.moves(self.record, self.outcome.time)

    @cached_property
    def devices(self) -> dict[str, Usage]:
        """How much each machine was used."""
        return figures.devices(self.record, self.outcome.time)

    @cached_property
    def robots(self) -> dict[str, Usage]:
        """How long each robot moved, and how many moves it made."""
        return figures.robots(self.record, self.outcome.time)

    @cached_property
    def waits(self) -> dict[str, Wait]:
        """The longest wait of each program that ever waited, by name: how long, for what, and where."""
        return figures.waits(self.record, self.outcome.time)

    @property
    def speed(self) -> float:
        """How many times faster than real time it ran."""
        return self.duration / self.wall if self.wall > 0 else float("inf")

    @property
    def clean(self) -> bool:
        """Whether it ended well: no collision, no deadlock, nothing lost."""
        return not self.collisions and not self.lost and self.ending in ("finished", "until")

    def summary(self) -> str:
        """What a person wants to know of it, in a few lines."""
        from drycell.record.summary import summary

        return summary(self)

    def report(
        self,
        *,
        title: str = "",
        picture: bytes | str | None = None,
        caption: str = "",
        settings: Mapping[str, object] | None = None,
        window: tuple[int, int] | None = None,
        signals: Sequence[str] | None = None,
        sections: "Iterable[Section]" = (),
    ) -> str:
        """One HTML page to mail or print; see :func:`drycell.record.report.report` for the arguments."""
        from drycell.record.report import report

        return report(
            self,
            title=title,
            picture=picture,
            caption=caption,
            settings=settings,
            window=window,
            signals=signals,
            sections=sections,
        )

    def move_table(self) -> str:
        """Every move with its start, duration, distance and top speed, robot by robot."""
        from drycell.record.tables import move_table

        return move_table(self)

    def as_json(self) -> dict[str, Any]:
        """The same as plain data, for other programs; times in seconds, lengths in metres."""
        from drycell.record.tables import as_json

        return as_json(self)

    def row(self) -> dict[str, bool | int | float | str | None]:
        """The figures as flat scalars, a column each: for tables of many runs. Times in seconds, lengths in metres."""
        from drycell.record.tables import row

        return row(self)
