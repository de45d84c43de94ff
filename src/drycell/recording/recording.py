"""A recording opened: poses, joints, signals and the journal of a run, at any time of it."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Final, cast

from drycell.base import Pose, RecordingError, UnknownName
from drycell.kernel import TICKS_PER_SECOND, Blocked, Changes, JournalLine, Outcome, TapeRow, Tracks
from drycell.record import Record, Result
from drycell.recording.columns import FORMS, Table
from drycell.recording.container import MOST_BYTES, ContainerReader, reading
from drycell.recording.document import Node
from drycell.recording.header import Header
from drycell.recording.rebuild import Rebuilt
from drycell.recording.sensors import RecordedSensor
from drycell.recording.shapes import MeshArrays
from drycell.recording.signals import TYPES, read_signals
from drycell.recording.tracks import read_tracks
from drycell.recording.writer import JOURNAL
from drycell.world import Linkage, LiveBody, LiveWorkpoint, World

_MOST_ROWS: Final = 1 << 40
_AT_ONCE: Final = 500  # records of a journal


class Recording(Record):
    """A run as it was. Times are ticks, whole microseconds, as in the world itself.

    Opening reads the header alone; the rest is read, and checked, when it is first asked for.
    """

    def __init__(self, container: ContainerReader) -> None:
        super().__init__()
        self._container = container
        self.path = container.path
        document = container.document("header.json")
        with reading(self.path, "header.json"):
            self.header = Header.of(document)
            self._rows = {name: count.integer(1, _MOST_ROWS) for name, count in document["rows"].items()}
            unknown = sorted(set(self._rows) - set(FORMS))
            if unknown:
                raise RecordingError(f"it counts the rows of {unknown[0]!r}, which no recording has")

    @classmethod
    def open(cls, path: Path | str, *, most: int = MOST_BYTES) -> "Recording":
        """Opens a file; one that unpacks to more than ``most`` bytes is refused."""
        container = ContainerReader(Path(path), most)
        try:
            return cls(container)
        except BaseException:
            container.close()
            raise

    # ---------------------------------------------------------------- what there is

    @property
    def duration(self) -> int:
        """How long the run was, in ticks."""
        return self.header.duration

    @cached_property
    def world(self) -> World:
        """The world at the end of the run, its whole past included: every query of a live world works on it."""
        return self._rebuilt.world

    @cached_property
    def bodies(self) -> tuple[LiveBody, ...]:
        """Every body that ever was in the cell, in the order they came; a name may have been used again."""
        return tuple(self._rebuilt.bodies)

    @property
    def end(self) -> int:
        return self.header.duration

    @cached_property
    def tracks(self) -> Tracks:
        """What figures are made of: states, waits, moves, parts, collisions."""
        with reading(self.path, "world.json"):
            return read_tracks(self._document, self._table("tracks"))

    @property
    def inputs(self) -> Sequence[TapeRow]:
        """The tape: what came from outside, request by request; ``cell.play(recording.inputs)`` repeats it."""
        return self.tracks.track("inputs")

    @cached_property
    def result(self) -> Result:
        """What the run came to, as it was told at its end."""
        told = self.header.outcome
        with reading(self.path, "header.json"):
            blocked = tuple(_blocked(each) for each in Node(told.get("blocked", []), "outcome.blocked"))
        outcome = Outcome(cast(Any, str(told.get("ending"))), self.duration, blocked, str(told.get("reason", "")))
        settings = {each.path: each.text for each in self.header.settings}
        lines = hashlib.sha256("".join(f"{line}\n" for line in self.journal_lines()).encode())
        return Result(self.header.cell, self.header.seed, outcome, self, lines.hexdigest(), settings)

    @cached_property
    def linkages(self) -> dict[str, Linkage]:
        """The mechanisms by name; ``history`` has their joint trajectories."""
        return {linkage.name: linkage for linkage in self._rebuilt.linkages}

    @cached_property
    def sensors(self) -> dict[str, RecordedSensor]:
        """The sensors by name; what they published is in ``signals``."""
        return {sensor.name: sensor for sensor in self._rebuilt.sensors}

    @cached_property
    def signals(self) -> dict[str, Changes[Any]]:
        """All signals by name."""
        with reading(self.path, "world.json"):
            return read_signals(self._document, {kind: self._table(f"signals_{kind}") for kind in TYPES})

    # ---------------------------------------------------------------- at an instant

    def pose(self, name: str, t: int) -> Pose:
        """Where a body, a link or a workpoint was in the world: to the last bit what the run itself saw."""
        found = self._find(name, t)
        try:
            return self.world.pose(found, t)
        except (ArithmeticError, RecursionError, ValueError) as error:  # a parent that hangs on its child, wild numbers
            raise RecordingError(
                f"{self.path}: {name!r} has no pose at {t} µs: {error}",
                hint="the file was not written by drycell; record the run again",
            ) from error

    def joints(self, linkage: str, t: int) -> list[float]:
        """The joint values of a mechanism."""
        if linkage not in self.linkages:
            raise UnknownName("linkage", linkage, self.linkages)
        return self.linkages[linkage].joints(t)

    def signal(self, name: str) -> Changes[Any]:
        """The changes of a signal: (time, value, writer) of each."""
        if name not in self.signals:
            raise UnknownName("signal", name, self.signals)
        return self.signals[name]

    def journal(self) -> Iterator[JournalLine]:
        """The records of the journal, in order."""
        lines = list(self.journal_lines())
        for first in range(0, len(lines), _AT_ONCE):
            with reading(self.path, JOURNAL):
                records = _records(lines[first : first + _AT_ONCE])
            yield from records

    def journal_lines(self) -> Iterator[str]:
        """The journal as JSON lines, as they were written."""
        data = self._container.read(JOURNAL)
        with reading(self.path, JOURNAL):
            yield from data.decode().splitlines()

    def _find(self, name: str, t: int) -> LiveBody | LiveWorkpoint:
        named = self._by_name.get(name)
        if named is not None:
            # Of several that had the name one after the other: the one that was there, else the nearest before.
            return named[max(bisect_right([body.born for body in named], t) - 1, 0)]
        if name in self.world.workpoints:
            return self.world.workpoints[name]
        raise UnknownName("body, link or workpoint", name, [*self._by_name, *self.world.workpoints])

    # ---------------------------------------------------------------- inside

    @cached_property
    def _document(self) -> Node:
        return self._container.document("world.json")

    @cached_property
    def _rebuilt(self) -> Rebuilt:
        document = self._document
        with reading(self.path, "world.json"):
            return Rebuilt(document, self._table, self._mesh, self.duration)

    @cached_property
    def _by_name(self) -> dict[str, list[LiveBody]]:
        named: dict[str, list[LiveBody]] = {}
        for body in self.bodies:
            named.setdefault(body.name, []).append(body)
        return named

    def _table(self, name: str) -> Table:
        return Table(self._container, self._rows, name)

    def _mesh(self, digest: str) -> MeshArrays:
        vertices = self._container.array(f"meshes/{digest}_vertices.npy", "<f8", (3,))
        faces = self._container.array(f"meshes/{digest}_faces.npy", "<i8", (3,))
        return vertices.astype(float), faces.astype("int64")

    def close(self) -> None:
        """Lets go of the file; what was read stays."""
        self._container.close()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Recording {self.path} of {self.header.cell!r}, {self.duration / TICKS_PER_SECOND:.3f} s>"


def _blocked(node: Node) -> Blocked:
    items = list(node)
    if len(items) != 5:
        raise node.wrong("a program, its file and line, what it waits for, and whether it serves others")
    process, file, line, waits_for, daemon = items
    return Blocked(process.text, file.text, line.integer(0, 1 << 31), waits_for.text, daemon.flag)


def _records(lines: list[str]) -> list[JournalLine]:
    # As one list they are read more quickly than one by one. What is no record of its own changes their number.
    found = json.loads(f"[{','.join(lines)}]")
    if len(found) != len(lines):
        raise RecordingError("a line of it is not one record")
    return [_record(each) for each in found]


def _record(found: object) -> JournalLine:
    # Checked by hand: a day of a cell has a hundred thousand records, and a Node for every field would take seconds.
    if not isinstance(found, dict):
        raise RecordingError("a record of it is no object")
    t, kind, subject = found.pop("t", None), found.pop("kind", None), found.pop("subject", None)
    if type(t) not in (int, float) or not isinstance(kind, str) or not isinstance(subject, str):
        raise RecordingError("a record of it has no time, kind or subject")
    return JournalLine(round(t * TICKS_PER_SECOND), kind, subject, found)
