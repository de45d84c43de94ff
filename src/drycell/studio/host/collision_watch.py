"""Pauses a run at the instant at which its next collision begins."""

from typing import Final

from drycell.base import format_length
from drycell.kernel import Pace
from drycell.studio.api.problems import RunProblem
from drycell.world import Collision, CollisionMonitor, LiveBody

_AHEAD: Final = 2_000_000  # ticks that are looked ahead at once, unless the next event is later
_FARTHEST: Final = 600_000_000  # ticks


class CollisionWatch:
    """Looks for a collision before each event of a run. A run that continues from one stops at the next."""

    def __init__(self, monitor: CollisionMonitor, pace: Pace) -> None:
        self._monitor, self._pace = monitor, pace
        self._clear_until = -1  # nothing collides before this time unless a motion changes
        self._next: Collision | None = None
        self._passed = -1  # the time of the last collision at which the run was paused
        monitor.world.subscribe(self._changed)

    def set(self, on: bool) -> None:
        """Start or end the watch."""
        self._clear_until, self._next = -1, None
        self._pace.stop_ahead(self._ahead if on else None)

    @property
    def reached(self) -> RunProblem | None:
        """The collision at which the run is paused."""
        found = self._next
        if found is None or self._pace.goes or self._pace.shown != found.time:
            return None
        text = f"{found.a} – {found.b}, it begins here"
        if found.depth > 0:
            text = f"{found.a} – {found.b}, {format_length(found.depth, 2)} deep"
        return RunProblem(found.time, "collision", text, bodies=(found.a, found.b), point=found.point)

    def _changed(self, _: LiveBody) -> None:
        self._clear_until = -1

    def _ahead(self, due: int) -> int | None:
        now = self._monitor.world.now
        if self._next is not None and self._pace.shown >= self._next.time:
            self._passed, self._next, self._clear_until = self._next.time, None, -1
        if self._clear_until < due:
            end = min(max(due, now + _AHEAD), now + _FARTHEST)
            ahead = (each for each in self._monitor.foresee(end) if each.time > self._passed)
            self._next = next(ahead, None)
            self._clear_until = end if self._next is None else self._next.time
        return self._next.time if self._next is not None and self._next.time < due else None
