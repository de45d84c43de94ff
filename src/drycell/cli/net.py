"""Analyse a Petri net: its states, bounds, deadlocks, liveness and invariants.

FILE is a place/transition net in PNML. Without options, the command lists the net's places and transitions and explores
its states. If it finds a deadlock, it prints the shortest sequence of firings that leads to it.


examples:
  drycell net examples/32_nets/two_takers.pnml                   prints: deadlocks 1; the nearest after 2 firings: …
  drycell net examples/32_nets/fms2.pnml --reach --invariants    prints states, bounds, liveness and invariants
  drycell net examples/32_nets/fms2.pnml --picture out/fms2.svg  also draws the net
  drycell net examples/32_nets/fms2.pnml --play 20 --seed 3      fires 20 transitions at random

exit code: 0 if every state was explored without a fault, 2 if the net has a deadlock or is unbounded, 3 if the search
reached its limit without finding a fault, 1 if the net cannot be read.
"""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from drycell.nets import Net

    Search = Callable[..., Sequence[object]]

FAULTY, INCOMPLETE = 2, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell net``."""
    parser.add_argument("file", metavar="FILE", help="a net in PNML")
    parser.add_argument(
        "--reach", action="store_true", help="print only the results, without the list of places and transitions"
    )
    parser.add_argument("--invariants", action="store_true", help="also list the place and transition invariants")
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
        help="total time limit, such as 5min (default: 60 s)",
    )


def main(options: argparse.Namespace) -> int:
    """Read the net, analyse or play it, and return the exit code."""
    from drycell.nets import load_net, save_picture_of_net

    if options.picture and Path(options.picture).suffix.lower() != ".svg":
        raise DrycellError(f"nets are drawn as SVG files, not {options.picture!r}", hint="use a name that ends in .svg")
    seconds = parse(options.time, "time")
    deadline = time.monotonic() + seconds
    net = load_net(options.file)
    if not options.reach:
        print(_listed(net))
    if options.picture:
        try:
            save_picture_of_net(net, options.picture, seconds=(deadline - time.monotonic()) / 4)
            print(f"  picture   {options.picture}")
        except DrycellError as error:  # the results are still useful
            print(f"  picture   not drawn: {error.what}")
    if options.play is not None:
        _play(net, options.play, options.seed)
        return 0
    return _analysed(net, options.limit, deadline, options.invariants)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least one, not {number}")
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


def _analysed(net: "Net", limit: int, deadline: float, invariants: bool) -> int:
    from drycell.nets import analyse, place_invariants, transition_invariants

    left = deadline - time.monotonic()
    found = analyse(net, limit, seconds=left / 2 if invariants else left)
    print(found.text())
    if invariants:
        for head, search, share in (("constant", place_invariants, 0.5), ("rounds", transition_invariants, 1.0)):
            for number, line in enumerate(_invariants(search, net, share * (deadline - time.monotonic()))):
                print(f"  {'' if number else head:<9} {line}")
    if found.deadlocks or not found.bounded:
        return FAULTY
    return 0 if found.complete else INCOMPLETE


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
