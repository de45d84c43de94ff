"""Exact looks: the distance of pairs at the instants of a grid, within the windows that a sweep left over."""

import math
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from drycell.world.body import Body
from drycell.world.episode import Affixed, Observation, Pair
from drycell.world.motion import SECOND
from drycell.world.rules import Watch
from drycell.world.scene import Scene
from drycell.world.sweep import Window
from drycell.world.track import Perch, teleported

_SURE = 1e-7  # metres: more than the distance engine errs


class Marks:
    """When bodies were affixed anew: what touches then may, until the two are first 1 mm apart."""

    def __init__(self, scene: Scene, start: int) -> None:
        self._scene, self._start = scene, start
        self._changed: dict[Body, None] = {}

    def open(self, changed: Iterable[Body]) -> None:
        """Looks at these bodies' changes from now on; others have none but the monitor's own start."""
        self._changed = dict.fromkeys(changed)

    def between(self, body: Body, lo: int, hi: int) -> dict[int, Affixed]:
        """The instants in ``lo`` ≤ t < ``hi``: the start of it all, and when the body or what carries it was affixed.

        A body that only goes on by another motion is not affixed anew: what it hits meanwhile is hit.
        """
        found: dict[int, Affixed] = {}
        if body in self._changed:
            node: Body | None = body
            while node is not None:
                for start in dict.fromkeys(segment.start for segment in node.segments(lo, hi - 1)):
                    if lo <= start < hi:
                        found[start] = max(self._kind(node, start), found.get(start, Affixed.NO))
                node = node.segment(lo).parent
        if lo <= self._start < hi:
            found[self._start] = Affixed.WHERE_IT_WAS
        return {t: kind for t, kind in found.items() if kind is not Affixed.NO}

    def _kind(self, node: Body, start: int) -> Affixed:
        """What the change of segment at an instant was."""
        if teleported(self._scene.world, node, start):
            return Affixed.ELSEWHERE
        before = node.segment(start - 1)
        return (
            Affixed.NO if before.start < start and before.parent is node.segment(start).parent else Affixed.WHERE_IT_WAS
        )


def observe(
    scene: Scene, watch: Watch, marks: Marks, windows: Iterable[Window], cycle: int, margin: float
) -> dict[Pair, list[Observation]]:
    """All observations within the margin, pair by pair in order of time.

    A pair farther apart than the margin is not looked at again before it can have come within it.
    """
    seen: dict[Pair, list[Observation]] = {}
    looks: list[tuple[int, bool, int]] = []  # instant, whether on the grid, number of the watched pair
    watched: list[_Watched] = []
    for window in windows:
        near = watch.near(window.a.lineage, window.b.lineage, window.lo)  # the same all through the window
        if near is None:
            continue
        a, b = window.a.body, window.b.body
        at = marks.between(a, window.lo, window.hi)
        for t, kind in marks.between(b, window.lo, window.hi).items():
            at[t] = max(kind, at.get(t, Affixed.NO))
        looks += [(t, False, len(watched)) for t in at]
        first = -(-window.lo // cycle) * cycle
        if first < window.hi:
            looks.append((first, True, len(watched)))
        pair = (a, b) if a.name < b.name else (b, a)
        watched.append(_Watched(pair, window.hi, min(window.closing, _closing(scene, window)), near, at))
    heapify(looks)
    # In order of time over all pairs, so that the poses of an instant are computed once.
    while looks:
        t, on_grid, number = heappop(looks)
        pair, hi, closing, near, at = watched[number]
        distance = scene.gap(*pair, t)
        if not on_grid:
            if distance <= margin:
                seen.setdefault(pair, []).append(Observation(t, t, distance, near, at[t], False))
            continue
        free = distance - margin - _SURE
        still = closing * (hi - t) * SECOND <= max(free, 0.0)  # all through the window
        if distance <= margin:
            last = (hi - 1) // cycle * cycle if still else t
            seen.setdefault(pair, []).append(Observation(t, last, distance, near))
        if not still:
            ahead = int(free / closing / SECOND) // cycle * cycle if free > 0.0 else 0
            following = t + max(ahead, cycle)
            if following < hi:
                heappush(looks, (following, True, number))
    return seen


class _Watched(NamedTuple):
    """A pair in a window: until when, how fast it closes at most, how near is too near, and when it was affixed."""

    pair: Pair
    hi: int
    closing: float
    near: float
    affixed: dict[int, Affixed]


def _closing(scene: Scene, window: Window) -> float:
    """How fast the pair can close at most, seen from what carries both: a finger does not close on what it holds."""
    a, b = window.a, window.b
    if isinstance(a.way, Perch) and isinstance(b.way, Perch) and a.way.linkage is b.way.linkage:
        reach = math.hypot(*a.way.offset.position) + a.body.extent
        other = math.hypot(*b.way.offset.position) + b.body.extent
        return a.way.linkage.closing(a.way.link, reach, b.way.link, other, window.lo, window.hi - 1)
    carrier = next((each for each in a.lineage if each in b.lineage), None)
    if carrier is None:
        return math.inf
    closing = 0.0
    for body in (a.body, b.body):
        speed, turn = scene.world.bound(body, window.lo, window.hi - 1, seen_from=carrier)
        closing += speed + turn * body.extent
    return closing
