"""The results of a campaign: its table, and what it says about the variants of the cell."""

import csv
import io
import json
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from drycell.base import DrycellError, UnknownName, beside, text_beside
from drycell.campaign.design import BASE, Variant, points_of
from drycell.campaign.statistics import (
    FactorEffect,
    MeanEstimate,
    Precision,
    Share,
    difference,
    distances,
    effect_of,
    is_outlier,
    looks,
    mean_of,
    quantile_of,
    share_of,
)
from drycell.campaign.store import CELL, KEPT, ROWS, CampaignError, CampaignPlan, read_rows
from drycell.campaign.work import RunRow, Value, run

TABLE: Final = "table.csv"
_MAIN: Final = ("cycle_mean_s", "throughput_per_h", "stored", "sunk", "duration_s")
"""Figures that summaries show first, after those of the user."""
_USUAL: Final = (
    *("duration_s", "throughput_per_h", "collisions", "near_misses", "closest_m", "arrived", "machined", "stored"),
    *("sunk", "inside", "lost", "cycle_mean_s", "cycle_shortest_s", "cycle_longest_s"),
)
_USUAL_ENDS: Final = (".busy", ".cycles", ".moving", ".moves", ".longest_wait_s")
"""Figures that every result has, and the endings of those of its devices, robots and programs."""
_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class CampaignRun:
    """A finished run of a campaign: its variant and its row."""

    variant: Variant
    row: RunRow

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.row.point.seed

    def figure(self, name: str) -> float | None:
        """Return a figure as a number; None if the run does not have it."""
        value = self.row.figures.get(name)
        return float(value) if isinstance(value, (int, float)) else None


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Runs that are not clean for the same reason, the first of them first."""

    problem: str
    runs: tuple[CampaignRun, ...]


@dataclass(frozen=True, slots=True)
class Odd:
    """A run that stands out: because it is not clean, or because a figure is far from the median of its variant."""

    run: CampaignRun
    why: str


class Results:
    """The results of a campaign, complete or not. Only complete rounds of seeds count after ``--precise`` ended it.

    Args:
        folder: The folder of the campaign.
        plan: The plan of the campaign.
        rows: The finished runs, by key.
    """

    def __init__(self, folder: Path, plan: CampaignPlan, rows: Mapping[str, RunRow]) -> None:
        self.folder, self.plan = folder, plan
        self._rows = rows

    @classmethod
    def read(cls, folder: str | Path) -> "Results":
        """Read the folder of a campaign, also while it runs. This executes nothing.

        Raises:
            CampaignError: The folder is not that of a campaign, or is damaged.
        """
        path = Path(folder)
        plan = CampaignPlan.read(path)
        return cls(path, plan, read_rows(path / ROWS)[0])

    # ------------------------------------------------------------ runs

    @cached_property
    def enough(self) -> int | None:
        """The number of seeds after which the figures were precise enough; None if this was not reached."""
        return seeds_needed(self.plan, self._rows, len(self.plan.seeds)) if self.plan.precise else None

    @cached_property
    def runs(self) -> list[CampaignRun]:
        """The finished runs that count, in the order of the plan, which does not depend on who was fast."""
        seeds = self.plan.seeds[: self.enough]
        planned = points_of(self.plan.variants, seeds, self.plan.until, self.plan.after)
        return [CampaignRun(variant, self._rows[key]) for variant, point in planned if (key := point.key) in self._rows]

    @property
    def planned(self) -> int:
        """The number of runs that were planned."""
        return len(self.plan.variants) * len(self.plan.seeds)

    @property
    def complete(self) -> bool:
        """Whether all planned runs are finished, or enough of them."""
        seeds = self.enough or len(self.plan.seeds)
        finished = sum(each.row.ending != "killed" for each in self.runs)
        return finished == seeds * len(self.plan.variants)

    @cached_property
    def by_variant(self) -> dict[str, list[CampaignRun]]:
        """The runs of each variant, by its label."""
        found: dict[str, list[CampaignRun]] = {each.label: [] for each in self.plan.variants}
        for each in self.runs:
            found[each.variant.label].append(each)
        return found

    def find(self, text: str) -> CampaignRun:
        """Return the run with a key, or the beginning of a key, or with a seed if there is only one variant.

        Args:
            text: The key or the seed.

        Raises:
            UnknownName: No run has it.
            CampaignError: Several runs have it.
        """
        found = [each for each in self.runs if each.row.key.startswith(text)]
        if not found and text.lstrip("-").isdecimal():
            found = [each for each in self.runs if each.seed == int(text)]
        if not found:
            raise UnknownName("run", text, [each.row.key for each in self.runs])
        if len(found) > 1:
            shown = ", ".join(f"{each.row.key} ({each.variant.label}, seed {each.seed})" for each in found[:4])
            raise CampaignError(f"{len(found)} runs match {text!r}: {shown}", hint="give more digits of the key")
        return found[0]

    # ------------------------------------------------------------ the table

    @cached_property
    def columns(self) -> list[str]:
        """The columns of the table: key, seed, factors, the verdict, and the figures of all runs."""
        figures = dict.fromkeys(name for each in self.runs for name in each.row.figures)
        fixed = ["key", "seed", *self.plan.factors, "clean", "ending", "problem"]
        return [*fixed, *(name for name in figures if name not in fixed), "journal_sha256"]

    def records(self) -> list[dict[str, Value]]:
        """Return the table as a list of rows; unknown values are None."""
        found = []
        for each in self.runs:
            row = each.row
            values: dict[str, Value] = {**row.figures, "key": row.key, "seed": each.seed, **each.variant.labels}
            values |= {"clean": row.clean, "ending": row.ending, "problem": row.problem}
            values["journal_sha256"] = row.journal or None
            found.append({name: values.get(name) for name in self.columns})
        return found

    def csv(self) -> str:
        """Return the table as CSV. It is equal byte for byte for equal campaigns, wherever and in which order their
        runs were made."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        for record in self.records():
            writer.writerow([_cell(value) for value in record.values()])
        return out.getvalue()

    def save(self) -> Path:
        """Write ``table.csv`` to the folder of the campaign, and return its path."""
        path = self.folder / TABLE
        with text_beside(path) as file:
            file.write(self.csv())
        return path

    def save_table(self, path: str | Path) -> None:
        """Write the table to a file of your choice: ``.csv``, or ``.parquet`` (needs the ``parquet`` extra).

        Args:
            path: The file.

        Raises:
            DrycellError: The format is unknown, or pyarrow is not installed.
        """
        target = Path(path)
        if target.suffix.lower() == ".csv":
            with text_beside(target) as file:
                file.write(self.csv())
            return
        if target.suffix.lower() != ".parquet":
            raise DrycellError(f"{target} is neither .csv nor .parquet", hint="choose one of these endings")
        try:
            arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError as error:
            raise DrycellError("writing Parquet needs pyarrow", hint="pip install 'drycell[parquet]'") from error
        records = self.records()
        table = arrow.table({name: _column([each[name] for each in records]) for name in self.columns})
        with beside(target) as temporary:
            parquet.write_table(table, temporary)

    def frame(self) -> Any:
        """Return the table as a pandas data frame, or a polars one if only that is installed.

        Raises:
            DrycellError: Neither is installed.
        """
        for name in ("pandas", "polars"):
            try:
                module = import_module(name)
            except ImportError:
                continue
            records = self.records()
            return module.DataFrame({column: _column([each[column] for each in records]) for column in self.columns})
        raise DrycellError(
            "neither pandas nor polars is installed", hint="pip install pandas, or use results.records()"
        )

    # ------------------------------------------------------------ statistics

    @cached_property
    def figures(self) -> list[str]:
        """The columns that are numbers in some run and differ between runs."""
        found: dict[str, set[float]] = {}
        for each in self.runs:
            for name, value in each.row.figures.items():
                if isinstance(value, (int, float)):
                    found.setdefault(name, set()).add(float(value))
        return [name for name, values in found.items() if len(values) > 1]

    @property
    def main(self) -> str | None:
        """The figure that summaries show first; None if nothing differs between the runs."""
        return next(iter(self.shown), None)

    @cached_property
    def shown(self) -> list[str]:
        """The figures that summaries show: those of ``--precise``, those of the user, then the cycle time, …"""
        rows = [each.row for each in self.runs]
        precise = [figure_named(name, rows) for name in self.plan.precise] if rows else []
        own = [name for name in self.figures if name not in _USUAL and not name.endswith(_USUAL_ENDS)]
        return [name for name in dict.fromkeys((*precise, *own, *_MAIN)) if name in self.figures]

    def values(self, figure: str, variant: str) -> dict[int, float]:
        """Return a figure of the runs of a variant, by seed.

        Args:
            figure: A column of the table.
            variant: The label of the variant.
        """
        name = figure_named(figure, [each.row for each in self.runs])
        found = {each.seed: each.figure(name) for each in self.by_variant[variant]}
        return {seed: value for seed, value in found.items() if value is not None}

    def mean(self, figure: str, variant: str) -> MeanEstimate:
        """Return the mean of a figure over the seeds, with its confidence interval.

        Args:
            figure: A column of the table.
            variant: The label of the variant.
        """
        return mean_of(list(self.values(figure, variant).values()))

    def quantile(self, figure: str, variant: str, q: float) -> tuple[float, float, float]:
        """Return a quantile of a figure and the limits of its confidence interval.

        Args:
            figure: A column of the table.
            variant: The label of the variant.
            q: The fraction of runs below it; 0.5 is the median.
        """
        return quantile_of(list(self.values(figure, variant).values()), q)

    def clean(self, variant: str) -> Share:
        """Return the fraction of clean runs with its confidence interval.

        Args:
            variant: The label of the variant.
        """
        runs = self.by_variant[variant]
        return share_of(sum(each.row.clean for each in runs), len(runs))

    def compare(self, level: str, to: str, figures: Collection[str] | None = None) -> dict[str, MeanEstimate]:
        """Return the mean difference of figures between two levels of a factor, or two variants.

        Runs are paired: they have the same seed and the same levels of all other factors. The difference is that of
        the first minus that of the second.

        Args:
            level: The label of a level or a variant, such as ``robot.py``.
            to: The label to compare it with.
            figures: The columns to compare; by default all numbers.

        Raises:
            UnknownName: No variant has this label.
        """
        names = [figure_named(each, [run.row for run in self.runs]) for each in figures or self.figures]
        return self._compared(self._having(level), self._having(to), names)

    @staticmethod
    def _compared(
        one: "Mapping[tuple[int, str], CampaignRun]",
        other: "Mapping[tuple[int, str], CampaignRun]",
        names: Iterable[str],
    ) -> dict[str, MeanEstimate]:
        found: dict[str, MeanEstimate] = {}
        for name in names:
            mine = {place: value for place, run in one.items() if (value := run.figure(name)) is not None}
            theirs = {place: value for place, run in other.items() if (value := run.figure(name)) is not None}
            both = [place for place in mine if place in theirs]
            if both:
                # Seeds are independent, but variants of one seed are not: they are averaged first.
                by_seed: dict[int, list[float]] = {}
                for place in both:
                    by_seed.setdefault(place[0], []).append(mine[place] - theirs[place])
                means = {seed: sum(each) / len(each) for seed, each in by_seed.items()}
                found[name] = difference(means, dict.fromkeys(means, 0.0))
        return found

    def _having(self, label: str) -> dict[tuple[int, str], CampaignRun]:
        """Return the runs with a level, by their seed and all other levels."""
        if label in self.by_variant:
            return {(each.seed, ""): each for each in self.by_variant[label]}
        factors = [
            name for name in self.plan.factors if any(each.labels.get(name) == label for each in self.plan.variants)
        ]
        if len(factors) != 1:
            known = {*self.by_variant, *(text for each in self.plan.variants for text in each.labels.values())}
            raise UnknownName("level or variant", label, known)
        return self._at(factors[0], label)

    def _at(self, factor: str, level: str) -> dict[tuple[int, str], CampaignRun]:
        """Return the runs with a level of a factor, by their seed and all other levels."""
        found = {}
        for each in self.runs:
            if each.variant.labels.get(factor) == level:
                rest = {name: text for name, text in each.variant.labels.items() if name != factor}
                found[each.seed, json.dumps(rest, sort_keys=True)] = each
        return found

    def sensitivity(self, figure: str) -> list[FactorEffect]:
        """Return how strongly each factor and the seed affect a figure, the strongest first.

        Args:
            figure: A column of the table.
        """
        name = figure_named(figure, [each.row for each in self.runs])
        runs = [(each, value) for each in self.runs if (value := each.figure(name)) is not None]
        if not runs:
            return []
        values = [value for _, value in runs]
        found = []
        for factor in self.plan.factors:
            levels = [each.variant.labels.get(factor, BASE) for each, _ in runs]
            numbers = [each.variant.numbers.get(factor) for each, _ in runs]
            if len(set(levels)) > 1:
                found.append(effect_of(factor, levels, values, numbers))
        if len({each.seed for each, _ in runs}) > 1:
            found.append(effect_of("seed", [str(each.seed) for each, _ in runs], values, [None] * len(runs)))
        return sorted(found, key=lambda each: -each.share)

    @cached_property
    def failures(self) -> list[FailureGroup]:
        """The runs that are not clean, grouped by their problem, the most frequent first."""
        found: dict[str, list[CampaignRun]] = {}
        for each in self.runs:
            if not each.row.clean:
                found.setdefault(each.row.problem, []).append(each)
        return [
            FailureGroup(problem, tuple(runs))
            for problem, runs in sorted(found.items(), key=lambda each: -len(each[1]))
        ]

    def worst(self, most: int = 5) -> list[Odd]:
        """Return the runs to look at: the first of each problem, then those whose main figure is farthest out.

        Args:
            most: The greatest number of runs.
        """
        found = [Odd(each.runs[0], each.problem) for each in self.failures[:most]]
        name = self.main
        if name is not None:
            far: list[tuple[float, Odd]] = []
            for label, runs in self.by_variant.items():
                known = [(each, value) for each in runs if each.row.clean and (value := each.figure(name)) is not None]
                middle = self.quantile(name, label, 0.5)[0] if known else 0.0
                for (each, value), distance in zip(known, distances([value for _, value in known]), strict=True):
                    if is_outlier(distance):
                        text = f"{name} is {value:.4g}, the median is {middle:.4g}"
                        far.append((distance, Odd(each, text)))
            far.sort(key=lambda each: -each[0])
            found += [odd for _, odd in far]
        return found[:most]

    @property
    def alike(self) -> bool:
        """Whether every variant has several runs, and all seeds gave the same journal: nothing in it is random."""
        groups = [{each.row.journal for each in runs} for runs in self.by_variant.values() if len(runs) > 1]
        return bool(groups) and all(len(each) == 1 and "" not in each for each in groups)

    # ------------------------------------------------------------ again

    def command(self, run: CampaignRun, *options: str) -> str:
        """Return the command that makes a run again from the campaign's copy of the cell.

        Args:
            run: The run.
            *options: More options of the command.
        """
        point = run.row.point
        words = ["drycell", "run", str(self.folder / CELL / self.plan.file), "--seed", str(point.seed)]
        if point.until is not None:
            words += ["--until", f"{point.until!r}s"]
        for path, text in point.settings:
            words += ["--set", f"{path}={text}"]
        for name, file in point.programs:
            words += ["--program", f"{name}={self.folder / CELL / file}"]
        return shlex.join([*words, *options])

    def repeat(self, run_: CampaignRun, record: str | Path | None = None) -> RunRow:
        """Make a run again, and check that it is the same.

        Args:
            run_: The run.
            record: A file for the recording.

        Raises:
            CampaignError: It differs: the files of the cell, drycell or the machine are not those of the campaign.
            KeyboardInterrupt: It was interrupted.
        """
        cell = (self.folder / CELL / self.plan.file).resolve()
        again = run(cell, run_.row.point, None if record is None else Path(record))
        if again is None:
            raise KeyboardInterrupt
        was = run_.row
        if (again.ending, again.journal, again.problem) != (
            was.ending,
            was.journal,
            was.problem,
        ) and was.ending != "killed":
            raise CampaignError(
                f"the run with {run_.variant.label}, seed {run_.seed}, is not the same: it ended with "
                f"{was.ending!r} and journal {was.journal[:12] or 'none'}, now with {again.ending!r} and "
                f"{again.journal[:12] or 'none'}",
                hint="use the drycell and the libraries listed in plan.json, and leave the folder 'cell' as it is",
            )
        return again

    def recording_of(self, run: CampaignRun) -> Path:
        """Return the path at which the recording of a run is kept, if it is.

        Args:
            run: The run.
        """
        return self.folder / KEPT / f"{run.row.key}.dry"

    def keep_worst(self, most: int) -> list[Path]:
        """Make the worst runs again, record them in the campaign's folder, and return the recordings.

        Args:
            most: The number of runs.
        """
        found = []
        for odd in self.worst(most):
            path = self.recording_of(odd.run)
            if not path.exists() and odd.run.row.ending != "killed":
                path.parent.mkdir(exist_ok=True)
                self.repeat(odd.run, path)
            if path.exists():
                found.append(path)
        return found

    # ------------------------------------------------------------ for people

    def summary(self) -> str:
        """Return the results in a few lines: each variant with the fraction of clean runs and the main figures, what
        went wrong, and paired differences."""
        shown = self.shown[:3]
        variants = [label for label, runs in self.by_variant.items() if runs]
        rows = [["variant", "runs", "clean", *shown]]
        for label in variants[: 2 * _SHOWN]:
            clean = self.clean(label)
            row = [label, str(clean.n), f"{clean.share:.1%} ({clean.low:.1%} to {clean.high:.1%})"]
            for name in shown:
                estimate = self.mean(name, label)
                row.append(f"{estimate.mean:.4g} ± {estimate.half_width:.2g}" if estimate.n else "–")
            rows.append(row)
        widths = [min(max(map(len, column)), 60) for column in zip(*rows, strict=True)]
        lines = [
            "  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        if len(variants) > 2 * _SHOWN:
            lines.append(f"  … and {len(variants) - 2 * _SHOWN} more variants: see {TABLE}")
        lines += self._differences(shown)
        if shown and len(variants) > _SHOWN:
            lines += self._sensitivity(shown[0])
        if self.failures:
            lines.append("  not clean")
        for each in self.failures[:_SHOWN]:
            first = each.runs[0]
            lines.append(f"    {len(each.runs)} × {each.problem} (first: run {first.row.key[:8]}, seed {first.seed})")
        if len(self.failures) > _SHOWN:
            lines.append(f"    and {len(self.failures) - _SHOWN} more problems: see {TABLE}")
        if self.alike:
            lines.append("  note: all seeds gave the same run. Nothing in this cell is random: one seed is enough")
        if self.plan.precise:
            lines.append(self._precision())
        return "\n".join(lines)

    def _precision(self) -> str:
        wanted = ", ".join(f"{name} within {text}" for name, text in self.plan.precise.items())
        if self.enough is None:
            return f"  precision: not reached with {len(self.runs)} runs ({wanted})"
        return f"  precision: reached after {self.enough} seeds ({wanted})"

    def _differences(self, names: Sequence[str]) -> list[str]:
        """Compare the levels of each factor with its first one, if there are few."""
        lines: list[str] = []
        for factor, first, level, found in self.differences(names):
            if not lines:
                lines.append("  differences, paired by seed")
            for name, each in found.items():
                verdict = "" if each.sure else "  (no difference found)" if each.half_width else "  (equal)"
                text = f"{factor}: {level} minus {first}"
                lines.append(f"    {name}, {text}: {each.mean:+.4g} ± {each.half_width:.2g}{verdict}")
        return lines

    def differences(self, names: Sequence[str]) -> list[tuple[str, str, str, dict[str, MeanEstimate]]]:
        """Compare figures of the levels of each factor with those of its first level: the factor, the first level, the
        other level, and the differences. Factors with many levels are left to :meth:`sensitivity`.

        Args:
            names: The columns to compare.
        """
        found = []
        for factor in self.plan.factors:
            levels = list(dict.fromkeys(each.labels[factor] for each in self.plan.variants if factor in each.labels))
            for level in levels[1:] if len(levels) <= _SHOWN else ():
                estimates = self._compared(self._at(factor, level), self._at(factor, levels[0]), names)
                if estimates:
                    found.append((factor, levels[0], level, estimates))
        return found

    def _sensitivity(self, name: str) -> list[str]:
        found = [f"{each.factor} {each.share:.0%}" for each in self.sensitivity(name)]
        return [f"  variance of {name} explained by: {', '.join(found)}"] if found else []


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _column(values: list[Value]) -> list[Any]:
    """Return a column with values of one type: numbers and truth values stay, a mixture becomes text."""
    kinds = {type(each) for each in values if each is not None}
    if kinds <= {int, float} and len(kinds) > 1:
        return [None if each is None else float(each) for each in values]
    return values if len(kinds) < 2 else [None if each is None else _cell(each) for each in values]


# ---------------------------------------------------------------- figures and precision


def figure_named(name: str, rows: Iterable[RunRow]) -> str:
    """Return the column that a name means: ``cycle.mean_s`` is also ``cycle_mean_s``.

    Raises:
        UnknownName: No run has a number in such a column.
    """
    known = dict.fromkeys(
        column
        for row in rows
        for column, value in row.figures.items()
        if isinstance(value, (int, float)) or value is None
    )
    if name in known:
        return name
    found = [each for each in known if each.replace(".", "_") == name.replace(".", "_")]
    if len(found) == 1:
        return found[0]
    raise UnknownName("figure", name, known)


def precision_of(name: str, text: str) -> Precision:
    """Read a precision: ``1%`` of the mean, or a half width in the unit of the figure.

    Raises:
        DrycellError: The text is not a positive number.
    """
    relative = text.strip().endswith("%")
    try:
        limit = float(text.strip().rstrip("%"))
    except ValueError:
        limit = -1.0
    if not 0 < limit < float("inf"):
        raise DrycellError(
            f"{name}={text} is not a precision", hint="write a fraction of the mean or a half width: cycle_mean_s=1%"
        )
    return Precision(limit / 100 if relative else limit, relative)


def seeds_needed(plan: CampaignPlan, rows: Mapping[str, RunRow], complete: int) -> int | None:
    """Return the number of seeds after which all figures of the plan are precise enough in all variants; None if there
    is none up to ``complete`` seeds.

    Only the numbers of :func:`looks` count. So the answer depends on neither the order nor the speed of the runs.
    """
    keys = [
        [point.key for _, point in points_of((each,), plan.seeds[:complete], plan.until, plan.after)]
        for each in plan.variants
    ]
    for count in looks(len(plan.seeds)):
        if count > complete or any(key not in rows for each in keys for key in each[:count]):
            return None
        if all(_precise(plan, [rows[key] for key in each[:count]]) for each in keys):
            return count
    return None


def _precise(plan: CampaignPlan, rows: Sequence[RunRow]) -> bool:
    for name, text in plan.precise.items():
        column = figure_named(name, rows)
        values = [float(value) for row in rows if isinstance(value := row.figures.get(column), (int, float))]
        if not precision_of(name, text).met(mean_of(values)):
            return False
    return True
