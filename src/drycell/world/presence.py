"""Presence: who reaches into a volume of space at an instant, asked about the same volumes again and again.

Of a volume that stands, what stands in it is measured once; a body whose ball meets none of the volume's is not
measured at all. Neither changes an answer.
"""

from collections.abc import Callable, Container
from functools import partial
from typing import TYPE_CHECKING, Final

from drycell import geometry
from drycell.base import Pose
from drycell.geometry import Placed, Shape
from drycell.world.body import LiveBody, balls_of
from drycell.world.vicinity import Near, Outline, Place

if TYPE_CHECKING:
    from drycell.world.scene import Scene

_MOST_ROOMS: Final = 8192  # kept; those of volumes that move are never asked for again


class Touch:
    """A body found near another, with the signed distance between them.

    How deep they are in each other takes a hundred times as long to say as that they are: it is worked out when asked.
    """

    __slots__ = ("_distance", "body")

    def __init__(self, body: LiveBody, distance: float | Callable[[], float]) -> None:
        self.body = body
        self._distance = distance

    @property
    def distance(self) -> float:
        """Metres between the two; negative is how deep they overlap."""
        if not isinstance(self._distance, float):
            self._distance = self._distance()
        return self._distance

    def __repr__(self) -> str:
        return f"Touch({self.body!r}, {self.distance!r})"


class _Room:
    """A volume at a pose, and who stands in it."""

    __slots__ = ("place", "touches", "version")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.touches: list[Touch] | None = None
        self.version = -1


class Presence:
    """Volumes of space in a world, and who is in them."""

    def __init__(self, scene: "Scene") -> None:
        self._scene, self._vicinity = scene, scene.vicinity
        self._volumes: dict[tuple[Shape, float], tuple[Outline, Placed]] = {}
        self._rooms: dict[tuple[Shape, Pose, float], _Room] = {}

    def find(self, volume: Shape, pose: Pose, t: int, margin: float, ignore: Container[LiveBody]) -> list[Touch]:
        """All bodies that reach into a volume at a pose, or come as near as the margin, by name."""
        vicinity = self._vicinity
        if not vicinity.knows(t):
            return self._past(volume, pose, t, margin, ignore)
        room = self._rooms.get((volume, pose, margin))
        if room is None:  # it may be one that moves and is never asked for again
            room = self._open(volume, pose, margin)
            near = vicinity.standing(room.place) + vicinity.loose(room.place, t)
            found: list[Touch] = []
        else:
            near = vicinity.loose(room.place, t)
            found = [touch for touch in self._standing(room, volume, pose, t, margin) if touch.body not in ignore]
        if near:
            found += self._measure(volume, pose, t, margin, [each for each in near if each[0] not in ignore])
        if len(found) > 1:
            found.sort(key=_name)
        return found

    def _open(self, volume: Shape, pose: Pose, margin: float) -> _Room:
        if len(self._rooms) >= _MOST_ROOMS:
            self._rooms.clear()
        room = self._rooms[volume, pose, margin] = _Room(self._volume(volume, margin)[0].at(pose))
        return room

    def _volume(self, volume: Shape, margin: float) -> tuple[Outline, Placed]:
        known = self._volumes.get((volume, margin))
        if known is None:
            known = self._volumes[volume, margin] = (Outline(balls_of(volume), margin), Placed(volume))
        return known

    def _standing(self, room: _Room, volume: Shape, pose: Pose, t: int, margin: float) -> list[Touch]:
        """Who stands in a room, kept until something else does."""
        standing = self._vicinity.standing(room.place)
        if room.touches is None or room.version != room.place.version:
            room.version = room.place.version
            room.touches = self._measure(volume, pose, t, margin, standing)
        return room.touches

    def _measure(self, volume: Shape, pose: Pose, t: int, margin: float, near: list[Near]) -> list[Touch]:
        """Who of those near a volume is in it."""
        found = []
        placed = self._volume(volume, margin)[1]
        placed.place(pose)
        for body, _, _ in near:
            other = self._scene.placed(body, t)
            if geometry.touching(placed, other, margin):
                found.append(Touch(body, partial(_signed, volume, pose, other.shape, other.pose)))
        return found

    def _past(self, volume: Shape, pose: Pose, t: int, margin: float, ignore: Container[LiveBody]) -> list[Touch]:
        """The same for an instant before some body's last change, in the plain way."""
        placed = Placed(volume, pose)
        return self._scene.within(placed, t, margin, ignore)


def _signed(one: Shape, at: Pose, other: Shape, there: Pose) -> float:
    return geometry.distance(Placed(one, at), Placed(other, there))


def _name(touch: Touch) -> str:
    return touch.body.name
