"""Analyse a Petri net: its states, bounds, deadlocks, liveness and invariants.

FILE is a place/transition net in PNML. Without options the net is listed and explored. For a deadlock, the shortest
sequence of firings that leads to it is printed.


examples:
  drycell net examples/32_nets/two_takers.pnml                   prints: deadlocks 1; the nearest after 2 firings: …
  drycell net examples/32_nets/fms2.pnml --reach --invariants    prints states, bounds, liveness and invariants
  drycell net examples/32_nets/fms2.pnml --picture out/fms2.svg  also draws the net
  drycell net examples/32_nets/fms2.pnml --play 20 --seed 3      fires 20 transitions at random

exit code: 0, or 2 if the net has a deadlock or is unbounded, or 1 if it cannot be read.
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
    """Declare the arguments of ``drycell net``."""
    parser.add_argument("file", metavar="FILE", help="a net as PNML")
    parser.add_argument(
        "--reach", action="store_true", help="print only the results, without the list of places and transitions"
    )
    parser.add_argument("--invariants", action="store_true", help="also list the invariants of places and transitions")
    parser.add_argument("--picture", metavar="FILE", help="draw the net (.svg)")
    parser.add_argument("--play", type=_count, metavar="N", help="fire N transitions at random instead of exploring")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of --play (default: 0)")
    parser.add_argument(
        "--limit", type=_count, default=5_000_000, metavar="N", help="stop exploring after N states (default: 5000000)"
    )
    parser.add_argument(
        "--time",
        default="60 s",
        metavar="T",
        help="time limit for exploring, and again for each kind of invariant, such as 5min (default: 60 s)",
    )


def main(options: argparse.Namespace) -> int:
    """Read the net, analyse or play it, and return the exit code."""
    from drycell.nets import load_net, save_picture_of_net

    if options.picture and Path(options.picture).suffix.lower() != ".svg":
        raise DrycellError(f"nets are drawn as SVG files, not {options.picture!r}", hint="use a name that ends in .svg")
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
    except NetError as error:  # the other results are still valid
        return [f"not known: {error.what}"]


def _play(net: "Net", steps: int, seed: int) -> None:
    from drycell.nets import play

    lines = [(move, net.text(marking)) for move, marking in play(net, steps, seed)]
    for number, (move, marked) in enumerate(lines, 1):
        print(f"  {number:>5}  {move:<24}  {marked}")
    if len(lines) < steps:
        print("  deadlock: no transition is enabled")
