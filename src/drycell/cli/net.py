"""Says what a Petri net can come to: its places and transitions, how many markings it can reach, bounds, deadlocks
with the shortest way into one, and which transitions stay live.

FILE is PNML: a place/transition net. Without options the net is listed and
explored. The exit code is 0, or 2 when the net has a deadlock or grows without end, and 1 when it cannot be read.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from drycell.nets import Net

    Search = Callable[..., Sequence[object]]

FAULTY = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell net``."""
    parser.add_argument("file", metavar="FILE", help="a net as PNML")
    parser.add_argument("--reach", action="store_true", help="only explore it: states, bounds, deadlocks, liveness")
    parser.add_argument("--invariants", action="store_true", help="also list the invariants of places and transitions")
    parser.add_argument("--picture", metavar="FILE", help="draw it, as SVG")
    parser.add_argument("--play", type=_count, metavar="N", help="play N firings at random, instead of exploring")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed of the game (default: 0)")
    parser.add_argument(
        "--limit", type=_count, default=5_000_000, metavar="N", help="states to look at, at most (default: 5000000)"
    )
    parser.add_argument(
        "--time",
        default="60 s",
        metavar="T",
        help="how long to look, at most, such as 5 min (default: 60 s); for the invariants so long again",
    )


def main(options: argparse.Namespace) -> int:
    """Reads, explores, prints; returns the exit code."""
    from drycell.nets import load_net, save_picture_of_net

    if options.picture and Path(options.picture).suffix.lower() != ".svg":
        raise DrycellError(
            f"a net is drawn as SVG, which {options.picture!r} does not say", hint="let its name end in .svg"
        )
    net = load_net(options.file)
    if not options.reach:
        print(_listed(net))
    if options.picture:
        save_picture_of_net(net, options.picture)
        print(f"  picture   {options.picture}")
    if options.play is not None:
        _play(net, options.play, options.seed)
        return 0
    return _analysed(net, options.limit, parse(options.time, "time"), options.invariants)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"one at least, not {number}")
    return number


def _listed(net: "Net") -> str:
    return "\n".join(
        [
            f"{net.name}: {len(net.places)} places, {len(net.transitions)} transitions",
            "",
            f"  places    {', '.join(net.places) or 'none'}",
            f"  fire      {', '.join(net.transitions) or 'none'}",
            f"  marked    {net.text()}",
        ]
    )


def _analysed(net: "Net", limit: int, seconds: float, invariants: bool) -> int:
    from drycell.nets import analyse, place_invariants, transition_invariants

    found = analyse(net, limit, seconds=seconds)
    print(found.text())
    if invariants:
        for head, search in (("constant", place_invariants), ("rounds", transition_invariants)):
            for number, line in enumerate(_invariants(search, net, seconds)):
                print(f"  {'' if number else head:<9} {line}")
    return FAULTY if found.deadlocks or not found.bounded else 0


def _invariants(search: "Search", net: "Net", seconds: float) -> list[str]:
    from drycell.nets import NetError

    try:
        return [str(each) for each in search(net, seconds=seconds)] or ["none"]
    except NetError as error:  # what was found of the net holds all the same
        return [f"not known: {error.what}"]


def _play(net: "Net", steps: int, seed: int) -> None:
    from drycell.nets import play

    lines = [(move, net.text(marking)) for move, marking in play(net, steps, seed)]
    for number, (move, marked) in enumerate(lines, 1):
        print(f"  {number:>5}  {move:<24}  {marked}")
    if len(lines) < steps:
        print("  nothing can fire any more: a deadlock")
