"""How a run ended, and who was waiting for what when it did."""

from dataclasses import dataclass
from typing import Literal

from drycell.kernel.clock import seconds
from drycell.kernel.location import Location

Ending = Literal["finished", "until", "deadlock", "stopped", "interrupted"]


@dataclass(frozen=True, slots=True)
class Blocked:
    """A program that waits, where in its source, and for what."""

    process: str
    file: str
    line: int
    waits_for: str
    daemon: bool = False

    def __str__(self) -> str:
        return f"{self.process} ({Location(self.file, self.line, '')}) waits for {self.waits_for}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run: 'finished' (all programs ended), 'until' (time is up), 'deadlock' (no program can ever
    proceed), 'stopped' (by ``kernel.stop``, see ``reason``) or 'interrupted' (Ctrl-C)."""

    ending: Ending
    time: int
    """in ticks"""
    blocked: tuple[Blocked, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        head = f"{self.ending} at {seconds(self.time):.3f} s" + (f": {self.reason}" if self.reason else "")
        return "\n".join([head, *(f"  {blocked}" for blocked in self.blocked)])


class RunEnd(BaseException):
    """Carries the ending from the event that brings it to ``run``. Raised on the hub only."""

    def __init__(self, ending: Ending, reason: str = "") -> None:
        super().__init__(ending)
        self.ending: Ending = ending
        self.reason = reason
