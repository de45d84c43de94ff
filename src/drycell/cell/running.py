"""A run of a cell: starts the programs, runs the clock, writes journal and recording, and returns the result."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from drycell.base import DrycellError, KernelError, WriteError, text_beside
from drycell.kernel import JournalLine, Outcome, Pace, check_function, is_users, ticks
from drycell.record import Expectation, Result
from drycell.recording import Header, RecordedSensor, RecordingWriter, seen_from, source_files

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.cell.program import LiveProgram
    from drycell.cell.source import CellSource

Sink = Callable[[JournalLine], None]
_HUGE: Final = 50.0  # metres: a body with a larger radius was probably written without a unit
KEPT: Final = ticks(60.0)
"""Ticks of the past that are always kept; sensors look back less than this."""


def run(
    cell: "Cell",
    until: float | None,
    *,
    pace: "Pace | float | None",
    journal: str | Path | None,
    record: str | Path | None,
    source: "CellSource | None",
    keep: bool = True,
    sink: Sink | None = None,
    trace: "Sequence[Mapping[str, Any]]" = (),
) -> Result:
    """Run a cell to its end. Journal and recording are complete up to the end, even after an error or Ctrl-C. Without
    ``keep``, everything that no figure needs is removed during the run: motions, signal changes and the journal, unless
    they go to a file. ``sink`` gets every record of the journal as it is released; ``trace`` goes into the header of
    the recording.
    """
    if cell.ran:
        raise KernelError("this cell has already run", hint="build a new one for another run")
    kernel = cell.kernel
    until, pace = cell.until if until is None else until, cell.pace if pace is None else pace
    last = None if until is None else ticks(until)
    paced = Pace(pace) if isinstance(pace, (int, float)) else pace
    # Anything that can fail early does so before a file is opened.
    offered = cell.offered()
    programs = [(name, program, _arguments(cell, program, offered)) for name, program in cell.programs.items()]
    expectations = tuple(Expectation.parse(each) for each in cell.expect)
    known = Result(cell.name, cell.seed, Outcome("until", 0), cell.record).row() if expectations else {}
    for each in expectations:
        each.check_name(known)
    started = time.perf_counter()
    with ExitStack() as files:
        sinks = [] if sink is None else [sink]
        if journal is not None:
            sinks.append(_journal_sink(files, Path(journal)))
        recording = None
        if record is not None:
            recording = files.enter_context(_recorder(cell, Path(record), source, last, trace))
            kernel.add_observer(recording)
            sinks.append(recording.record)
        if sinks or not keep:
            kernel.journal.stream(_all(sinks))
        kernel.tape.keeps = keep or recording is not None
        # The observer must not keep open a run that ends when nothing is left to do.
        ends = last is not None or any(not each.daemon for each in cell.programs.values())
        if not keep and (ends or (paced is not None and paced.attended)):
            kernel.every(KEPT, lambda: _forget(cell, recording), phase=KEPT, owner="forgetting", writes=())
        cell.ran = True
        cell.part_tracking.enter(cell.added)
        if cell.monitor is not None:
            cell.monitor.warn_of_overlaps()
        for body in cell.added:
            if body.shape is not None and body.shape.sphere[1] > _HUGE:
                size = 2 * body.shape.sphere[1]
                kernel.warn(body.name, f"it is about {size:.0f} m across: write lengths with a unit, such as 600*mm")
        for name, program, given in programs:
            for remark in check_function(program.function):
                kernel.warn(name, remark)
            kernel.spawn(program.function, *given, name=name, daemon=program.daemon, priority=program.priority)
        failure: BaseException | None = None
        try:
            outcome = kernel.run(last, pace=paced)
        except Exception as error:
            failure = error
            kernel.settle()
            kernel.journal.release()
        if isinstance(failure, WriteError):
            raise failure  # discarded now, so that an incomplete file does not replace a complete one
        cell.gravity.close()
        if failure is None and cell.monitor is not None:
            for remark in cell.monitor.remarks():
                cell.record.tracks.track("warnings", cell.monitor.name).append(kernel.now, remark)
        if failure is None and outcome.ending not in ("stopped", "interrupted"):
            _remark_on_sensors(cell)
        if recording is not None:
            ending: dict[str, Any] = (
                {"ending": "error", "reason": _reason(failure)}
                if failure
                else {
                    "ending": outcome.ending,
                    "reason": outcome.reason,
                    "blocked": _blocked(outcome, source),
                    "waits": {
                        each.process: [list(each.signals), None if each.sets is None else list(each.sets)]
                        for each in outcome.blocked
                    },
                }
            )
            choices = getattr(kernel.chooser, "choices", ())
            recording.close(kernel.now, ending, choices=choices)
    if failure is not None:
        raise failure
    wall = time.perf_counter() - started
    return Result(
        cell.name, cell.seed, outcome, cell.record, kernel.journal.sha256(), cell.settings, expectations, wall
    )


def _recorder(
    cell: "Cell", path: Path, source: "CellSource | None", last: int | None, trace: Sequence[Mapping[str, Any]]
) -> RecordingWriter:
    """Return the writer of a recording. Its header identifies the run as far as possible before the start."""
    folder = None if source is None else source.path.parent
    header = Header(cell.name, cell.seed, until=last, trace=tuple(trace))
    if source is not None and folder is not None:
        header = replace(
            header,
            source=source_files(source.files(), folder),
            folder=seen_from(path.parent, folder),
            programs={name: seen_from(folder, file) for name, file in source.exchanged},
            settings=source.settings,
        )

    def sensors() -> Iterable[RecordedSensor]:
        return [each.recorded() for each in _sensors(cell)]

    return RecordingWriter(
        path, cell.world, cell.record.signals, header, tracks=cell.record.tracks, sensors=sensors, folder=folder
    )


def _sensors(cell: "Cell") -> list[Any]:
    """A sensor is a signal, perhaps under several names; it defines how it is recorded."""
    found = {each.name: each for each in cell.kernel.signals.values()}
    return [each for each in found.values() if hasattr(each, "recorded")]


def _remark_on_sensors(cell: "Cell") -> None:
    """Add warnings that depend on the whole run. The journal is complete by now and does not get them."""
    for sensor in _sensors(cell):
        for remark in sensor.remarks():
            cell.record.tracks.track("warnings", sensor.name).append(cell.kernel.now, remark)


def _blocked(outcome: Outcome, source: "CellSource | None") -> list[list[Any]]:
    """Return the programs that waited at the end, with files relative to the cell's folder, so that it is portable."""
    found = []
    for each in outcome.blocked:
        file = os.path.basename(each.file)
        if source is not None and is_users(each.file):
            file = Path(os.path.relpath(each.file, source.path.parent)).as_posix()
        stuck = [] if each.stuck_since is None else [each.stuck_since]
        polls = [each.polls] if each.polls else []
        found.append([each.process, file, each.line, each.waits_for, each.daemon, *stuck, *polls])
    return found


def _forget(cell: "Cell", recording: RecordingWriter | None) -> None:
    """Remove the past that all observers have processed, except data needed for figures."""
    # Observers do not run now: checking a motion in pieces would give different results and take longer.
    if recording is not None:
        recording.flush(cell.kernel.now)
    if cell.monitor is not None:
        cell.monitor.look_closely()
    cell.record.forget(KEPT, all_but_figures=recording is None)


def _reason(failure: BaseException) -> str:
    """Return an error without its hint and without folders, because the files of a replay may be elsewhere."""
    if not isinstance(failure, DrycellError):
        return str(failure)
    what, span = failure.what, getattr(failure, "span", None)  # of a program in a language other than Python
    if span is not None:
        what = what.replace(span.file, Path(span.file).name)
    return what + (f"\n  at {failure.where}" if failure.where else "")


def _arguments(cell: "Cell", program: "LiveProgram", offered: dict[str, object]) -> list[object]:
    """Return the arguments of a program: from the whole cell, or from the controller it runs on."""
    if program.controller is None:
        return program.arguments(offered)
    on = cell[program.controller]
    return program.arguments(on.offered(), on.missing)


def _all(sinks: list[Sink]) -> Sink:
    def everywhere(record: JournalLine) -> None:
        for sink in sinks:
            sink(record)

    return everywhere


def _journal_sink(files: ExitStack, path: Path) -> Sink:
    """Write records to a file as they are released: text for people, or JSON lines if the name ends in .jsonl."""
    file = files.enter_context(text_beside(path))
    if path.suffix == ".jsonl":
        return lambda record: print(record.json(), file=file)
    return lambda record: print(record.text(), file=file)
