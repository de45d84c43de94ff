"""The search: first the usual run, twice; then random runs, which quickly find shallow faults; then all orders."""

import contextlib
import io
import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from drycell.base import UnknownName
from drycell.kernel import Chooser, Pending, RecordingChooser, ReplayingChooser, point, points, seconds
from drycell.verify.checks import Function
from drycell.verify.directed import DirectedSearch
from drycell.verify.faults import KINDS, Kind, Outcomes, SearchFault, UsualOrder, fault_of
from drycell.verify.reduction import Reduction, not_repeatable
from drycell.verify.sampling import IntervalSampler
from drycell.verify.trace import Tracer, TraceStep, trace_lines, trace_steps, turning_point
from drycell.verify.trial import Build, RunLimits, Subject, Trial, try_out
from drycell.verify.verdict import Finding, SearchScope, Verdict
from drycell.verify.watch import RunWatcher

if TYPE_CHECKING:
    from drycell.cell import CellSource


class PctChooser(RecordingChooser):
    """A random run with a seed (probabilistic concurrency testing, Burckhardt et al. 2010).

    Every owner of events gets a random rank; the highest rank wins a tie. At ``depth`` - 1 random ties the winner drops
    to the lowest rank. A fault that needs d ordered pairs is found with a probability of at least 1/(n·k^(d-1)) for n
    owners and k ties, even if it is rare among all orders. ``ties`` is the approximate number of ties in a run.
    """

    def __init__(self, seed: str, depth: int, ties: int) -> None:
        super().__init__()
        self._random = Random(seed)
        self._ranks: dict[str, float] = {}
        self._tie = 0
        self._falls = {self._random.randrange(max(ties, 1)) for _ in range(depth - 1)}

    def pick(self, pending: Sequence[Pending]) -> int:
        for event in pending:
            if event.owner not in self._ranks:
                self._ranks[event.owner] = 1 + self._random.random()
        if len(pending) == 1:
            return 0
        place = self._highest(pending)
        if self._tie in self._falls:
            self._ranks[pending[place].owner] = self._random.random() * 1e-3
            place = self._highest(pending)
        self._tie += 1
        self.choices.append(place)
        return place

    def interval(self, name: str, low: float, high: float) -> float:
        """Return one of the limits or, equally often, a value between them."""
        count = points(low, high)
        number = 0
        if count > 1:
            number = self._random.choice((0, 1, self._random.randrange(count)))
            self.choices.append(number)
        return point(low, high, number)

    def answer(self, count: int) -> int:
        return self._random.randrange(count)

    def _highest(self, pending: Sequence[Pending]) -> int:
        return max(range(len(pending)), key=lambda place: self._ranks[pending[place].owner])


Again = Callable[[Sequence[int]], Trial | None]
"""Run again with other choices; return the run if it shows the same fault."""


def shrunk(trial: Trial, again: Again, tries: int) -> tuple[Trial, int]:
    """Find a run with fewer unusual choices that shows the same fault; return it and the number of tries made.

    A choice of 0 is the usual order, the first option, or the lower limit. Choices are set to 0, first in long
    sequences and then one by one, as long as the fault remains (Zeller's delta debugging).
    """
    best, made = trial, 0
    size = max(1, len(_unusual(best)))
    while size:
        place, lessened = 0, False
        while place < len(_unusual(best)) and made < tries:
            unusual = _unusual(best)
            cut = set(unusual[place : place + size])
            made += 1
            shorter = again([0 if index in cut else choice for index, choice in enumerate(best.choices)])
            if shorter is not None and len(_unusual(shorter)) < len(unusual):
                best, lessened = shorter, True
            else:
                place += size
        if made >= tries:
            break
        if not lessened:
            size //= 2
        size = min(size, len(_unusual(best)))
    return best, made


def _unusual(trial: Trial) -> list[int]:
    return [index for index, choice in enumerate(trial.choices) if choice]


RANDOM_RUNS: Final = 24
_RANDOM_SHARE: Final = 0.25
"""The largest fraction of the runs that may be random. It is not a fraction of the time, so that every machine makes
the same runs."""
_UNDIRECTED: Final = 200
"""The number of runs of the exhaustive search after which the directed search is tried."""
MOST_STEPS: Final = 20_000
_TRIES: Final = 200
_STEPS_TO_SIMPLIFY: Final = 20_000
"""The number of steps that simplifying a run may take: the trace must not depend on the speed of the machine."""
_RUNS_TO_DESCRIBE: Final = 4
"""The number of runs needed to find and describe a fault that every run has."""
_LEAST_PATIENCE: Final = 0.5
Progress = Callable[[int, SearchScope], None]


def verify(
    cell: "str | Path | CellSource | Build",
    *,
    budget: int = 10_000,
    seconds: float = 60.0,
    seed: int | None = None,
    until: float | None = None,
    ignore: Collection[Kind] = (),
    outcome: Sequence[str] | None = None,
    checks: Sequence[Function] = (),
    out: str | Path | None = None,
    progress: Progress | None = None,
    most_steps: int = MOST_STEPS,
) -> Verdict:
    """Search the orders of events of a cell for a fault, and return the verdict.

    Args:
        cell: The path of a cell, a source, or a function ``build(cell)``. It is built again for every run.
        budget: The number of runs after which the search ends.
        seconds: The wall time after which it ends.
        seed: The seed of the cell's random streams; by default its own.
        until: The cell time in seconds at which every run ends; by default the cell's own.
        ignore: Kinds of faults to ignore, such as ``"order"``.
        outcome: The signals whose last values must not depend on the order of a tie; by default all.
        checks: Functions that must hold after every step, besides those in the cell's ``checks.py``.
        out: The folder for the recording of a run with a fault; by default it is not recorded.
        progress: A function that is called after every run.
        most_steps: The number of steps after which a run is abandoned.

    Raises:
        UnknownName: ``ignore`` or ``outcome`` names something that does not exist.
        DrycellError: The cell cannot be built, or its runs are not repeatable.

    >>> from drycell import wait
    >>> def build(cell):
    ...     left, right = cell.signal("left", False), cell.signal("right", False)
    ...     @cell.program
    ...     def one():
    ...         wait(right)
    ...         left.set(True)
    ...     @cell.program
    ...     def other():
    ...         wait(left)
    ...         right.set(True)
    >>> verdict = verify(build)
    >>> verdict.clean, verdict.finding.fault.kind
    (False, 'deadlock')
    """
    for kind in ignore:
        if kind not in KINDS:
            raise UnknownName("kind of fault", kind, KINDS)
    subject = Subject.of(cell, seed, checks)
    search = Search(subject, RunLimits(until, most_steps), frozenset(ignore), Outcomes(outcome), progress)
    return search.run(budget, seconds, None if out is None else Path(out))


class _OutOfBudget(Exception):
    """Raised when no runs or no time are left; it says which."""


class _Found(Exception):
    """Raised when a run with a fault is found."""

    def __init__(self, fault: SearchFault, trial: Trial) -> None:
        super().__init__(fault.head)
        self.fault = fault
        self.trial = trial


class Search:
    """One search of one cell."""

    def __init__(
        self,
        subject: Subject,
        limits: RunLimits,
        ignored: frozenset[Kind],
        outcomes: Outcomes,
        progress: Progress | None,
    ) -> None:
        self._subject = subject
        self._limits = limits
        self._ignored = ignored
        self._outcomes = outcomes
        self._progress = progress
        self._visible: dict[str, set[str]] = {}
        self._runs = 0
        self._cut_off = 0
        self._unclear: set[str] = set()
        self._scope = SearchScope(subject.name, 0)
        self._notes: list[str] = []
        self._clock = self._world = False
        self._sampler = IntervalSampler()

    @property
    def _by_order(self) -> bool:
        """Whether, as far as is known, the order of events alone determines the course of a run."""
        return not self._clock and not self._world

    def run(self, budget: int, time_limit: float, out: Path | None) -> Verdict:
        """Search until a fault is found, all orders are seen, or the budget is spent."""
        self._budget = budget
        self._started = time.monotonic()
        self._deadline = self._started + time_limit
        # A program that computes endlessly does so in every run needed to describe the fault.
        patience = max(time_limit / _RUNS_TO_DESCRIBE, _LEAST_PATIENCE)
        self._limits = replace(self._limits, deadline=self._deadline, patience=patience)
        finding, exhausted, stopped = None, False, ""
        try:
            first = self._try(ReplayingChooser())
            self._repeat(first)
            self._random(first)
            if self._scope.intervals and not self._by_order:
                self._describe_intervals()
                self._sample(self._runs + (budget - self._runs) // 2)
            self._exhaust()
            if self._scope.by_corners:
                self._sampler.names = self._scope.by_corners
                self._sample(budget)
            exhausted = not (self._cut_off or self._unclear or self._scope.by_corners)
        except _OutOfBudget as spent:
            stopped = str(spent)
        except _Found as found:
            finding = self._described(found, self._runs, out)
        took = time.monotonic() - self._started
        return Verdict(
            self._scope,
            self._runs,
            took,
            exhausted,
            finding,
            self._cut_off,
            stopped,
            tuple(sorted(self._unclear)),
            tuple(self._notes),
        )

    # -- its parts

    def _repeat(self, first: Trial) -> None:
        """Repeat the usual run: if anything besides the choices determines its course, the search is meaningless."""
        self._runs += 1
        again, _ = try_out(self._subject, ReplayingChooser(), self._limits, self._visible)
        if again.ending == "out of time":
            raise _OutOfBudget(self._time_is_up())
        if not first.same(again):
            raise not_repeatable("a second run with the same choices differed")

    def _random(self, first: Trial) -> None:
        if not first.ties and not first.draws:
            return
        ties = first.ties
        few = 4 * (first.ties + len(first.draws))  # trying all orders is as quick in this case
        for number in range(min(RANDOM_RUNS, few, round(_RANDOM_SHARE * self._budget))):
            trial = self._try(PctChooser(f"pct {number}", 2 + number % 2, ties))
            ties = max(ties, trial.ties)

    def _sample(self, last: int) -> None:
        """Try values between the limits of intervals, up to a number of runs."""
        while self._runs < last:
            chooser = self._sampler.next()
            if chooser is None:
                return
            self._try(chooser)
            self._sampler.note(chooser)
            self._scope = replace(self._scope, sampled=self._sampler.tried)

    def _direct(self) -> None:
        """Look for deadlocks of many programs, which the exhaustive search finds late."""
        directed = DirectedSearch()
        while (run := directed.next()) is not None:
            self._try(run)
            directed.note(run)

    def _exhaust(self) -> None:
        while not self._exhausted():
            pass

    def _exhausted(self) -> bool:
        """Try all orders; return False if the search must start again because of something it has learnt."""
        by_order = self._by_order
        reduction, tried = Reduction(by_order=by_order), 0
        while True:
            known = sum(map(len, self._visible.values()))
            trial = self._try(reduction)
            self._cut_off += trial.ending == "cut off"
            if by_order and not self._by_order and self._scope.intervals:
                return False
            if sum(map(len, self._visible.values())) != known:
                return False
            tried += 1
            if by_order and tried == _UNDIRECTED:
                self._direct()
            if not reduction.advance():
                self._describe_intervals(reduction.odd)
                return True

    # -- one run

    def _try(self, chooser: Chooser) -> Trial:
        if self._runs >= self._budget:
            raise _OutOfBudget(f"the budget of {self._budget} runs is spent")
        if time.monotonic() >= self._deadline:
            raise _OutOfBudget(self._time_is_up())
        self._runs += 1
        trial, watch = try_out(self._subject, chooser, self._limits, self._visible)
        self._learn(trial, watch)
        if self._progress is not None:
            self._progress(self._runs, self._scope)
        if trial.ending in ("interrupted", "out of time"):
            raise _OutOfBudget("interrupted" if trial.ending == "interrupted" else self._time_is_up())
        fault = fault_of(trial, self._ignored)
        if fault is not None:
            raise _Found(fault, trial)
        if "order" not in self._ignored:
            self._compare(trial)
        return trial

    def _time_is_up(self) -> str:
        return f"the time of {self._deadline - self._started:g} s is up"

    def _compare(self, trial: Trial) -> None:
        """Check whether the order of ties has changed the outcome."""
        earlier = self._outcomes.other(trial)
        for unusual in () if earlier is None else (trial, earlier):
            fault = self._against_usual(unusual)
            if fault is not None:
                raise _Found(fault, unusual)

    def _against_usual(self, trial: Trial) -> SearchFault | None:
        usual, _ = try_out(self._subject, UsualOrder(trial), self._limits, self._visible)
        return self._outcomes.fault(usual, trial)

    def _learn(self, trial: Trial, watch: RunWatcher) -> None:
        self._clock = self._clock or trial.clock_read
        self._world = self._world or trial.world_moved
        self._unclear.update(trial.unclear)
        scope = self._scope
        for name in self._outcomes.compared or ():
            if name not in trial.final:
                raise UnknownName("signal", name, trial.final)
        if not scope.programs:
            self._clock = self._clock or watch.sharing.clock
            self._notes = watch.sharing.notes
            scope = replace(scope, programs=len(watch.cell.programs))
        intervals = {name for name, _, value in trial.draws if isinstance(value, float)}
        choices = {name for name, _, value in trial.draws if not isinstance(value, float)}
        if not (intervals <= set(scope.intervals) and choices <= set(scope.choices)) or scope is not self._scope:
            self._scope = replace(
                scope,
                intervals=tuple(sorted(intervals.union(scope.intervals))),
                choices=tuple(sorted(choices.union(scope.choices))),
            )

    def _describe_intervals(self, odd: Collection[str] = ()) -> None:
        """Record which intervals cannot be searched by order, and why; ``odd`` are those used other than as delays."""
        names, reason = self._scope.intervals, "a program reads the clock" if self._clock else "bodies move"
        if self._by_order:
            names, reason = tuple(sorted(odd)), "the number is used other than as a delay"
        self._scope = replace(self._scope, by_corners=names, reason=reason if names else "")

    # -- the report

    def _described(self, found: _Found, run: int, out: Path | None) -> Finding:
        self._deadline = time.monotonic() + 0.5 * (self._deadline - self._started)
        self._limits = replace(self._limits, deadline=math.inf)
        tries = min(_TRIES, max(1, _STEPS_TO_SIMPLIFY // max(1, found.trial.steps)))
        least, _ = shrunk(found.trial, lambda choices: self._again(choices, found.fault), tries)
        tracer = Tracer(least.choices)
        trial, _ = try_out(self._subject, tracer, self._limits, self._visible)
        fault = self._judged(trial, found.fault)
        if fault is None:
            raise not_repeatable(f"repeating the run did not show the fault again: {found.fault.head}")
        if fault.kind == "order":
            fault = replace(fault, time=turning_point(tracer.steps) or fault.time)
        steps = trace_steps(fault, trial, tracer.steps)
        lines = tuple(trace_lines(steps, len(tracer.steps)))
        recording = None if out is None else self._record(trial, steps, out)
        return Finding(fault, trial.choices, run, lines, recording)

    def _again(self, choices: Sequence[int], fault: SearchFault) -> Trial | None:
        if time.monotonic() > self._deadline:
            return None
        trial, _ = try_out(self._subject, ReplayingChooser(choices), self._limits, self._visible)
        return trial if fault.same(self._judged(trial, fault)) else None

    def _judged(self, trial: Trial, fault: SearchFault) -> SearchFault | None:
        return self._against_usual(trial) if fault.kind == "order" else fault_of(trial, self._ignored)

    def _record(self, trial: Trial, steps: Sequence[TraceStep], out: Path) -> Path:
        from drycell.cell import run

        out.mkdir(parents=True, exist_ok=True)
        number = 1
        while (path := out / f"{self._subject.name}-{number}.dry").exists():
            number += 1
        cell = self._subject.build(ReplayingChooser(trial.choices))
        cell.pace = None
        self._limits.have_patience(cell.kernel)
        # An abandoned run is recorded up to that time.
        until = seconds(trial.time) if trial.ending in ("violated", "cut off") else self._limits.until
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(*_expected(trial)):
            run(
                cell,
                until,
                pace=None,
                journal=None,
                record=path,
                source=self._subject.source,
                trace=[step.data() for step in steps],
            )
        return path


def _expected(trial: Trial) -> tuple[type[Exception], ...]:
    return () if trial.error is None else (type(trial.error),)
