"""The faults that a search finds: faults in a single run, and outcomes that depend on the order of a tie.

The outcome of a run is how it ended and the last value of every signal (or of the signals given). Two runs are compared
if they drew the same from declared choices and intervals: only the order of ties can then make a difference. Signals
that daemons, devices and sensors write are compared only between runs that end at the same time with nothing left to do
at that time: otherwise the difference would only show how far each had progressed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from drycell.base import DrycellError
from drycell.kernel import Location, RecordingChooser, point, points, seconds
from drycell.verify.trial import Trial

Kind = Literal["check", "assertion", "error", "lost signal", "deadlock", "livelock", "collision", "lost part", "order"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class SearchFault:
    """A fault in a run: its kind, its time, and the lines that describe it."""

    kind: Kind
    time: int
    lines: tuple[str, ...]
    identity: tuple[object, ...] = ()
    """The key by which two faults of one kind are the same fault, independent of their times."""

    @property
    def head(self) -> str:
        """The first line of the report."""
        name = "order dependence" if self.kind == "order" else self.kind
        return f"{name.upper()} at {seconds(self.time):.3f} s"

    def same(self, other: "SearchFault | None") -> bool:
        """Whether another run shows the same fault."""
        return other is not None and (self.kind, self.identity) == (other.kind, other.identity)


def fault_of(trial: Trial, ignored: frozenset[Kind]) -> SearchFault | None:
    """Return the most significant fault that a run shows, except those of ignored kinds."""
    for fault in _faults(trial):
        if fault.kind not in ignored:
            return fault
    return None


def _faults(trial: Trial) -> list[SearchFault]:
    time = trial.time
    found: list[SearchFault] = []
    if trial.check:
        found.append(SearchFault("check", time, (f"does not hold: {trial.check}",), (trial.check,)))
    if trial.lost is not None:
        found.append(_lost(trial))
    polls = any(each.polls for each in trial.blocked)
    if trial.circles and (polls or trial.stuck is None):
        where = (
            str(trial.error).splitlines()[0]
            if trial.error is not None
            else "the cell repeats the same states indefinitely"
        )
        found.append(SearchFault("livelock", time, (*_pulses(trial), where, *trial.asks)))
    elif trial.error is not None:
        found.append(_error(trial.error, time))
    if trial.ending == "deadlock" or trial.stuck is not None:
        since = time if trial.stuck is None else trial.stuck
        kind: Kind = "livelock" if polls else "deadlock"
        found.append(
            SearchFault(kind, since, (*(_pulses(trial) if polls else ()), *_waits(trial)), tuple(_blocked(trial)))
        )
    for collision in trial.collisions[:1]:
        found.append(
            SearchFault("collision", collision.time, (f"{collision.a} with {collision.b}",), (collision.a, collision.b))
        )
    if trial.parts_lost:
        found.append(SearchFault("lost part", time, (", ".join(trial.parts_lost),), trial.parts_lost))
    return found


def _error(error: Exception, time: int) -> SearchFault:
    kind: Kind = "assertion" if isinstance(error.__cause__, AssertionError) else "error"
    what = error.what if isinstance(error, DrycellError) else f"{type(error).__name__}: {error}"
    lines = [what]
    if isinstance(error, DrycellError) and error.where:
        lines.append(f"at {error.where}")
    return SearchFault(kind, time, tuple(lines), (type(error).__name__, _without_numbers(what)))


def _lost(trial: Trial) -> SearchFault:
    lost = trial.lost
    assert lost is not None  # named by its caller
    edge = lost.edge
    what = f"{edge.signal.name} became {edge.after} at {seconds(edge.time):.3f} s ({edge.cause}), but nobody saw it"
    late = "waited for it until its timeout" if lost.timed_out else "still waits for it"
    lines = (what, f"{lost.process} {late}: {lost.waits_for}", *_waits(trial))
    return SearchFault("lost signal", trial.time, lines, (edge.signal.name, edge.after, lost.process))


def _pulses(trial: Trial) -> list[str]:
    """The probable causes of a livelock: pulses that were over when a program began to poll."""
    lines = []
    for each in trial.pulses:
        begin, end = each.begin, each.end
        times = f"from {seconds(begin.time):.3f} s to {seconds(end.time):.3f} s ({begin.cause})"
        lines.append(f"{begin.signal.name} was {begin.after} {times}, but nobody read it")
        lines.append(f"{each.process} next read it at {seconds(each.polls_since):.3f} s, and still polls it")
    return lines


def _waits(trial: Trial) -> list[str]:
    return [f"{who:<10} {where:<14} {verb:<9}  {what}" for who, where, verb, what in _blocked(trial)]


def _blocked(trial: Trial) -> list[tuple[str, str, str, str]]:
    known = any(each.stuck_since is not None for each in trial.blocked)
    return [
        (each.process, str(Location(each.file, each.line, "")), each.verb, each.waits_for)
        for each in trial.blocked
        if trial.ending == "deadlock"
        or (each.stuck_since is not None if known else trial.stuck is not None and not each.daemon)
    ]


def _without_numbers(text: str) -> str:
    return "".join(character for character in text if not character.isdigit())


_KEPT: Final = 32
"""The number of runs that are kept for each outcome."""
_ENDED: Final = ("finished", "until")
Outcome = tuple[object, ...]


class Outcomes:
    """The outcomes of the runs so far."""

    def __init__(self, compared: Sequence[str] | None) -> None:
        self.compared = compared
        self._seen: dict[Outcome, list[Trial]] = {}

    def other(self, trial: Trial) -> Trial | None:
        """Return an earlier run with equal draws but a different outcome, and keep this run for later comparisons."""
        if trial.ending not in _ENDED:
            return None
        own = (trial.ending, trial.time, trial.settled, *sorted(trial.final.items()))
        for outcome, trials in self._seen.items():
            if outcome != own:
                for earlier in trials:
                    if self.fault(earlier, trial) is not None:
                        return earlier
        kept = self._seen.setdefault(own, [])
        if len(kept) < _KEPT:
            kept.append(trial)
        return None

    def fault(self, usual: Trial, other: Trial) -> SearchFault | None:
        """Return the fault of two runs that differ only in the order of ties but have different outcomes."""
        if usual.ending not in _ENDED or other.ending not in _ENDED or not _agree(usual, other):
            return None
        final, usually = other.final, usual.final
        names = [name for name in self._comparable(usual, other) if final[name] != usually[name]]
        lines = [
            f"{name} ends as {final[name]}; with the usual order of the tie it ends as {usually[name]}"
            for name in names
        ]
        if usual.ending != other.ending:
            lines.append(
                f"the run ends by '{other.ending}'; with the usual order of the tie it ends by '{usual.ending}'"
            )
        return SearchFault("order", other.time, tuple(lines), tuple(names)) if lines else None

    def _comparable(self, one: Trial, other: Trial) -> list[str]:
        names = [name for name in (self.compared or one.final) if name in one.final and name in other.final]
        if one.time == other.time and one.settled and other.settled:
            return names
        others = one.by_others | other.by_others
        return [name for name in names if name not in others]


def _agree(one: Trial, other: Trial) -> bool:
    drawn = {draw[:2]: draw[2] for draw in one.draws}
    return all(drawn.get(draw[:2], draw[2]) == draw[2] for draw in other.draws)


class UsualOrder(RecordingChooser):
    """A chooser that takes every tie in its usual order, and draws the same choices and intervals as another run."""

    def __init__(self, like: Trial) -> None:
        super().__init__()
        self._drawn = {(name, asked): value for name, asked, value in like.draws}
        self._asked: dict[str, int] = {}
        self._number = 0

    def answer(self, count: int) -> int:
        return min(self._number, count - 1)

    def value(self, name: str, count: int) -> int:
        return self._as(int(self._next(name, 0)), count)

    def interval(self, name: str, low: float, high: float) -> float:
        value = self._next(name, low)
        inner = round((value - low) * 1e6) + 1
        number = 0 if value == low else 1 if value == high else inner
        return point(low, high, self._as(number, points(low, high)))

    def _next(self, name: str, otherwise: float) -> float:
        asked = self._asked[name] = self._asked.get(name, 0) + 1
        return self._drawn.get((name, asked), otherwise)

    def _as(self, number: int, count: int) -> int:
        self._number = number
        answer = self._of(count)
        self._number = 0
        return answer
