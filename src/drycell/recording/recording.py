"""Recordings: the motions, signal changes, tracks and journal of a run in one ``.dry`` file, exact at any instant.
:class:`RecordingWriter` writes one during a run, :class:`Recording` reads it: poses, joints, signals and the journal at
any time of the run. docs/recording.md describes the file.
"""

import hashlib
import json
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from io import BytesIO
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Final, cast

import numpy as np
from numpy.lib import format as npy

from drycell.base import Pose, RecordingError, UnknownName
from drycell.kernel import TICKS_PER_SECOND, Blocked, Changes, JournalLine, Outcome, TapeRow, Tracks
from drycell.record import Record, Result
from drycell.recording.container import (
    FORMS,
    ColumnTable,
    ColumnWriters,
    ContainerReader,
    ContainerWriter,
    DocumentNode,
    Json,
    Spool,
    reading,
)
from drycell.recording.header import Header, seen_from, versions
from drycell.recording.shapes import MeshArrays
from drycell.recording.tracks import TYPES, SignalWriter, read_signals, read_tracks, write_tracks
from drycell.recording.world import RecordedSensor, RecordedWorld, WorldLog
from drycell.world import FOREVER, Linkage, LiveBody, LiveWorkpoint, World

JOURNAL: Final = "journal.jsonl"
_MOST_ROWS: Final = 1 << 40
_AT_ONCE: Final = 500  # records of a journal


class RecordingWriter:
    """Records a run from the current state of the world.

    Motions are recorded automatically, journal records when they are passed to ``record`` (which can be a journal's
    sink), and signal changes when ``flush`` is called. ``close`` creates the file; leaving a ``with`` block without
    calling it discards everything. Equal runs give equal bytes, however often ``flush`` is called.
    """

    def __init__(
        self,
        path: Path | str,
        world: World,
        signals: Mapping[str, Changes[Any]],
        header: Header,
        *,
        tracks: Tracks | None = None,
        sensors: Callable[[], Iterable[RecordedSensor]] = tuple,
        folder: Path | None = None,
    ) -> None:
        """``tracks`` are the tracks that figures need, ``sensors`` returns the sensors at the end, ``folder`` is the
        folder of the cell's files."""
        self.path = Path(path)
        self._header = header
        self._tracks, self._sensors, self._folder = tracks or Tracks(), sensors, folder
        self._container = ContainerWriter(self.path)
        self._columns = ColumnWriters(self.path, self._container.folder)
        self._journal = Spool(self.path, self._container.folder)
        self._open = True
        self._signals = SignalWriter(signals, self._columns)
        self._world = WorldLog(world, self._columns)
        try:
            self._world.begin()
        except BaseException:
            self.discard()
            raise

    def record(self, record: JournalLine) -> None:
        """Add a journal record; records must come in chronological order."""
        self._journal.write(record.json().encode() + b"\n")

    def flush(self, until: int) -> None:
        """Record all signal changes before an instant. Afterwards the earlier history can be removed."""
        self._signals.write(until)

    def settle(self, until: int) -> None:
        """Flush whenever the kernel settles: ``kernel.add_observer(writer)``."""
        if self._open:
            self.flush(until)

    def close(
        self,
        duration: int,
        outcome: Mapping[str, Json],
        *,
        choices: Iterable[int] = (),
    ) -> Header:
        """Record the rest, create the file and return its header."""
        if not self._open:
            raise RecordingError(f"{self.path}: the recording is already closed")
        drycell, libraries = versions()
        header = replace(
            self._header,
            duration=duration,
            outcome=outcome,
            choices=tuple(choices),
            drycell=drycell,
            libraries=libraries,
        )
        try:
            self._fill(header)
            self._container.finish()
        except BaseException:
            self.discard()
            raise
        self._close()
        return header

    def _fill(self, header: Header) -> None:
        self._signals.write(FOREVER)
        tracks = write_tracks(self._tracks, self._columns, self._folder)
        world = {**self._world.finish(self._sensors()), **self._signals.data(), **tracks}
        self._journal.copy(self._container, JOURNAL)
        rows = self._columns.copy(self._container)
        for digest, (vertices, faces) in self._world.meshes.items():
            self._array(f"meshes/{digest}_vertices.npy", vertices.astype("<f8"))
            self._array(f"meshes/{digest}_faces.npy", faces.astype("<i8"))
        self._container.document("world.json", world)
        self._container.document("header.json", {**header.data(), "rows": dict(rows)})

    def _array(self, name: str, values: "np.typing.NDArray[np.generic]") -> None:
        data = BytesIO()
        npy.write_array(data, np.ascontiguousarray(values), version=(1, 0), allow_pickle=False)
        with self._container.member(name, data.tell()) as target:
            target.write(data.getvalue())

    def discard(self) -> None:
        """Discard the recording; an existing file with its name stays unchanged."""
        if self._open:
            self._container.discard()
            self._close()

    def _close(self) -> None:
        self._open = False
        self._world.stop()
        self._columns.close()
        self._journal.close()

    def __enter__(self) -> "RecordingWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()


class Recording(Record):
    """A recorded run. Times are ticks (µs), as in the world itself.

    Opening a recording reads only the header; everything else is read and checked on first use.
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
                raise RecordingError(f"it counts the rows of {unknown[0]!r}, which recordings do not have")

    @classmethod
    def open(cls, path: Path | str, *, most: int | None = None) -> "Recording":
        """Open a file; it is refused if it unpacks to more than ``most`` bytes, by default 60 times its size."""
        container = ContainerReader(Path(path), most)
        try:
            return cls(container)
        except BaseException:
            container.close()
            raise

    # ---------------------------------------------------------------- content

    @property
    def duration(self) -> int:
        """The duration of the run, in ticks."""
        return self.header.duration

    @cached_property
    def world(self) -> World:
        """The world at the end of the run with its whole past; it answers the same queries as a live world."""
        return self._rebuilt.world

    @cached_property
    def bodies(self) -> tuple[LiveBody, ...]:
        """Every body that was ever in the cell, in order of addition; names may have been reused."""
        return tuple(self._rebuilt.bodies)

    @property
    def end(self) -> int:
        return self.header.duration

    @cached_property
    def tracks(self) -> Tracks:
        """The tracks behind the figures: states, waits, moves, parts, collisions."""
        with reading(self.path, "world.json"):
            return read_tracks(self._document, self._table("tracks"))

    @property
    def inputs(self) -> Sequence[TapeRow]:
        """Requests from outside; ``cell.play(recording.inputs)`` repeats them."""
        return self.tracks.track("inputs")

    @cached_property
    def outcome(self) -> Outcome:
        """How the run ended, with the programs that waited at its end."""
        ending = self.header.outcome
        with reading(self.path, "header.json"):
            waits = dict(DocumentNode(ending.get("waits", {}), "outcome.waits").items())
            blocked = tuple(
                _blocked(each, waits) for each in DocumentNode(ending.get("blocked", []), "outcome.blocked")
            )
        return Outcome(cast(Any, str(ending.get("ending"))), self.duration, blocked, str(ending.get("reason", "")))

    @cached_property
    def result(self) -> Result:
        """The result of the run, as at its end."""
        settings = {each.path: each.text for each in self.header.settings}
        lines = hashlib.sha256()
        for line in self.journal_lines():
            lines.update(f"{line}\n".encode())
        return Result(self.header.cell, self.header.seed, self.outcome, self, lines.hexdigest(), settings)

    @cached_property
    def linkages(self) -> dict[str, Linkage]:
        """The mechanisms by name; ``history`` has their joint trajectories."""
        return {linkage.name: linkage for linkage in self._rebuilt.linkages}

    @cached_property
    def sensors(self) -> dict[str, RecordedSensor]:
        """The sensors by name; their output is in ``signals``."""
        return {sensor.name: sensor for sensor in self._rebuilt.sensors}

    @cached_property
    def signals(self) -> dict[str, Changes[Any]]:
        """All signals by name."""
        with reading(self.path, "world.json"):
            return read_signals(self._document, {kind: self._table(f"signals_{kind}") for kind in TYPES})

    # ---------------------------------------------------------------- at an instant

    def pose(self, name: str, t: int) -> Pose:
        """Return the world pose of a body, a link or a workpoint, bit for bit as in the run."""
        found = self._find(name, t)
        try:
            return self.world.pose(found, t)
        except (ArithmeticError, RecursionError, ValueError) as error:  # cyclic parents, huge numbers
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
        lines = self.journal_lines()
        while some := list(islice(lines, _AT_ONCE)):
            with reading(self.path, JOURNAL):
                records = _records(some)
            yield from records

    def journal_lines(self) -> Iterator[str]:
        """The journal as JSON lines, as they were written."""
        return self._container.lines(JOURNAL)

    def _find(self, name: str, t: int) -> LiveBody | LiveWorkpoint:
        named = self._by_name.get(name)
        if named is not None:
            # Several bodies may have had this name in turn: choose the one present at t, or the last one before.
            return named[max(bisect_right([body.born for body in named], t) - 1, 0)]
        if name in self.world.workpoints:
            return self.world.workpoints[name]
        raise UnknownName("body, link or workpoint", name, [*self._by_name, *self.world.workpoints])

    # ---------------------------------------------------------------- inside

    @cached_property
    def _document(self) -> DocumentNode:
        return self._container.document("world.json")

    @cached_property
    def _rebuilt(self) -> RecordedWorld:
        document = self._document
        with reading(self.path, "world.json"):
            return RecordedWorld(document, self._table, self._mesh, self.duration)

    @cached_property
    def _by_name(self) -> dict[str, list[LiveBody]]:
        named: dict[str, list[LiveBody]] = {}
        for body in self.bodies:
            named.setdefault(body.name, []).append(body)
        return named

    def _table(self, name: str) -> ColumnTable:
        return ColumnTable(self._container, self._rows, name)

    def _mesh(self, digest: str) -> MeshArrays:
        vertices = self._container.array(f"meshes/{digest}_vertices.npy", "<f8", (3,))
        faces = self._container.array(f"meshes/{digest}_faces.npy", "<i8", (3,))
        return vertices.astype(float), faces.astype("int64")

    def close(self) -> None:
        """Close the file; data that was already read stays available."""
        self._container.close()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Recording {self.path} of {self.header.cell!r}, {self.duration / TICKS_PER_SECOND:.3f} s>"


def _blocked(node: DocumentNode, waits: Mapping[str, DocumentNode]) -> Blocked:
    items = list(node)
    if len(items) not in (5, 6, 7):
        raise node.wrong(
            "a program, its file and line, what it waits for, whether it is a daemon, since what time it is stuck, "
            "whether it polls"
        )
    process, file, line, waits_for, daemon, *stuck = items
    since = stuck[0].integer(0, FOREVER) if stuck else None
    polls = stuck[1].flag if len(stuck) > 1 else False
    signals: tuple[str, ...] = ()
    sets: tuple[str, ...] | None = None
    if process.text in waits:
        both = list(waits[process.text])
        if len(both) != 2:
            raise waits[process.text].wrong("the signals that a program waits for, and those that it could still set")
        awaited, settable = both
        signals = tuple(each.text for each in awaited)
        sets = None if settable.empty else tuple(each.text for each in settable)
    return Blocked(
        process.text, file.text, line.integer(0, 1 << 31), waits_for.text, daemon.flag, since, signals, sets, polls
    )


def _records(lines: list[str]) -> list[JournalLine]:
    # Parsing one list is faster than parsing each line. A line that is not exactly one record changes the count.
    found = json.loads(f"[{','.join(lines)}]")
    if len(found) != len(lines):
        raise RecordingError("a line of the journal is not a single record")
    return [_record(each) for each in found]


def _record(found: object) -> JournalLine:
    # Checked without DocumentNode: a day has a hundred thousand records, and a node for every field would take seconds.
    if not isinstance(found, dict):
        raise RecordingError("a record of the journal is not an object")
    t, kind, subject = found.pop("t", None), found.pop("kind", None), found.pop("subject", None)
    if type(t) not in (int, float) or not isinstance(kind, str) or not isinstance(subject, str):
        raise RecordingError("a record of the journal has no time, kind or subject")
    return JournalLine(round(t * TICKS_PER_SECOND), kind, subject, found)


def copy_recording(path: Path, target: Path) -> None:
    """Copy a recording to another folder and adjust the paths to its source files, as if it had been recorded there."""
    container = ContainerReader(path)
    try:
        document = container.document("header.json")
        with reading(path, "header.json"):
            header = Header.of(document)
            content = {key: each.value for key, each in document.items()}
            content["folder"] = _moved(header, path, target)
        writer = ContainerWriter(target)
        try:
            for name in container.names:
                if name == "header.json":
                    writer.document(name, content)  # type: ignore[arg-type]  # JSON it is: just parsed
                    continue
                data = container.read(name)
                with writer.member(name, len(data)) as member:
                    member.write(data)
            writer.finish()
        except BaseException:
            writer.discard()
            raise
    finally:
        container.close()


def _moved(header: Header, path: Path, target: Path) -> str:
    if not header.source:
        return header.folder
    return seen_from(target.parent.resolve(), Path(os.path.normpath(path.parent.resolve() / header.folder)))
