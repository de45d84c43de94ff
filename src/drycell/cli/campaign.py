"""Run a cell many times, with different seeds and as several variants, and print what can be said with confidence.

  drycell campaign CELL --seeds 0..999 --out FOLDER    makes the runs; the same command continues after an interruption
  drycell campaign show FOLDER [RUN]                   prints the results, or one run with the command that repeats it
  drycell campaign again FOLDER RUN --record FILE      makes one run again, compares it, and records it
  drycell campaign report FOLDER [-o FILE.html]        writes one HTML page with charts, intervals and the worst runs
  drycell campaign table FOLDER -o FILE                writes the table as .csv or .parquet

Every variant is run with the same seeds, and differences are computed pair by pair: this usually needs far fewer
runs than comparing averages of different seeds. Runs are made by one warm process per core. Every finished run is on
the disk at once, in FOLDER/rows.jsonl, so Ctrl-C, a crash or a power cut loses only the runs in progress. A campaign
runs from a copy of the cell (FOLDER/cell), so you can go on editing the cell.


examples:
  drycell campaign examples/30_event_cell --until 20min --seeds 0..99 --out out/event
  drycell campaign examples/30_event_cell --until 20min --vary 'belt.speed=20..60/5 mm/s' --out out/speeds
  drycell campaign examples/30_event_cell --until 20min --program robot=robot.pas,robot.py --out out/languages
  drycell campaign examples/30_event_cell --until 1h --fault 'sensor2: {dropout: 0.5 %}' --out out/faults
  drycell campaign examples/30_event_cell --until 1h --seeds 0..999 --precise cycle_mean_s=1% --out out/precise

Figures of your own become columns: cell.measure("name", value) in a program, and the functions of a file measures.py
beside the cell. docs/guides/campaigns.md explains the statistics, and how to use several machines.


exit code: 0 if all runs were clean, 2 if some were not, 3 if runs are missing (interrupted), 1 on error.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import DrycellError, format_time, parse

if TYPE_CHECKING:
    from drycell.campaign import Campaign, CampaignProgress, CampaignSession, Results

ACTIONS = ("show", "again", "report", "table")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell campaign``."""
    parser.usage = "drycell campaign CELL --out FOLDER [options] | show|again|report|table FOLDER [RUN] [options]"
    parser.add_argument(
        "words",
        metavar="CELL | ACTION",
        nargs="+",
        help="a cell file, a Python file with build(cell), or a folder with one; or show, again, report or table with "
        "the folder of a campaign, and perhaps a run: the beginning of its key, or its seed",
    )
    what = parser.add_argument_group("what to run")
    what.add_argument(
        "--seeds", metavar="SEEDS", default="0..9", help="0..999, 0..990/10 or 3,5,8 (default: 0..9, ten runs)"
    )
    what.add_argument(
        "--until", metavar="T", help="end every run at this cell time (default: run.until in the cell file)"
    )
    what.add_argument(
        "--warm-up", metavar="T", default="0 s", help="count figures only from this cell time on (default: 0 s)"
    )
    what.add_argument(
        "--vary",
        metavar="PATH=VALUES",
        action="append",
        default=[],
        help="vary a field of the cell file: values ('40 mm/s,60 mm/s'), evenly spaced values ('40..80/5 mm/s') or, "
        "for a random design, a range ('40..80 mm/s'); may be repeated",
    )
    what.add_argument(
        "--program",
        metavar="NAME=FILE,…",
        action="append",
        default=[],
        help="replace a program of the cell by each of these files; may be repeated",
    )
    what.add_argument(
        "--fault",
        metavar="SIGNAL: FAULT",
        action="append",
        default=[],
        help="compare the cell with and without this fault, written as in a cell file; may be repeated",
    )
    what.add_argument(
        "--design",
        default="grid",
        metavar="KIND",
        help="how --vary, --program and --fault are combined: grid (every combination, the default), list (the first "
        "values together, then the second, …), random, or lhs (a Latin hypercube); the last two need --points",
    )
    what.add_argument("--points", type=int, metavar="N", help="the number of variants of a random design")
    what.add_argument(
        "--precise",
        metavar="FIGURE=WIDTH",
        action="append",
        default=[],
        help="run no more seeds when the interval of this figure is narrow enough in every variant: a half width, or "
        "a percentage of the mean (cycle_mean_s=1%%); may be repeated",
    )
    how = parser.add_argument_group("how to run it")
    how.add_argument("--out", metavar="FOLDER", help="the folder of the campaign")
    how.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: one per core)")
    how.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="use the Dask scheduler at this address (tls://host:8786) in place of this machine",
    )
    how.add_argument("--tls", metavar="DIR", help="certificates for --cluster: see drycell worker --help")
    how.add_argument(
        "--keep", type=int, metavar="N", default=3, help="record the N worst runs (default: 3) in FOLDER/kept"
    )
    after = parser.add_argument_group("with show, again, report and table")
    after.add_argument("--record", metavar="FILE", help="again: record the run (.dry)")
    after.add_argument("-o", "--output", metavar="FILE", help="report, table: the file to write")


def main(options: argparse.Namespace) -> int:
    """Run a campaign or show its results, and return the exit code."""
    words = list(options.words)
    if words[0] in ACTIONS and not Path(words[0]).exists():
        return _act(words, options)
    if len(words) > 1:
        raise DrycellError(
            f"a campaign runs one cell, not {len(words)}: {', '.join(words)}",
            hint=f"use --vary for variants of a cell; the actions are {', '.join(ACTIONS)}",
        )
    return _run(words[0], options)


# ---------------------------------------------------------------- run


def _run(cell: str, options: argparse.Namespace) -> int:
    campaign, precise = _campaign(cell, options), _precise(options.precise)
    if not options.out:
        raise DrycellError("a campaign needs a folder", hint="write for example --out out/campaign")
    started = time.monotonic()
    with campaign.open(options.out, jobs=options.jobs, cluster=options.cluster, tls=options.tls) as session:
        print(_headline(cell, session))
        if session.store.torn:
            print("  the last line of rows.jsonl was incomplete and is removed: its run is made again")
        interrupted = _make(session, precise)
        results = session.results
        if not interrupted and options.keep:
            interrupted = _keep(results, options.keep)
    print()
    print(results.summary())
    _print_files(results, time.monotonic() - started)
    if interrupted or not results.complete:
        left = results.planned - len(results.runs)
        print(f"\ninterrupted: {left} runs are missing; the same command continues" if interrupted else "")
        return 3
    return 2 if results.failures else 0


def _campaign(cell: str, options: argparse.Namespace) -> "Campaign":
    from drycell.campaign import Campaign, exchanged, seeds, varied

    for text in options.vary:
        varied(text)
    for text in options.program:
        exchanged(text)
    vary = {path.strip(): levels for path, _, levels in (text.partition("=") for text in options.vary)}
    if len(vary) < len(options.vary):
        raise DrycellError("a field is varied twice", hint="give all its values in one --vary")
    programs = {each.name: [level.label for level in each.levels] for each in map(exchanged, options.program)}
    return Campaign(
        cell,
        seeds=seeds(options.seeds),
        vary=vary,
        programs=programs,
        faults=options.fault,
        design=options.design,
        points=options.points,
        until=parse(options.until, "time") if options.until else None,
        warm_up=parse(options.warm_up, "time"),
    )


def _precise(given: list[str]) -> dict[str, str | float]:
    found: dict[str, str | float] = {}
    for text in given:
        name, sign, width = text.partition("=")
        if not (name.strip() and sign and width.strip()):
            raise DrycellError(f"--precise takes FIGURE=WIDTH, not {text!r}", hint="write for example cycle_mean_s=1%")
        found[name.strip()] = width.strip()
    return found


def _headline(cell: str, session: "CampaignSession") -> str:
    results = session.results
    plan, done = results.plan, len(results.runs)
    variants = f"{len(plan.variants)} variants × " if len(plan.variants) > 1 else ""
    known = f", {done:,} of them done before" if done else ""
    return f"{plan.name} ({cell}): {results.planned:,} runs ({variants}{len(plan.seeds):,} seeds){known}"


def _make(session: "CampaignSession", precise: dict[str, str | float]) -> bool:
    """Make the runs; return whether the user has interrupted them."""
    from drycell.cli.progress import ProgressLine

    started = time.monotonic()
    with ProgressLine() as line:

        def show(now: "CampaignProgress") -> None:
            line.show(_progress(now, time.monotonic() - started))

        try:
            session.run(precise=precise, progress=show)
        except KeyboardInterrupt:
            return True
    return False


def _progress(now: "CampaignProgress", took: float) -> str:
    rate = now.made / took if took > 0 else 0.0
    left = f", {format_time((now.total - now.done) / rate)} left" if rate > 0 else ""
    bad = f", {now.not_clean:,} not clean" if now.not_clean else ""
    return f"{now.done:,} of {now.total:,} runs{bad}, {rate:.2f} per second{left}"


def _keep(results: "Results", most: int) -> bool:
    try:
        results.keep_worst(most)
    except KeyboardInterrupt:
        return True
    return False


def _print_files(results: "Results", took: float) -> None:
    kept = [results.recording_of(odd.run) for odd in results.worst() if results.recording_of(odd.run).exists()]
    print(f"\n  {'table':<8}  {results.folder / 'table.csv'}  ({len(results.runs):,} runs, {took:.1f} s)")
    for path in kept:
        print(f"  {'recorded':<8}  {path}")
    print(f"  {'next':<8}  drycell campaign report {results.folder}")


# ---------------------------------------------------------------- show, again, report, table


def _act(words: list[str], options: argparse.Namespace) -> int:
    from drycell.campaign import Results

    action, folders = words[0], words[1:]
    takes = (2,) if action == "again" else (1, 2) if action == "show" else (1,)
    if len(folders) not in takes:
        what = "FOLDER RUN" if action == "again" else "FOLDER [RUN]" if action == "show" else "FOLDER"
        raise DrycellError(f"write drycell campaign {action} {what}", hint="see drycell campaign --help")
    results = Results.read(folders[0])
    if action == "report":
        return _report(results, options.output)
    if action == "table":
        if not options.output:
            raise DrycellError("the table needs a file", hint="write -o FILE.csv or -o FILE.parquet")
        results.save_table(options.output)
        print(f"  table     {options.output}  ({len(results.runs):,} runs)")
        return 0
    if len(folders) == 1:
        plan = results.plan
        print(f"{plan.name}: {len(results.runs):,} of {results.planned:,} runs\n")
        print(results.summary())
        return 2 if results.failures else 0
    run = results.find(folders[1])
    if action == "again":
        row = results.repeat(run, options.record)
        print(f"identical: {run.variant.label}, seed {run.seed}, journal {row.journal[:12] or 'none'}")
        if options.record:
            print(f"  recorded  {options.record}\n  next      drycell studio {options.record}")
        return 0 if row.clean else 2
    print(f"run {run.row.key}: {run.variant.label}, seed {run.seed}")
    print(f"  {'clean' if run.row.clean else run.row.problem}")
    if run.row.error:
        print("\n".join(f"  {line}" for line in run.row.error.splitlines()))
    for name, value in run.row.figures.items():
        print(f"  {name:<28}  {'–' if value is None else value}")
    print(f"  again: {results.command(run)}")
    return 0 if run.row.clean else 2


def _report(results: "Results", output: str | None) -> int:
    from drycell.base import text_beside
    from drycell.campaign import html_page

    target = Path(output) if output else results.folder / "report.html"
    with text_beside(target) as file:
        file.write(html_page(results))
    print(f"  report    {target}  ({len(results.runs):,} runs)", file=sys.stdout)
    return 0
