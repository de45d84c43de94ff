"""The scene: queries at an instant for distances, contacts, overlaps, rays and volumes."""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import cached_property, partial
from typing import Final, NamedTuple

from drycell import geometry
from drycell.base import Pose, Vector, WorldError
from drycell.geometry import TOUCH, Closest, ContactPoint, Fan, Interference, Placed, Shape, checks, gap
from drycell.world.body import LiveBody, balls_of
from drycell.world.broad_phase import BroadPhase, Near, PlacedRegion, Region, RegionQueries
from drycell.world.motion import FOREVER
from drycell.world.motion_piece import linear_motion
from drycell.world.world import World

_MOST_KEPT: Final = 8192  # cached volumes and fans at a pose; entries of moving ones are not needed again


class Touch:
    """A body close to another, with the signed distance between them.

    Computing the depth of an overlap takes a hundred times as long as detecting the overlap, so it is done on demand.
    """

    __slots__ = ("_distance", "body")

    def __init__(self, body: LiveBody, distance: float | Callable[[], float]) -> None:
        self.body = body
        self._distance = distance

    @property
    def distance(self) -> float:
        """The distance in metres; negative if they overlap."""
        if not isinstance(self._distance, float):
            self._distance = self._distance()
        return self._distance

    def __repr__(self) -> str:
        return f"Touch({self.body!r}, {self.distance!r})"


class _PlacedVolume:
    """A volume at a pose, with the fixtures in it."""

    __slots__ = ("place", "touches", "version")

    def __init__(self, place: PlacedRegion) -> None:
        self.place = place
        self.touches: list[Touch] | None = None
        self.version = -1


class VolumeQueries:
    """Finds the bodies in volumes of space, for repeated queries.

    The fixtures in a volume at rest are measured once. Bodies whose balls do not meet those of the volume are not
    measured at all. Neither shortcut changes the results.
    """

    def __init__(self, scene: "Scene") -> None:
        self._scene, self._regions = scene, scene.regions
        self._by_shape: dict[tuple[Shape, float], tuple[Region, Placed]] = {}
        self._known: dict[tuple[Shape, Pose, float], _PlacedVolume] = {}

    def find(self, volume: Shape, pose: Pose, t: int, margin: float, ignore: Container[LiveBody]) -> list[Touch]:
        """The bodies in a volume at a pose, or within a margin of it, sorted by name."""
        regions = self._regions
        if not regions.knows(t):
            return self._scene.within(Placed(volume, pose), t, margin, ignore)
        known = self._known.get((volume, pose, margin))
        if known is None:  # it may be moving and not needed again
            known = self._open(volume, pose, margin)
            near = regions.standing(known.place) + regions.loose(known.place, t)
            found: list[Touch] = []
        else:
            near = regions.loose(known.place, t)
            found = [touch for touch in self._standing(known, volume, pose, t, margin) if touch.body not in ignore]
        if near:
            found += self._measure(volume, pose, t, margin, [each for each in near if each[0] not in ignore])
        if len(found) > 1:
            found.sort(key=_name)
        return found

    def _open(self, volume: Shape, pose: Pose, margin: float) -> _PlacedVolume:
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        known = self._known[volume, pose, margin] = _PlacedVolume(self._volume(volume, margin)[0].at(pose))
        return known

    def _volume(self, volume: Shape, margin: float) -> tuple[Region, Placed]:
        known = self._by_shape.get((volume, margin))
        if known is None:
            known = self._by_shape[volume, margin] = (Region(balls_of(volume), margin), Placed(volume))
        return known

    def _standing(self, known: _PlacedVolume, volume: Shape, pose: Pose, t: int, margin: float) -> list[Touch]:
        """The fixtures in a volume, cached until fixtures change."""
        standing = self._regions.standing(known.place)
        if known.touches is None or known.version != known.place.version:
            known.version = known.place.version
            known.touches = self._measure(volume, pose, t, margin, standing)
        return known.touches

    def _measure(self, volume: Shape, pose: Pose, t: int, margin: float, near: list[Near]) -> list[Touch]:
        """The given bodies that are in a volume."""
        found = []
        placed = self._volume(volume, margin)[1]
        placed.place(pose)
        for body, _, _ in near:
            other = self._scene.placed(body, t)
            if geometry.touching(placed, other, margin):
                found.append(Touch(body, partial(_signed, volume, pose, other.shape, other.pose)))
        return found


def _signed(one: Shape, at: Pose, other: Shape, there: Pose) -> float:
    return geometry.distance(Placed(one, at), Placed(other, there))


def _name(touch: Touch) -> str:
    return touch.body.name


class Hit(NamedTuple):
    """The first body that a ray hits: distance in metres, outward normal, and whether the ray starts inside it."""

    distance: float
    normal: Vector
    body: LiveBody
    inside: bool = False


class _PlacedFan:
    """A fan at a pose: its rays in the world, their region, and the hits on fixtures for each ray."""

    __slots__ = ("hits", "place", "rays", "version")

    def __init__(self, fan: Fan, region: Region, pose: Pose) -> None:
        self.rays = fan.at(pose)
        self.place = region.at(pose)
        self.hits: list[list[Hit]] | None = None  # hits on fixtures for each ray, nearest first
        self.version = -1  # version of the fixtures


class FanQueries:
    """Casts fans of rays, for repeated queries: the first hit of each ray, or all hits.

    For a fan at rest, hits on fixtures are computed once. Bodies far from the rays cost only a column. The hits are
    identical, bit for bit, to those of rays cast at every body.
    """

    def __init__(self, scene: "Scene") -> None:
        self._scene, self._world, self._regions = scene, scene.world, scene.regions
        self._by_fan: dict[Fan, Region] = {}
        self._known: dict[tuple[Fan, Pose], _PlacedFan] = {}

    def cast(self, fan: Fan, pose: Pose, t: int, ignore: Container[LiveBody] = ()) -> list[Hit | None]:
        """The first hit of each ray of a fan at a pose; at equal distances, the first by name.

        A ray that starts inside a body hits it at distance 0.
        """
        if not self._regions.knows(t):
            return [hits[0] if hits else None for hits in self._past(fan, pose, t, ignore)]
        found: list[Hit | None] = [None] * len(fan.reaches)
        limits = [*fan.reaches]
        known = self._known.get((fan, pose))
        if known is None:  # it may be moving and not needed again
            known = self._look(fan, pose)
            near = self._regions.standing(known.place) + self._regions.loose(known.place, t)
        else:
            near = self._regions.loose(known.place, t)
            for k, hits in enumerate(self._folded(known, t)):
                for hit in hits:
                    if hit.body not in ignore:
                        found[k] = hit
                        limits[k] = hit.distance
                        break
        rays = known.rays
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
        """All bodies along each ray of a fan with their first hits, nearest first, as if bodies were transparent."""
        if not self._regions.knows(t):
            return self._past(fan, pose, t, ignore)
        known = self._known.get((fan, pose)) or self._look(fan, pose)
        every = [[hit for hit in hits if hit.body not in ignore] for hits in self._folded(known, t)]
        self._add(every, known, [near for near in self._regions.loose(known.place, t) if near[0] not in ignore], t)
        return every

    def _look(self, fan: Fan, pose: Pose) -> _PlacedFan:
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        region = self._by_fan.get(fan)
        if region is None:
            region = self._by_fan[fan] = Region(fan.balls)
        known = self._known[fan, pose] = _PlacedFan(fan, region, pose)
        return known

    def _folded(self, known: _PlacedFan, t: int) -> list[list[Hit]]:
        """The hits on fixtures, cached until fixtures change."""
        standing = self._regions.standing(known.place)
        if known.hits is None or known.version != known.place.version:
            known.version = known.place.version
            known.hits = [[] for _ in known.rays.reaches]
            self._add(known.hits, known, standing, t)
        return known.hits

    def _add(self, every: list[list[Hit]], known: _PlacedFan, near: list[Near], t: int) -> None:
        """Add the hits on some bodies to those of each ray."""
        rays = known.rays
        for body, middle, radius in near:
            aimed = rays.towards(middle, radius, rays.reaches)
            if aimed and body.shape is not None:
                pose = self._world.pose(body, t)
                for k, hit in rays.meet(body.shape, pose, aimed):
                    every[k].append(Hit(hit.distance, pose.direction(hit.normal), body, hit.inside))
        for hits in every:
            hits.sort(key=_order)

    def _past(self, fan: Fan, pose: Pose, t: int, ignore: Container[LiveBody]) -> list[list[Hit]]:
        """All hits of each ray at an instant before the last change of a body, computed without shortcuts."""
        scene, every = self._scene, []
        for (origin, direction), reach in zip(fan.lines, fan.reaches, strict=True):
            start, along = pose.point(origin), pose.direction(direction)
            hits = []
            for body in scene.broad_phase.near(start, reach, t):
                met = None if body in ignore else geometry.ray(scene.placed(body, t), start, along, reach)
                if met is not None:
                    hits.append(Hit(met.distance, met.normal, body, met.inside))
            every.append(sorted(hits, key=_order))
        return every


def _order(hit: Hit) -> tuple[float, str]:
    return hit.distance, hit.body.name


class PlacedShapes:
    """The placed shapes of bodies. They are kept because moving one is cheaper than creating it."""

    def __init__(self) -> None:
        self._placed: dict[LiveBody, Placed] = {}

    def at(self, body: LiveBody, pose: Pose) -> Placed:
        """A body's shape at a pose. Valid until the next call for the body."""
        placed = self._placed.get(body)
        if placed is None or placed.shape is not body.shape:
            if body.shape is None:
                raise WorldError(f"{body.name!r} has no shape", hint="use a body with a shape")
            placed = self._placed[body] = Placed(body.shape, pose)
        elif placed.pose is not pose:
            placed.place(pose)
        return placed

    def forget(self, body: LiveBody) -> None:
        """Drop the shape of a body that has left the cell."""
        self._placed.pop(body, None)


class Clearance(NamedTuple):
    """Two bodies and the signed distance between them."""

    a: LiveBody
    b: LiveBody
    distance: float


class Scene:
    """Queries to a world at an instant ``t`` in ticks (by default now). Bodies are given as objects or by name."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: dict[LiveBody, tuple[int, int, Placed]] = {}  # version, rest since, placed shape
        self._past: dict[LiveBody, Placed] = {}  # bodies at rest, at earlier poses

    @cached_property
    def broad_phase(self) -> BroadPhase:
        """The broad phase, created when a query needs it."""
        return BroadPhase(self.world)

    @cached_property
    def regions(self) -> RegionQueries:
        """Finds bodies in regions, for repeated queries."""
        return RegionQueries(self.world, self.broad_phase)

    @cached_property
    def fans(self) -> FanQueries:
        """Fans of rays for repeated queries, such as those of sensors: faster than :meth:`rays`, with equal hits."""
        return FanQueries(self)

    @cached_property
    def volumes(self) -> VolumeQueries:
        """Volumes of space for repeated queries, such as those of sensors."""
        return VolumeQueries(self)

    # ---------------------------------------------------------------- pairs

    def distance(self, a: LiveBody | str, b: LiveBody | str, t: int | None = None) -> float:
        """The distance between two bodies in metres; negative if they overlap."""
        t = self.world.now if t is None else t
        return geometry.distance(self.placed(self._body(a), t), self.placed(self._body(b), t))

    def gap(self, a: LiveBody, b: LiveBody, t: int) -> float:
        """The signed distance, with a fast estimate for the depth of an overlap."""
        return gap(self.placed(a, t), self.placed(b, t))

    def closest(self, a: LiveBody | str, b: LiveBody | str, t: int | None = None) -> Closest:
        """The signed distance, the nearest point of each body, and the normal from a to b."""
        t = self.world.now if t is None else t
        return geometry.closest(self.placed(self._body(a), t), self.placed(self._body(b), t))

    def contacts(
        self, a: LiveBody | str, b: LiveBody | str, t: int | None = None, margin: float = TOUCH
    ) -> list[ContactPoint]:
        """The points where two bodies touch: the corners of a common face, the ends of a line, or one point."""
        t = self.world.now if t is None else t
        return geometry.contacts(self.placed(self._body(a), t), self.placed(self._body(b), t), margin)

    def interference(self, a: LiveBody | str, b: LiveBody | str, t: int | None = None) -> Interference:
        """The volume that two bodies share."""
        t = self.world.now if t is None else t
        return geometry.interference(self.placed(self._body(a), t), self.placed(self._body(b), t))

    # ---------------------------------------------------------------- one against all

    def touching(
        self, body: LiveBody | str, t: int | None = None, margin: float = TOUCH, ignore: Iterable[LiveBody] = ()
    ) -> list[Touch]:
        """The bodies that touch a body or are within a margin (metres), sorted by name."""
        t = self.world.now if t is None else t
        body = self._body(body)
        return self.within(self.placed(body, t), t, margin, {body, *ignore})

    def clearances(
        self, bodies: Sequence[LiveBody], within: float, t: int | None = None, ignore: Iterable[LiveBody] = ()
    ) -> list[Clearance]:
        """A collision check at an instant: the other bodies within a distance (metres) of some bodies.

        The bodies are not checked against each other, nor against ignored ones. A negative distance is a depth.
        """
        t = self.world.now if t is None else t
        placed = [self.placed(body, t) for body in bodies]
        known, measure, found = self._known, geometry.distance, []
        for number, other in self.broad_phase.meetings(placed, within, t, {*bodies, *ignore}):
            entry = known.get(other)  # inlined placed(): most bodies are at rest
            stands = entry is not None and entry[1] <= t and entry[0] == other.version
            distance = measure(placed[number], entry[2] if entry is not None and stands else self.placed(other, t))
            if distance <= within:
                found.append(Clearance(bodies[number], other, distance))
        return found

    def inside(
        self, volume: Shape, pose: Pose, t: int | None = None, margin: float = TOUCH, ignore: Iterable[LiveBody] = ()
    ) -> list[Touch]:
        """The bodies in a volume of space, such as the cone of an ultrasonic sensor, or within a margin of it."""
        t = self.world.now if t is None else t
        return self.volumes.find(
            volume, pose, t, margin, ignore if isinstance(ignore, (frozenset, set)) else set(ignore)
        )

    def containing(self, point: Sequence[float], t: int | None = None) -> list[LiveBody]:
        """The bodies with a point inside or on their surface."""
        t = self.world.now if t is None else t
        x, y, z = (float(v) for v in point)
        near = self.broad_phase.near((x, y, z), 0.0, t)
        return [body for body in near if geometry.contains(self.placed(body, t), (x, y, z))]

    def ray(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        reach: float,
        t: int | None = None,
        ignore: Iterable[LiveBody] = (),
    ) -> Hit | None:
        """The first hit of a ray within reach (metres), or None."""
        return self.rays(origin, [direction], reach, t, ignore)[0]

    def rays(
        self,
        origin: Sequence[float],
        directions: Sequence[Sequence[float]],
        reach: float,
        t: int | None = None,
        ignore: Iterable[LiveBody] = (),
    ) -> list[Hit | None]:
        """The first hits of several rays from one point; nearby bodies are searched only once."""
        t = self.world.now if t is None else t
        x, y, z = (float(v) for v in origin)
        ignored = set(ignore)
        near = [
            (self.placed(body, t), body) for body in self.broad_phase.near((x, y, z), reach, t) if body not in ignored
        ]
        balls = [(*placed.ball, placed, body) for placed, body in near]
        hits: list[Hit | None] = []
        for each in directions:
            if not any(each):
                raise WorldError("a ray needs a direction, not (0, 0, 0)")
            hits.append(_first((x, y, z), checks.direction("ray", "direction", each), reach, balls))
        return hits

    # ---------------------------------------------------------------- inside

    def placed(self, body: LiveBody, t: int) -> Placed:
        """The body's shape at its pose at an instant, for other queries. Valid until the next query."""
        known = self._known.get(body)
        if known is None or known[0] != body.version:
            known = self._know(body, t)
        _, since, placed = known
        if since <= t:
            return placed  # still at rest
        if since < FOREVER:  # the past of a body at rest
            then = self._past.get(body)
            if then is None or then.shape is not placed.shape:
                then = self._past[body] = Placed(placed.shape)
            placed = then
        pose = self.world.pose(body, t)
        if pose is not placed.pose:
            placed.place(pose)
        return placed

    def _know(self, body: LiveBody, t: int) -> tuple[int, int, Placed]:
        """Place a body; the placed shape is kept if the body is at rest from some instant."""
        if body.shape is None:
            raise WorldError(f"{body.name!r} has no shape", hint="use a body with a shape")
        path = linear_motion(body) if body.gone == FOREVER else None
        since = path.since if path is not None and not any(path.velocity) else FOREVER
        pose = self.world.pose(body, t if since == FOREVER else max(since, t))
        self._known[body] = (body.version, since, Placed(body.shape, pose))
        return self._known[body]

    def forget(self, body: LiveBody) -> None:
        """Drop the data of a body that has left the cell."""
        self._known.pop(body, None)
        self._past.pop(body, None)

    def _body(self, what: LiveBody | str) -> LiveBody:
        return self.world.body(what) if isinstance(what, str) else what

    def within(self, placed: Placed, t: int, margin: float, ignore: Container[LiveBody]) -> list[Touch]:
        """The bodies that touch a placed shape or are within a margin, sorted by name."""
        centre, radius = placed.ball
        found = []
        for other in self.broad_phase.near(centre, radius + margin, t):
            if other not in ignore:
                distance = geometry.distance(placed, self.placed(other, t), margin)
                if distance <= margin:
                    found.append(Touch(other, distance))
        return found


def _first(
    origin: Vector, direction: Vector, reach: float, balls: list[tuple[Vector, float, Placed, LiveBody]]
) -> Hit | None:
    best: Hit | None = None
    (x, y, z), (u, v, w) = origin, direction
    for (cx, cy, cz), radius, placed, body in balls:
        # A ray that misses the bounding ball or ends before it cannot hit the body.
        px, py, pz = cx - x, cy - y, cz - z
        along = px * u + py * v + pz * w
        grown = radius + 1e-6
        if along < -grown or along > reach + grown:
            continue
        if px * px + py * py + pz * pz - along * along > grown * grown:
            continue
        hit = geometry.ray(placed, origin, direction, reach)
        if hit is not None and (best is None or hit.distance < best.distance):
            best = Hit(hit.distance, hit.normal, body, hit.inside)
            reach = hit.distance
    return best
