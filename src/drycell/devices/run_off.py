"""The open end of a belt: what comes off it goes on to what is flush with the belt, or falls.

A part leaves the belt when its centre of mass passes the end. If something level is right below it by then, such as
the next belt, that takes it. Otherwise it slides on, level, until it is clear of the end, and falls from there: how it
would tip over the edge is not modelled.
"""

import math
from dataclasses import dataclass
from typing import Final

from drycell.base import mm, s
from drycell.devices.belt import Rider
from drycell.devices.footprint import footprint_of
from drycell.kernel import Kernel, Rank, Timer, Writes
from drycell.world import FOREVER, SECOND, Gravity, LiveBody, Scene, Travel

_CLEAR: Final = 5e-7  # metres past the end: near enough to count as touching, and an edge on an edge is no support
_NEAR: Final = 1e-6  # metres: what is this near below a part holds it up
_SLOWEST: Final = 1 * mm / s  # what is past its balance does not stay on the edge, however slow the belt is
_LEVEL: Final = 0.99  # the cosine between a face and level from which on it takes a part over


@dataclass(frozen=True, slots=True)
class _Sliding:
    """A part on its way off: how it moves, seen from the belt, where it is clear, and the timer for that."""

    motion: Travel
    clear: float
    timer: Timer


class RunOff:
    """Takes parts on from the end of a belt."""

    def __init__(
        self, kernel: Kernel, scene: Scene, gravity: Gravity, belt: LiveBody, end: float, writes: Writes
    ) -> None:
        self._kernel, self._scene, self._gravity, self._belt, self._end = kernel, scene, gravity, belt, end
        self._writes = writes
        self._sliding: dict[LiveBody, _Sliding] = {}

    def has(self, part: LiveBody) -> bool:
        """Whether a part that hangs on the belt is sliding off it; one that was taken meanwhile no longer is."""
        sliding = self._sliding.get(part)
        if sliding is None:
            return False
        if part.history.values[-1].motion is sliding.motion:
            return True
        del self._sliding[part]
        sliding.timer.cancel()
        return False

    def take(self, rider: Rider, now: int, speed: float) -> None:
        """A part leaves the belt now, at a speed."""
        part, world = rider.part, self._scene.world
        self._kernel.journal.write("leaves", part.name, belt=self._belt.name)
        onto = self._flush(part)
        if onto is not None:
            world.attach(part, onto)
            return
        pose = rider.motion.pose(now)
        clear = max(self._end + _CLEAR - rider.foot.rear, pose.x)
        self._slide(part, Travel(now, FOREVER, pose, (max(speed, _SLOWEST), 0.0, 0.0)), clear)

    def hasten(self, now: int, speed: float) -> None:
        """The belt goes at a speed from now on: what still lies on it with its rear is never slower."""
        for part, sliding in list(self._sliding.items()):
            if self.has(part) and speed > sliding.motion.velocity[0]:
                sliding.timer.cancel()
                self._slide(part, Travel(now, FOREVER, sliding.motion.pose(now), (speed, 0.0, 0.0)), sliding.clear)

    def _slide(self, part: LiveBody, motion: Travel, clear: float) -> None:
        now, pose, speed = motion.start, motion.pose(motion.start), motion.velocity[0]
        when = now + math.ceil((clear - pose.x) / speed / SECOND)
        timer = self._kernel.at(when, lambda: self._drop(part), Rank.MOTION, part.name, writes=tuple(self._writes()))
        self._sliding[part] = _Sliding(motion, clear, timer)
        self._scene.world.move(part, motion, self._belt)

    def _drop(self, part: LiveBody) -> None:
        if part.gone == FOREVER and self.has(part):
            sliding = self._sliding.pop(part)
            # It falls from where it is clear, whenever within this tick that was.
            pose = sliding.motion.pose(self._kernel.now)
            pose = self._belt.pose @ pose.moved(sliding.clear - pose.x)
            self._scene.world.place(part, pose)
            self._gravity.release(part)

    def _flush(self, part: LiveBody) -> LiveBody | None:
        """What is right below a part, level with the belt, and goes on from it: the first that does, if several do."""
        scene, own = self._scene, list(self._scene.world.subtree(part))
        down = self._belt.pose.direction((0.0, 0.0, -1.0))
        found: list[tuple[float, LiveBody]] = []
        for touch in scene.touching(part, margin=_NEAR, ignore=[*own, self._belt]):
            normal = scene.closest(part, touch.body).normal
            if sum(n * d for n, d in zip(normal, down, strict=True)) > _LEVEL and touch.body.shape is not None:
                local = scene.world.relative(self._belt, touch.body)
                room = footprint_of(touch.body.shape, local)
                # A long part may still lie on the belt before this one, too.
                if local.x + room.front > self._end + _NEAR:
                    found.append((local.x + room.rear, touch.body))
        return min(found, key=lambda each: each[0])[1] if found else None
