"""Train the controller of a mobile robot in virtual worlds, and test it in unseen worlds.

nomad    Nomad 200: synchro drive, a ring of 16 sonars, bumpers
frank2   FRANK2: two driven wheels, four pods, each with a Polaroid sonar, an infrared sensor and a bumper

Objective 1: move forward, avoid collisions, get out of corners; the robot drives around rooms in both directions.
Objective 2: keep to the middle of corridors whose width changes. Training ends when the error (the sum of the output
nodes' error signals) is 0.10 or less ten times in a row and the robot completes every training room or corridor. The
trained network is then tested in unseen ones and compared with the untrained one. The exit code is 2 if it does not
generalise. Figure and table numbers refer to Eriksson's thesis (1996).

examples:
  drycell learn nomad --objective 1 --seed 3
  drycell learn nomad --objective 2 --film              a film before and after training (requires the `film` extra)
  drycell learn frank2 --architecture 49                the network with a memory layer (figure 49)
  drycell learn mine.yaml                               your own setup: other rules, inputs, actions or worlds
  drycell learn nomad --weights mine.txt                tests weights from a file without training
  drycell learn --table                                 all five architectures, three seeds each
  drycell learn frank2 --table --seed 4 --seeds 10      one robot's architectures, ten seeds, starting at 4

The learning curve and paths (SVG), the weights (text, in table 37's layout) and the film (MP4; blue is trained, orange
is not) are written to the folder given by --out, or to out/. Existing files are overwritten.
"""

import argparse
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from drycell.cli.progress import ProgressLine
    from drycell.learn import Evaluation, EvaluationRun, LearningStep, Trained
    from drycell.learn.controller import LearningSetup

FAILED: Final = 2
_ENDS: Final = {"curve": "-curve.svg", "paths": "-paths.svg", "weights": ".weights.txt"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell learn``."""
    parser.add_argument("robot", metavar="ROBOT", nargs="?", help="nomad, frank2, or a setup file (.yaml)")
    parser.add_argument(
        "--objective", type=int, metavar="N", help="1: rooms, 2: corridors (default: the architecture's, or 1)"
    )
    parser.add_argument(
        "--architecture",
        type=int,
        metavar="FIGURE",
        help="40, 42, 47, 48 or 49 (default: the first that suits the robot and objective)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed, or the first seed with --table (default: 1)"
    )
    parser.add_argument("--weights", metavar="FILE", help="test these weights instead of training")
    parser.add_argument(
        "--film", action="store_true", help="film the trained and the untrained robot (requires the `film` extra)"
    )
    parser.add_argument("--out", metavar="FOLDER", default="out", help="folder to write to (default: out)")
    parser.add_argument(
        "--table", action="store_true", help="train all matching architectures and compare with the thesis"
    )
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="number of seeds for --table (default: 3)")


def main(options: argparse.Namespace) -> int:
    """Train and test, and return the exit code."""
    from drycell.base import DrycellError

    if options.film and (options.table or options.weights):
        raise DrycellError("--film shows a single training run", hint="remove --table and --weights, or remove --film")
    if options.table:
        return _table(options)
    if options.robot is None:
        raise DrycellError("no robot is given", hint="drycell learn nomad, drycell learn frank2, or --table")
    setup = _setups(options)[0]
    return _try_weights(setup, options.weights) if options.weights else _train(setup, options)


def _setups(options: argparse.Namespace) -> "list[LearningSetup]":
    """Return the setup of a file, or all setups in the library that fit."""
    from drycell.base import DrycellError
    from drycell.learn import ENDING
    from drycell.learn.controller import find_setups, setup_from_file

    if options.robot is None or not options.robot.endswith(ENDING):
        return find_setups(options.robot, options.objective, options.architecture)
    if options.objective is not None or options.architecture is not None:
        raise DrycellError(
            f"{options.robot} defines the objective and the architecture itself",
            hint="omit --objective and --architecture",
        )
    return [setup_from_file(options.robot)]


def _train(setup: "LearningSetup", options: argparse.Namespace) -> int:
    from drycell.base import folder_to_write
    from drycell.cli.progress import ProgressLine
    from drycell.learn import Training, evaluate, save_curve, save_paths, save_weights

    # Raises an error before the training, not after it.
    folder = folder_to_write(options.out)
    stem = f"learn-{setup.model.robot}-{setup.objective}-{setup.figure}-seed{options.seed}"
    files = {kind: folder / f"{stem}{end}" for kind, end in _ENDS.items()}
    if options.film:
        from drycell.learn import check_run_film

        files["film"] = folder / f"{stem}.mp4"
        check_run_film(files["film"])
    training = Training(setup, options.seed)
    untrained = training.network.copy()
    print(f"{setup.title} (figure {setup.figure}), seed {options.seed}", flush=True)
    with ProgressLine() as line:
        trained = training.run(TrainingProgress(line).show)
    _print_training(trained)
    after, before = evaluate(setup, trained.network), evaluate(setup, untrained)
    print("\n  unseen worlds, trained:")
    _print_runs(after)
    print("  unseen worlds, before training:")
    _print_runs(before)
    save_curve(files["curve"], trained)
    save_paths(files["paths"], setup, after.runs, before.runs)
    save_weights(files["weights"], trained.network, setup)
    if options.film:
        from drycell.cli.progress import share_bar
        from drycell.learn import save_run_film

        with share_bar(files["film"].name) as progress:
            save_run_film(files["film"], setup, _first(after), _first(before), progress=progress)
    print()
    for kind, file in files.items():
        print(f"  {kind:<9} {file}")
    return 0 if after.succeeded and trained.reached else FAILED


def _first(evaluation: "Evaluation") -> "Sequence[EvaluationRun]":
    """Return the first run in every world."""
    return list({run.plan.name: run for run in reversed(evaluation.runs)}.values())[::-1]


def _try_weights(setup: "LearningSetup", file: str) -> int:
    from drycell.learn import evaluate, load_weights

    evaluation = evaluate(setup, load_weights(file, setup))
    print(f"{setup.title} (figure {setup.figure}), weights of {file}\n\n  unseen worlds:")
    _print_runs(evaluation)
    return 0 if evaluation.succeeded else FAILED


def _table(options: argparse.Namespace) -> int:
    from drycell.base import DrycellError
    from drycell.cli.progress import ProgressLine
    from drycell.learn import table_text, train_start

    if options.weights:
        raise DrycellError("--table trains networks itself", hint="remove --weights or --table")
    if not 1 <= options.seeds <= 1000:
        raise DrycellError(f"--seeds {options.seeds} is out of range", hint="use 1 to 1000")
    well = True
    for setup in _setups(options):
        starts = []
        with ProgressLine() as line:
            for seed in range(options.seed, options.seed + options.seeds):
                running = TrainingProgress(line, f"figure {setup.figure}, seed {seed}: ")
                starts.append(train_start(setup, seed, running.show))
        print(table_text(setup, starts) + "\n", flush=True)
        well = well and sum(start.generalises for start in starts) >= 0.9 * len(starts)
    print(_HONEST)
    return 0 if well else FAILED


_HONEST: Final = """\
robot: hours that the robot would have driven, including reverted trials; here: CPU seconds. unseen: successful runs out
of all runs; a network generalises if all of them succeed. The hours of the thesis are those of its workstation. Its
worlds and the definition of its error are lost, so only the order of magnitude of the steps can be compared. Tables 33
and 35 repeat table 32, which must be a misprint."""


def _print_training(trained: "Trained") -> None:
    state = "reached" if trained.reached else "DID NOT REACH"
    print(
        f"  {trained.steps} learning steps, error {trained.error:.3f}: {state} 0.10 ten times in a row, "
        "all training worlds completed\n"
        f"  {trained.robot_time / 3600.0:.1f} h of the robot's time in {trained.processor_time:.1f} s of one core "
        f"({trained.steps / max(trained.processor_time, 1e-9):.0f} steps/s)"
    )


def _print_runs(evaluation: "Evaluation") -> None:
    for run in evaluation.runs:
        print(f"    {'ok  ' if run.succeeded else 'FAIL'} {run}")


class TrainingProgress:
    """The progress of training on a line of the terminal: step, mean error of the last steps, world."""

    def __init__(self, line: "ProgressLine", head: str = "") -> None:
        self._line, self._head, self._mean = line, head, 0.0

    def show(self, step: "LearningStep") -> None:
        """Show another learning step."""
        self._mean += (step.error - self._mean) / min(step.number, 50)
        self._line.show(f"{self._head}step {step.number}, error {self._mean:.3f}, {step.world}")
