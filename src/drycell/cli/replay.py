"""Runs a recorded run again, from the same cell with the same seed, and says whether it came out the same.

What came from outside (signals set, forced and released, faults, a stop by hand) comes again at the same times.
The cell is looked for where it was when the run was recorded; name another place if it has moved. Changed files are
named. What --program and --set changed is changed again. With --pose the recording is only read: where a body, a link
or a workpoint was at a time. The exit code is 0 when the runs agree, 2 when they differ.
"""

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError, RecordingError, deg, format_time, mm, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from drycell.cell import Cell, CellSource
    from drycell.kernel import TapeRow
    from drycell.recording import Recording

_MOST_TOLD = 3  # rows of the tape that were code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell replay``."""
    parser.add_argument("recording", metavar="FILE", help="a recording, made with drycell run --record FILE")
    parser.add_argument("cell", metavar="CELL", nargs="?", help="the cell, if it is no longer where it was")
    parser.add_argument("--pose", metavar="NAME", help="only say where this body, link or workpoint was")
    parser.add_argument("--at", metavar="T", help="with --pose: at this cell time, such as 3.5s (default: 0 s)")


def main(options: argparse.Namespace) -> int:
    """Replays or reads; returns the exit code."""
    from drycell.recording import Recording

    if options.at is not None and not options.pose:
        raise DrycellError("--at says when, but not what", hint="name a body, link or workpoint: --pose NAME --at T")
    with Recording.open(options.recording) as recorded:
        if options.pose:
            print(_pose(recorded, options.pose, parse(options.at or "0 s", "time")))
            return 0
        return _replay(recorded, options.cell)


def _pose(recorded: "Recording", name: str, seconds: float) -> str:
    from drycell.kernel import ticks

    if ticks(seconds) > recorded.duration:
        raise RecordingError(
            f"{recorded.path} ends at {format_time(recorded.duration / 1e6)}, before {format_time(seconds)}"
        )
    pose = recorded.pose(name, ticks(seconds))
    x, y, z = (round(v / mm, 3) + 0.0 for v in pose.position)
    # Half a turn is shown as 180: the sign of −180 would hang on a last bit.
    roll, pitch, yaw = (180.0 if angle == -180.0 else angle for angle in (round(v / deg, 3) + 0.0 for v in pose.rpy))
    place = f"({x:.3f}, {y:.3f}, {z:.3f}) mm, rpy ({roll:.3f}, {pitch:.3f}, {yaw:.3f}) deg"
    return f"{name} at {format_time(seconds)}: {place}"


def _warn_of_code(rows: "Sequence[TapeRow]") -> None:
    """Says which rows of the tape cannot be repeated."""
    from drycell.kernel import CODE

    found = [(number, row) for number, row in enumerate(rows, 1) if row.what == CODE]
    for number, row in found[:_MOST_TOLD]:
        which = f"row {number} of the tape at {format_time(row.tick / 1e6)} ({row.arguments.get('note')!r})"
        print(f"  {which} was code: it is journalled, but what it did cannot be repeated")
    if len(found) > _MOST_TOLD:
        print(f"  and {len(found) - _MOST_TOLD:,} more rows of code")
    if found:
        print("  try: cell.post({signal: value}) in place of kernel.post(function, note) where it changes something")


def _source(recorded: "Recording", cell: str | None) -> "CellSource":
    """The cell of a recording, with the programs it was run with; says which files have changed."""
    from drycell.cell import CellSource

    header = recorded.header
    if cell is None and not header.source:
        raise RecordingError(
            f"{recorded.path} was recorded from a script and does not say which cell it is of",
            hint="name the cell: drycell replay FILE CELL",
        )
    where = recorded.path.parent / header.folder / (header.source[0].path if header.source else "")
    if cell is None and not where.is_file():
        raise RecordingError(
            f"{recorded.path} was made from {where}, which is not there any more",
            hint="name the cell where it is now: drycell replay FILE CELL",
        )
    source = CellSource.find(cell or where)
    for program, file in header.programs.items():
        exchanged = source.path.parent / file
        if not exchanged.is_file():
            raise RecordingError(
                f"{recorded.path} was made with --program {program}={file}, which is not there any more",
                hint=f"put that file back to {exchanged}",
            )
        source = source.exchange(program, exchanged)
    for path, text in header.settings:
        source = source.set(path, text)
    for changed in header.changed_sources(source.path.parent):
        print(f"  changed since the recording: {changed}")
    return source


def _built(recorded: "Recording", cell: str | None, folder: Path) -> "tuple[Cell, CellSource | None]":
    """The cell as it was before the run, and where it came from."""
    from drycell.kernel import ReplayingChooser

    header = recorded.header
    session = next((row for row in recorded.inputs if row.what == "emula"), None)
    model = session.arguments.get("model") if session is not None and cell is None else None
    if isinstance(model, str):
        from drycell.languages.emula import workstation

        source, built = None, workstation(model, header.seed)[0]
    else:
        source = _source(recorded, cell)
        chooser = ReplayingChooser(header.choices) if header.choices else None
        built = source.build(seed=header.seed, chooser=chooser)
    if session is not None:
        from drycell.languages.emula import SessionOptions, offer

        offer(built, SessionOptions(echo=lambda text: None, out=folder))
    return built, source


def _replay(recorded: "Recording", cell: str | None) -> int:
    from drycell.cli.settings import shown
    from drycell.kernel import seconds
    from drycell.recording import Recording, compare

    header = recorded.header
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "again.dry"
        built, source = _built(recorded, cell, Path(folder))
        built.pace = built.until = None  # nobody watches, and it ends as it was recorded
        built.name = header.cell  # a folder that is called otherwise now is no other run
        _warn_of_code(recorded.inputs)
        built.play(recorded.inputs)
        try:
            built.run(None if header.until is None else seconds(header.until), record=again, source=source)
        except DrycellError:
            if header.outcome.get("ending") != "error":
                raise  # else it was recorded up to the error, and so is this one
        with Recording.open(again) as replayed:
            difference = compare(recorded, replayed)
    ran = f"{format_time(seconds(recorded.duration))} of {header.cell}, seed {header.seed}"
    ran += f", with {shown(header.settings)}" if header.settings else ""
    if difference is None:
        print(f"the same to the last bit: {ran}")
        return 0
    print(f"NOT the same: {ran}\n{difference}")
    return 2
