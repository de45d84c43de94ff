"""Campaigns: a cell run many times, with different seeds and as several variants."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from drycell.base import DrycellError
from drycell.campaign.bundle import bundle_of
from drycell.campaign.cluster import Address, ClusterEngine
from drycell.campaign.design import Design, Factor, Kind, RunPoint, Variant, faults, points_of, programs, values, varied
from drycell.campaign.local import Engine, LocalEngine
from drycell.campaign.results import Results, figure_named, precision_of, seeds_needed
from drycell.campaign.statistics import MeanEstimate, Share, mean_of, share_of
from drycell.campaign.store import CampaignStore, plan_of
from drycell.campaign.work import RunRow, bound, build, measures_in
from drycell.cell import CellSource
from drycell.workers import cores

MOST_BUILT: Final = 64
"""The number of variants that are built before the first run, to find mistakes at once."""


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """How far a campaign is: runs that are done and planned, and those of them that are not clean. ``made`` of them
    were made by this process."""

    done: int
    total: int
    not_clean: int
    made: int


@dataclass(frozen=True, slots=True)
class VariantRuns:
    """The runs of one variant: one for each seed."""

    variant: Variant
    rows: tuple[RunRow, ...]

    def values(self, figure: str) -> list[float]:
        """Return a figure of all runs that have it, in the order of the seeds.

        Args:
            figure: A column of the table.

        Raises:
            UnknownName: No run has this figure.
        """
        name = figure_named(figure, self.rows)
        return [float(value) for each in self.rows if isinstance(value := each.figures.get(name), (int, float))]

    def mean(self, figure: str) -> MeanEstimate:
        """Return the mean of a figure with its confidence interval.

        Args:
            figure: A column of the table.
        """
        return mean_of(self.values(figure))

    @property
    def clean(self) -> Share:
        """The fraction of clean runs, with its confidence interval."""
        return share_of(sum(each.clean for each in self.rows), len(self.rows))


class Campaign:
    """A cell to be run many times.

    >>> from drycell.campaign import Campaign
    >>> campaign = Campaign("examples/30_event_cell", seeds=range(20), until=1200, vary={"belt.speed": "40..80/3 mm/s"})
    >>> results = campaign.run("out/belt")                                          # doctest: +SKIP
    >>> print(results.summary())                                                    # doctest: +SKIP

    Args:
        cell: The path of a cell.
        seeds: The seeds; every variant is run with each of them.
        vary: Values of fields, by path: a text as on the command line (``"40..80/5 mm/s"``) or a sequence of values.
        programs: Files of programs, by the name of the program.
        faults: Faults to compare with the cell as it stands, each as ``"SIGNAL: FAULT"``.
        design: How factors are combined: ``grid``, ``list``, ``random`` or ``lhs``.
        points: The number of variants of a random design.
        until: The cell time in seconds at which every run ends; by default the cell's own.
        warm_up: The cell time in seconds from which figures count.

    Raises:
        DrycellError: There is no such cell, or the design contradicts itself.
    """

    def __init__(
        self,
        cell: str | Path,
        *,
        seeds: Sequence[int] = range(10),
        vary: Mapping[str, str | Sequence[object]] | None = None,
        programs: Mapping[str, Sequence[str | Path]] | None = None,
        faults: Sequence[str] = (),
        design: Kind = "grid",
        points: int | None = None,
        until: float | None = None,
        warm_up: float = 0.0,
    ) -> None:
        factors = _factors(vary or {}, programs or {}, faults)
        self.source = CellSource.find(cell)
        self.design = Design(factors, tuple(seeds), design, points)
        self.until, self.warm_up = None if until is None else float(until), float(warm_up)
        if until is not None and warm_up >= until:
            raise DrycellError(
                f"the warm-up ends at {warm_up:g} s, and the run at {until:g} s", hint="make the run longer"
            )
        self.bundle, self._placed = bundle_of(self.source, self._files())

    def variants(self) -> list[Variant]:
        """Return the variants of the cell, in order. Programs have their paths in the bundle."""
        return [self._placed_in(each) for each in self.design.variants()]

    def open(
        self,
        out: str | Path,
        *,
        jobs: int | None = None,
        cluster: str | None = None,
        tls: str | Path | None = None,
    ) -> "CampaignSession":
        """Open the folder of the campaign, to make runs. Use it as a context manager.

        Args:
            out: The folder of the campaign. If it holds the same campaign, finished runs are not made again.
            jobs: The number of worker processes; by default one for each core.
            cluster: The address of the scheduler of a cluster, such as ``tls://host:8786``, in place of this machine.
            tls: The folder of the certificates for ``cluster``.

        Raises:
            CampaignError: The folder holds the campaign of another cell or version, or is in use.
            DrycellError: A variant of the cell cannot be built.
        """
        address = None if cluster is None else Address.of(cluster, tls)
        return CampaignSession(self, out, jobs, address)

    def run(
        self,
        out: str | Path,
        *,
        jobs: int | None = None,
        cluster: str | None = None,
        tls: str | Path | None = None,
        precise: Mapping[str, str | float] | None = None,
        progress: Callable[[CampaignProgress], None] | None = None,
    ) -> Results:
        """Make all runs that are not finished yet, and return the results. Call it again to resume.

        Args:
            out: As for :meth:`open`.
            jobs: As for :meth:`open`.
            cluster: As for :meth:`open`.
            tls: As for :meth:`open`.
            precise: As for :meth:`CampaignSession.run`.
            progress: As for :meth:`CampaignSession.run`.
        """
        with self.open(out, jobs=jobs, cluster=cluster, tls=tls) as session:
            return session.run(precise=precise, progress=progress)

    def _files(self) -> dict[str, Path]:
        """Find the files of programs: in the current folder, or that of the cell."""
        found: dict[str, Path] = {}
        for factor in self.design.factors:
            for level in factor.levels:
                for _, text in level.programs:
                    given, beside = Path(text), self.source.path.parent / text
                    path = next((each for each in (given, beside) if each.is_file()), None)
                    if path is None:
                        raise DrycellError(
                            f"there is no program file {text!r}, neither here nor in {self.source.path.parent}",
                            hint=f"write the files of program {factor.name} first",
                        )
                    found[text] = path
        return found

    def _placed_in(self, variant: Variant) -> Variant:
        return replace(variant, programs={name: self._placed[text] for name, text in variant.programs.items()})


def _factors(
    vary: Mapping[str, str | Sequence[object]], exchanged: Mapping[str, Sequence[str | Path]], given: Sequence[str]
) -> tuple[Factor, ...]:
    found = [
        varied(f"{path}={levels}") if isinstance(levels, str) else values(path, *levels)
        for path, levels in vary.items()
    ]
    found += [programs(name, *files) for name, files in exchanged.items()]
    return (*found, *([faults(*given)] if given else []))


class CampaignSession:
    """A campaign whose folder is open, with its workers. They stay warm from call to call."""

    def __init__(self, campaign: Campaign, out: str | Path, jobs: int | None, cluster: Address | None) -> None:
        if jobs is not None and jobs < 1:
            raise DrycellError(f"a campaign needs at least 1 worker, not {jobs}")
        self._campaign, self._jobs, self._cluster = campaign, jobs, cluster
        bundle, design = campaign.bundle, campaign.design
        self._variants = tuple(campaign.variants())
        self._checked: set[str] = set()
        self._engine: Engine | None = None
        plan = plan_of(
            str(campaign.source.path),
            bundle,
            self._variants,
            design.seeds,
            until=campaign.until,
            after=campaign.warm_up,
        )
        self.store = CampaignStore(out, plan, bundle)
        try:
            self._check(self._variants)
        except BaseException:
            self.store.close()
            raise

    def __enter__(self) -> "CampaignSession":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers and release the folder."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
        self.store.close()

    @property
    def results(self) -> Results:
        """The results of all runs that are finished."""
        return Results(self.store.folder, self.store.plan, self.store.rows)

    @property
    def engine(self) -> Engine:
        """The workers, which are started on first use."""
        if self._engine is None:
            self._engine = self._started()
        return self._engine

    def run(
        self,
        *,
        precise: Mapping[str, str | float] | None = None,
        progress: Callable[[CampaignProgress], None] | None = None,
    ) -> Results:
        """Make all runs that are not finished yet, write ``table.csv``, and return the results.

        Args:
            precise: How precise the means of figures must be, by column: ``"1%"`` is relative to the mean, a number is
                in the unit of the figure. When all of them are reached in all variants, no further seeds are run.
            progress: A function that is called when runs have finished.

        Raises:
            UnknownName: ``precise`` names a figure that no run has.
        """
        wanted = {
            name: f"{each:g}" if isinstance(each, (int, float)) else each for name, each in (precise or {}).items()
        }
        for name, text in wanted.items():
            precision_of(name, text)
        self.store.save(replace(self.store.plan, precise=wanted))
        try:
            self._make(self._variants, progress)
        finally:
            results = self.results
            results.save()
        return results

    def evaluate(
        self,
        points: Sequence[Mapping[str, str] | Variant],
        *,
        progress: Callable[[CampaignProgress], None] | None = None,
    ) -> list[VariantRuns]:
        """Run variants that are not in the design, with the seeds of the campaign, for an optimiser.

        Finished runs are not made again, so an optimiser that asks for the same variants resumes where it was.

        Args:
            points: The variants: fields of the cell file and their values, by path.
            progress: A function that is called when runs have finished.

        Returns:
            One evaluation for each point, in order.
        """
        variants = tuple(
            each
            if isinstance(each, Variant)
            else self._campaign._placed_in(_variant({path: str(value) for path, value in each.items()}))
            for each in points
        )
        known = {each.label: each for each in self.store.plan.variants}
        self._check(variants)
        wider = {**known, **{each.label: each for each in variants}}
        self.store.save(replace(self.store.plan, variants=tuple(wider.values())))
        self._make(variants, progress)
        found = []
        for each in variants:
            keys = [point.key for _, point in self._points((each,))]
            found.append(VariantRuns(each, tuple(self.store.rows[key] for key in keys)))
        return found

    def _points(self, variants: Sequence[Variant]) -> Iterator[tuple[Variant, RunPoint]]:
        plan = self.store.plan
        return points_of(variants, plan.seeds, plan.until, plan.after)

    def _make(self, variants: Sequence[Variant], progress: Callable[[CampaignProgress], None] | None) -> None:
        """Make the missing runs, until all are there or the figures are precise enough."""
        store = self.store
        keys = [point.key for _, point in self._points(variants)]
        done = sum(map(store.done, keys))
        failed = sum(not store.rows[key].clean for key in keys if key in store.rows)
        prefix, made, enough = 0, 0, False

        def advance() -> None:
            nonlocal prefix, enough
            before = prefix // len(variants)
            while prefix < len(keys) and store.done(keys[prefix]):
                prefix += 1
            complete = prefix // len(variants)
            if complete > before and store.plan.precise:
                if before == 0:
                    for name in store.plan.precise:
                        figure_named(name, [store.rows[key] for key in keys[: len(variants)]])
                enough = seeds_needed(store.plan, store.rows, complete) is not None

        def missing() -> Iterator[RunPoint]:
            for _, point in self._points(variants):
                if enough:
                    return
                if not store.done(point.key):
                    yield point

        advance()
        if done == len(keys) or enough:
            return
        if progress is not None:
            progress(CampaignProgress(done, len(keys), failed, 0))
        for rows in self.engine.rows(missing()):
            store.add(rows)
            made += len(rows)
            done += sum(row.ending != "killed" for row in rows)
            failed += sum(not row.clean for row in rows)
            advance()
            if progress is not None:
                progress(CampaignProgress(done, len(keys), failed, made))

    def _started(self) -> Engine:
        campaign = self._campaign
        if self._cluster is not None:
            return ClusterEngine(campaign.bundle, self._cluster)
        planned = len(self._variants) * len(self.store.plan.seeds)
        return LocalEngine(self.store.cell, campaign.bundle, self._jobs or min(cores(), max(planned, 1)))

    def _check(self, variants: Sequence[Variant]) -> None:
        """Build the variants once, so that mistakes are found before the first run."""
        plan = self.store.plan
        new = [each for each in variants if each.label not in self._checked]
        for variant, point in islice(points_of(new, plan.seeds[:1], plan.until, plan.after), MOST_BUILT):
            try:
                cell = build(self.store.cell, point)
            except DrycellError as error:
                if variant.labels:
                    raise DrycellError(f"the variant {variant.label} cannot be built: {error}") from error
                raise
            if not self._checked:
                bound(measures_in(self.store.cell.parent), cell)
            self._checked.add(variant.label)


def _variant(settings: Mapping[str, str]) -> Variant:
    return Variant.of({path: values(path, text).levels[0] for path, text in settings.items()})
