"""Verdicts: the result of a search, for people, programs and tests."""

from dataclasses import dataclass, field
from pathlib import Path

from drycell.verify.faults import SearchFault


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, the choices that lead to it, its trace, and the recording of the run."""

    fault: SearchFault
    choices: tuple[int, ...]
    run: int
    """The number of the run that first showed it."""
    trace: tuple[str, ...] = ()
    recording: Path | None = None

    def __str__(self) -> str:
        lines = [self.fault.head, *(f"  {line}" for line in self.fault.lines), *self.trace]
        return "\n".join(f"  {line}" for line in lines)


@dataclass(frozen=True, slots=True)
class SearchScope:
    """What was searched."""

    name: str
    programs: int
    choices: tuple[str, ...] = ()
    """The names of declared choices."""
    intervals: tuple[str, ...] = ()
    """The names of declared intervals."""
    by_corners: tuple[str, ...] = ()
    """The intervals that were searched completely only at their limits; values between them were sampled."""
    reason: str = ""
    """The reason for this."""
    sampled: int = 0
    """The number of runs with values between the limits of intervals."""

    def __str__(self) -> str:
        parts = [_count(self.programs, "program")]
        if self.choices:
            parts.append(_count(len(self.choices), "declared choice"))
        if self.intervals:
            parts.append(_count(len(self.intervals), "declared interval"))
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a search: the fault found, or how much was searched without finding one.

    ``str(verdict)`` is a short text; :meth:`report` returns what ``drycell verify`` prints.
    """

    scope: SearchScope
    runs: int
    seconds: float
    exhausted: bool
    """Whether everything was covered: every order, every declared choice and every value of the declared intervals was
    tried, or shown to be equivalent to one that was tried."""
    finding: Finding | None = None
    cut_off: int = 0
    """The number of runs abandoned because they did not end."""
    stopped: str = ""
    """What ended the search before it had tried everything: for example "the budget of 100 runs is spent"."""
    unclear: tuple[str, ...] = ()
    """What might have released programs that waited at the end of a run, though its source does not say so."""
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def faults(self) -> tuple[SearchFault, ...]:
        """The faults found: empty, or the one fault that ended the search."""
        return () if self.finding is None else (self.finding.fault,)

    @property
    def clean(self) -> bool:
        """Whether no fault was found and everything was covered."""
        return not self.faults and self.exhausted

    @property
    def not_covered(self) -> str:
        """The part that a search without a fault has not covered; empty if it has covered everything."""
        if self.exhausted or self.finding is not None:
            return ""
        scope, found = self.scope, []
        if self.stopped:
            found.append(f"the remaining orders ({self.stopped})")
        if self.cut_off:
            found.append(f"the rest of {_count(self.cut_off, 'run')} that did not end (set an end with --until)")
        if self.unclear:
            found.append(f"whether all waiting programs can continue ({', '.join(self.unclear)} may release them)")
        if scope.by_corners:
            every = len(scope.by_corners) == len(scope.intervals)
            which = "all intervals" if every else ", ".join(map(repr, scope.by_corners))
            tried = f", except those of {_count(scope.sampled, 'run')}" if scope.sampled else ""
            found.append(f"values between the limits of {which}{tried} ({scope.reason})")
        return "; ".join(found)

    @property
    def outcome(self) -> str:
        """The outcome in words, for the line that states what was searched."""
        took = f"{self.seconds:.1f} s"
        if self.finding is not None:
            return f"found in run {self.finding.run}, {took}"
        if self.exhausted and not self.scope.programs:
            return f"nothing to search: the cell has no programs ({_count(self.runs, 'run')} of its devices, {took})"
        if self.exhausted:
            return f"nothing found, all orders seen in {_count(self.runs, 'run')}, {took}"
        return f"nothing found in {_count(self.runs, 'run')}, {took}; search incomplete"

    def __str__(self) -> str:
        lines = [f"{self.scope}: {self.outcome}"]
        if self.finding is not None:
            lines += ["", str(self.finding)]
        return "\n".join([*lines, *self._remarks()])

    def report(self) -> str:
        """Return the text that ``drycell verify`` prints."""
        lines = [f"Searching event orders: {self.scope} … {self.outcome}"]
        if self.finding is not None:
            lines += ["", str(self.finding), f"  replay: drycell replay {self.finding.recording}"]
        return "\n".join([*lines, *self._remarks()])

    @property
    def exit_code(self) -> int:
        """2 if a fault was found, 0 if everything was covered without one, 3 if something was not covered."""
        if self.finding is not None:
            return 2
        return 0 if self.exhausted else 3

    def _remarks(self) -> list[str]:
        """The lines that qualify the result."""
        notes = list(self.notes)
        if self.scope.intervals and self.exhausted:
            notes.append("intervals were searched by the order of events: every value is covered")
        gaps = [f"  NOT covered: {self.not_covered}"] if self.not_covered else []
        return [*gaps, *(f"  note: {note}" for note in notes)]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
