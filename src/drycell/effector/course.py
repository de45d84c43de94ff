"""Questions about a time law that may turn back: when it passes a place, when it stays near one, held between stops."""

import math
from collections.abc import Iterator
from itertools import pairwise

from drycell.effector.response import bisect
from drycell.handling import Piece, TimeLaw


def passes(law: TimeLaw, place: float, after: float = 0.0, *, rising: bool) -> float | None:
    """The first instant from ``after`` on at which a law is at a place or beyond it, upwards or downwards; or None."""
    sign = 1.0 if rising else -1.0

    def there(u: float) -> bool:
        return sign * (law.state(u)[0] - place) >= 0.0

    if there(after):
        return after
    for low, high in _stretches(law):
        if high > after and there(high):
            return bisect(there, max(low, after), high)
    return None


def stays_within(law: TimeLaw, place: float, tolerance: float) -> float:
    """The instant from which on a law is within a tolerance of a place; its end if it never comes that near."""
    for low, high in reversed(list(_stretches(law))):
        if abs(law.state(high)[0] - place) > tolerance:
            return high
        if abs(law.state(low)[0] - place) > tolerance:
            return bisect(lambda u: abs(law.state(u)[0] - place) <= tolerance, low, high)
    return 0.0


def held_between(law: TimeLaw, low: float, high: float) -> TimeLaw:
    """The same law for what cannot go beyond two stops: it stands at one while the law is beyond it."""
    breaks, pieces = [0.0], list[Piece]()
    for start, end in _stretches(law):
        cuts = [start, *sorted(u for u in _met(law, start, end, (low, high)) if start < u < end), end]
        for a, b in pairwise(cuts):
            if b <= breaks[-1]:
                continue
            middle = law.state(0.5 * (a + b))[0]
            stop = low if middle < low else high if middle > high else None
            breaks.append(b)
            pieces.append(_since(law, a) if stop is None else (stop, 0.0, 0.0, 0.0))
    if not pieces:
        return resting(min(max(law.end, low), high))
    return TimeLaw(tuple(breaks), tuple(pieces))


def one_way(law: TimeLaw, way: int) -> TimeLaw:
    """A law up to where it first goes against a way, down (−1) or up (1): there a pawl holds it."""
    for low, high in _stretches(law):
        if way * (law.state(high)[0] - law.state(low)[0]) < 0.0:
            kept = [u for u in law.breaks if u < low]
            return TimeLaw((*kept, low), law.pieces[: len(kept)]) if kept else resting(law.state(0.0)[0])
    return law


def resting(place: float) -> TimeLaw:
    """A law that stands."""
    return TimeLaw((0.0, 0.0), ((place, 0.0, 0.0, 0.0),))


def _since(law: TimeLaw, u: float) -> Piece:
    """The cubic that holds from an instant on."""
    return law.after(u).pieces[0] if u > 0.0 else law.pieces[0]


def _met(law: TimeLaw, start: float, end: float, places: tuple[float, float]) -> Iterator[float]:
    first, last = law.state(start)[0], law.state(end)[0]
    for place in places:
        if min(first, last) < place < max(first, last):
            up = last > first
            yield bisect(lambda u, p=place, up=up: (law.state(u)[0] >= p) == up, start, end)  # type: ignore[misc]


def _stretches(law: TimeLaw) -> Iterator[tuple[float, float]]:
    """Instants between which a law only rises or only falls, within one cubic each."""
    for (_, b, c, d), start, end in zip(law.pieces, law.breaks, law.breaks[1:], strict=False):
        turns = [start + u for u in roots(3.0 * d, 2.0 * c, b) if 0.0 < u < end - start]
        cuts = [start, *sorted(turns), end]
        yield from pairwise(cuts)


def roots(a: float, b: float, c: float) -> list[float]:
    """Where a·u² + b·u + c is 0, in no order."""
    if a == 0.0:
        return [-c / b] if b else []
    inner = b * b - 4.0 * a * c
    if inner < 0.0:
        return []
    q = -0.5 * (b + math.copysign(math.sqrt(inner), b))
    return [q / a, *([c / q] if q else [])]
