"""How long programs waited: the longest wait of each, for what, and in which line.

A program waits when it blocks in ``wait``, and also when it asks a controller's inputs again and again, letting time
pass but doing nothing else, until an answer is another one: so do programs of controllers that cannot block. Blocking
while one's own arm or gripper moves is work, not waiting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from drycell.kernel.clock import seconds
from drycell.kernel.location import Location
from drycell.kernel.strand import current_strand

if TYPE_CHECKING:
    from drycell.kernel.process import Process
    from drycell.kernel.signal import Signal, Value


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a program waited, for what, and where in its source; ``over`` unless it still did at the end."""

    process: str
    seconds: float
    condition: str
    file: str
    line: int
    over: bool = True
    daemon: bool = False

    @property
    def at(self) -> str:
        """The place, as reports name it: ``robot.pas:61``."""
        return str(Location(self.file, self.line, ""))


class Patience:
    """The longest wait of one program so far. A shorter one costs a comparison."""

    __slots__ = ("_answers", "_since", "longest", "told")

    def __init__(self) -> None:
        self.longest = 0
        """in ticks"""
        self.told: tuple[str, Location] | None = None
        """What the longest was for, and where."""
        self._answers: dict[Signal[Any], Value] = {}
        self._since = 0

    def waited(self, process: Process, span: int, condition: str) -> None:
        """A wait has ended here that was longer than any before, or that is to be logged."""
        at, log = process.where(), process.kernel.wait_log
        if log is not None and span:
            log.add(process.name, process.kernel.now, span, condition, at)
        if span > self.longest:
            self.longest, self.told = span, (condition, at)

    def asked(self, process: Process, signal: Signal[Any], answer: Value) -> None:
        """The program has looked at an input."""
        now = process.kernel.now
        if not self._answers:
            self._since = now
        if self._answers.setdefault(signal, answer) == answer:
            return
        if now - self._since > self.longest or process.kernel.wait_log is not None:
            self.waited(process, now - self._since, signal.name)
        self._since, self._answers = now, {signal: answer}

    def acted(self) -> None:
        """The program has done something: what it asks from now on is another matter."""
        if self._answers:
            self._answers.clear()

    def report(self, process: Process) -> Wait | None:
        """The longest wait, one that goes on included; None if the program never waited."""
        span, told, over = self.longest, self.told, True
        waiter, now = process.strand.waiter, process.kernel.now
        if waiter is not None:
            if waiter.since is not None and now - waiter.since > span:
                span, told, over = now - waiter.since, (waiter.text, process.where()), False
        elif self._answers and process.alive and now - self._since > span:
            asked = " | ".join(signal.name for signal in self._answers)
            span, told, over = now - self._since, (asked, process.where()), False
        if told is None:
            return None
        condition, at = told
        return Wait(process.name, seconds(span), condition, at.file, at.line, over, process.daemon)


def asked(signal: Signal[Any], answer: Value) -> None:
    """The running program, if one runs, has looked at an input of its controller."""
    process = getattr(current_strand(), "process", None)
    if process is not None:
        process.patience.asked(process, signal, answer)


def acted() -> None:
    """The running program, if one runs, has set an output of its controller."""
    process = getattr(current_strand(), "process", None)
    if process is not None:
        process.patience.acted()
