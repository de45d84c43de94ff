"""A run of a cell: starts the programs, runs the clock, writes journal and recording, and returns the result."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from drycell.base import DrycellError, KernelError, text_beside
from drycell.kernel import JournalLine, Outcome, Pace, is_users, ticks
from drycell.record import Result
from drycell.recording import Header, RecordedSensor, RecordingWriter, seen_from, source_files

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.cell.program import LiveProgram
    from drycell.cell.source import CellSource

Sink = Callable[[JournalLine], None]
KEPT: Final = ticks(60.0)
"""Ticks of the past that are always kept: sensors look back by less."""


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
    """Run a cell to its end. Journal and recording are complete up to the end, also after an error or Ctrl-C.

    Without ``keep``, what no figure needs is removed on the way: motions, signal changes and the journal, unless they
    go to a file. ``sink`` gets every record of the journal as it is released; ``trace`` goes into the header of the
    recording.
    """
    if cell.ran:
        raise KernelError("this cell has already run", hint="build a new one for another run")
    kernel = cell.kernel
    until, pace = cell.until if until is None else until, cell.pace if pace is None else pace
    last = None if until is None else ticks(until)
    paced = Pace(pace) if isinstance(pace, (int, float)) else pace
    # Everything that can be refused is refused before a file is opened.
    offered = cell.offered()
    programs = [(name, program, _arguments(cell, program, offered)) for name, program in cell.programs.items()]
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
        # A run that ends when nothing is left to happen must not be held open.
        ends = last is not None or any(not each.daemon for each in cell.programs.values())
        if not keep and (ends or (paced is not None and paced.attended)):
            kernel.every(KEPT, lambda: _forget(cell, recording), phase=KEPT, owner="forgetting", writes=())
        cell.ran = True
        cell.part_tracking.enter(cell.added)
        for name, program, given in programs:
            kernel.spawn(program.function, *given, name=name, daemon=program.daemon, priority=program.priority)
        failure: BaseException | None = None
        try:
            outcome = kernel.run(last, pace=paced)
        except Exception as error:
            failure = error
            kernel.settle()
            kernel.journal.release()
        cell.gravity.close()
        if recording is not None:
            ending: dict[str, Any] = (
                {"ending": "error", "reason": _reason(failure)}
                if failure
                else {"ending": outcome.ending, "reason": outcome.reason, "blocked": _blocked(outcome, source)}
            )
            choices = getattr(kernel.chooser, "choices", ())
            recording.close(kernel.now, ending, choices=choices)
    if failure is not None:
        raise failure
    wall = time.perf_counter() - started
    return Result(cell.name, cell.seed, outcome, cell.record, kernel.journal.sha256(), cell.settings, wall)


def _recorder(
    cell: "Cell", path: Path, source: "CellSource | None", last: int | None, trace: Sequence[Mapping[str, Any]]
) -> RecordingWriter:
    """Return the writer of a recording; its header identifies the run, as far as that is known before it begins."""
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
        """A sensor is a signal, perhaps under several names; it defines itself how a recording keeps it."""
        found = {each.name: each for each in cell.kernel.signals.values()}
        return [each.recorded() for each in found.values() if hasattr(each, "recorded")]

    return RecordingWriter(
        path, cell.world, cell.record.signals, header, tracks=cell.record.tracks, sensors=sensors, folder=folder
    )


def _blocked(outcome: Outcome, source: "CellSource | None") -> list[list[Any]]:
    """Return who waited at the end, with files relative to the cell's folder, so that it is the same everywhere."""
    found = []
    for each in outcome.blocked:
        file = os.path.basename(each.file)
        if source is not None and is_users(each.file):
            file = Path(os.path.relpath(each.file, source.path.parent)).as_posix()
        found.append([each.process, file, each.line, each.waits_for, each.daemon])
    return found


def _forget(cell: "Cell", recording: RecordingWriter | None) -> None:
    """Remove the past, as far as all observers have looked at it; what figures need stays."""
    # No observer looks back now: checking a motion in pieces gives another result every time, and takes longer.
    if recording is not None:
        recording.flush(cell.kernel.now)
    if cell.monitor is not None:
        cell.monitor.look_closely()
    cell.record.forget(KEPT, all_but_figures=recording is None)


def _reason(failure: BaseException) -> str:
    """Return an error without its hint and without folders, because a replay may have its files elsewhere."""
    if not isinstance(failure, DrycellError):
        return str(failure)
    what, span = failure.what, getattr(failure, "span", None)  # of a text in another language than Python
    if span is not None:
        what = what.replace(span.file, Path(span.file).name)
    return what + (f"\n  at {failure.where}" if failure.where else "")


def _arguments(cell: "Cell", program: "LiveProgram", offered: dict[str, object]) -> list[object]:
    """Return what a program is started with: from the whole cell, or from the controller it runs on."""
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
