"""The journal of a run: records in chronological order, byte for byte identical for the same cell, programs and seed.

Programs and devices write as things happen. Observers (collision monitors) examine an interval after it has passed and
write late; their records are merged before anything is released. Released records stay in memory, or go to a sink and
are forgotten.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Union

from drycell.base import KernelError
from drycell.kernel.clock import FOREVER, clock_text
from drycell.kernel.track import Track

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel

Field = Union[None, bool, int, float, str, list["Field"]]  # noqa: UP007  # a recursive alias needs the string


@dataclass(frozen=True, slots=True)
class JournalLine:
    """An event: time, subject, kind and fields, whose names (``duration_s``) or texts contain their units."""

    time: int
    kind: str
    subject: str
    fields: Mapping[str, Field] = field(default_factory=dict)

    def text(self) -> str:
        """Return the human-readable line: time, subject, kind, fields."""
        head = f"{clock_text(self.time):>12}  {self.subject:<14}  {self.kind:<10}"
        return "  ".join([head, *(f"{name}={_plain(value)}" for name, value in self.fields.items())]).rstrip()

    def json(self) -> str:
        """Return the line for programs: one flat JSON object, ``t`` in seconds."""
        head = f'{{"t":{clock_text(self.time)},"kind":{json.dumps(self.kind)},"subject":{json.dumps(self.subject)}'
        return "".join(
            [head, *(f",{json.dumps(name)}:{json.dumps(value)}" for name, value in self.fields.items()), "}"]
        )


Sink = Callable[[JournalLine], None]
_PENDING_LIMIT: Final = 4096
_Line = tuple[int, bool, str, str, JournalLine]


class Journal:
    """Collects records. ``Journal(sink=function)`` passes every released record on and keeps none of them."""

    def __init__(self, sink: Sink | None = None) -> None:
        self.on_full: Callable[[], None] | None = None
        """Called when many records wait to be released to the sink."""
        self._gone = 0  # records that the sink has received
        self._sink = sink
        self._kernel: Kernel | None = None
        self._released: Track[JournalLine] = Track()
        self._pending: list[_Line] = []
        self._released_to = -1
        self._hash = sha256()

    def stream(self, sink: Sink) -> None:
        """Pass every record to a sink, starting with those already released, and keep none of them."""
        for record in self._released:
            sink(record)
        self._gone += len(self._released)
        self._released = Track()
        self._sink = sink

    def attach(self, kernel: Kernel) -> None:
        """Use the clock of a kernel for the times of records. A journal serves one kernel."""
        if self._kernel is not None:
            raise KernelError("this journal already belongs to another kernel", hint="make a new Journal for each run")
        self._kernel = kernel

    def write(self, kind: str, subject: str, **fields: object) -> None:
        """Write a record at the current time."""
        pending = self._pending
        time = self._kernel.now if self._kernel is not None else 0
        kept = {name: _quantised(name, value) for name, value in fields.items()} if fields else {}
        pending.append((time, False, "", "", JournalLine(time, kind, subject, kept)))
        if self._sink is not None and self.on_full is not None and len(pending) % _PENDING_LIMIT == 0:
            self.on_full()

    def late(self, time: int, kind: str, subject: str, **fields: object) -> None:
        """Write an observer's record for an earlier time."""
        if time <= self._released_to:
            raise KernelError(
                f"a late record ({kind} of {subject}) for {clock_text(time)} s came after the journal was released "
                f"up to {clock_text(self._released_to)} s",
                hint="an observer must write all records of a time before it is settled past that time",
            )
        kept = {name: _quantised(name, value) for name, value in fields.items()}
        self._pending.append((time, True, kind, subject, JournalLine(time, kind, subject, kept)))

    def release(self, before: int = FOREVER) -> None:
        """Release all records earlier than a time, in order; no late record may be added to them."""
        lines = self._pending
        if lines:
            self._pending = [line for line in lines if line[0] >= before]
            for record in _ordered([line for line in lines if line[0] < before]):
                self._hash.update(record.json().encode() + b"\n")
                if self._sink is None:
                    self._released.append(record.time, record)
                else:
                    self._sink(record)
                    self._gone += 1
        self._released_to = max(self._released_to, before - 1)

    @property
    def lines(self) -> int:
        """The number of all records, including those passed to the sink."""
        return self._gone + len(self._released) + len(self._pending)

    @property
    def records(self) -> Sequence[JournalLine]:
        """Return all records in order, including those not yet released. With a sink: only those that it has not
        received."""
        return [*self._released, *_ordered(self._pending)]

    def text(self) -> str:
        """Return the journal for people, one line per record."""
        return "".join(record.text() + "\n" for record in self.records)

    def json_lines(self) -> str:
        """Return the journal for programs, one JSON object per line."""
        return "".join(record.json() + "\n" for record in self.records)

    def sha256(self) -> str:
        """Return the hash of all JSON lines, including those passed to the sink. Equal runs have equal hashes."""
        whole = self._hash.copy()
        for record in _ordered(self._pending):
            whole.update(record.json().encode() + b"\n")
        return whole.hexdigest()


def _ordered(lines: list[_Line]) -> list[JournalLine]:
    # Sorting is stable: records written as things happened keep their order, late ones follow by kind and subject.
    return [line[4] for line in sorted(lines, key=lambda line: line[:4])]


def _quantised(name: str, value: object) -> Field:
    """Return a field's value in the form of the journal: plain types, times to 1 µs, millimetres and degrees to 1e-6,
    other floats to 1e-9 (so a length is kept to 1 nm either way).

    The last bits differ between processors (fused multiply-add, BLAS kernels); they must not reach the journal.
    """
    if value is None or value.__class__ in (bool, int, str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(float(value))  # not a JSON number
        return round(float(value), 6 if name.endswith(("_s", "_mm", "_deg")) else 9) + 0.0  # + 0.0: no negative zero
    if isinstance(value, (list, tuple)):
        return [_quantised(name, part) for part in value]
    if isinstance(value, (int, str)):  # an enumeration, for example
        return int(value) if isinstance(value, int) else str(value)
    item = getattr(value, "item", None)  # a scalar of numpy
    if callable(item) and getattr(value, "ndim", None) == 0:
        return _quantised(name, item())
    raise KernelError(
        f"the journal cannot keep {name}={value!r}, which is of type {type(value).__name__}",
        hint="use numbers, strings, booleans, None or lists of them",
    )


def _plain(value: Field) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    if isinstance(value, list):
        return "(" + ", ".join(map(_plain, value)) + ")"
    if isinstance(value, str):
        return value if value and not any(mark in value for mark in " =\n\t\"'") else json.dumps(value)
    return str(value)
