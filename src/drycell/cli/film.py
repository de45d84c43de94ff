"""Films a cell, or a recorded run, as MP4 or GIF; no screen is needed.

A cell is run first, to the end or to the time given by --to; a recording is only read. Frames are taken at exact
instants, 24 a second of film unless told otherwise. Needs the extra film: pip install 'drycell[film]'.
"""

import argparse
from pathlib import Path

from drycell.base import DrycellError, format_time, parse
from drycell.cli import settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell film``."""
    parser.add_argument("cell", metavar="CELL", help="a cell, as for drycell run, or a recording (.dry)")
    parser.add_argument("-o", "--output", metavar="FILE", default="out/film.mp4", help=".mp4 (out/film.mp4) or .gif")
    parser.add_argument("--from", dest="start", metavar="T", default="0 s", help="from this cell time (default: start)")
    parser.add_argument("--to", dest="end", metavar="T", help="to this cell time, such as 90s (default: the end)")
    parser.add_argument("--fps", type=int, default=24, metavar="N", help="frames a second of film (default 24)")
    parser.add_argument("--speed", type=float, default=1.0, metavar="X", help="seconds of cell time a second of film")
    parser.add_argument("--lines", action="store_true", help="line drawings instead of shaded pictures")
    parser.add_argument("--view", default="iso", help="iso, iso-back, front, back, left, right or top")
    parser.add_argument("--zoom", type=float, default=1.0, help="how much nearer than to see everything")
    parser.add_argument("--size", metavar="WxH", default="960x720", help="in pixels (default 960x720)")
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="the seed of the run (default 0)")
    settings.add_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Films it; returns the exit code."""
    from drycell.cli.progress import share_bar
    from drycell.cli.recorded import recorded
    from drycell.kernel import seconds, ticks
    from drycell.pictures import Camera, check_film, save_film

    camera, size = Camera(options.view, options.zoom), _size(options.size)
    check_film(options.output, size, lines=options.lines)  # before the cell is run for it
    start = ticks(parse(options.start, "time"))
    end = parse(options.end, "time") if options.end else None
    with (
        recorded(options.cell, seed=options.seed, until=end, settings=options.set) as run,
        share_bar(Path(options.output).name) as progress,
    ):
        until = run.duration if end is None else min(ticks(end), run.duration)
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
        )
    print(
        f"filmed {format_time(seconds(start))} to {format_time(seconds(until))}: "
        f"{options.output}, {frames} frames, {frames / options.fps:.1f} s"
    )
    return 0


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise DrycellError(f"{text!r} is no size of a film", hint="write width x height in pixels, such as 960x720")
    return int(width), int(height)
