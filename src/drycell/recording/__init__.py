"""Recordings: a run kept as its motions, signal changes and journal, in one ``.dry`` file, exact at any instant.

May use the cell and everything below it; knows no language and no studio. docs/recording.md describes the file.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.recording.comparison import Difference as Difference, compare as compare
    from drycell.recording.copying import copy_recording as copy_recording
    from drycell.recording.header import (
        Header as Header,
        SourceFile as SourceFile,
        seen_from as seen_from,
        source_files as source_files,
    )
    from drycell.recording.recorders import recorder as recorder
    from drycell.recording.recording import Recording as Recording
    from drycell.recording.sensors import RecordedSensor as RecordedSensor
    from drycell.recording.shapes import shape_data as shape_data, shape_from as shape_from
    from drycell.recording.writer import RecordingWriter as RecordingWriter
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
