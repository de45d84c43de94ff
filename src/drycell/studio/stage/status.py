"""The status: how far the run is, what its programs do, and how it ended."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from drycell.kernel import is_users
from drycell.studio.stage.tree import program_file
from drycell.studio.stage.trouble import trouble
from drycell.studio.stage.wire import Json

if TYPE_CHECKING:
    from drycell.studio.stage.theatre import Theatre


def status(theatre: "Theatre") -> dict[str, Json]:
    """What the page shows all the time."""
    return {
        "mode": theatre.mode,
        "state": state(theatre),
        "t": theatre.now,
        "shown": theatre.shown,
        "following": theatre.playhead.follows,
        "end": _end(theatre),
        "factor": theatre.speed,
        "playing": theatre.playhead.factor,
        "seed": theatre.seed,
        "name": theatre.name,
        "path": None if theatre.path is None else str(theatre.path),
        "version": theatre.cast.version,
        "records": len(theatre.released),
        "processes": list(_processes(theatre)),
        "stopped_at": _stopped_at(theatre),
        "summary": _summary(theatre),
        "error": None if theatre.failure is None else trouble(theatre.failure),
    }


def state(theatre: "Theatre") -> str:
    """``ready``, ``running``, ``paused`` or ``ended``."""
    if theatre.mode == "live" and theatre.pace is not None:
        return "running" if theatre.pace.goes else "paused"
    if theatre.mode == "recorded":
        return "paused" if theatre.playhead.factor is None else "running"
    return "ended" if theatre.mode == "ended" else "ready"


def _end(theatre: "Theatre") -> int | None:
    if theatre.recording is not None:
        return theatre.recording.duration
    if theatre.mode == "ended":
        return theatre.now
    cell = theatre.cell
    if cell is None:
        return None
    until = cell.until if theatre.until is None else theatre.until
    return None if until is None else round(until * 1e6)


def _processes(theatre: "Theatre") -> Iterator[dict[str, Json]]:
    cell = theatre.cell
    if cell is None:
        return
    running = {process.name: process for process in cell.kernel.processes} if cell.ran else {}
    for name, program in cell.programs.items():
        if name not in running:
            yield {"name": name, "file": program_file(program.function), "line": None, "state": "ready", "for": None}
    for name, process in running.items():
        if not process.alive or cell.kernel.closed:
            file = program_file(cell.programs[name].function) if name in cell.programs else None
            yield {"name": name, "file": file, "line": None, "state": "ended", "for": None}
            continue
        at, waiter = process.where(), process.strand.waiter
        yield {
            "name": name,
            "file": at.file if is_users(at.file) else None,
            "line": at.line if is_users(at.file) else None,
            "state": "running" if waiter is None else "waiting",
            "for": None if waiter is None else waiter.text,
        }


def _stopped_at(theatre: "Theatre") -> dict[str, Json] | None:
    if theatre.mode != "live" or theatre.pace is None:
        return None
    at = theatre.pace.position
    if at.state != "paused" or at.line is None:
        return None
    return {"process": at.process, "file": at.file, "line": at.line, "number": at.number}


def _summary(theatre: "Theatre") -> dict[str, Json] | None:
    if theatre.recording is not None:
        return dict(theatre.recording.header.outcome)
    result = theatre.result
    if result is None:
        return None if theatre.failure is None else {"ending": "error", "reason": trouble(theatre.failure)["what"]}
    return {
        "ending": result.ending,
        "reason": result.outcome.reason,
        "clean": result.clean,
        "checked": result.checked,
        "collisions": len(result.collisions),
        "near_misses": len(result.near_misses),
        "lost": list(result.lost),
        "parts": result.parts.arrived,
        "stored": result.parts.stored,
        "sunk": result.parts.sunk,
        "cycle_s": None if result.cycle is None else result.cycle.mean,
        "journal_hash": result.journal_hash,
        "text": result.summary(),
    }
