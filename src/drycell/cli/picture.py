"""Draws a cell, or a recorded run, at an instant; no screen is needed.

A file that ends in .svg is a line drawing with hidden lines removed, any other a shaded picture (PNG), which needs the
extra film: pip install 'drycell[film]'. A line drawing may show several instants over each other: give --at again for
each, and what has moved since the first is drawn once more. A cell is run up to the last instant; a recording is only
read. Code in the cell's folder runs only if you trust the folder; at the start no program has to be loaded.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError, format_time, parse
from drycell.cli import consent, settings

if TYPE_CHECKING:
    from drycell.pictures import Camera
    from drycell.world import LiveBody, World


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell picture``."""
    parser.add_argument("cell", metavar="CELL", help="a cell, as for drycell run, or a recording (.dry)")
    parser.add_argument(
        "--at", metavar="T", action="append", help="at this cell time, such as 3.5s (default: the start)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="out/picture.png", help="default: out/picture.png")
    parser.add_argument("--view", default="iso", help="iso, iso-back, front, back, left, right or top")
    parser.add_argument("--zoom", type=float, default=1.0, help="how much nearer than to see everything")
    parser.add_argument("--parallel", action="store_true", help="line drawings without perspective")
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="the seed of the run (default 0)")
    settings.add_argument(parser)
    consent.add_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Draws it; returns the exit code."""
    from drycell.cell import CellSource
    from drycell.cli.recorded import recorded
    from drycell.pictures import Camera

    times = [parse(text, "time") for text in options.at or ["0 s"]]
    if len(times) > 1 and Path(options.output).suffix.lower() != ".svg":
        raise DrycellError(
            f"a shaded picture shows one instant, not {len(times)}", hint="let the output's name end in .svg"
        )
    camera = Camera(options.view, options.zoom)
    if Path(options.cell).suffix != ".dry":
        consent.check_consent(CellSource.find(options.cell), options.trust, programs=max(times) > 0)
    if Path(options.cell).suffix == ".dry" or max(times) > 0:
        with recorded(options.cell, seed=options.seed, until=max(times), settings=options.set) as run:
            last = run.duration / 1e6
            if max(times) > last:
                raise DrycellError(f"the run ends at {format_time(last)}, before {format_time(max(times))}")
            _draw(run.world, run.bodies, times, camera, options)
    else:
        source = settings.with_settings(CellSource.find(options.cell), options.set)
        cell = source.build(seed=options.seed, programs=False)
        _draw(cell.world, tuple(cell.world.bodies.values()), times, camera, options)
    print(f"drawn at {', '.join(f'{time:.3f} s' for time in times)}: {options.output}")
    return 0


def _draw(
    world: "World", bodies: "tuple[LiveBody, ...]", times: list[float], camera: "Camera", options: argparse.Namespace
) -> None:
    from drycell.kernel import ticks
    from drycell.pictures import LineDrawing, save_picture

    first, *others = map(ticks, times)
    if Path(options.output).suffix.lower() != ".svg":
        save_picture(world, options.output, at=first, camera=camera, bodies=bodies)
        return
    drawing = LineDrawing(world, camera=camera, parallel=options.parallel)
    drawing.expose(first, bodies)
    for at in others:
        # What lies between is lighter, or many exposures are one dark patch.
        drawing.expose(at, drawing.moved(first, at, bodies), weight=1.0 if at == others[-1] else 0.4)
    drawing.save(options.output)
