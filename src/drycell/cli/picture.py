"""Draw a cell or a recorded run at a given time (no screen needed).

A file name that ends in .svg produces a line drawing with hidden lines removed. Any other file name produces a shaded
picture (PNG), which requires the `film` extra: pip install 'path/to/drycell[film]'. A line drawing can show several
points in time: repeat --at, and bodies that have moved since the first --at are drawn again. A cell is run up to the
last --at time; a recording is not re-run.

Code in the cell's folder runs only if you trust the folder. Programs are not loaded for a picture at 0 s.


examples:
  drycell picture examples/00_first_cell -o out/first.svg
  drycell picture examples/00_first_cell --at 3s --at 4s --view top -o out/first.svg
  drycell picture out/demo.dry --at 90s --zoom 2 -o out/demo.png
  drycell picture examples/30_event_cell --look-at machine1 --fit --theme dark -o out/machine.png
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError, format_time, parse
from drycell.cli import consent, settings, view

if TYPE_CHECKING:
    from drycell.record import Record
    from drycell.world import LiveBody, World


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell picture``."""
    parser.add_argument("cell", metavar="CELL", help="a cell, as for drycell run, or a recording (.dry)")
    parser.add_argument(
        "--at",
        metavar="T",
        action="append",
        help="draw the cell at this time, such as 3.5s (default: 0 s); may be repeated for .svg",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="out/picture.png", help="the file to write (default: out/picture.png)"
    )
    view.add_arguments(parser)
    parser.add_argument("--parallel", action="store_true", help="use parallel projection (line drawings only)")
    parser.add_argument(
        "--seed", type=int, default=None, metavar="N", help="seed of the run (default: the cell's own, or 0)"
    )
    settings.add_argument(parser)
    consent.add_argument(parser)


def main(options: argparse.Namespace) -> int:
    """Draw the picture and return the exit code."""
    from drycell.cell import CellSource
    from drycell.cli.recorded import recorded

    times = [parse(text, "time") for text in options.at or ["0 s"]]
    if len(times) > 1 and Path(options.output).suffix.lower() != ".svg":
        raise DrycellError(f"a shaded picture shows one time, not {len(times)}", hint="use a name that ends in .svg")
    view.check(options)
    if Path(options.cell).suffix != ".dry":
        consent.check_consent(CellSource.find(options.cell), options.trust, programs=max(times) > 0)
    if Path(options.cell).suffix == ".dry" or max(times) > 0:
        with recorded(options.cell, seed=options.seed, until=max(times), settings=options.set) as run:
            last = run.duration / 1e6
            if max(times) > last:
                raise DrycellError(f"the run ends at {format_time(last)}, before {format_time(max(times))}")
            _draw(run.world, run.bodies, run, times, options)
    else:
        source = settings.with_settings(CellSource.find(options.cell), options.set)
        cell = source.build(seed=options.seed, programs=False)
        _draw(cell.world, tuple(cell.world.bodies.values()), cell.record, times, options)
    print(f"drawn at {', '.join(f'{time:.3f} s' for time in times)}: {options.output}")
    return 0


def _draw(
    world: "World",
    bodies: "tuple[LiveBody, ...]",
    record: "Record",
    times: list[float],
    options: argparse.Namespace,
) -> None:
    from drycell.kernel import ticks
    from drycell.pictures import LineDrawing, save_picture

    first, *others = map(ticks, times)
    camera, framed, theme = view.view_of(options, world, bodies, first)
    if Path(options.output).suffix.lower() != ".svg":
        save_picture(
            world, options.output, at=first, camera=camera, bodies=bodies, record=record, theme=theme, framed=framed
        )
        return
    drawing = LineDrawing(world, camera=camera, parallel=options.parallel)
    drawing.expose(first, bodies)
    for at in others:
        # Intermediate times are lighter: otherwise many exposures would merge into a dark patch.
        drawing.expose(at, drawing.moved(first, at, bodies), weight=1.0 if at == others[-1] else 0.4)
    drawing.save(options.output)
