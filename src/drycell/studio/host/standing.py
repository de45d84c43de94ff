"""Standing: from when until when a body stays where it is at an instant, by what is known so far."""

from bisect import bisect_right

from drycell.world import ALWAYS, FOREVER, LinkMotion, LiveBody, Motion, Rest

Span = tuple[int, int]


def standing(body: LiveBody, t: int, known: dict[LiveBody, Span]) -> Span:
    """The stretch around an instant in which a body does not move, or is not there; empty if it moves.

    It holds for as long as the body's ``version`` stays the same. ``known`` keeps the spans of carriers for others.
    """
    found = known.get(body)
    if found is None:
        found = known[body] = _standing(body, t, known)
    return found


def _standing(body: LiveBody, t: int, known: dict[LiveBody, Span]) -> Span:
    if t < body.born:
        return (ALWAYS, body.born)
    if t >= body.gone:
        return (body.gone, FOREVER)
    starts = body.history.times
    place = max(bisect_right(starts, t) - 1, 0)
    segment = body.history[place]
    since = max(segment.start if place else ALWAYS, body.born)
    until = min(starts[place + 1] if place + 1 < len(starts) else FOREVER, body.gone)
    first, last = _still(segment.motion, t)
    since, until = max(since, first), min(until, last)
    if since < until and segment.parent is not None:
        first, last = standing(segment.parent, t, known)
        since, until = max(since, first), min(until, last)
    return (since, until) if since < until else (0, 0)


def _still(motion: Motion, t: int) -> Span:
    """The stretch around an instant in which a motion does not move anything."""
    if isinstance(motion, LinkMotion):
        trajectory = motion.linkage.trajectory(t)
        return (trajectory.end, motion.linkage.next_start(t)) if t >= trajectory.end else (0, 0)
    if isinstance(motion, Rest):
        return (ALWAYS, FOREVER)
    if t < motion.start:
        return (ALWAYS, motion.start)
    return (motion.end, FOREVER) if t >= motion.end else (0, 0)
