"""Debugging: the calls and variables of a program that stands still, and what is wrong with a text being written."""

from dataclasses import asdict
from pathlib import Path

from drycell.base import UnknownName
from drycell.kernel import Variable, VariableScope
from drycell.studio.diagnosis import diagnose
from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, request
from drycell.studio.host.wire import Json


@request("variables")
def variables(session: HostSession, *, process: str, level: int = 0) -> Reply:
    """The calls of a program, the innermost first, and the variables that one of them sees."""
    kernel = session.needs_cell().kernel
    living = {each.name: each for each in kernel.processes.living()} if not kernel.processes.closed else {}
    if process not in living:
        known = {*(each.name for each in kernel.processes), *session.needs_cell().programs}
        if process not in known:
            raise UnknownName("program", process, known)
        return {"stack": [], "scopes": []}  # it has not started yet, or has ended
    calls = living[process].calls()
    scopes = calls[level].look() if 0 <= level < len(calls) else []
    return {
        "stack": [{"name": each.name, "file": each.file, "line": each.line} for each in calls],
        "scopes": [_scope(each) for each in scopes],
    }


@request("check")
def check(session: HostSession, *, file: str, text: str) -> Reply:
    """What is wrong with a text that would stand in a file, and the lines at which a run of it can be held."""
    path = Path(file)
    found = diagnose(path, text, session.cell, is_cell=session.path == path)
    return {
        "diagnostics": [asdict(each) for each in found.findings],
        "stops": None if found.stops is None else sorted(found.stops),
    }


def _scope(scope: VariableScope) -> Json:
    return {"name": scope.name, "values": [_variable(each) for each in scope.variables]}


def _variable(each: Variable) -> Json:
    made: dict[str, Json] = {"name": each.name, "type": each.type, "value": each.value}
    if each.parts:
        made["parts"] = [_variable(part) for part in each.parts]
    return made
