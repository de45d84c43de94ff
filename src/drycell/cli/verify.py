"""Explore the possible orders of events in a cell to find faults.

The search finds deadlocks, lost signals, livelocks, errors, violated checks, collisions, lost parts, and outcomes that
depend on the order of simultaneous events.

The cell is run many times: first in the default order, then in random orders, then systematically, in every order of
simultaneous events, with every declared choice and across every declared interval. The search ends at the first fault,
when all orders have been explored, or when the budget is used up. If it finds a fault, the command prints a trace (the
steps that lead to it) and records the run.


examples:
  drycell verify examples/31_verify/exact_tie            finds a deadlock and records it as out/exact_tie-1.dry
  drycell verify examples/31_verify/exact_tie_corrected  prints: nothing found, all orders seen
  drycell verify examples/30_event_cell --until 3min     searches the first three minutes of the cell
  drycell studio out/exact_tie-1.dry                     shows the trace step by step

exit code: 0 if everything was covered without a fault, 2 if a fault was found, 3 if the search was incomplete (the
report says why: the budget was used up, or only the limits of an interval were tried), 1 if the cell could not be
run.
"""

import argparse

from drycell.base import parse
from drycell.cli import settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell verify``."""
    parser.add_argument(
        "cell", metavar="CELL", help="a cell file, a Python file with build(cell), or a folder with one"
    )
    parser.add_argument(
        "--budget", type=_runs, default=10_000, metavar="RUNS", help="stop after this many runs (default: 10000)"
    )
    parser.add_argument(
        "--time", metavar="T", default="60 s", help="stop after this wall time, such as 10s or 5min (default: 60 s)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of all random streams (default: the cell's own)")
    parser.add_argument(
        "--until", metavar="T", help="end every run at this cell time (default: run.until in the cell file)"
    )
    settings.add_argument(parser)
    parser.add_argument(
        "--ignore",
        metavar="KIND",
        action="append",
        default=[],
        help="ignore a kind of fault, such as deadlock or order; may be repeated",
    )
    parser.add_argument(
        "--outcome",
        metavar="SIGNAL",
        action="append",
        help="a signal whose final value must not depend on the order of simultaneous events; may be repeated "
        "(default: all signals)",
    )
    parser.add_argument(
        "--out", metavar="FOLDER", default="out", help="folder for the recording of a fault (default: out)"
    )


def main(options: argparse.Namespace) -> int:
    """Search, print the verdict and return the exit code."""
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
    print(verdict.report())
    return verdict.exit_code


def _runs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
