"""Trains the controller of a mobile robot in virtual worlds, and tries it in worlds it has not seen.

nomad    Nomad 200: synchro drive, a ring of 16 sonars, bumpers
frank2   FRANK2: two driven wheels, four pods with a Polaroid, an infrared sensor and a bumper

Objective 1: move forward, avoid collisions, get out of corners; the robot walks round rooms, both ways. Objective 2:
keep to the middle of corridors whose width changes. Training ends when the error (the sum of the output nodes' error
signals) is 0.10 or less ten times running and the robot manages every room or corridor it is trained in. Then it is
tried in unseen ones, beside the same network before training. The exit code is 2 when it does not generalise.

examples:
  drycell learn nomad --objective 1 --seed 3
  drycell learn frank2 --objective 2 --architecture 49      the network with a memory layer (figure 49)
  drycell learn nomad --objective 1 --weights mine.txt       tries weights from a file, trains nothing
  drycell learn --table                                      all five architectures, three random starts each
  drycell learn --table --seeds 13                           the same with ten more

Learning curve and ways (SVG), weights (text, in table 37's layout) and, with --film, a film of both robots are written
to the folder given by --out, or to out/.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from drycell.learn.controller import Setup
    from drycell.learn.evaluation import Evaluation
    from drycell.learn.training import Lesson, Trained

FAILED: Final = 2
_BEAT: Final = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell learn``."""
    parser.add_argument("robot", metavar="ROBOT", nargs="?", help="nomad or frank2")
    parser.add_argument("--objective", type=int, default=1, metavar="N", help="1: rooms, 2: corridors (default: 1)")
    parser.add_argument(
        "--architecture", type=int, metavar="FIGURE", help="40, 42, 47, 48 or 49 (default: the robot's first)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the random start (default: 1)")
    parser.add_argument("--weights", metavar="FILE", help="try these weights instead of training")
    parser.add_argument("--film", action="store_true", help="film the trained and the untrained robot (extra film)")
    parser.add_argument("--out", metavar="FOLDER", default="out", help="where to write to (default: out)")
    parser.add_argument("--table", action="store_true", help="train every architecture, beside the thesis' tables")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="random starts of the table (default: 3)")


def main(options: argparse.Namespace) -> int:
    """Trains and tries; returns the exit code."""
    from drycell.errors import DrycellError
    from drycell.learn.controller import find_setup

    if options.table:
        return _table(options)
    if options.robot is None:
        raise DrycellError("which robot is to learn?", hint="drycell learn nomad, drycell learn frank2, or --table")
    setup = find_setup(options.robot, options.objective, options.architecture)
    return _try_weights(setup, options.weights) if options.weights else _train(setup, options)


def _train(setup: "Setup", options: argparse.Namespace) -> int:
    from drycell.learn.evaluation import evaluate
    from drycell.learn.figures import save_curve, save_ways
    from drycell.learn.training import Training
    from drycell.learn.weights import save_weights

    training = Training(setup, options.seed)
    untrained = training.network.copy()
    print(f"{setup.title} (figure {setup.figure}), seed {options.seed}")
    with Line(quiet=not sys.stderr.isatty()) as line:
        trained = training.run(line.show)
    _tell(trained)
    after, before = evaluate(setup, trained.network), evaluate(setup, untrained)
    print("\n  unseen worlds, trained:")
    _outings(after)
    print("  unseen worlds, before training:")
    _outings(before)
    stem = f"learn-{setup.robot}-{setup.objective}-{setup.figure}-seed{options.seed}"
    folder = Path(options.out)
    files = {kind: folder / f"{stem}{end}" for kind, end in _ENDS.items()}
    save_curve(files["curve"], trained)
    save_ways(files["ways"], after.outings, before.outings, f"{setup.title}, unseen worlds")
    save_weights(files["weights"], trained.network, setup)
    if options.film:
        from drycell.learn.film import save_outings

        files["film"] = folder / f"{stem}.mp4"
        save_outings(files["film"], setup, after.outings[0], before.outings[0])
    print()
    for kind, file in files.items():
        print(f"  {kind:<9} {file}")
    return 0 if after.succeeded and trained.reached else FAILED


_ENDS: Final = {"curve": "-curve.svg", "ways": "-ways.svg", "weights": ".weights.txt"}


def _try_weights(setup: "Setup", file: str) -> int:
    from drycell.learn.evaluation import evaluate
    from drycell.learn.weights import load_weights

    evaluation = evaluate(setup, load_weights(file, setup))
    print(f"{setup.title} (figure {setup.figure}), weights of {file}\n\n  unseen worlds:")
    _outings(evaluation)
    return 0 if evaluation.succeeded else FAILED


def _table(options: argparse.Namespace) -> int:
    from drycell.errors import DrycellError
    from drycell.learn.controller import load_setup, setup_figures
    from drycell.learn.table import table_text, train_start

    if not 1 <= options.seeds <= 1000:
        raise DrycellError(f"a table of {options.seeds} random starts", hint="1 to 1000")
    figures = setup_figures() if options.architecture is None else [options.architecture]
    well = True
    for figure in figures:
        setup = load_setup(figure)
        starts = [train_start(setup, seed) for seed in range(options.seed, options.seed + options.seeds)]
        print(table_text(setup, starts) + "\n", flush=True)
        well = well and sum(start.generalises for start in starts) >= 0.9 * len(starts)
    print(_HONEST)
    return 0 if well else FAILED


_HONEST: Final = """\
robot: hours the robot would be under way, tries that were taken back included; here: seconds of one core. The thesis'
hours are its workstation's. Its worlds are lost and so is the sum its error was: steps can be compared in their order
of magnitude only. Tables 33 and 35 repeat table 32 and are read as misprints."""


def _tell(trained: "Trained") -> None:
    state = "reached 0.10 ten times running" if trained.reached else "DID NOT REACH 0.10 ten times running"
    print(
        f"  {trained.steps} learning steps, error {trained.error:.3f}: {state}\n"
        f"  {trained.robot_time / 3600.0:.1f} h of the robot's time in {trained.processor_time:.1f} s of one core "
        f"({trained.steps / max(trained.processor_time, 1e-9):.0f} steps/s)"
    )


def _outings(evaluation: "Evaluation") -> None:
    for outing in evaluation.outings:
        print(f"    {'ok  ' if outing.succeeded else 'FAIL'} {outing}")


class Line:
    """One line on the terminal that tells how far the training has come, and is gone when it has ended."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._started = self._shown = time.monotonic()
        self._mean = 0.0

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *error: object) -> None:
        self._write("")

    def show(self, lesson: "Lesson") -> None:
        """Another step has been learnt."""
        self._mean += (lesson.error - self._mean) / min(lesson.number, 50)
        now = time.monotonic()
        if now - self._shown >= _BEAT:
            self._shown = now
            self._write(f"step {lesson.number}, error {self._mean:.3f}, {lesson.world} … {now - self._started:.0f} s")

    def _write(self, text: str) -> None:
        if not self._quiet:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
