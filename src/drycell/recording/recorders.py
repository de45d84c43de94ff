"""The recorder of a run: its header, as far as that is known before it begins, and the writer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from drycell.cell import Cell, Source
from drycell.recording.header import Header, seen_from, source_files
from drycell.recording.writer import RecordingWriter
from drycell.sensors import sensors_of


def recorder(
    cell: Cell, record: Path, source: Source | None, last: int | None, story: Sequence[Mapping[str, Any]] = ()
) -> RecordingWriter:
    """The writer of a recording of a cell, before it runs until a tick."""
    header = replace(_header(cell, source, record, last), story=tuple(story))
    return RecordingWriter(
        record,
        cell.world,
        cell.record.signals,
        header,
        tracks=cell.record.tracks,
        sensors=lambda: sensors_of(cell).values(),
        folder=None if source is None else source.path.parent,
    )


def _header(cell: Cell, source: Source | None, record: Path, last: int | None) -> Header:
    """Which run a recording is of, as far as that is known before it begins."""
    if source is None:
        return Header(cell.name, cell.seed, until=last)
    folder = source.path.parent
    return Header(
        cell.name,
        cell.seed,
        source_files(source.files(), folder),
        seen_from(record.parent, folder),
        last,
        programs={name: seen_from(folder, file) for name, file in source.exchanged},
        settings=source.settings,
    )
