"""A run of a cell: programs started, time let go, everything written down, and a result at the end."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.cell.result import Result
from drycell.devices import MachineTool
from drycell.errors import DrycellError, KernelError
from drycell.files import text_beside
from drycell.kernel import Pace, Record, ticks

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.cell.program import Program
    from drycell.cell.source import Source
    from drycell.recording import Header
    from drycell.recording.document import Json

Sink = Callable[[Record], None]


def run(
    cell: "Cell",
    until: float | None,
    *,
    pace: "Pace | float | None",
    journal: str | Path | None,
    record: str | Path | None,
    source: "Source | None",
    sink: Sink | None = None,
    story: "Sequence[Mapping[str, Json]]" = (),
) -> Result:
    """Runs a cell to its end. Journal and recording are complete up to the end, an error's or Ctrl-C's included.

    ``sink`` gets every record of the journal as it is released; ``story`` goes into the header of the recording.
    """
    if cell.ran:
        raise KernelError("this cell has run already", hint="build it anew for another run")
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
            from drycell.recording import RecordingWriter

            header = replace(_header(cell, source, Path(record), last), story=tuple(story))
            recording = files.enter_context(RecordingWriter(record, cell.world, kernel.signals, header))
            kernel.add_observer(recording)
            sinks.append(recording.record)
        if sinks:
            kernel.journal.stream(_all(sinks))
        cell.ran = True
        for name, program, given in programs:
            kernel.spawn(program.function, *given, name=name, daemon=program.daemon, priority=program.priority)
        failure: BaseException | None = None
        try:
            outcome = kernel.run(last, pace=paced)
        except Exception as error:
            failure = error
            kernel.settle()
            kernel.journal.release()
        if recording is not None:
            told = (
                {"ending": "error", "reason": _reason(failure)}
                if failure
                else {"ending": outcome.ending, "reason": outcome.reason}
            )
            recording.close(kernel.now, told, choices=getattr(kernel.chooser, "choices", ()))
    if failure is not None:
        raise failure
    monitor = cell.monitor
    return Result(
        name=cell.name,
        seed=cell.seed,
        outcome=outcome,
        crashes=() if monitor is None else tuple(monitor.crashes),
        near_misses=() if monitor is None else tuple(monitor.near_misses),
        checked=monitor is not None,
        moves={name: tuple(robot.moves) for name, robot in cell.robots.items()},
        parts=cell.ledger.parts(cell.added),
        devices={name: each.usage for name, each in cell.devices.items() if isinstance(each, MachineTool)},
        lost=tuple(body.name for body in cell.gravity.gone),
        journal_hash=kernel.journal.sha256(),
        wall=time.perf_counter() - started,
    )


def _reason(failure: BaseException) -> str:
    """An error without its hint and without folders: how a file was come to may differ in a replay."""
    if not isinstance(failure, DrycellError):
        return str(failure)
    what, span = failure.what, getattr(failure, "span", None)  # of a text in another language than Python
    if span is not None:
        what = what.replace(span.file, Path(span.file).name)
    return what + (f"\n  at {failure.where}" if failure.where else "")


def _arguments(cell: "Cell", program: "Program", offered: dict[str, object]) -> list[object]:
    """What a program is started with: of the whole cell, or of the controller it runs on."""
    if program.controller is None:
        return program.arguments(offered)
    from drycell.cell.controllers import OnController

    on = OnController(cell, program.controller)
    return program.arguments(on.offered(), on.missing)


def _header(cell: "Cell", source: "Source | None", record: Path, last: int | None) -> "Header":
    """Which run a recording is of, as far as that is known before it begins."""
    from drycell.recording import Header, seen_from, source_files

    if source is None:
        return Header(cell.name, cell.seed, until=last)
    folder = source.path.parent
    return Header(
        cell.name,
        cell.seed,
        source_files(source.files(), folder),
        seen_from(record.parent, folder),
        last,
        programs={name: seen_from(folder, file) for name, file in source.exchanged},
    )


def _all(sinks: list[Sink]) -> Sink:
    def everywhere(record: Record) -> None:
        for sink in sinks:
            sink(record)

    return everywhere


def _journal_sink(files: ExitStack, path: Path) -> Sink:
    """Writes records to a file as they are released: text for people, or JSON lines if the name ends so."""
    file = files.enter_context(text_beside(path))
    if path.suffix == ".jsonl":
        return lambda record: print(record.json(), file=file)
    return lambda record: print(record.text(), file=file)
