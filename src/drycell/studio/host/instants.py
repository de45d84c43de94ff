"""Instants of what is over, from one of which to the next it is stepped through."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from drycell.record import FINISHED
from drycell.studio.host.session import HostSession


def event_instants(session: HostSession) -> Sequence[int]:
    """When something happened that the journal tells of."""
    return sorted({record.time for record in session.journal})


def part_instants(session: HostSession) -> Sequence[int]:
    """When a part reached a store or a sink."""
    steps = session.record.tracks.track("parts")
    return sorted({time for time, each in zip(steps.times, steps, strict=True) if each.step in FINISHED})


def following(instants: Sequence[int], shown: int, end: int, *, back: bool) -> int:
    """The next of the instants after what is shown, or the one before it; the end or the beginning beyond them."""
    if back:
        place = bisect_left(instants, shown) - 1
        return instants[place] if place >= 0 else 0
    place = bisect_right(instants, shown)
    return instants[place] if place < len(instants) else end
