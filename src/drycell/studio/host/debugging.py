"""Debugging: call stacks and variables of programs, checks of texts, and program output."""

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from drycell.base import DrycellError, UnknownName
from drycell.cell import check_trusted
from drycell.kernel import CODE, TapeRow
from drycell.studio.api.debugging import CallPlace, DebuggingApi, ProgramCalls, RunInput, RunRecipe, TextCheck
from drycell.studio.host.building import HostBuilding
from drycell.studio.host.diagnosis import diagnose
from drycell.studio.host.files import HostFiles
from drycell.studio.host.session import HostSession, stamp

_LEAST: Final = 10  # of the run in the background, which uses the processor only when nothing else needs it


class HostDebugging(DebuggingApi):
    """Inspects the programs of a session."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def variables(self, process: str, level: int = 0) -> ProgramCalls:
        kernel, last = self._session.require_cell().kernel, self._session.last_programs
        if last is not None and process in {each.name for each in last.processes}:
            return last.variables(process, level)
        living = {each.name: each for each in kernel.processes.living()} if not kernel.processes.closed else {}
        if process not in living:
            known = {*(each.name for each in kernel.processes), *self._session.require_cell().programs}
            if process not in known:
                raise UnknownName("program", process, known)
            return ProgramCalls()  # not started yet, or ended
        calls = living[process].calls()
        scopes = calls[level].look() if 0 <= level < len(calls) else ()
        return ProgramCalls(tuple(CallPlace(each.name, each.file, each.line) for each in calls), tuple(scopes))

    async def recipe(self) -> RunRecipe:
        session = self._session
        recipe = session.recipe
        if recipe is None:
            raise DrycellError(
                "the run cannot be repeated from files", hint="save the program in the cell, then run it"
            )
        if recipe.recording:
            return recipe
        changed = [Path(file).name for file, known in session.stamps.items() if stamp(Path(file)) != known]
        if changed:
            raise DrycellError(f"{', '.join(changed[:3])} has changed since the cell was built", hint="restart it")
        rows = session.require_cell().kernel.tape.rows
        if any(row.what == CODE for row in rows):
            raise DrycellError("code outside the cell has changed the run, and a recording does not store that")
        inputs = tuple(RunInput(row.tick, row.who, row.what, dict(row.arguments)) for row in rows)
        return replace(recipe, seed=session.seed, inputs=inputs)

    async def repeat(self, recipe: RunRecipe) -> None:
        session = self._session
        os.nice(_LEAST)
        if recipe.text is not None:
            await HostBuilding(session).preview(recipe.text, recipe.path, recipe.seed)
        else:
            await HostFiles(session).open(recipe.path, recipe.seed, recipe.until)
        if recipe.recording:
            await HostFiles(session).rerun()
        if session.idle:
            check_trusted(session.idle, "the run executes code")
        if not recipe.recording:  # it has its own inputs
            rows = (TapeRow(each.tick, each.who, each.what, each.arguments) for each in recipe.inputs)
            session.require_cell().play(rows)
        session.speed = None

    async def fingerprint(self, t: int) -> str:
        found = sha256()
        for name, changes in sorted(self._session.record.signals.items()):
            if changes.quiet:
                continue  # a recording does not keep all of them
            found.update(name.encode())
            for number in range(changes.count(t)):
                since, value, _ = changes[number]
                found.update(f" {since}={value!r}".encode())
        return found.hexdigest()

    async def check(self, file: str, text: str) -> TextCheck:
        path = Path(file)
        found = diagnose(path, text, self._session.cell, is_cell=self._session.path == path)
        return TextCheck(tuple(found.findings), None if found.stops is None else tuple(sorted(found.stops)))

    async def printed(self) -> str:
        return self._session.printed
