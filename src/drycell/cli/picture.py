"""Draws a cell, or a recorded run, at an instant as a PNG file; no screen is needed.

A cell is run up to that instant first; a recording is only read. Needs the extra film: pip install 'drycell[film]'.
"""

import argparse
from pathlib import Path

from drycell.units import parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell picture``."""
    parser.add_argument("cell", metavar="CELL", help="a cell, as for drycell run, or a recording (.dry)")
    parser.add_argument("--at", metavar="T", default="0 s", help="at this cell time, such as 3.5s (default: the start)")
    parser.add_argument("-o", "--output", metavar="FILE", default="out/picture.png", help="default: out/picture.png")
    parser.add_argument("--view", default="iso", help="iso, front, back, left, right or top")
    parser.add_argument(
        "--zoom", type=float, default=1.0, metavar="X", help="1 shows everything, 2 its middle twice as large"
    )
    parser.add_argument(
        "--seed", type=int, default=None, metavar="N", help="the seed of the run (default: the cell's own, else 0)"
    )


def main(options: argparse.Namespace) -> int:
    """Draws it; returns the exit code."""
    from drycell.kernel import ticks
    from drycell.pictures import Camera, save_picture

    seconds = parse(options.at, "time")
    camera = Camera(options.view, options.zoom)
    if Path(options.cell).suffix == ".dry":
        from drycell.cell.recording import Recording

        with Recording.open(options.cell) as recorded:
            save_picture(recorded.world, options.output, at=ticks(seconds), camera=camera)
    else:
        from drycell.cell import Source

        cell = Source.find(options.cell).build(seed=options.seed)
        if seconds > 0:
            cell.pace = None  # nobody watches
            cell.run(until=seconds)
        save_picture(cell.world, options.output, at=ticks(seconds), camera=camera)
    print(f"drawn at {seconds:.3f} s: {options.output}")
    return 0
