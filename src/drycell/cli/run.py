"""Runs a cell: builds it, lets its programs run on the cell's own clock, and says what happened.

The run ends when every program has ended, when the time given by --until is up, when no program can ever proceed, or at
Ctrl-C, with the results so far. The exit code is 0 when it went well, 2 after a collision, a deadlock or a lost part,
and 1 when the cell could not be run.

--set gives a field of the cell file another value for this run, written as in the file:

  drycell run examples/30_event_cell --set belt.speed='60 mm/s' --set machine1.duration='[30 s, 40 s]'

PATH is the field as error messages name it (devices.belt.conveyor.speed); the section and the kind may be left out.
A recording holds the settings, so drycell replay needs none.
"""

import argparse
import contextlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, file_to_write, format_time, parse
from drycell.cli import settings
from drycell.cli.report import report_to_write, write_report

if TYPE_CHECKING:
    from drycell.cell import CellSource, Result
    from drycell.pictures import Camera

_SEARCHED: Final = 180.0  # seconds of a cell that a search is proposed for


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell run``."""
    parser.add_argument("cell", metavar="CELL", help="a cell file, a Python file with build(cell), or their folder")
    parser.add_argument("--until", metavar="T", help="end at this cell time, such as 90s, 10min, 8h")
    parser.add_argument(
        "--seed",
        type=int,
        default=None,
        metavar="N",
        help="the seed of all random streams (default: the cell's own, else 0)",
    )
    parser.add_argument(
        "--pace", type=float, metavar="X", help="run at X times real time instead of as fast as possible"
    )
    parser.add_argument(
        "--program",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="let another file (.py, .pas, .arl) be a program of the cell; seen from here, or from the cell's folder",
    )
    settings.add_argument(parser)
    parser.add_argument("--journal", metavar="FILE", help="write the journal (text; JSON lines if FILE ends in .jsonl)")
    parser.add_argument("--record", metavar="FILE", help="record all motions and signals (FILE.dry), for replay")
    parser.add_argument(
        "--picture",
        metavar="FILE",
        help="draw the cell at the end, collisions in red: lines (.svg), or shaded (.png, needs the extra film)",
    )
    parser.add_argument("--report", metavar="FILE", help="write a report of the run (HTML), as drycell report does")
    parser.add_argument("--view", default="iso", help="of the picture: iso, iso-back, front, back, left, right or top")
    parser.add_argument(
        "--zoom", type=float, default=1.0, help="of the picture: how much nearer than to see everything"
    )
    parser.add_argument("--moves", action="store_true", help="print a table of every move with its time")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the result as JSON instead of text; programs print to standard error then",
    )


def _exchanged(source: "CellSource", programs: list[str]) -> "CellSource":
    """The cell with the files that --program names as programs."""
    folder = source.path.parent
    for given in programs:
        name, sign, file = given.partition("=")
        if not (name and sign and file):
            raise DrycellError(f"--program wants NAME=FILE, not {given!r}", hint="write for example robot=robot.pas")
        found = next((path for path in (Path(file), folder / file) if path.is_file()), None)
        if found is None:
            raise DrycellError(f"there is no program file {file!r}, neither here nor in {folder}")
        source = source.exchange(name, found)
    return source


def main(options: argparse.Namespace) -> int:
    """Runs it; returns the exit code."""
    from drycell.cell import CellSource
    from drycell.cli.progress import Progress

    camera = _camera(options) if options.picture or options.report else None
    for path in filter(None, (options.journal, options.record, options.picture)):
        file_to_write(path)
    if options.report:
        report_to_write(options.report)
    source = settings.with_settings(_exchanged(CellSource.find(options.cell), options.program), options.set)
    cell = source.build(seed=options.seed)
    until = parse(options.until, "time") if options.until else None
    # Programs print to the terminal; a result meant for another program must stand alone.
    printed = contextlib.redirect_stdout(sys.stderr) if options.json else contextlib.nullcontext()
    until = cell.until if until is None else until
    with contextlib.ExitStack() as stack:
        record = options.record
        if options.report and not record:  # a report is made from a recording, so that both commands write the same
            record = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "run.dry"
        with printed, Progress(cell, until, quiet=options.json or not sys.stderr.isatty()):
            started = time.perf_counter()
            result = cell.run(
                until, pace=options.pace, journal=options.journal, record=record, source=source, keep=False
            )
            wall = time.perf_counter() - started
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
        _tell_files(result, source, options)
    return 0 if result.clean else 2


def _camera(options: argparse.Namespace) -> "Camera":
    """Refuses before the run what could not be drawn after it."""
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


def _tell_files(result: "Result", source: "CellSource", options: argparse.Namespace) -> None:
    """What was written, and what can be done with it."""
    written = {"journal": options.journal, "recording": options.record, "picture": options.picture}
    written["report"] = options.report
    files = [f"  {name:<12}  {Path(path)}" for name, path in written.items() if path]
    if files:
        print("\n" + "\n".join(files))
    following = [f"drycell replay {options.record}"] if options.record else []
    if following and result.parts.kept:
        # A search runs the cell again and again: where it runs for long, its beginning is the better question.
        short = f" --until {_SEARCHED / 60:.0f}min" if result.duration > _SEARCHED else ""
        following.append(f"drycell verify {options.cell}{short}{settings.as_options(source.settings)}")
    if following:
        print(f"  {'next':<12}  " + " · ".join(following))
