"""Outcomes: whether the order of a tie, which nobody can rely on, decides what a run comes to.

The outcome of a run is how it ended and the last value of every signal (or of those named). Two runs are compared
when what they drew from declared choices and intervals agrees: then only the order of ties made the difference.

What daemons, devices and sensors write is compared only of runs that end at the same instant, with nothing left to do
in it: otherwise it would only tell how far they had come.
"""

from collections.abc import Sequence
from typing import Final

from drycell.kernel import RecordingChooser, point, points
from drycell.verify.fault import Fault
from drycell.verify.trial import Trial

_KEPT: Final = 32
"""Runs remembered of each outcome."""
_ENDED: Final = ("finished", "until")
Outcome = tuple[object, ...]


class Outcomes:
    """The outcomes seen so far."""

    def __init__(self, compared: Sequence[str] | None) -> None:
        self.compared = compared
        self._seen: dict[Outcome, list[Trial]] = {}

    def other(self, trial: Trial) -> Trial | None:
        """An earlier run that drew the same and came to something else; the run is remembered from now on."""
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

    def fault(self, usual: Trial, other: Trial) -> Fault | None:
        """That two runs differ in nothing but the order of ties and yet come to different things."""
        if usual.ending not in _ENDED or other.ending not in _ENDED or not _agree(usual, other):
            return None
        final, usually = other.final, usual.final
        names = [name for name in self._comparable(usual, other) if final[name] != usually[name]]
        lines = [f"{name} ends as {final[name]}, in the usual order of the tie as {usually[name]}" for name in names]
        if usual.ending != other.ending:
            lines.append(f"the run ends by '{other.ending}', in the usual order of the tie by '{usual.ending}'")
        return Fault("order", other.time, tuple(lines), tuple(names)) if lines else None

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
    """Takes every tie in its usual order, and from choices and intervals what another run drew."""

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
