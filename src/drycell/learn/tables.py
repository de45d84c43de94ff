"""The table of ``drycell learn --table``, beside tables 30, 32, 36 and 37 of the thesis."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.learn.controller import LearningSetup
from drycell.learn.evaluation import Evaluation, evaluate
from drycell.learn.training import LearningStep, Trained, Training


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of the thesis: learning steps, hours on the workstation, and the final error."""

    steps: int
    hours: float
    error: float


TABLES: Final[dict[int, tuple[int, tuple[PublishedRow, ...]]]] = {
    40: (30, (PublishedRow(967, 16, 0.08), PublishedRow(1340, 28, 0.10), PublishedRow(1103, 23, 0.09))),
    42: (32, (PublishedRow(1350, 26, 0.10), PublishedRow(1680, 32, 0.09), PublishedRow(1223, 24, 0.10))),
    49: (36, (PublishedRow(2130, 36, 0.08), PublishedRow(2020, 35, 0.10), PublishedRow(1660, 31, 0.10))),
}
"""Number and rows of the table in the thesis, by figure of the architecture."""

MISPRINTED: Final = (47, 48)
"""Figures whose tables, 33 and 35, are misprinted: they repeat table 32 digit by digit."""

TABLE_37: Final = """\
# Thesis, table 37: Nomad for control objective I; rows front, left, right, motion, bias
3.0482	-2.1261	-1.5926
-0.0700	1.8066	-1.5813
-0.3647	-1.5101	2.2930
2.9331	-2.3152	-2.1373
-2.4647	0.4235	-0.1275
"""


@dataclass(frozen=True)
class TrainedStart:
    """One random start: its training, and the evaluation in unseen worlds before and after."""

    trained: Trained
    before: Evaluation
    after: Evaluation

    @property
    def generalises(self) -> bool:
        """Whether every run of the trained network succeeded."""
        return self.after.succeeded


def train_start(
    setup: LearningSetup, seed: int, progress: Callable[[LearningStep], None] | None = None
) -> TrainedStart:
    """Train one random start and evaluate it in unseen worlds, before and after."""
    training = Training(setup, seed)
    before = evaluate(setup, training.network)
    trained = training.run(progress)
    return TrainedStart(trained, before, evaluate(setup, trained.network))


def table_text(setup: LearningSetup, starts: Sequence[TrainedStart]) -> str:
    """Return the table of a setup beside that of the thesis, and the number of its starts that generalise."""
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
