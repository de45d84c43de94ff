"""Sight: what the trace-lines of sensors meet in the world at an instant.

Where a fan stands, the bodies that stand are met once and for all; of the others those far from its lines cost nothing
but a column. Neither ever changes a hit: it is, to the last bit, what a ray at every single body would have found.
"""

from collections.abc import Container
from typing import TYPE_CHECKING, Final, NamedTuple

from drycell import geometry
from drycell.base import Pose, Vector
from drycell.geometry import Fan
from drycell.world.body import LiveBody
from drycell.world.vicinity import Near, Outline

if TYPE_CHECKING:
    from drycell.world.scene import Scene

_MOST_VIEWS: Final = 8192  # kept; those of fans that move are never asked for again


class Hit(NamedTuple):
    """The first body a ray meets: metres along the ray, the outward normal there, and whether it starts inside."""

    distance: float
    normal: Vector
    body: LiveBody
    inside: bool = False


class _View:
    """A fan at a pose: its lines in the world, the place they take up, and what of it stands, line by line."""

    __slots__ = ("hits", "place", "rays", "version")

    def __init__(self, fan: Fan, outline: Outline, pose: Pose) -> None:
        self.rays = fan.at(pose)
        self.place = outline.at(pose)
        self.hits: list[list[Hit]] | None = None  # on what stands, nearest first, line by line
        self.version = -1  # of what stands


class FanQueries:
    """Fans of rays at the bodies of a world, again and again: what a line meets first, or all that is along it."""

    def __init__(self, scene: "Scene") -> None:
        self._scene, self._world, self._vicinity = scene, scene.world, scene.vicinity
        self._outlines: dict[Fan, Outline] = {}
        self._views: dict[tuple[Fan, Pose], _View] = {}

    def cast(self, fan: Fan, pose: Pose, t: int, ignore: Container[LiveBody] = ()) -> list[Hit | None]:
        """What each line of a fan meets first, the fan's frame being at a pose. Of two equally near, the first by name.

        A line that starts inside a body is blocked at once: distance 0.
        """
        if not self._vicinity.knows(t):
            return [hits[0] if hits else None for hits in self._past(fan, pose, t, ignore)]
        found: list[Hit | None] = [None] * len(fan.reaches)
        limits = [*fan.reaches]
        view = self._views.get((fan, pose))
        if view is None:  # it may be one that moves and is never asked for again
            view = self._look(fan, pose)
            near = self._vicinity.standing(view.place) + self._vicinity.loose(view.place, t)
        else:
            near = self._vicinity.loose(view.place, t)
            for k, hits in enumerate(self._folded(view, t)):
                for hit in hits:
                    if hit.body not in ignore:
                        found[k] = hit
                        limits[k] = hit.distance
                        break
        rays = view.rays
        for body, middle, radius in near:
            aimed = rays.towards(middle, radius, limits)
            if not aimed or body.shape is None or body in ignore:
                continue
            pose = self._world.pose(body, t)
            for k, (distance, normal, inside) in rays.meet(body.shape, pose, aimed):
                best = found[k]
                if best is None or distance < best[0] or (distance == best[0] and body.name < best[2].name):
                    found[k] = Hit(distance, pose.direction(normal), body, inside)
                    limits[k] = distance
        return found

    def cast_each(self, fan: Fan, pose: Pose, t: int, ignore: Container[LiveBody] = ()) -> list[list[Hit]]:
        """For each line of a fan every body along it, by its first hit, nearest first: as if none hid another."""
        if not self._vicinity.knows(t):
            return self._past(fan, pose, t, ignore)
        view = self._views.get((fan, pose)) or self._look(fan, pose)
        every = [[hit for hit in hits if hit.body not in ignore] for hits in self._folded(view, t)]
        self._add(every, view, [near for near in self._vicinity.loose(view.place, t) if near[0] not in ignore], t)
        return every

    def _look(self, fan: Fan, pose: Pose) -> _View:
        if len(self._views) >= _MOST_VIEWS:
            self._views.clear()
        outline = self._outlines.get(fan)
        if outline is None:
            outline = self._outlines[fan] = Outline(fan.balls)
        view = self._views[fan, pose] = _View(fan, outline, pose)
        return view

    def _folded(self, view: _View, t: int) -> list[list[Hit]]:
        """What of a view stands, kept until something else does."""
        standing = self._vicinity.standing(view.place)
        if view.hits is None or view.version != view.place.version:
            view.version = view.place.version
            view.hits = [[] for _ in view.rays.reaches]
            self._add(view.hits, view, standing, t)
        return view.hits

    def _add(self, every: list[list[Hit]], view: _View, near: list[Near], t: int) -> None:
        """Adds the hits on some bodies to those of each line."""
        rays = view.rays
        for body, middle, radius in near:
            aimed = rays.towards(middle, radius, rays.reaches)
            if aimed and body.shape is not None:
                pose = self._world.pose(body, t)
                for k, hit in rays.meet(body.shape, pose, aimed):
                    every[k].append(Hit(hit.distance, pose.direction(hit.normal), body, hit.inside))
        for hits in every:
            hits.sort(key=_order)

    def _past(self, fan: Fan, pose: Pose, t: int, ignore: Container[LiveBody]) -> list[list[Hit]]:
        """The same for an instant before some body's last change, in the plain way."""
        scene, every = self._scene, []
        for (origin, direction), reach in zip(fan.lines, fan.reaches, strict=True):
            start, along = pose.point(origin), pose.direction(direction)
            hits = []
            for body in scene.census.near(start, reach, t):
                met = None if body in ignore else geometry.ray(scene.placed(body, t), start, along, reach)
                if met is not None:
                    hits.append(Hit(met.distance, met.normal, body, met.inside))
            every.append(sorted(hits, key=_order))
        return every


def _order(hit: Hit) -> tuple[float, str]:
    return hit.distance, hit.body.name
