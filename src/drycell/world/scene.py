"""The scene: what can be asked of the world at an instant. Distances, contacts, overlaps, rays, who touches whom."""

from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from drycell import geometry
from drycell.base import Pose, Vector, WorldError
from drycell.geometry import Closest, ContactPoint, Interference, Placed, Shape, checks, gap
from drycell.world.body import LiveBody
from drycell.world.census import Census
from drycell.world.motion import FOREVER
from drycell.world.presence import Presence, Touch
from drycell.world.sight import FanQueries, Hit
from drycell.world.stretch import steady
from drycell.world.vicinity import Vicinity
from drycell.world.world import World

TOUCH = geometry.TOUCH


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
    def census(self) -> Census:
        """Who is where, in columns: made when a question needs a broad phase."""
        return Census(self.world)

    @cached_property
    def vicinity(self) -> Vicinity:
        """Who may be at a place, for those who ask about the same places again and again."""
        return Vicinity(self.world, self.census)

    @cached_property
    def sight(self) -> FanQueries:
        """Fans of rays, as sensors cast them again and again: quicker than :meth:`rays`, and the same hits."""
        return FanQueries(self)

    @cached_property
    def presence(self) -> Presence:
        """Volumes of space, as sensors ask about them again and again."""
        return Presence(self)

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
        for number, other in self.census.meetings(placed, within, t, {*bodies, *ignore}):
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
        return self.presence.find(
            volume, pose, t, margin, ignore if isinstance(ignore, (frozenset, set)) else set(ignore)
        )

    def containing(self, point: Sequence[float], t: int | None = None) -> list[LiveBody]:
        """All bodies that a point is in, or on the surface of."""
        t = self.world.now if t is None else t
        x, y, z = (float(v) for v in point)
        near = self.census.near((x, y, z), 0.0, t)
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
        near = [(self.placed(body, t), body) for body in self.census.near((x, y, z), reach, t) if body not in unlooked]
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
        ride = steady(body) if body.gone == FOREVER else None
        since = ride.since if ride is not None and not any(ride.velocity) else FOREVER
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
        for other in self.census.near(centre, radius + margin, t):
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
