"""Create a simplified model of a robot: fewer and simpler solids that enclose the original, with the same joints and
nodes.

With --closeness, every point of the simplified model is within that distance of the original; with --volume, the
volume of each node differs by at most that fraction. A collision check with the simplified model misses no collision,
but it may report one when the bodies are still up to --closeness apart.

For every node, the command prints the number of convex pieces and triangles before and after, the volume, the largest
deviation, and the deviations along x, y and z; then the time that a collision check takes with each model on this
machine.


examples:
  drycell simplify box-frame/detailed --closeness 20mm -o out/simple.yaml
  drycell simplify ur5-like --volume 30%
  drycell simplify my-robot.yaml --closeness 2mm --name coarse -o coarse.yaml
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import format_length, mm, parse

if TYPE_CHECKING:
    from drycell.geometry import Simplified
    from drycell.robots import SimplerModel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell simplify``."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a robot from the library (puma560, box-frame/detailed) or a robot or family file",
    )
    parser.add_argument(
        "--of", metavar="NAME", help="the model to simplify in a family file (default: the file's default)"
    )
    parser.add_argument("--closeness", metavar="LENGTH", help="largest deviation, such as 2mm")
    parser.add_argument("--volume", metavar="FRACTION", help="largest difference in a node's volume, such as 5%%")
    parser.add_argument("--name", metavar="NAME", help="name of the new model (default: simple, or ROBOT-simple)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write a robot or family file that holds the new model")
    parser.add_argument("--no-timing", action="store_true", help="do not time collision checks")


def main(options: argparse.Namespace) -> int:
    """Simplify the model, print the table and return the exit code."""
    from drycell.base import Naming, UnitError
    from drycell.robots import ModelFile, simpler_model

    if options.closeness is None and options.volume is None:
        raise UnitError("no limit is given", hint="give --closeness 2mm, or --volume 5%, or both")
    closeness = None if options.closeness is None else parse(options.closeness, "length")
    volume = None if options.volume is None else parse(options.volume, "ratio")
    found = ModelFile.find(options.model, options.of)
    detailed = found.mechanism
    name = Naming().check(options.name or ("simple" if found.model is not None else f"{detailed.name}-simple"))
    quiet = not sys.stderr.isatty()

    def heard(node: str) -> None:
        if not quiet:
            print(f"\r{node:<40}", end="\r", file=sys.stderr, flush=True)

    whole = name if found.model is None else f"{detailed.name.partition('/')[0]}/{name}"
    simple = simpler_model(detailed, closeness=closeness, volume=volume, name=whole, heard=heard)
    limits = [options.closeness] * (closeness is not None) + [f"{options.volume} of volume"] * (volume is not None)
    print(f"{detailed.name} to within {' and '.join(limits)}: {whole}\n")
    print("\n".join(_table(simple)))
    if not simple.changed:
        print("\n" + _first_steps(simple))
    if not options.no_timing:
        print("\n" + _timing(simple))
    if options.output:
        changed = {node: each.shape for node, each in simple.nodes.items() if each.changed}
        comment = f"{detailed.name}, simplified by drycell to within {' and '.join(limits)}."
        written = found.write(Path(options.output), changed, name, comment)
        print(f"\n  written   {', '.join(map(str, written))}")
    return 0


def _table(model: "SimplerModel") -> list[str]:
    lines = [f"  {'node':<12} {'pieces':>11} {'faces':>15} {'volume':>9} {'off at most':>13}   along x, y, z / mm"]
    for name, node in model.nodes.items():
        lines.append(f"  {name:<12} {_arrow(node.pieces, 11)} {_arrow(node.faces, 15)} {_closeness(node)}")
    lines.append(f"  {'all':<12} {_arrow(model.pieces, 11)} {_arrow(model.faces, 15)}")
    return lines


def _closeness(node: "Simplified") -> str:
    if not node.changed:
        return f"{'as it was':>23}"
    close = node.closeness
    along = ", ".join(f"{value / mm:.3f}" for value in close.along)
    return f"{close.volume:7.4f} × {format_length(close.distance):>13}   {along}"


def _arrow(counts: tuple[int, int], width: int) -> str:
    before, after = counts
    return f"{f'{before} → {after}' if before != after else before:>{width}}"


def _first_steps(model: "SimplerModel") -> str:
    """Return the smallest closeness at which something becomes simpler, for the hint."""
    from drycell.geometry import first_step

    steps = [(step, name) for name, node in model.nodes.items() if (step := first_step(node.original)) is not None]
    if not steps:
        return "  Nothing can be simplified: every node is already a single piece."
    first = ", ".join(f"{name} at {format_length(step)}" for step, name in sorted(steps)[:3])
    return f"  Nothing can be simplified within that. The first nodes to become simpler: {first}."


def _timing(model: "SimplerModel") -> str:
    from drycell.cli.collision_timing import OBSTACLES, time_collision_checks

    timing = time_collision_checks([model.original, model.mechanism])
    before, after = (f"{seconds * 1e6:.1f} µs" for seconds in timing.seconds)
    return (
        f"  collision check  {before} → {after} an instant: {timing.speed_up:.2f} × as fast\n"
        f"               ({timing.instants} configurations, the arm against itself and {OBSTACLES} boxes, alternately)"
    )
