"""Recordings: a run kept as its motions, signal changes and journal, in one ``.dry`` file, exact at any instant.

May use the cell and everything below it; knows no language and no studio. docs/recording.md describes the file.
"""

from drycell.recording.compare import Difference, compare
from drycell.recording.copying import copy_recording
from drycell.recording.header import Header, SourceFile, seen_from, source_files
from drycell.recording.recorder import recorder
from drycell.recording.recording import Recording
from drycell.recording.sensors import RecordedSensor
from drycell.recording.shapes import shape_data, shape_from
from drycell.recording.writer import RecordingWriter

__all__ = [
    "Difference",
    "Header",
    "RecordedSensor",
    "Recording",
    "RecordingWriter",
    "SourceFile",
    "compare",
    "copy_recording",
    "recorder",
    "seen_from",
    "shape_data",
    "shape_from",
    "source_files",
]
