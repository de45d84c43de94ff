"""The status of a session: its time, the state of its programs, and how the run ended."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from drycell.kernel import is_users
from drycell.studio.api.transport import HostStatus, ProcessStatus, RunState, RunSummary, StopPlace
from drycell.studio.host.error_report import error_report
from drycell.studio.host.tree import program_file

if TYPE_CHECKING:
    from drycell.studio.host.session import HostSession


def status(session: "HostSession") -> HostStatus:
    """The status of a session."""
    return HostStatus(
        mode=session.mode,
        state=state(session),
        t=session.now,
        shown=session.shown,
        following=session.playhead.follows,
        end=_end(session),
        factor=session.speed,
        playing=session.playhead.factor,
        seed=session.seed,
        name=session.name,
        path=None if session.path is None else str(session.path),
        scene=session.numbering.scene,
        version=session.numbering.version,
        moves=sum(body.version for body in session.bodies) if session.mode == "ready" else 0,
        records=len(session.released),
        processes=tuple(_processes(session)),
        stopped_at=_stopped_at(session),
        stops_at_collision=session.stops_at_collision,
        collision=session.stopped_at_collision,
        summary=_summary(session),
        error=None if session.failure is None else error_report(session.failure),
    )


def state(session: "HostSession") -> RunState:
    """The state of the run, or of the replay of a recording."""
    if session.mode == "live" and session.pace is not None:
        return "running" if session.pace.goes else "paused"
    if session.mode == "recorded":
        return "paused" if session.playhead.factor is None else "running"
    return "ended" if session.mode == "ended" else "ready"


def _end(session: "HostSession") -> int | None:
    if session.recording is not None:
        return session.recording.duration
    if session.mode == "ended":
        return session.now
    cell = session.cell
    if cell is None:
        return None
    until = cell.until if session.until is None else session.until
    return None if until is None else round(until * 1e6)


def _processes(session: "HostSession") -> Iterator[ProcessStatus]:
    cell = session.cell
    if cell is None:
        return
    if session.last_programs is not None:
        yield from session.last_programs.processes
        return
    running = {process.name: process for process in cell.kernel.processes} if cell.ran else {}
    for name, program in cell.programs.items():
        if name not in running:
            yield ProcessStatus(name, program_file(program.function), None, "ready")
    for name, process in running.items():
        if not process.alive:
            file = program_file(cell.programs[name].function) if name in cell.programs else None
            yield ProcessStatus(name, file, None, "ended")
            continue
        at, waiter = process.where(), process.fibre.waiter
        file, line = (at.file, at.line) if is_users(at.file) else (None, None)
        if waiter is None:
            yield ProcessStatus(name, file, line, "running")
        else:
            yield ProcessStatus(name, file, line, "waiting", waiter.text)


def _stopped_at(session: "HostSession") -> StopPlace | None:
    if session.mode != "live" or session.pace is None:
        return None
    at = session.pace.position
    if at.state != "paused" or at.process is None or at.file is None or at.line is None:
        return None
    return StopPlace(at.process, at.file, at.line, at.number)


def _summary(session: "HostSession") -> RunSummary | None:
    if session.recording is not None:
        outcome: Any = session.recording.header.outcome
        return RunSummary(str(outcome.get("ending")), str(outcome.get("reason") or "")) if outcome else None
    result = session.result
    if result is None:
        return None if session.failure is None else RunSummary("error", error_report(session.failure).what)
    return RunSummary(
        ending=result.ending,
        reason=result.outcome.reason,
        clean=result.clean,
        checked=result.checked,
        collisions=len(result.collisions),
        near_misses=len(result.near_misses),
        lost=tuple(result.lost),
        parts=result.parts.arrived,
        stored=result.parts.stored,
        sunk=result.parts.sunk,
        cycle_s=None if result.cycle is None else result.cycle.mean,
        journal_hash=result.journal_hash,
        text=result.summary(),
    )
