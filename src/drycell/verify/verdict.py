"""Verdicts: what a search came to, for people, for programs and for tests."""

from dataclasses import dataclass, field
from pathlib import Path

from drycell.verify.faults import SearchFault


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, the choices that bring it about, its trace, and the recording of the run."""

    fault: SearchFault
    choices: tuple[int, ...]
    run: int
    """The run in which it was first seen."""
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
    """Those of them that were searched by their limits alone."""
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
    """The end of a search: the fault found, or how far it came without finding one."""

    scope: SearchScope
    runs: int
    seconds: float
    exhausted: bool
    """Whether every order was seen, or shown to come to the same as one that was; where intervals were searched by
    their limits (``scope.by_corners``), every order at these."""
    finding: Finding | None = None
    cut_off: int = 0
    """Runs that were given up because they did not come to an end."""
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def clean(self) -> bool:
        """Nothing found, and nothing left to be searched, but for values between the limits of intervals that
        ``scope.by_corners`` names."""
        return self.finding is None and self.exhausted

    @property
    def outcome(self) -> str:
        """The end of the line that says what was searched."""
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

    def all_notes(self) -> list[str]:
        """What one should know of the search."""
        scope = self.scope
        told = list(self.notes)
        if scope.by_corners:
            which = "all" if len(scope.by_corners) == len(scope.intervals) else ", ".join(scope.by_corners)
            told.append(f"intervals searched by their limits only: {which} ({scope.reason})")
        elif scope.intervals and self.exhausted:
            told.append("intervals were searched by the order of events: every value is covered")
        if self.cut_off:
            told.append(f"{_count(self.cut_off, 'run')} given up without an end: set an end with --until")
        return told


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
