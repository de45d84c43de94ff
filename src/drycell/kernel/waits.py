"""Waits of programs: from when until when each waited, for what, and in which line.

A program waits when it blocks in ``wait``, and also when it asks a controller's inputs again and again, letting time
pass but doing nothing else, until an answer is another one: so do programs of controllers that cannot block. Blocking
while one's own arm or gripper moves is work, not waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from drycell.kernel.strand import current_strand
from drycell.kernel.track import Track

if TYPE_CHECKING:
    from drycell.kernel.process import Process
    from drycell.kernel.signal import Signal, Value


class Awaited(NamedTuple):
    """What a program waits for, and where in its source."""

    condition: str
    file: str
    line: int


class Waits:
    """Writes down when one program waits: what it waits for while it does, None while it does not."""

    __slots__ = ("_answers", "_known", "_process", "_since", "_track")

    def __init__(self, process: Process, track: Track[Awaited | None]) -> None:
        self._process, self._track = process, track
        self._answers: dict[Signal[Any], Value] = {}
        self._known: dict[Awaited, Awaited] = {}  # a program that loops waits for the same again and again
        self._since = 0

    def begins(self, condition: str) -> None:
        """The program blocks until a condition holds."""
        self._track.append(self._process.kernel.now, self._awaited(condition))

    def over(self) -> None:
        """It goes on. Not called of a program that is ended where it waits: that wait never was over."""
        self._track.append(self._process.kernel.now, None)

    def ended(self) -> None:
        """The program has ended; if it was cancelled while it waited, that is over, too."""
        if self._track and self._track[-1] is not None:
            self.over()

    def asked(self, signal: Signal[Any], answer: Value) -> None:
        """The program has looked at an input."""
        now = self._process.kernel.now
        if not self._answers:
            self._since = now
        if self._answers.setdefault(signal, answer) == answer:
            return
        if now > self._since:
            self._polled(signal.name)
            self.over()
        self._since, self._answers = now, {signal: answer}

    @property
    def polls_since(self) -> int | None:
        """Since when the program has been asking inputs with the same answers: whether that was waiting, only time
        will tell. None: it does not."""
        return self._since if self._answers else None

    def acted(self) -> None:
        """The program has done something: what it asks from now on is another matter."""
        if self._answers:
            self._answers.clear()

    def close(self) -> None:
        """The run ends: if the program still asks, it was waiting."""
        process = self._process
        asks = self._answers and process.alive and process.strand.waiter is None
        if asks and process.kernel.now > self._since:
            self._polled(" | ".join(signal.name for signal in self._answers))

    def _polled(self, condition: str) -> None:
        # That it had been waiting is known only now, since it might have done something else in between.
        self._track.append(self._since, self._awaited(condition))

    def _awaited(self, condition: str) -> Awaited:
        at = self._process.where()
        awaited = Awaited(condition, at.file, at.line)
        return self._known.setdefault(awaited, awaited)


def asked(signal: Signal[Any], answer: Value) -> None:
    """The running program, if one runs, has looked at an input of its controller."""
    process = getattr(current_strand(), "process", None)
    if process is not None:
        process.waits.asked(signal, answer)


def acted() -> None:
    """The running program, if one runs, has set an output of its controller."""
    process = getattr(current_strand(), "process", None)
    if process is not None:
        process.waits.acted()
