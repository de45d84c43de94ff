"""Courses: what mechanisms do again and again, so that it is looked at once."""

from collections.abc import Hashable
from typing import Final

from drycell.sensors.mover import Course, Mover
from drycell.world import LinkMotion, LiveBody, Rest, World

_MOST: Final = 5000  # courses kept, of a few kB each


class Courses:
    """Movers of a world's bodies; those of links that move as they did before know what they knew then."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[Hashable, Course] = {}

    def mover(self, body: LiveBody, t: int) -> Mover:
        """A body as it moves from an instant on."""
        way = _way(body, t)
        if way is None:
            return Mover(self._world, body, t)
        mover = Mover(self._world, body, t, self._known.get(way))
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[way] = mover.course
        return mover


def _way(body: LiveBody, t: int) -> Hashable | None:
    """Equal whenever a body does the same from an instant on; None for what may never do so again, as parts."""
    way: list[Hashable] = []
    carrier: LiveBody | None = body
    while carrier is not None:
        segment = carrier.history.values[-1]
        motion = segment.motion
        if carrier.part or segment.start > t:
            return None
        if isinstance(motion, LinkMotion):
            trajectory = motion.linkage.history.values[-1]
            if trajectory.start > t:
                return None
            # One that has ended rests in its end, however long ago that was.
            way.append((carrier, trajectory.content, min(t, trajectory.end) - trajectory.start))
        elif isinstance(motion, Rest):
            way.append((carrier, carrier.history.rows))
        else:
            return None
        carrier = segment.parent
    return tuple(way)
