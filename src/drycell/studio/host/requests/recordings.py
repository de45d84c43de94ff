"""Recordings: kept from a run, told as a story, or run again."""

from pathlib import Path

from drycell.base import DrycellError, RecordingError
from drycell.cell import CellSource
from drycell.kernel import ReplayingChooser
from drycell.record import copy_recording
from drycell.studio.host.session import HostSession
from drycell.studio.host.status import status
from drycell.studio.host.table import Reply, request


@request("save_recording")
def save_recording(session: HostSession, *, path: str) -> Reply:
    """Keeps what was recorded of the run, or a copy of the recording on stage, under a name that ends in ``.dry``."""
    target = Path(path)
    if target.suffix.lower() != ".dry":
        raise RecordingError(f"a recording is a .dry file, not {target.name!r}", hint="let its name end in .dry")
    if session.mode == "recorded" and session.path is not None:
        copy_recording(session.path, target)
    elif session.mode == "ended" and session.recorded_as.exists():
        copy_recording(session.recorded_as, target)
    else:
        raise RecordingError("there is no recording yet", hint="let the run end, or stop it, and save it then")
    return {"path": str(target), "size": target.stat().st_size}


@request("story")
def story(session: HostSession) -> Reply:
    """The steps that brought a fault about, of a run that a search has found; none of any other."""
    steps = () if session.recording is None else session.recording.header.story
    return {"story": [dict(step) for step in steps]}


@request("rerun")
def rerun(session: HostSession) -> Reply:
    """Puts the cell of a recording on the bench, to be run the same way again: same seed, choices, input from outside.

    A recording does not hold where its programs stood; the same run does, line by line.
    """
    recording = session.recording
    if recording is None or session.path is None:
        raise DrycellError("no recording is on stage", hint="restart does the same for a cell")
    header = recording.header
    if not header.source:
        raise RecordingError(
            "the recording does not say which files it was made from", hint="open the cell itself, and run it"
        )
    source = CellSource.find(session.path.parent / header.folder / header.source[0].path)
    for program, file in header.programs.items():
        source = source.exchange(program, source.path.parent / file)
    for path, text in header.settings:
        source = source.set(path, text)
    changed = header.changed_sources(source.path.parent)
    if changed:
        raise RecordingError(
            f"{', '.join(changed)} is no longer as it was when the run was recorded",
            hint="the same run needs the same files; to run what is there now, open the cell itself",
        )
    source.check_trusted()
    chooser = ReplayingChooser(header.choices) if header.choices else None
    cell = source.build(seed=header.seed, chooser=chooser)
    cell.name = header.cell
    cell.play(recording.inputs)
    session.set_up(cell, source, source.path)
    session.until = None if header.until is None else header.until / 1e6
    return status(session)
