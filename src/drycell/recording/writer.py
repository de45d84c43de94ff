"""The recording being written: changes as they happen, on disk, and a file with its name only when it is whole."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np
from numpy.lib import format as npy

from drycell.base import RecordingError
from drycell.kernel import Changes, JournalLine, Tracks
from drycell.recording.columns import Columns, Spool
from drycell.recording.container import ContainerWriter, writing
from drycell.recording.document import Json
from drycell.recording.header import Header, versions
from drycell.recording.signals import SignalWriter
from drycell.recording.tracks import write_tracks
from drycell.recording.worldlog import WorldLog
from drycell.sensors import LiveSensor
from drycell.world import FOREVER, World

JOURNAL: Final = "journal.jsonl"


class RecordingWriter:
    """Records a run from where the world stands now.

    Motions are put down by themselves, journal records as ``record`` gets them (it can be a journal's sink), signal
    changes when ``flush`` is called. ``close`` makes the file; leaving a ``with`` block without it discards everything.
    Equal runs give equal bytes, however often ``flush`` is called.
    """

    def __init__(
        self,
        path: Path | str,
        world: World,
        signals: Mapping[str, Changes[Any]],
        header: Header,
        *,
        tracks: Tracks | None = None,
        sensors: Callable[[], Iterable[LiveSensor[Any]]] = tuple,
        folder: Path | None = None,
    ) -> None:
        """``tracks`` are what figures are made of, ``sensors`` tells which there are in the end, ``folder`` is where
        the cell's files are."""
        self.path = Path(path)
        self._header = header
        self._tracks, self._sensors, self._folder = tracks or Tracks(), sensors, folder
        self._container = ContainerWriter(self.path)
        self._columns = Columns(self.path)
        self._journal = Spool(self.path)
        self._open = True
        self._signals = SignalWriter(signals, self._columns)
        self._world = WorldLog(world, self._columns)
        try:
            self._world.begin()
        except BaseException:
            self.discard()
            raise

    def record(self, record: JournalLine) -> None:
        """Puts down a journal record; they come in the order of time."""
        self._journal.write(record.json().encode() + b"\n")

    def flush(self, until: int) -> None:
        """Puts down all signal changes before an instant, so that histories may be dropped up to there."""
        self._signals.write(until)

    def settle(self, until: int) -> None:
        """Flushes whenever the kernel settles: ``kernel.add_observer(writer)``."""
        if self._open:
            self.flush(until)

    def close(
        self,
        duration: int,
        outcome: Mapping[str, Json],
        *,
        choices: Iterable[int] = (),
    ) -> Header:
        """Puts down the rest and makes the file; returns its header."""
        if not self._open:
            raise RecordingError(f"{self.path}: the recording is closed already")
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
            with writing(self.path):
                self._fill(header)
                self._container.finish()
        except BaseException:
            self.discard()
            raise
        self._close()
        return header

    def _fill(self, header: Header) -> None:
        self._signals.write(FOREVER)
        told = write_tracks(self._tracks, self._columns, self._folder)
        world = {**self._world.finish(self._sensors()), **self._signals.data(), **told}
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
        """Gives up: nothing is left behind, and a file that had the name keeps it."""
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
