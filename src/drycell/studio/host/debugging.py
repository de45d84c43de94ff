"""Debugging: call stacks and variables of programs, checks of texts, and program output."""

from pathlib import Path

from drycell.base import UnknownName
from drycell.studio.api.debugging import CallPlace, DebuggingApi, ProgramCalls, TextCheck
from drycell.studio.host.diagnosis import diagnose
from drycell.studio.host.session import HostSession


class HostDebugging(DebuggingApi):
    """Inspects the programs of a session."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def variables(self, process: str, level: int = 0) -> ProgramCalls:
        kernel = self._session.require_cell().kernel
        living = {each.name: each for each in kernel.processes.living()} if not kernel.processes.closed else {}
        if process not in living:
            known = {*(each.name for each in kernel.processes), *self._session.require_cell().programs}
            if process not in known:
                raise UnknownName("program", process, known)
            return ProgramCalls()  # not started yet, or ended
        calls = living[process].calls()
        scopes = calls[level].look() if 0 <= level < len(calls) else ()
        return ProgramCalls(tuple(CallPlace(each.name, each.file, each.line) for each in calls), tuple(scopes))

    async def check(self, file: str, text: str) -> TextCheck:
        path = Path(file)
        found = diagnose(path, text, self._session.cell, is_cell=self._session.path == path)
        return TextCheck(tuple(found.findings), None if found.stops is None else tuple(sorted(found.stops)))

    async def printed(self) -> str:
        return self._session.printed
