"""Searches the orders of events of a cell for faults: deadlocks, lost signals, livelocks, errors, broken checks,
collisions, and outcomes that hang on the order of two things at one instant.

The cell is run again and again: first as usual, then at random, then through all orders of its ties, its declared
choices and its declared intervals. The search ends at the first fault, when all orders are seen, or when the budget
is spent. A fault is told as a story, and its run recorded for drycell replay. The exit code is 0 when all orders were
seen and none is at fault, 2 when a fault was found, 3 when the budget was spent before all was seen, and 1 when the
cell could not be run.
"""

import argparse
from typing import TYPE_CHECKING

from drycell.base import parse
from drycell.cli import settings

if TYPE_CHECKING:
    from drycell.verify import Verdict

FOUND, SPENT = 2, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell verify``."""
    parser.add_argument("cell", metavar="CELL", help="a cell file, a Python file with build(cell), or their folder")
    parser.add_argument("--budget", type=_runs, default=10_000, metavar="RUNS", help="runs at most (default: 10000)")
    parser.add_argument("--time", metavar="T", default="60 s", help="time at most, such as 10s, 5min (default: 60 s)")
    parser.add_argument("--seed", type=int, metavar="N", help="the seed of all random streams of the cell")
    parser.add_argument("--until", metavar="T", help="end every run at this cell time (default: the cell's own)")
    settings.add_argument(parser)
    parser.add_argument(
        "--ignore", metavar="KIND", action="append", default=[], help="leave out a kind of fault; may be repeated"
    )
    parser.add_argument(
        "--outcome",
        metavar="SIGNAL",
        action="append",
        help="a signal whose last value must not hang on the order of a tie; may be repeated (default: all signals)",
    )
    parser.add_argument("--out", metavar="FOLDER", default="out", help="where to record a run at fault (default: out)")


def main(options: argparse.Namespace) -> int:
    """Searches; returns the exit code."""
    from drycell.cell import CellSource
    from drycell.cli.progress import ProgressLine
    from drycell.verify import verify

    with ProgressLine() as line:
        verdict = verify(
            settings.with_settings(CellSource.find(options.cell), options.set),
            budget=options.budget,
            seconds=parse(options.time, "time"),
            seed=options.seed,
            until=parse(options.until, "time") if options.until else None,
            ignore=options.ignore,
            outcome=options.outcome,
            out=options.out,
            progress=lambda runs, scope: line.show(f"Searching event orders: {scope} … run {runs}"),
        )
    print(_report(verdict))
    if verdict.finding is not None:
        return FOUND
    return 0 if verdict.exhausted else SPENT


def _report(verdict: "Verdict") -> str:
    lines = [f"Searching event orders: {verdict.scope} … {verdict.outcome}"]
    if verdict.finding is not None:
        lines += ["", str(verdict.finding)]
        lines.append(f"  replay: drycell replay {verdict.finding.recording}")
    lines += [f"  note: {note}" for note in verdict.all_notes()]
    return "\n".join(lines)


def _runs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("one run at least")
    return number
