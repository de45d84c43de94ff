"""Run a cell: build it, run its programs on the cell's clock, and print what happened.

The run ends when every program has ended, at the time given by --until, when no program can continue (a deadlock), or
on Ctrl-C, which still prints the results so far.


examples:
  drycell run examples/00_first_cell                        prints the ending, moves, collisions and near misses
  drycell run examples/30_event_cell --until 8h --seed 7    a full shift with seed 7
  drycell run examples/30_event_cell --set belt.speed='60 mm/s' --set machine1.duration='[30 s, 40 s]'
  drycell run examples/30_event_cell --program robot=robot.py --journal out/demo.txt --record out/demo.dry

--set overrides a field of the cell file for this run; write the value as in the file. PATH is the field's full name,
as in error messages (devices.belt.conveyor.speed); you can omit the section and the kind (belt.speed). A
recording stores the settings, so drycell replay does not need them.


exit code: 0 if the run was clean; 2 after a collision, a deadlock, a stuck program, a stall, a lost part or a missed
expectation; 1 if the cell could not be run.
"""

import argparse
import contextlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, file_to_write, format_time, is_stream, parse
from drycell.cli import settings
from drycell.cli.report import report_to_write, write_report

if TYPE_CHECKING:
    from drycell.cell import CellSource, Result
    from drycell.pictures import Camera

_PROGRAMS: Final = (".py", ".pas", ".arl")
_SEARCHED: Final = 180.0  # seconds of cell time: the suggested length of a search


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell run``."""
    parser.add_argument(
        "cell", metavar="CELL", help="a cell file, a Python file with build(cell), or a folder with one"
    )
    parser.add_argument(
        "--until",
        metavar="T",
        help="end at this cell time, such as 90s, 10min or 8h (default: run.until in the cell file)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=None,
        metavar="N",
        help="seed of all random streams (default: the cell's own, or 0)",
    )
    parser.add_argument(
        "--pace", type=float, metavar="X", help="run at X times real time (default: as fast as possible)"
    )
    parser.add_argument(
        "--program",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="replace a program of the cell with a file (.py, .pas, .arl) in the current folder or the cell's "
        "folder; may be repeated",
    )
    settings.add_argument(parser)
    parser.add_argument(
        "--journal",
        metavar="FILE",
        help="write every event to this file (JSON lines if it ends in .jsonl, otherwise text)",
    )
    parser.add_argument(
        "--record", metavar="FILE", help="record all motions and signals (.dry), for replay, report and studio"
    )
    parser.add_argument(
        "--picture",
        metavar="FILE",
        help="draw the cell at the end, with collisions in red: lines (.svg) or shaded "
        "(.png, requires the `film` extra)",
    )
    parser.add_argument("--report", metavar="FILE", help="write a report of the run (.html), like drycell report")
    parser.add_argument(
        "--view",
        default="iso",
        help="view of the picture: iso, iso-back, front, back, left, right or top (default: iso)",
    )
    parser.add_argument(
        "--zoom", type=float, default=1.0, help="zoom factor of the picture (default: 1, which shows everything)"
    )
    parser.add_argument("--moves", action="store_true", help="print a table of all moves with their times")
    parser.add_argument("--collisions", action="store_true", help="print a table of all collisions and near misses")
    parser.add_argument("--parts", action="store_true", help="print a table of what happened to each part")
    parser.add_argument(
        "--sinks",
        metavar="FILE",
        help="write what the sinks took, and when (JSON lines), for a source of another cell to replay",
    )
    parser.add_argument(
        "--expect",
        metavar="RULE",
        action="append",
        default=[],
        help="require a minimum or maximum for a figure, such as 'stored >= 50' or 'cycle_mean_s < 30'; if it is "
        "missed, the run is not clean; may be repeated, and adds to run.expect in the cell file",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the result as JSON; the output of programs then goes to standard error",
    )


def _exchanged(source: "CellSource", programs: list[str]) -> "CellSource":
    """Return the cell with the programs that --program replaces."""
    folder = source.path.parent
    for given in programs:
        name, equals, file = given.partition("=")
        if not (name and equals and file):
            raise DrycellError(f"--program takes NAME=FILE, not {given!r}", hint="write for example robot=robot.pas")
        found = next((path for path in (Path(file), folder / file) if path.is_file()), None)
        if found is None:
            raise DrycellError(
                f"there is no program file {file!r}, neither here nor in {folder}", hint=_program_hint(name, folder)
            )
        source = source.exchange(name, found)
    return source


def _program_hint(name: str, folder: Path) -> str:
    """Return the program files to choose from."""
    found = sorted(each.name for each in folder.iterdir() if each.suffix.lower() in _PROGRAMS)
    return f"choose a file, such as --program {name}={found[0]}" if found else f"write it first: --program {name}=FILE"


def main(options: argparse.Namespace) -> int:
    """Run the cell, print and write the results, and return the exit code."""
    from drycell.cell import CellSource
    from drycell.cli.progress import Progress

    camera = _camera(options) if options.picture or options.report else None
    for path in filter(None, (options.journal, options.record, options.picture, options.sinks)):
        file_to_write(path)
    if options.report:
        report_to_write(options.report)
    source = settings.with_settings(_exchanged(CellSource.find(options.cell), options.program), options.set)
    cell = source.build(seed=options.seed)
    cell.expect += tuple(options.expect)
    until = parse(options.until, "time") if options.until else None
    # JSON for another program must not be mixed with the output of the cell's programs.
    printed = contextlib.redirect_stdout(sys.stderr) if options.json else contextlib.nullcontext()
    until = cell.until if until is None else until
    with contextlib.ExitStack() as stack:
        record = options.record
        streamed = options.report and record and is_stream(record)
        if options.report and (not record or streamed):  # created from a recording, as in drycell report
            record = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "run.dry"
        with printed, Progress(cell, until, quiet=options.json or not sys.stderr.isatty()):
            started = time.perf_counter()
            result = cell.run(
                until, pace=options.pace, journal=options.journal, record=record, source=source, keep=False
            )
            wall = time.perf_counter() - started
        if options.sinks:
            from drycell.devices import write_sunk

            write_sunk(options.sinks, [row for live in cell.things.values() for row in getattr(live, "sunk", ())])
        if options.picture:
            from drycell.pictures import LineDrawing, save_picture

            marks = [collision.point for collision in result.collisions]
            if options.picture.lower().endswith(".svg"):
                drawing = LineDrawing(cell.world, camera=camera)
                drawing.expose(cell.kernel.now)
                drawing.mark(marks)
                drawing.save(options.picture)
            else:
                save_picture(cell.world, options.picture, camera=camera, marks=marks)
        if streamed:
            from drycell.recording import copy_recording

            copy_recording(record, Path(options.record))
        if options.report and camera is not None:
            write_report(record, options.report, camera=camera, picture=options.picture)
    if options.json:
        print(json.dumps(result.as_json(), indent=2))
    else:
        print(_headline(result, options.cell, wall))
        print(f"with {settings.shown(source.settings)}\n" if source.settings else "")
        print(result.summary())
        if options.moves:
            print("\n" + result.move_table())
        if options.collisions:
            print("\n" + result.collision_table())
        if options.parts:
            print("\n" + result.part_table())
        _print_files(result, source, options)
    return 0 if result.clean else 2


def _camera(options: argparse.Namespace) -> "Camera":
    """Check before the run that the picture can be drawn after it."""
    from drycell.pictures import Camera, check_picture

    if options.picture and not options.picture.lower().endswith(".svg"):
        check_picture(options.picture)
    return Camera(options.view, options.zoom)


def _headline(result: "Result", where: str, wall: float) -> str:
    ratio = result.duration / wall if wall > 0 else 0.0
    span = format_time(result.duration)
    return (
        f"{result.name} ({where}): {span} of cell time, seed {result.seed}, in {wall:.2f} s ({ratio:.0f} × real time)"
    )


def _print_files(result: "Result", source: "CellSource", options: argparse.Namespace) -> None:
    """Print the written files, and what to do with them."""
    written = {"journal": options.journal, "recording": options.record, "picture": options.picture}
    written["report"] = options.report
    written["sinks"] = options.sinks
    files = [f"  {name:<12}  {Path(path)}" for name, path in written.items() if path]
    if files:
        print("\n" + "\n".join(files))
    following = [f"drycell replay {options.record}"] if options.record else []
    if following and result.parts.kept:
        # A search runs the cell many times: for a long run, suggest searching its beginning.
        short = f" --until {_SEARCHED / 60:.0f}min" if result.duration > _SEARCHED else ""
        following.append(f"drycell verify {options.cell}{short}{settings.as_options(source.settings)}")
    if following:
        print(f"  {'next':<12}  " + " · ".join(following))
