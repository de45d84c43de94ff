"""The search over event orders of the open cell, in a separate process: one at a time, shared by all browsers."""

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from drycell.base import DrycellError
from drycell.cell import CellSource

if TYPE_CHECKING:
    from drycell.studio.server.studio import Studio

SearchVerdict = Literal["", "running", "covered", "fault", "incomplete", "failed", "cancelled"]
_VERDICTS: Final[dict[int, SearchVerdict]] = {0: "covered", 2: "fault", 3: "incomplete"}
_MOST: Final = 20_000  # characters of a report


@dataclass(frozen=True)
class SearchState:
    """The state of a search: how many runs so far, and at its end the report of ``drycell verify``."""

    verdict: SearchVerdict = ""
    cell: str = ""
    runs: int = 0
    scope: str = ""
    report: str = ""
    recording: Path | None = None
    """The recording of the run with the fault."""
    seconds: float = field(default=0.0)
    """The wall time after which it ends."""


class Verification:
    """The latest search. Use ``studio.verification``."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self.search = SearchState()
        self._process: asyncio.subprocess.Process | None = None

    @property
    def subject(self) -> Path | None:
        """The cell that would be searched: the open one, or the one that the open recording was made from."""
        path = self._studio.path
        if path is None or path.suffix.lower() != ".dry":
            return path
        return None if self._studio.tree.source is None else Path(self._studio.tree.source)

    async def run(self, seconds: float) -> SearchState:
        """Search the cell as it is on disk, with the seed of the open run, and return the result.

        Raises:
            DrycellError: nothing is open, a search is running, or the folder of the cell is not trusted.
        """
        subject = self.subject
        if subject is None:
            raise DrycellError("there is no cell to verify", hint="open a cell first")
        if self._process is not None:
            raise DrycellError("a search is running", hint="wait until it ends, or cancel it")
        CellSource.find(subject).check_trusted()
        seed = self._studio.latest.seed
        self.search = SearchState("running", self._studio.latest.name or subject.stem, seconds=seconds)
        command = [sys.executable, "-P", "-m", "drycell.verify", str(subject), str(seconds)]
        self._process = process = await asyncio.create_subprocess_exec(
            *command,
            *([] if seed is None else [str(seed)]),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            assert process.stdout is not None
            said, errors = await asyncio.gather(process.stdout.read(), self._follow(process))
            code = await process.wait()
        finally:
            self._process = None
            if process.returncode is None:
                process.kill()
        if self.search.verdict != "cancelled":
            report = said.decode(errors="replace").strip() or errors
            self.search = replace(self.search, verdict=_VERDICTS.get(code, "failed"), report=report[-_MOST:])
        return self.search

    def cancel(self) -> None:
        """End the search without a result."""
        if self._process is not None:
            self.search = replace(self.search, verdict="cancelled", report="cancelled")
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()

    async def _follow(self, process: asyncio.subprocess.Process) -> str:
        """Read the progress. Returns everything else that was written to standard error."""
        assert process.stderr is not None
        rest = ""
        while line := await process.stderr.readline():
            text = line.decode(errors="replace")
            try:
                found = json.loads(text)
            except ValueError:
                rest = (rest + text)[-_MOST:]
                continue
            if isinstance(found, dict) and self.search.verdict == "running":
                recording = found.get("recording")
                self.search = replace(
                    self.search,
                    runs=int(found.get("runs", self.search.runs)),
                    scope=str(found.get("scope", self.search.scope)),
                    recording=self.search.recording if recording is None else Path(recording).resolve(),
                )
        return rest.strip()
