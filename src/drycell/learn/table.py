"""The table beside tables 30, 32 and 36: every architecture trained from random starts, and how many generalise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drycell.learn.controller import Setup
from drycell.learn.evaluation import Evaluation, evaluate
from drycell.learn.published import MISPRINTED, TABLES
from drycell.learn.training import Lesson, Trained, Training


@dataclass(frozen=True)
class Start:
    """One random start: what training made of it, and how the network did in unseen worlds before and after it."""

    trained: Trained
    before: Evaluation
    after: Evaluation

    @property
    def generalises(self) -> bool:
        """Whether every outing of the trained network went well."""
        return self.after.succeeded


def train_start(setup: Setup, seed: int, progress: Callable[[Lesson], None] | None = None) -> Start:
    """Trains one random start and tests it in unseen worlds, before and after."""
    training = Training(setup, seed)
    before = evaluate(setup, training.network)
    trained = training.run(progress)
    return Start(trained, before, evaluate(setup, trained.network))


def table_text(setup: Setup, starts: Sequence[Start]) -> str:
    """The rows of one setup beside the thesis', and the rate at which its starts generalise."""
    number, rows = TABLES.get(setup.figure, (None, ()))
    beside = f"thesis, table {number}" if number else "thesis: misprinted" if setup.figure in MISPRINTED else ""
    lines = [
        f"{setup.title} (figure {setup.figure})",
        f"  {'seed':>6} {'steps':>7} {'robot':>8} {'here':>8} {'error':>6}  {'unseen: before, after':<26} "
        f"{beside}".rstrip(),
    ]
    for index, start in enumerate(starts):
        trained = start.trained
        printed = rows[index] if index < len(rows) else None
        thesis = f"{printed.steps} steps, {printed.hours:g} h, {printed.error:.2f}" if printed else ""
        unseen = f"{start.before.share}, {start.after.share} {'generalises' if start.generalises else 'FAILS'}"
        lines.append(
            f"  {trained.seed:>6} {trained.steps:>7} {trained.robot_time / 3600.0:>6.1f} h "
            f"{trained.processor_time:>6.1f} s {trained.error:>6.2f}  {unseen:<26} {thesis}".rstrip()
        )
    well = sum(start.generalises for start in starts)
    before = sum(start.before.succeeded for start in starts)
    lines.append(f"  {well} of {len(starts)} generalise; before training {before} of {len(starts)}")
    return "\n".join(lines)
