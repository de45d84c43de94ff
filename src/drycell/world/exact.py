"""Exact looks: the distance of pairs at the instants of a grid, within the windows that a sweep left over."""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from drycell.world.body import LiveBody
from drycell.world.episode import Attached, Episode, Observation, Pair, contact_threshold
from drycell.world.looks import Looks, Stay
from drycell.world.rules import WatchedPairs, root
from drycell.world.scene import Scene
from drycell.world.span import Window
from drycell.world.stretch import OnLink, teleported


class Marks:
    """When bodies were attached anew: what touches then may, until the two are first 1 mm apart."""

    def __init__(self, scene: Scene, start: int) -> None:
        self._scene, self._start = scene, start
        self._changed: dict[LiveBody, None] = {}

    def open(self, changed: Iterable[LiveBody]) -> None:
        """Looks at these bodies' changes from now on; others have none but the monitor's own start."""
        self._changed = dict.fromkeys(changed)

    def between(self, body: LiveBody, lo: int, hi: int) -> dict[int, Attached]:
        """The instants in ``lo`` ≤ t < ``hi``: the start of it all, and when the body or what carries it was attached.

        A body that only goes on by another motion is not attached anew: what it hits meanwhile is hit.
        """
        found: dict[int, Attached] = {}
        if body in self._changed:
            node: LiveBody | None = body
            while node is not None:
                for start in dict.fromkeys(segment.start for segment in node.segments(lo, hi - 1)):
                    if lo <= start < hi:
                        found[start] = max(self._kind(node, start), found.get(start, Attached.NO))
                node = node.segment(lo).parent
        if lo <= self._start < hi:
            found[self._start] = Attached.WHERE_IT_WAS
        return {t: kind for t, kind in found.items() if kind is not Attached.NO}

    def _kind(self, node: LiveBody, start: int) -> Attached:
        """What the change of segment at an instant was."""
        if teleported(self._scene.world, node, start):
            return Attached.ELSEWHERE
        before = node.segment(start - 1)
        return (
            Attached.NO
            if before.start < start and before.parent is node.segment(start).parent
            else Attached.WHERE_IT_WAS
        )


def observe(
    scene: Scene,
    watch: WatchedPairs,
    marks: Marks,
    windows: Iterable[Window],
    cycle: int,
    episodes: Mapping[Pair, Episode],
) -> dict[Pair, list[Observation]]:
    """What there is to know of each pair within the margin, in order of time: enough for the ledger of episodes.

    A pair is not looked at while it can neither cross a distance that matters (touching, first apart, near, of
    interest at all) nor come nearer than it is known to have been in the same stretch.
    """
    seen: dict[Pair, list[Observation]] = {}
    for pair, stay in _stays(scene, watch, windows):
        at = marks.between(pair[0], stay.lo, stay.hi)
        for t, kind in marks.between(pair[1], stay.lo, stay.hi).items():
            at[t] = max(kind, at.get(t, Attached.NO))
        attached = [Observation(t, t, scene.gap(*pair, t), stay.near, at[t], False) for t in sorted(at)]
        before = Episode(pair) if pair in seen else episodes.get(pair, Episode(pair))
        found = Looks(partial(scene.gap, *pair), stay, cycle).observations(attached, before)
        if found:
            seen.setdefault(pair, []).extend(found)
    return seen


def _stays(scene: Scene, watch: WatchedPairs, windows: Iterable[Window]) -> Iterator[tuple[Pair, Stay]]:
    """Windows of a pair that follow each other, joined: sweeps cut time into short cells."""
    together: dict[Pair, list[Window]] = {}
    for window in windows:
        a, b = window.a.body, window.b.body
        together.setdefault((a, b) if a.name < b.name else (b, a), []).append(window)
    for pair, found in together.items():
        found.sort(key=lambda window: window.lo)
        for run in _runs(found):
            near = watch.near(run[0].a.lineage, run[0].b.lineage, run[0].lo)  # the same as long as the stretches are
            if near is None:
                continue
            # Where one of them moves otherwise it may be elsewhere at once.
            breaks = {t for body in pair for t in scene.world.changes(body, run[0].lo, run[-1].hi - 1)}
            apart = _closing(scene, run[0], run[-1].hi)
            stay: Stay | None = None
            for window in run:
                closing = min(window.closing, _closing(scene, window, window.hi)) if apart > 0.0 else 0.0
                if stay is not None and window.lo not in breaks:
                    stay.extend(window.hi, closing)
                    continue
                if stay is not None:
                    yield pair, stay
                stay = Stay(window.lo, window.hi, closing, near, contact_threshold(pair))
            if stay is not None:
                yield pair, stay


def _runs(windows: list[Window]) -> Iterator[list[Window]]:
    """Windows of the same two stretches without a hole between them."""
    run: list[Window] = []
    for window in windows:
        if run and (window.lo != run[-1].hi or window.a is not run[-1].a or window.b is not run[-1].b):
            yield run
            run = []
        run.append(window)
    yield run


def _closing(scene: Scene, window: Window, hi: int) -> float:
    """How fast the pair can close at most until ``hi``, seen from what carries both.

    A finger does not close on what it holds.
    """
    a, b = window.a, window.b
    if isinstance(a.way, OnLink) and isinstance(b.way, OnLink) and a.way.linkage is b.way.linkage:
        reach = math.hypot(*a.way.offset.position) + a.body.extent
        other = math.hypot(*b.way.offset.position) + b.body.extent
        return a.way.linkage.closing(a.way.link, reach, b.way.link, other, window.lo, hi - 1)
    carrier = next((each for each in a.lineage if each in b.lineage), None)
    if carrier is None or root(a.lineage[a.lineage.index(carrier) :], window.lo) is None:
        return math.inf  # nothing that moves carries both: the window knows as much
    closing = 0.0
    for body in (a.body, b.body):
        speed, turn = scene.world.bound(body, window.lo, hi - 1, seen_from=carrier)
        closing += speed + turn * body.extent
    return closing
