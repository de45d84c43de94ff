"""Opening cells and recordings; saving recordings and running them again."""

import os
from pathlib import Path
from typing import Any

from drycell.base import DrycellError, RecordingError
from drycell.cell import CellSource, untrusted
from drycell.kernel import ReplayingChooser
from drycell.studio.api.debugging import RunRecipe
from drycell.studio.api.files import FaultTraceStep, FilesApi
from drycell.studio.api.transport import HostStatus
from drycell.studio.host.session import HostSession
from drycell.studio.host.status import status


class HostFiles(FilesApi):
    """Opens and closes a session's cell or recording."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def open(self, path: str, seed: int | None = None, until: float | None = None) -> HostStatus:
        session, given = self._session, Path(os.path.abspath(path))
        if given.suffix.lower() == ".dry":
            from drycell.recording import Recording

            session.open_recording(Recording.open(given), given)
        else:
            source = CellSource.find(given)
            source.check_trusted(programs=False)
            # Without trust the cell is shown, but its programs are not loaded.
            idle = source.code() if untrusted(source.code()) else []
            session.open_cell(source.build(seed=seed, programs=not idle), source, source.path, idle)
            session.until = until
            session.can_repeat(RunRecipe(str(source.path), seed, until))
        return status(session)

    async def close(self) -> HostStatus:
        self._session.clear()
        return status(self._session)

    async def save_recording(self, path: str) -> int:
        from drycell.recording import copy_recording

        session, target = self._session, Path(path)
        if target.suffix.lower() != ".dry":
            raise RecordingError(
                f"a recording is a .dry file, not {target.name!r}", hint="choose a name that ends in .dry"
            )
        if session.mode == "recorded" and session.path is not None:
            copy_recording(session.path, target)
        elif session.mode == "ended" and session.recorded_as.exists():
            copy_recording(session.recorded_as, target)
        else:
            raise RecordingError("there is no recording yet", hint="wait until the run ends, or stop it")
        return target.stat().st_size

    async def save(self, path: str, t: int) -> int:
        from drycell.studio.host.saving import save_run

        if Path(path).suffix.lower() == ".dry":
            return await self.save_recording(path)
        return save_run(self._session, Path(path), t)

    async def fault_trace(self) -> tuple[FaultTraceStep, ...]:
        steps: Any = () if self._session.recording is None else self._session.recording.header.trace
        return tuple(FaultTraceStep(**step) for step in steps)

    async def rerun(self) -> HostStatus:
        session, recording = self._session, self._session.recording
        if recording is None or session.path is None:
            raise DrycellError("no recording is open", hint="use restart to run a cell again")
        header = recording.header
        if not header.source:
            raise RecordingError("the recording does not list its source files", hint="open the cell itself and run it")
        source = CellSource.find(session.path.parent / header.folder / header.source[0].path)
        for program, file in header.programs.items():
            source = source.exchange(program, source.path.parent / file)
        for path, text in header.settings:
            source = source.set(path, text)
        changed = header.changed_sources(source.path.parent)
        if changed:
            raise RecordingError(
                f"{', '.join(changed)} has changed since the run was recorded",
                hint="repeating a run needs the same files; to run the current ones, open the cell itself",
            )
        source.check_trusted()
        chooser = ReplayingChooser(header.choices) if header.choices else None
        cell = source.build(seed=header.seed, chooser=chooser)
        cell.name = header.cell
        cell.play(recording.inputs)
        of = str(session.path)
        session.open_cell(cell, source, source.path)
        session.can_repeat(RunRecipe(of, recording=True))
        session.until = None if header.until is None else header.until / 1e6
        return status(session)
