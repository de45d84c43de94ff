"""Repeat a recorded run with the same cell and the same seed, and compare the two runs bit for bit.

Input from outside (signals that were set, forced or released, faults, a manual stop) is repeated at the same times,
and so are --program and --set. The cell is expected where it was when the run was recorded; pass its new path if it
has moved. Changed files are listed.

With --pose, nothing is run: the command prints where a body, a link or a workpoint was at a given time.


examples:
  drycell run examples/30_event_cell --until 5min --record out/demo.dry
  drycell replay out/demo.dry                          prints: identical: 5 min 00.0 s of cell 'event cell', …
  drycell replay out/demo.dry --pose arm/flange --at 90s

exit code: 0 if the two runs are identical, 2 if they differ, 1 for an error.
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

_MOST_SHOWN = 3  # rows of the tape that were code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell replay``."""
    parser.add_argument("recording", metavar="FILE", help="a recording, made with drycell run --record FILE")
    parser.add_argument("cell", metavar="CELL", nargs="?", help="the new path of the cell, if it has moved")
    parser.add_argument("--pose", metavar="NAME", help="only print the pose of this body, link or workpoint")
    parser.add_argument("--at", metavar="T", help="cell time for --pose, such as 3.5s (default: 0 s)")


def main(options: argparse.Namespace) -> int:
    """Replay the recording or read a pose from it, and return the exit code."""
    from drycell.recording import Recording

    if options.at is not None and not options.pose:
        raise DrycellError("--at needs --pose", hint="name a body, link or workpoint: --pose NAME --at T")
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
    # Half a turn is shown as 180: the sign of −180 would depend on the last bit.
    roll, pitch, yaw = (180.0 if angle == -180.0 else angle for angle in (round(v / deg, 3) + 0.0 for v in pose.rpy))
    place = f"({x:.3f}, {y:.3f}, {z:.3f}) mm, rpy ({roll:.3f}, {pitch:.3f}, {yaw:.3f}) deg"
    return f"{name} at {format_time(seconds)}: {place}"


def _warn_of_code(rows: "Sequence[TapeRow]") -> None:
    """Warn about rows of the tape that cannot be repeated."""
    from drycell.kernel import CODE

    found = [(number, row) for number, row in enumerate(rows, 1) if row.what == CODE]
    for number, row in found[:_MOST_SHOWN]:
        which = f"row {number} of the tape at {format_time(row.tick / 1e6)} ({row.arguments.get('note')!r})"
        print(f"  {which} was code: it is in the journal, but its effect cannot be repeated")
    if len(found) > _MOST_SHOWN:
        print(f"  and {len(found) - _MOST_SHOWN:,} more rows of code")
    if found:
        print("  try: cell.post({signal: value}) in place of kernel.post(function, note) where it changes something")


def _source(recorded: "Recording", cell: str | None) -> "CellSource":
    """Find the cell of a recording, with the programs it was run with, and print which files have changed."""
    from drycell.cell import CellSource

    header = recorded.header
    if cell is None and not header.source:
        raise RecordingError(
            f"{recorded.path} was recorded from a script and does not name its cell",
            hint="name the cell: drycell replay FILE CELL",
        )
    where = recorded.path.parent / header.folder / (header.source[0].path if header.source else "")
    if cell is None and not where.is_file():
        raise RecordingError(
            f"{recorded.path} was made from {where}, which no longer exists",
            hint="name the place of the cell: drycell replay FILE CELL",
        )
    source = CellSource.find(cell or where)
    for program, file in header.programs.items():
        exchanged = source.path.parent / file
        if not exchanged.is_file():
            raise RecordingError(
                f"{recorded.path} was made with --program {program}={file}, which no longer exists",
                hint=f"restore the file {exchanged}",
            )
        source = source.exchange(program, exchanged)
    for path, text in header.settings:
        source = source.set(path, text)
    for changed in header.changed_sources(source.path.parent):
        print(f"  changed since the recording: {changed}")
    return source


def _built(recorded: "Recording", cell: str | None, folder: Path) -> "tuple[Cell, CellSource | None]":
    """Build the cell as it was before the run; return it and its source."""
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
        from drycell.languages.emula import SessionOptions, register_session

        register_session(built, SessionOptions(echo=lambda text: None, out=folder))
    return built, source


def _replay(recorded: "Recording", cell: str | None) -> int:
    from drycell.cli.settings import shown
    from drycell.kernel import seconds
    from drycell.recording import Recording, compare

    header = recorded.header
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "again.dry"
        built, source = _built(recorded, cell, Path(folder))
        built.pace = built.until = None  # as fast as possible, and to the recorded end
        built.name = header.cell  # a renamed folder does not make another run
        _warn_of_code(recorded.inputs)
        built.play(recorded.inputs)
        try:
            built.run(None if header.until is None else seconds(header.until), record=again, source=source)
        except DrycellError:
            if header.outcome.get("ending") != "error":
                raise  # otherwise both are recorded up to the error
        with Recording.open(again) as replayed:
            difference = compare(recorded, replayed)
    ran = f"{format_time(seconds(recorded.duration))} of cell {header.cell!r}, seed {header.seed}"
    ran += f", with {shown(header.settings)}" if header.settings else ""
    if difference is None:
        print(f"identical: {ran}, bit for bit")
        return 0
    print(f"different: {ran}\n{difference}")
    return 2
