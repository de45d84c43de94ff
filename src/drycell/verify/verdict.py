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
    """The number of the run in which it was first seen."""
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
    """The intervals that were searched only at their limits."""
    reason: str = ""
    """Why they were."""

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
    """Whether every order was seen, or shown to be equivalent to one that was. Where intervals were searched at their
    limits (``scope.by_corners``): every order at these limits."""
    finding: Finding | None = None
    cut_off: int = 0
    """The number of runs that were given up because they did not end."""
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def clean(self) -> bool:
        """Whether no fault was found and nothing is left to search, except values between the limits of the intervals
        in ``scope.by_corners``."""
        return self.finding is None and self.exhausted

    @property
    def outcome(self) -> str:
        """The outcome in words, for the line that states what was searched."""
        took = f"{self.seconds:.1f} s"
        if self.finding is not None:
            return f"found in run {self.finding.run}, {took}"
        if self.exhausted and not self.scope.programs:
            return f"nothing to search: the cell has no programs ({_count(self.runs, 'run')} of its devices, {took})"
        if self.exhausted and self.scope.by_corners:
            seen = f"all orders seen at the limits of intervals in {_count(self.runs, 'run')}, {took}"
            return f"nothing found, {seen}; NOT between the limits"
        if self.exhausted:
            return f"nothing found, all orders seen in {_count(self.runs, 'run')}, {took}"
        return f"nothing found in {_count(self.runs, 'run')}, {took}; NOT all orders seen"

    def __str__(self) -> str:
        lines = [f"{self.scope}: {self.outcome}"]
        if self.finding is not None:
            lines += ["", str(self.finding)]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.all_notes())])

    def report(self) -> str:
        """Return the text that ``drycell verify`` prints."""
        lines = [f"Searching event orders: {self.scope} … {self.outcome}"]
        if self.finding is not None:
            lines += ["", str(self.finding), f"  replay: drycell replay {self.finding.recording}"]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.all_notes())])

    @property
    def exit_code(self) -> int:
        """2 if a fault was found, 0 if all orders were seen without one, 3 if the search ended before that."""
        if self.finding is not None:
            return 2
        return 0 if self.exhausted else 3

    def all_notes(self) -> list[str]:
        """Return notes that qualify the result."""
        scope = self.scope
        notes = list(self.notes)
        if scope.by_corners:
            which = "all" if len(scope.by_corners) == len(scope.intervals) else ", ".join(scope.by_corners)
            notes.append(f"intervals searched only at their limits: {which} ({scope.reason})")
        elif scope.intervals and self.exhausted:
            notes.append("intervals were searched by the order of events: every value is covered")
        if self.cut_off:
            notes.append(f"{_count(self.cut_off, 'run')} did not end and were given up: set an end with --until")
        return notes


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
