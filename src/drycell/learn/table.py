"""The table beside tables 30, 32 and 36: every architecture trained from random starts, and how many generalise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drycell.learn.controller import Setup
from drycell.learn.evaluation import evaluate
from drycell.learn.published import TABLES
from drycell.learn.training import Trained, Training


@dataclass(frozen=True)
class Start:
    """One random start: what training made of it, and whether the network generalises after it, and did before."""

    trained: Trained
    generalises: bool
    untrained: bool


def train_start(setup: Setup, seed: int) -> Start:
    """Trains one random start and tests it in unseen worlds, before and after."""
    training = Training(setup, seed)
    before = evaluate(setup, training.network).succeeded
    trained = training.run()
    return Start(trained, evaluate(setup, trained.network).succeeded, before)


def table(
    setups: Sequence[Setup], seeds: Sequence[int], progress: Callable[[Setup, Start], None] | None = None
) -> dict[int, list[Start]]:
    """All starts of all setups, by figure."""
    found: dict[int, list[Start]] = {}
    for setup in setups:
        for seed in seeds:
            start = train_start(setup, seed)
            found.setdefault(setup.figure, []).append(start)
            if progress is not None:
                progress(setup, start)
    return found


def table_text(setup: Setup, starts: Sequence[Start]) -> str:
    """The rows of one setup beside the thesis', and the rate at which its starts generalise."""
    number, rows = TABLES.get(setup.figure, (None, ()))
    beside = f"thesis, table {number}" if number else "thesis: misprinted"
    lines = [
        f"{setup.title} (figure {setup.figure})",
        f"  {'seed':>6} {'steps':>7} {'robot':>8} {'here':>8} {'error':>6}  {'unseen worlds':<15} {beside}",
    ]
    for index, start in enumerate(starts):
        trained = start.trained
        printed = rows[index] if index < len(rows) else None
        thesis = f"{printed.steps} steps, {printed.hours:g} h, {printed.error:.2f}" if printed else ""
        verdict = "generalises" if start.generalises else "FAILS"
        lines.append(
            f"  {trained.seed:>6} {trained.steps:>7} {trained.robot_time / 3600.0:>6.1f} h "
            f"{trained.processor_time:>6.1f} s {trained.error:>6.2f}  {verdict:<15} {thesis}".rstrip()
        )
    well = sum(start.generalises for start in starts)
    before = sum(start.untrained for start in starts)
    lines.append(f"  {well} of {len(starts)} generalise; before training {before} of {len(starts)}")
    return "\n".join(lines)
