"""Recordings of runs in files: writing, reading and comparing them. docs/recording.md describes the format.

Independent of the kinds of things: sensors and mechanisms define how they are recorded. The package may use base,
kernel, geometry, world and record.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.recording.comparison import Difference as Difference, compare as compare
    from drycell.recording.container import (
        DocumentNode as DocumentNode,
        Json as Json,
        json_number as json_number,
        json_numbers as json_numbers,
    )
    from drycell.recording.header import (
        Header as Header,
        hash_of as hash_of,
        seen_from as seen_from,
        source_files as source_files,
        versions as versions,
    )
    from drycell.recording.recording import (
        Recording as Recording,
        RecordingWriter as RecordingWriter,
        copy_recording as copy_recording,
    )
    from drycell.recording.shapes import shape_data as shape_data, shape_from as shape_from
    from drycell.recording.world import RecordedSensor as RecordedSensor
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
