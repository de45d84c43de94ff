"""Recordings: a run kept as its motions, signal changes and journal, in one ``.dry`` file, exact at any instant.

May use all that a cell is made of; knows nothing of how a cell is built or run. docs/recording.md describes the file.
"""

from drycell.cell.recording.compare import Difference, compare
from drycell.cell.recording.copying import copy_recording
from drycell.cell.recording.header import Header, SourceFile, seen_from, source_files
from drycell.cell.recording.recording import Recording
from drycell.cell.recording.sensors import RecordedSensor
from drycell.cell.recording.shapes import shape_data, shape_from
from drycell.cell.recording.signals import SignalHistory
from drycell.cell.recording.writer import RecordingWriter

__all__ = [
    "Difference",
    "Header",
    "RecordedSensor",
    "Recording",
    "RecordingWriter",
    "SignalHistory",
    "SourceFile",
    "compare",
    "copy_recording",
    "seen_from",
    "shape_data",
    "shape_from",
    "source_files",
]
