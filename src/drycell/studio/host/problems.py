"""What went wrong in a run: the incidents of its record, the error that ended it, and who waits for whom."""

from typing import Final

from drycell.kernel import Outcome
from drycell.record import Incident, figures
from drycell.studio.api.problems import ProblemMark, ProblemsApi, RunProblem, RunProblems, WaitGraph
from drycell.studio.host.error_report import error_report
from drycell.studio.host.session import HostSession

_MOST: Final = 200  # rows: the first problems are usually the cause of the later ones
_COLUMNS: Final = 1000  # marks on a time axis
_MINOR: Final = ("near miss", "warning")


class HostProblems(ProblemsApi):
    """The problems of a session's run."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def found(self) -> RunProblems:
        return problems(self._session)

    async def wait_graph(self) -> WaitGraph | None:
        outcome = self._session.outcome
        if outcome is None or not outcome.stuck:
            return None
        since = [outcome.time if each.stuck_since is None else each.stuck_since for each in outcome.stuck]
        return WaitGraph(min(since), outcome.stuck)


def problems(session: HostSession) -> RunProblems:
    """All problems of a session's run so far."""
    found = [_problem(session, each) for each in figures.incidents(session.record, session.now, session.outcome)]
    ahead = session.stopped_at_collision
    if ahead is not None and all((each.t, each.bodies) != (ahead.t, ahead.bodies) for each in found):
        found.append(ahead)  # the record does not have it before the next event
    found += _error(session)
    found.sort(key=lambda each: each.t)
    warnings = sum(each.severity == "warning" for each in found)
    return RunProblems(tuple(found[:_MOST]), len(found) - warnings, warnings, _marks(found, session.now))


def _problem(session: HostSession, each: Incident) -> RunProblem:
    return RunProblem(
        t=each.time,
        kind=each.kind,
        text=each.text,
        severity="warning" if each.kind in _MINOR else "error",
        bodies=each.bodies,
        point=each.point,
        file=None if each.file is None else session.source_file(each.file),
        line=each.line,
    )


def _error(session: HostSession) -> list[RunProblem]:
    """The error that ended the run."""
    if session.failure is not None:
        error = error_report(session.failure)
        return [RunProblem(session.now, "program error", error.what, file=error.file, line=error.line, hint=error.hint)]
    outcome: Outcome | None = session.outcome
    if session.recording is not None and outcome is not None and str(outcome.ending) == "error":
        return [RunProblem(session.now, "program error", outcome.reason)]
    return []


def _marks(found: list[RunProblem], end: int) -> tuple[ProblemMark, ...]:
    """One mark for each column of a time axis that has a problem."""
    marks: dict[int, ProblemMark] = {}
    for each in found:
        column = each.t * _COLUMNS // max(end, 1)
        if column not in marks or (marks[column].severity == "warning" and each.severity == "error"):
            marks[column] = ProblemMark(each.t, each.severity)
    return tuple(marks.values())
