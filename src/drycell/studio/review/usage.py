"""How much machines and robots were used up to an instant, from what is known of the past: signals and moves."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from drycell.cell.usage import Usage
from drycell.kernel import seconds
from drycell.studio.review.trace import Change, Track, changes_until

Span = tuple[int, int]  # ticks, from – to
_SIGNALS: Final = ("start", "running", "ready", "broken")


def machines_among(signals: Mapping[str, Track]) -> list[str]:
    """The names of machine tools, told by the four signals that every one of them has."""
    names = (name.removesuffix(".running") for name in signals if name.endswith(".running"))
    return [name for name in names if all(_is_flag(signals.get(f"{name}.{each}")) for each in _SIGNALS)]


def machine_usage(signals: Mapping[str, Track], name: str, t: int) -> Usage:
    """How much a machine was used up to an instant: as its signals tell, and so as they were published."""
    spent = sum(end - start for start, end in on_spans(signals[f"{name}.running"].changes, t))
    return Usage(seconds(spent), spent / t if t else 0.0, _cycles(signals, name, t))


def on_spans(changes: Sequence[Change], t: int) -> list[Span]:
    """When a signal was on, up to an instant."""
    found: list[Span] = []
    since: int | None = None
    for time, value, _ in changes_until(changes, t):
        if value and since is None:
            since = time
        elif not value and since is not None:
            found.append((since, time))
            since = None
    return found if since is None else [*found, (since, t)]


@dataclass(frozen=True)
class Shares:
    """How busy something was in each of several equal stretches of time."""

    step: int
    shares: list[float]


def shares(spans: Sequence[Span], t: int, pieces: int = 60) -> Shares:
    """What share of each of so many stretches from 0 to an instant the spans (in order, apart) cover."""
    step = max(-(-t // pieces), 1)
    ends = [span[1] for span in spans]
    found = []
    for start in range(0, t, step):
        stop = min(start + step, t)
        covered = 0
        for low, high in spans[bisect_right(ends, start) :]:
            if low >= stop:
                break
            covered += min(high, stop) - max(low, start)
        found.append(covered / (stop - start))
    return Shares(step, found)


def clipped(spans: Sequence[Span], t: int) -> list[Span]:
    """Spans up to an instant."""
    return [(low, min(high, t)) for low, high in spans[: bisect_right(spans, t, key=itemgetter(0))] if low < t]


def _cycles(signals: Mapping[str, Track], name: str, t: int) -> int:
    """Its cycles are complete when it says ready; with a door, when that begins to open."""
    door = signals.get(f"{name}.door_closed")
    if door is not None:
        past = changes_until(door.changes, t)
        return sum(not value for _, value, _ in past[1:])
    return sum(bool(value) for _, value, _ in changes_until(signals[f"{name}.ready"].changes, t)[1:])


def _is_flag(track: Track | None) -> bool:
    return track is not None and track.type == "bool"
