"""Repeat a recorded run with the same cell and seed, and compare the two runs bit for bit.

External input (signals set, forced or released, injected faults, a manual stop) is repeated at the same times;
--program and --set are applied again. drycell looks for the cell where it was when the run was recorded; pass its new
path if it has moved. Without a path, the code in the cell's folder runs only if you trust that folder; a --program from
another folder always needs trust. If a file has changed since the recording, nothing runs unless you pass --changed;
the changed files are then listed.

With --pose, the command runs nothing and prints where a body, a link or a workpoint was at a given time.


examples:
  drycell run examples/30_event_cell --until 5min --record out/demo.dry
  drycell replay out/demo.dry                          prints: identical: 5 min 00.0 s of cell 'event cell', …
  drycell replay out/demo.dry --pose arm/flange --at 90s

exit code: 0 if the two runs are identical, 2 if they differ, 1 on error.
"""

import argparse
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError, RecordingError, deg, format_time, mm, parse
from drycell.cli import consent

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
    parser.add_argument(
        "--changed",
        action="store_true",
        help="run the cell's files as they are now, even if they differ from the recorded ones",
    )
    consent.add_argument(parser)
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
        return _replay(recorded, options)


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


def _source(recorded: "Recording", options: argparse.Namespace) -> "CellSource":
    """Find the cell of a recording with its programs, and check that its code may run."""
    from drycell.cell import CellSource

    header, cell = recorded.header, options.cell
    if cell is None and not header.source:
        raise RecordingError(
            f"{recorded.path} was recorded from a script and does not name its cell",
            hint="name the cell: drycell replay FILE CELL",
        )
    where = recorded.path.parent / header.folder / (header.source[0].path if header.source else "")
    if cell is None and not where.is_file():
        raise RecordingError(
            f"{recorded.path} was made from {where}, which no longer exists",
            hint="give the new path of the cell: drycell replay FILE CELL",
        )
    source = CellSource.find(cell or where)
    exchanged = [source.path.parent / file for file in header.programs.values()]
    for (program, file), path in zip(header.programs.items(), exchanged, strict=True):
        if not path.is_file():
            raise RecordingError(
                f"{recorded.path} was made with --program {program}={file}, which no longer exists",
                hint=f"restore the file {path}",
            )
        source = source.exchange(program, path)
    for field, text in header.settings:
        source = source.set(field, text)
    # What the user names may run; what only the recording names needs consent.
    folder = source.path.parent.resolve()
    named = source.code() if cell is None else [path for path in exchanged if folder not in path.resolve().parents]
    consent.check_code(named, source.path, options.trust)
    _check_changes(recorded, source, options.changed)
    return source


def _check_changes(recorded: "Recording", source: "CellSource", allowed: bool) -> None:
    """Refuse files that differ from the recorded files, and code that is not among them; print allowed differences."""
    from drycell.recording import hash_of

    if not recorded.header.source:  # recorded from a script
        return
    folder = source.path.parent
    known = {(folder / file.path).resolve(): file.sha256 for file in recorded.header.source}
    changed = []
    for path in dict.fromkeys([*known, *(each.resolve() for each in source.code())]):
        recorded_hash, found = known.get(path), hash_of(path)
        if found != recorded_hash:
            name = Path(os.path.relpath(path, folder.resolve())).as_posix()
            changed.append((name, recorded_hash or "not listed", found or "missing"))
    if changed and not allowed:
        rows = [f"  {name}: SHA-256 recorded {was[:16]}, found {now[:16]}" for name, was, now in changed]
        raise RecordingError(
            "\n".join([f"{recorded.path}: the files of the cell have changed since the recording", *rows]),
            hint="restore the files, or pass --changed to run them as they are now",
        )
    for name, _, _ in changed:
        print(f"  changed since the recording: {name}")


def _built(recorded: "Recording", options: argparse.Namespace, folder: Path) -> "tuple[Cell, CellSource | None]":
    """Build the cell as it was before the run; return it and its source."""
    from drycell.kernel import ReplayingChooser

    header = recorded.header
    session = next((row for row in recorded.inputs if row.what == "emula"), None)
    model = session.arguments.get("model") if session is not None and options.cell is None else None
    if isinstance(model, str):
        from drycell.languages.emula import workstation

        source, built = None, workstation(model, header.seed)[0]
    else:
        source = _source(recorded, options)
        chooser = ReplayingChooser(header.choices) if header.choices else None
        built = source.build(seed=header.seed, chooser=chooser)
    if session is not None:
        from drycell.languages.emula import SessionOptions, register_session

        register_session(built, SessionOptions(echo=lambda text: None, out=folder))
    return built, source


def _replay(recorded: "Recording", options: argparse.Namespace) -> int:
    from drycell.cli.settings import shown
    from drycell.kernel import seconds
    from drycell.recording import Recording, compare

    header = recorded.header
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "again.dry"
        built, source = _built(recorded, options, Path(folder))
        built.pace = built.until = None  # as fast as possible, up to the recorded end
        built.name = header.cell  # a renamed folder does not change the run
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
