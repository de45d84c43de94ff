"""The scene: queries at an instant. Distances, contacts, overlaps, rays, volumes, who touches whom."""

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

_MOST_KEPT: Final = 8192  # volumes and fans at a pose; those that move are never asked for again


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


class _PlacedVolume:
    """A volume at a pose, and who stands in it."""

    __slots__ = ("place", "touches", "version")

    def __init__(self, place: PlacedRegion) -> None:
        self.place = place
        self.touches: list[Touch] | None = None
        self.version = -1


class VolumeQueries:
    """Volumes of space in a world, and who is in them, asked again and again.

    Of a volume that stands, what stands in it is measured once; a body whose ball meets none of the volume's is not
    measured at all. Neither changes an answer.
    """

    def __init__(self, scene: "Scene") -> None:
        self._scene, self._regions = scene, scene.regions
        self._by_shape: dict[tuple[Shape, float], tuple[Region, Placed]] = {}
        self._known: dict[tuple[Shape, Pose, float], _PlacedVolume] = {}

    def find(self, volume: Shape, pose: Pose, t: int, margin: float, ignore: Container[LiveBody]) -> list[Touch]:
        """All bodies that reach into a volume at a pose, or come as near as the margin, by name."""
        regions = self._regions
        if not regions.knows(t):
            return self._scene.within(Placed(volume, pose), t, margin, ignore)
        known = self._known.get((volume, pose, margin))
        if known is None:  # it may be one that moves and is never asked for again
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
        """Who stands in a volume, kept until something else does."""
        standing = self._regions.standing(known.place)
        if known.touches is None or known.version != known.place.version:
            known.version = known.place.version
            known.touches = self._measure(volume, pose, t, margin, standing)
        return known.touches

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


def _signed(one: Shape, at: Pose, other: Shape, there: Pose) -> float:
    return geometry.distance(Placed(one, at), Placed(other, there))


def _name(touch: Touch) -> str:
    return touch.body.name


class Hit(NamedTuple):
    """The first body a ray meets: metres along the ray, the outward normal there, and whether it starts inside."""

    distance: float
    normal: Vector
    body: LiveBody
    inside: bool = False


class _PlacedFan:
    """A fan at a pose: its lines in the world, the place they take up, and what of it stands, line by line."""

    __slots__ = ("hits", "place", "rays", "version")

    def __init__(self, fan: Fan, region: Region, pose: Pose) -> None:
        self.rays = fan.at(pose)
        self.place = region.at(pose)
        self.hits: list[list[Hit]] | None = None  # on what stands, nearest first, line by line
        self.version = -1  # of what stands


class FanQueries:
    """Fans of rays at the bodies of a world, again and again: what a line meets first, or all that is along it.

    Where a fan stands, the bodies that stand are met once and for all; of the others those far from its lines cost only
    a column. Neither changes a hit: it is, to the last bit, what a ray at every single body would have found.
    """

    def __init__(self, scene: "Scene") -> None:
        self._scene, self._world, self._regions = scene, scene.world, scene.regions
        self._by_fan: dict[Fan, Region] = {}
        self._known: dict[tuple[Fan, Pose], _PlacedFan] = {}

    def cast(self, fan: Fan, pose: Pose, t: int, ignore: Container[LiveBody] = ()) -> list[Hit | None]:
        """What each line of a fan meets first, the fan's frame being at a pose. Of two equally near, the first by name.

        A line that starts inside a body is blocked at once: distance 0.
        """
        if not self._regions.knows(t):
            return [hits[0] if hits else None for hits in self._past(fan, pose, t, ignore)]
        found: list[Hit | None] = [None] * len(fan.reaches)
        limits = [*fan.reaches]
        known = self._known.get((fan, pose))
        if known is None:  # it may be one that moves and is never asked for again
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
        """For each line of a fan every body along it, by its first hit, nearest first: as if none hid another."""
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
        """The hits on what stands, kept until something else does."""
        standing = self._regions.standing(known.place)
        if known.hits is None or known.version != known.place.version:
            known.version = known.place.version
            known.hits = [[] for _ in known.rays.reaches]
            self._add(known.hits, known, standing, t)
        return known.hits

    def _add(self, every: list[list[Hit]], known: _PlacedFan, near: list[Near], t: int) -> None:
        """Adds the hits on some bodies to those of each line."""
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
        """The same for an instant before some body's last change, in the plain way."""
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
    """The shapes of bodies, each kept where it was last asked for: to set one elsewhere is cheaper than to make it."""

    def __init__(self) -> None:
        self._placed: dict[LiveBody, Placed] = {}

    def at(self, body: LiveBody, pose: Pose) -> Placed:
        """A body's shape at a pose. Good until the next question about the body."""
        placed = self._placed.get(body)
        if placed is None or placed.shape is not body.shape:
            if body.shape is None:
                raise WorldError(f"{body.name!r} has no shape", hint="ask about a body that has one, or give it one")
            placed = self._placed[body] = Placed(body.shape, pose)
        elif placed.pose is not pose:
            placed.place(pose)
        return placed

    def forget(self, body: LiveBody) -> None:
        """Drops the shape of a body that has left the cell."""
        self._placed.pop(body, None)


class Clearance(NamedTuple):
    """Two bodies and the signed distance between them."""

    a: LiveBody
    b: LiveBody
    distance: float


class Scene:
    """Questions to a world, each about an instant: now, if none is given. Bodies are given themselves or by name."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: dict[LiveBody, tuple[int, int, Placed]] = {}  # version, since when it stands, where it is
        self._past: dict[LiveBody, Placed] = {}  # what stands now, where it was

    @cached_property
    def broad_phase(self) -> BroadPhase:
        """Who is where, in columns: made when a question needs a broad phase."""
        return BroadPhase(self.world)

    @cached_property
    def regions(self) -> RegionQueries:
        """Who may be at a place, for those who ask about the same places again and again."""
        return RegionQueries(self.world, self.broad_phase)

    @cached_property
    def fans(self) -> FanQueries:
        """Fans of rays, as sensors cast them again and again: quicker than :meth:`rays`, and the same hits."""
        return FanQueries(self)

    @cached_property
    def volumes(self) -> VolumeQueries:
        """Volumes of space, as sensors ask about them again and again."""
        return VolumeQueries(self)

    # ---------------------------------------------------------------- pairs

    def distance(self, a: LiveBody | str, b: LiveBody | str, t: int | None = None) -> float:
        """Metres between two bodies; negative is how deep they overlap."""
        t = self.world.now if t is None else t
        return geometry.distance(self.placed(self._body(a), t), self.placed(self._body(b), t))

    def gap(self, a: LiveBody, b: LiveBody, t: int) -> float:
        """The distance of bodies apart; of bodies that overlap only an estimate of the depth, but quickly."""
        return gap(self.placed(a, t), self.placed(b, t))

    def closest(self, a: LiveBody | str, b: LiveBody | str, t: int | None = None) -> Closest:
        """The signed distance, the point on each body that realises it, and the normal from a to b."""
        t = self.world.now if t is None else t
        return geometry.closest(self.placed(self._body(a), t), self.placed(self._body(b), t))

    def contacts(
        self, a: LiveBody | str, b: LiveBody | str, t: int | None = None, margin: float = TOUCH
    ) -> list[ContactPoint]:
        """The points where two bodies touch: the corners of a common face, the ends of a line, or one point."""
        t = self.world.now if t is None else t
        return geometry.contacts(self.placed(self._body(a), t), self.placed(self._body(b), t), margin)

    def interference(self, a: LiveBody | str, b: LiveBody | str, t: int | None = None) -> Interference:
        """The volume two bodies share."""
        t = self.world.now if t is None else t
        return geometry.interference(self.placed(self._body(a), t), self.placed(self._body(b), t))

    # ---------------------------------------------------------------- one against all

    def touching(
        self, body: LiveBody | str, t: int | None = None, margin: float = TOUCH, ignore: Iterable[LiveBody] = ()
    ) -> list[Touch]:
        """All bodies that touch a body, or are as near as the margin, by name."""
        t = self.world.now if t is None else t
        body = self._body(body)
        return self.within(self.placed(body, t), t, margin, {body, *ignore})

    def clearances(
        self, bodies: Sequence[LiveBody], within: float, t: int | None = None, ignore: Iterable[LiveBody] = ()
    ) -> list[Clearance]:
        """A collision check at an instant: who else is how far from these bodies, if nearer than a distance.

        The bodies are not checked against each other, nor against what is ignored. A negative distance is a depth.
        """
        t = self.world.now if t is None else t
        placed = [self.placed(body, t) for body in bodies]
        known, measure, found = self._known, geometry.distance, []
        for number, other in self.broad_phase.meetings(placed, within, t, {*bodies, *ignore}):
            entry = known.get(other)  # as in placed(), without the call: most of them stand
            stands = entry is not None and entry[1] <= t and entry[0] == other.version
            distance = measure(placed[number], entry[2] if entry is not None and stands else self.placed(other, t))
            if distance <= within:
                found.append(Clearance(bodies[number], other, distance))
        return found

    def inside(
        self, volume: Shape, pose: Pose, t: int | None = None, margin: float = TOUCH, ignore: Iterable[LiveBody] = ()
    ) -> list[Touch]:
        """All bodies that reach into a volume of space, such as a light curtain's or an ultrasonic cone."""
        t = self.world.now if t is None else t
        return self.volumes.find(
            volume, pose, t, margin, ignore if isinstance(ignore, (frozenset, set)) else set(ignore)
        )

    def containing(self, point: Sequence[float], t: int | None = None) -> list[LiveBody]:
        """All bodies that a point is in, or on the surface of."""
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
        """The first body a ray meets within reach."""
        return self.rays(origin, [direction], reach, t, ignore)[0]

    def rays(
        self,
        origin: Sequence[float],
        directions: Sequence[Sequence[float]],
        reach: float,
        t: int | None = None,
        ignore: Iterable[LiveBody] = (),
    ) -> list[Hit | None]:
        """The same for several rays from one point: the bodies around are looked for once."""
        t = self.world.now if t is None else t
        x, y, z = (float(v) for v in origin)
        unlooked = set(ignore)
        near = [
            (self.placed(body, t), body) for body in self.broad_phase.near((x, y, z), reach, t) if body not in unlooked
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
        """The body's shape where the body is at an instant, for queries of one's own. Good until the next question."""
        known = self._known.get(body)
        if known is None or known[0] != body.version:
            known = self._know(body, t)
        _, since, placed = known
        if since <= t:
            return placed  # it stands where it stood
        if since < FOREVER:  # the past of what stands now
            then = self._past.get(body)
            if then is None or then.shape is not placed.shape:
                then = self._past[body] = Placed(placed.shape)
            placed = then
        pose = self.world.pose(body, t)
        if pose is not placed.pose:
            placed.place(pose)
        return placed

    def _know(self, body: LiveBody, t: int) -> tuple[int, int, Placed]:
        """Places a body anew: once and for all if it stands, from some instant on."""
        if body.shape is None:
            raise WorldError(f"{body.name!r} has no shape", hint="ask about a body that has one, or give it one")
        path = linear_motion(body) if body.gone == FOREVER else None
        since = path.since if path is not None and not any(path.velocity) else FOREVER
        pose = self.world.pose(body, t if since == FOREVER else max(since, t))
        self._known[body] = (body.version, since, Placed(body.shape, pose))
        return self._known[body]

    def forget(self, body: LiveBody) -> None:
        """Lets go of what is kept for a body that has left the cell."""
        self._known.pop(body, None)
        self._past.pop(body, None)

    def _body(self, what: LiveBody | str) -> LiveBody:
        return self.world.body(what) if isinstance(what, str) else what

    def within(self, placed: Placed, t: int, margin: float, ignore: Container[LiveBody]) -> list[Touch]:
        """All bodies that touch a placed shape, or are as near as the margin, by name."""
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
        # A ray that passes the ball by, or ends before it, cannot meet what is in the ball.
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
