"""The journal of a run: records in the order of time, identical to the byte for the same cell, programs and seed.

Programs and devices write as things happen. Observers (collision monitors) look at a stretch of time after it has
passed and write late; their records are merged in before anything is released. Released records stay in memory, or
go to a sink and are forgotten.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final, Protocol

from drycell.base import KernelError
from drycell.kernel.clock import FOREVER, clock_text
from drycell.kernel.journal_line import JournalLine, quantised
from drycell.kernel.track import Track

Sink = Callable[[JournalLine], None]
_PENDING_LIMIT: Final = 4096
_Line = tuple[int, bool, str, str, JournalLine]


class Clock(Protocol):
    """What the journal needs of a kernel."""

    now: int


class Journal:
    """Collects records. ``Journal(sink=function)`` hands every released record on and keeps none of them."""

    def __init__(self, sink: Sink | None = None) -> None:
        self.on_full: Callable[[], None] | None = None
        """Called when many records wait to be released to the sink."""
        self._sink = sink
        self._clock: Clock | None = None
        self._released: Track[JournalLine] = Track()
        self._pending: list[_Line] = []
        self._released_to = -1
        self._hash = sha256()

    def stream(self, sink: Sink) -> None:
        """Hand every record on from here, those released so far first, and keep none of them."""
        for record in self._released:
            sink(record)
        self._released = Track()
        self._sink = sink

    def attach(self, clock: Clock) -> None:
        """Take the time of records from a kernel. A journal serves one kernel."""
        if self._clock is not None:
            raise KernelError("this journal already belongs to another kernel", hint="make a new Journal for each run")
        self._clock = clock

    def write(self, kind: str, subject: str, **fields: object) -> None:
        """Put down what happens now."""
        pending = self._pending
        time = self._clock.now if self._clock is not None else 0
        kept = {name: quantised(name, value) for name, value in fields.items()} if fields else {}
        pending.append((time, False, "", "", JournalLine(time, kind, subject, kept)))
        if self._sink is not None and self.on_full is not None and len(pending) % _PENDING_LIMIT == 0:
            self.on_full()

    def late(self, time: int, kind: str, subject: str, **fields: object) -> None:
        """Put down what an observer found to have happened at a time that has passed."""
        if time <= self._released_to:
            raise KernelError(
                f"a late record ({kind} of {subject}) for {clock_text(time)} s came after the journal was released "
                f"up to {clock_text(self._released_to)} s",
                hint="an observer writes all it has to say about a time when it is settled past that time",
            )
        kept = {name: quantised(name, value) for name, value in fields.items()}
        self._pending.append((time, True, kind, subject, JournalLine(time, kind, subject, kept)))

    def release(self, before: int = FOREVER) -> None:
        """Let go, in order, of all records earlier than a time; no late record may come for them any more."""
        lines = self._pending
        if lines:
            self._pending = [line for line in lines if line[0] >= before]
            for record in _ordered([line for line in lines if line[0] < before]):
                self._hash.update(record.json().encode() + b"\n")
                if self._sink is None:
                    self._released.append(record.time, record)
                else:
                    self._sink(record)
        self._released_to = max(self._released_to, before - 1)

    @property
    def records(self) -> Sequence[JournalLine]:
        """All records in order, those not yet released included. With a sink: only what it has not got yet."""
        return [*self._released, *_ordered(self._pending)]

    def text(self) -> str:
        """The journal for people, a line each."""
        return "".join(record.text() + "\n" for record in self.records)

    def json_lines(self) -> str:
        """The journal for programs, a JSON object per line."""
        return "".join(record.json() + "\n" for record in self.records)

    def sha256(self) -> str:
        """The hash of all JSON lines, handed to the sink or not: equal for equal runs."""
        whole = self._hash.copy()
        for record in _ordered(self._pending):
            whole.update(record.json().encode() + b"\n")
        return whole.hexdigest()


def _ordered(lines: list[_Line]) -> list[JournalLine]:
    # Sorting is stable: records written as things happened keep their order, late ones follow by kind and subject.
    return [line[4] for line in sorted(lines, key=lambda line: line[:4])]
