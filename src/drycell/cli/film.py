"""Make a film of a cell or a recorded run, as MP4 or GIF (no screen needed).

A cell is run first, to its end or to the time given by --to; a recording is not re-run. Films require the `film`
extra: pip install 'path/to/drycell[film]'.


examples:
  drycell film examples/00_first_cell -o out/first.mp4
  drycell film examples/30_event_cell --to 5min --speed 10 -o out/demo.mp4
  drycell film out/demo.dry --from 60s --to 75s --lines -o out/demo.gif
"""

import argparse
from pathlib import Path

from drycell.base import DrycellError, format_time, parse
from drycell.cli import settings, view


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell film``."""
    parser.add_argument("cell", metavar="CELL", help="a cell, as for drycell run, or a recording (.dry)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="out/film.mp4",
        help="the file to write, .mp4 or .gif (default: out/film.mp4)",
    )
    parser.add_argument(
        "--from", dest="start", metavar="T", default="0 s", help="start of the film in cell time (default: 0 s)"
    )
    parser.add_argument(
        "--to", dest="end", metavar="T", help="end of the film in cell time, such as 90s (default: the end of the run)"
    )
    parser.add_argument("--fps", type=int, default=24, metavar="N", help="frames per second (default: 24)")
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="seconds of cell time per second of film (default: 1)"
    )
    parser.add_argument("--lines", action="store_true", help="line drawings instead of shaded pictures")
    view.add_arguments(parser)
    parser.add_argument("--size", metavar="WxH", default="960x720", help="width x height in pixels (default: 960x720)")
    parser.add_argument(
        "--seed", type=int, default=None, metavar="N", help="seed of the run (default: the cell's own, or 0)"
    )
    settings.add_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Make the film and return the exit code."""
    from drycell.cli.progress import share_bar
    from drycell.cli.recorded import recorded
    from drycell.kernel import seconds, ticks
    from drycell.pictures import check_film, save_film

    size = _size(options.size)
    view.check(options)
    check_film(options.output, size, lines=options.lines)  # before running the cell
    start = ticks(parse(options.start, "time"))
    end = parse(options.end, "time") if options.end else None
    with (
        recorded(options.cell, seed=options.seed, until=end, settings=options.set) as run,
        share_bar(Path(options.output).name) as progress,
    ):
        until = run.duration if end is None else min(ticks(end), run.duration)
        camera, framed, theme = view.view_of(options, run.world, run.bodies, start)
        frames = save_film(
            run.world,
            options.output,
            start=start,
            end=until,
            fps=options.fps,
            speed=options.speed,
            camera=camera,
            size=size,
            bodies=run.bodies,
            lines=options.lines,
            progress=progress,
            record=run,
            theme=theme,
            framed=framed,
        )
    print(
        f"filmed {format_time(seconds(start))} to {format_time(seconds(until))}: "
        f"{options.output}, {frames} frames, {frames / options.fps:.1f} s"
    )
    return 0


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise DrycellError(
            f"{text!r} is not the size of a film", hint="write width x height in pixels, such as 960x720"
        )
    return int(width), int(height)
