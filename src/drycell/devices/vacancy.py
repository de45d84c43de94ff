"""A place where parts shall appear that is no belt: when what is in the way has gone."""

from collections.abc import Callable
from typing import Final

from drycell.base import Pose
from drycell.geometry import TOUCH, Shape
from drycell.kernel import Kernel, Rank, Timer
from drycell.world import ALWAYS, ContactSearch, LiveBody, PartTracking, Rest, Scene, Segment, lineage, rests_from

_HORIZON: Final = 1_000_000  # ticks looked ahead at a time
_PRESSED: Final = 1e-6  # metres: what reaches into the place by less only touches it


class Vacancy:
    """The room that a shape takes at a pose on a body. Waiting ends at the very instant it is free."""

    def __init__(self, kernel: Kernel, scene: Scene, ledger: PartTracking, name: str, support: LiveBody) -> None:
        self._kernel, self._scene, self._ledger, self._name = kernel, scene, ledger, name
        self._support = support
        self._ahead = ContactSearch(scene.world)
        self._place: LiveBody | None = None
        self._action: Callable[[], None] | None = None
        self._timer: Timer | None = None
        self._blocking: list[LiveBody] = []
        scene.world.subscribe(self._changed)

    def admit(self, shape: Shape, local: Pose, action: Callable[[], None]) -> bool:
        """Does something once nothing is where a shape shall be, seen from the support; says whether that was at once.

        One at a time waits.
        """
        # A body that is in nobody's way: it has a place, but is not in the world.
        self._place = LiveBody(f"{self._name}.place", shape)
        self._place.history.append(ALWAYS, Segment(ALWAYS, self._support, Rest(local)))
        self._action = action
        self._look()
        return self._place is None

    def _look(self) -> None:
        self._cancel()
        place, action = self._place, self._action
        if place is None or place.shape is None or action is None:
            return
        now = self._kernel.now
        touches = self._scene.inside(place.shape, self._scene.world.pose(place), ignore=[self._support])
        self._blocking = [touch.body for touch in touches if touch.distance < -_PRESSED]
        if not self._blocking:
            self._place = self._action = None
            action()
            return
        when = self._ahead.last([(place, each) for each in self._blocking], now, now + _HORIZON, TOUCH)
        if when is not None:
            self._look_at(max(when, now + 1))
        elif any(rests_from(each) > now + _HORIZON for each in self._blocking):
            self._look_at(now + _HORIZON)

    def _changed(self, body: LiveBody) -> None:
        """Something moves otherwise; it may be what is in the way."""
        now = self._kernel.now
        for each in self._blocking:
            if body is each or (each.exists(now) and body in lineage(each, now)):
                self._look_at(now)
                return

    def _look_at(self, when: int) -> None:
        if self._timer is None or self._timer.time != when or not self._timer.alive:
            self._cancel()
            writes = self._ledger.may_change()
            self._timer = self._kernel.at(when, self._look, Rank.DEVICE, self._name, writes=writes)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
