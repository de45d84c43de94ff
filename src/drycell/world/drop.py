"""Drops: what a part does from its first contact with a surface until it rests there, or leaves it over an edge.

The path is computed at the contact and becomes one motion. It runs on one level surface at a time: the top face of a
body at the height of the contact. Where the centre of mass crosses its edge, the path ends and the part falls on, with
the velocity and spin that it has there. A bin keeps what falls in: there, and at what stands on the surface, the way
ends at the edge. Poses here are *level*: z is up, against gravity.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from drycell.base import IDENTITY, GeometryError, Pose, Vector
from drycell.geometry import (
    Compound,
    PlaneRegion,
    Polygon,
    Shape,
    StableStates,
    convex_outline,
    free_place,
    inside_outline,
    least_turn,
    level_section,
    minkowski_sum,
    stable_states,
)
from drycell.world.body import LiveBody, lineage
from drycell.world.linkage import LinkMotion
from drycell.world.motion import SECOND, Tumble
from drycell.world.tumbling import Moving, TumblingBody, advanced, normal_draw, tumble, tumbling_body
from drycell.world.world import World

SET_DOWN: Final = 1e-3  # metres: a part that falls flat from no higher is set down, and keeps its state
FLAT: Final = 0.01  # rad: a part whose side is this close to the surface lies on it
SCATTER: Final = math.radians(0.5)  # standard deviation of the tilt with which a part is released
_SLICE: Final = 2e-5  # metres above and below a surface at which it is cut
_SAME_LEVEL: Final = 1e-3  # metres: parts whose lowest points differ by less lie on one surface
_SAMPLE: Final = 0.01  # seconds between two poses of a path; every hit is a pose as well
_SHORT: Final = 0.3  # seconds of a flight with a pose every 10 ms; later ones follow every 25 ms
_COARSE: Final = 0.025
_EXACT: Final = 1e-12  # metres
_TIPPED: Final = math.tan(math.radians(30.0))  # of half the angle: a part that tips leaves the edge at 60 degrees
LONGEST: Final = 2.5  # the longest bounce of Pilot's law, over the mean
_HOPS: Final = 8  # poses of a bounce by Pilot's law
_TIPS: Final = 8  # poses while it tips


@dataclass(frozen=True)
class LevelSurface:
    """The level top face of a body at one height, with what stands on it."""

    body: LiveBody
    height: float
    top: PlaneRegion
    """Where parts can lie: the face, less what stands on it."""
    walls: PlaneRegion
    """The sections of what stands on it."""
    keeps: bool
    """Whether parts cannot leave it: a bin."""

    def holds(self, x: float, y: float) -> bool:
        """Whether a centre of mass is above it."""
        return self.top.contains((x, y))

    def way_out(self, start: tuple[float, float], along: tuple[float, float]) -> float:
        """The distance from a point above it to its boundary, in a direction of length 1."""
        (x, y), (u, v) = start, along
        best = math.inf
        for ring in self.top.rings:
            for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
                across = u * (by - ay) - v * (bx - ax)
                if abs(across) > 1e-15:
                    far = ((ax - x) * (by - ay) - (ay - y) * (bx - ax)) / across
                    share = ((ax - x) * v - (ay - y) * u) / across
                    if far > 0.0 and 0.0 <= share <= 1.0:
                        best = min(best, far)
        return best if best < math.inf else 0.0


@dataclass(frozen=True)
class SurfacePath:
    """What a part does on a surface."""

    path: tuple[Moving, ...]
    """Its states, in level coordinates; the time is since the contact."""
    state: str
    """The stable state in which it ends; empty if it leaves the surface."""
    crowds: bool = False
    """Whether there was no space left for it."""

    @property
    def leaves(self) -> bool:
        """Whether it goes over an edge."""
        return not self.state


class DroppedPart:
    """A part that falls: its solid with everything it carries, seen in level coordinates.

    Raises:
        GeometryError: Its shape is not closed, so it has no centre of mass.
    """

    def __init__(self, world: World, body: LiveBody, down: Vector) -> None:
        inside = [
            (world.relative(body, each), each.shape)
            for each in world.subtree(body)
            if each.shape is not None and not each.hole
        ]
        if not inside:
            raise GeometryError(f"{body.name!r} has no shape, so it cannot tumble", hint="give it a shape")
        alone = len(inside) == 1 and inside[0][1] is body.shape
        shape: Shape = inside[0][1] if alone else Compound(tuple(inside))
        self.body, self.shape = body, shape
        self.level = IDENTITY if down == (0.0, 0.0, -1.0) else least_turn((-down[0], -down[1], -down[2]), _UP)
        """From the world to level coordinates."""
        self.solid: TumblingBody = tumbling_body(shape)
        self.margin = 0.02 * self.solid.hull.reach if any(self.solid.hull.rolls) else 0.0
        """How far corners may be outside the solid: polyhedra around round shapes stand for them."""
        states = stable_states(shape)
        self.states: StableStates = states.named(body.states) if body.states else states

    def seen(self, pose: Pose) -> Pose:
        """A pose in the world, in level coordinates."""
        return pose if self.level is IDENTITY else self.level @ pose

    def lowest(self, pose: Pose) -> float:
        """The height of its lowest point at a level pose."""
        if self.solid.ball:
            return pose.point(self.solid.hull.centre)[2] - self.solid.ball
        _, _, _, _, _, _, _, _, g, h, i, z = pose.rows
        x, y, w = self.solid.hull.centre
        return min(g * (u + x) + h * (v + y) + i * (t + w) for u, v, t in self.solid.hull.vertices) + z

    def outline(self, pose: Pose) -> Polygon:
        """Its outline seen from above at a level pose."""
        a, b, c, x, d, e, f, y, *_ = pose.rows
        p, q, r = self.solid.hull.centre
        corners = ((u + p, v + q, w + r) for u, v, w in self.solid.hull.vertices)
        return convex_outline((a * u + b * v + c * w + x, d * u + e * v + f * w + y) for u, v, w in corners)

    def tilt(self, pose: Pose) -> float:
        """The angle in radians by which the side that it would rest on is off the level; large if it would topple."""
        hull = self.solid.hull
        _, _, _, _, _, _, _, _, g, h, i, _ = pose.rows
        facet = hull.facet_below((-g, -h, -i))
        if hull.rolls_to[facet] != facet:
            return math.pi
        x, y, z = hull.normals[facet]
        across = (h * z - i * y, i * x - g * z, g * y - h * x)
        return math.sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2])

    def flat(self, pose: Pose) -> Pose:
        """The pose turned by the least angle so that it lies on its side, at the same lowest point."""
        hull = self.solid.hull
        _, _, _, _, _, _, _, _, g, h, i, _ = pose.rows
        normal = hull.normals[hull.facet_below((-g, -h, -i))]
        x, y, z = pose.direction(normal)
        turn = least_turn((x, y, z), (0.0, 0.0, -1.0))
        if turn is IDENTITY:
            return pose
        cx, cy, cz = pose.point(hull.centre)
        turned = turn @ pose.moved(-cx, -cy, -cz)
        turned = turned.moved(cx, cy, cz)
        return turned.moved(z=self.lowest(pose) - self.lowest(turned))

    def support(self, pose: Pose) -> Polygon:
        """The outline of the side on which it lies at a level pose."""
        hull = self.solid.hull
        _, _, _, _, _, _, _, _, g, h, i, _ = pose.rows
        p, q, r = hull.centre
        corners = (hull.vertices[k] for k in hull.corners[hull.facet_below((-g, -h, -i))])
        seen = (pose.point((u + p, v + q, w + r)) for u, v, w in corners)
        return convex_outline((x, y) for x, y, _ in seen)

    def moving(self, pose: Pose, velocity: Vector, spin: Vector = (0.0, 0.0, 0.0)) -> Moving:
        """Its state at a level pose.

        Numbers are rounded, because those of an arm depend on the processor in their last bits.

        Args:
            pose: The level pose of its frame.
            velocity: Of its centre of mass.
            spin: Its angular velocity, in level coordinates.
        """
        turn = (pose @ self.solid.axes).quaternion
        along = Pose.of_quaternion(turn).inverse().direction(spin)
        w, a, b, c = (round(value, 9) for value in turn)
        n = 1.0 / math.sqrt(w * w + a * a + b * b + c * c)
        x, y, z = (round(value, 9) for value in self.solid.centre(pose))
        u, v, s = (round(value, 6) for value in velocity)
        p0, p1, p2 = (round(value, 6) for value in along)
        return Moving(0.0, (x, y, z), (w * n, a * n, b * n, c * n), (u, v, s), (p0, p1, p2))

    def pose(self, moving: Moving) -> Pose:
        """The pose in the world of its frame."""
        found = self.solid.pose(moving)
        return found if self.level is IDENTITY else self.level.inverse() @ found

    def motion(self, start: int, first: Pose, path: Sequence[Moving]) -> Tumble:
        """The motion in the world along a path that begins now, at a pose in the world."""
        times, poses = [start], [first]
        for k, each in enumerate(path):
            tick = start + math.ceil(each.time / SECOND)
            rises = each.velocity[2] > (path[k - 1].velocity[2] if k else 0.0)
            if tick <= times[-1] or not (
                rises or each.time - (times[-1] - start) * SECOND >= _SAMPLE or k == len(path) - 1
            ):
                continue
            times.append(tick)
            poses.append(self.pose(each))
        if len(times) == 1:
            times.append(start + 1)
            poses.append(self.pose(path[-1]))
        return Tumble(times, poses)

    def flight(self, start: Moving, gravity: float, seconds: float) -> tuple[Moving, ...]:
        """Its states during a free flight: most flights are short, so later ones are farther apart."""
        found = [start._replace(time=0.0)]
        while found[-1].time < seconds:
            step = _SAMPLE if found[-1].time < _SHORT else _COARSE
            found.append(advanced(self.solid, found[-1], step, gravity))
        return tuple(found)


_UP: Final = (0.0, 0.0, 1.0)


def scattered(moving: Moving, random: Random) -> Moving:
    """Tilt a part by the small random angle with which grippers release it; z is up."""
    tilt, lean = 0.5 * SCATTER * normal_draw(random), 0.5 * SCATTER * normal_draw(random)
    w, x, y, z = moving.turn
    # The product of the quaternions (1, tilt, lean, 0) and (w, x, y, z).
    a, b, c, d = w - tilt * x - lean * y, x + tilt * w + lean * z, y - tilt * z + lean * w, z + tilt * y - lean * x
    n = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
    return moving._replace(turn=(a * n, b * n, c * n, d * n))


def surface_at(world: World, part: DroppedPart, support: LiveBody, height: float) -> LevelSurface | None:
    """Return the top face of a body at a height in level coordinates; None if it has none there."""
    if support.shape is None:
        return None
    try:
        top = _cut(world, part, support, height - _SLICE) - _cut(world, part, support, height + _SLICE)
        if top.area < 1e-8:
            return None
        walls = _cut(world, part, support, height + _SAME_LEVEL)
        for body in _standing(world, part, support, top, height):
            walls = walls + _cut(world, part, body, height + _SAME_LEVEL)
    except GeometryError:
        return None  # a bare surface has no inside
    if not walls.empty:
        top = top - walls
    return LevelSurface(support, height, top, walls, any(each.keeps for each in lineage(support)))


def _cut(world: World, part: DroppedPart, body: LiveBody, height: float) -> PlaneRegion:
    assert body.shape is not None
    return level_section(body.shape, part.seen(world.pose(body)), height)


def _standing(
    world: World, part: DroppedPart, support: LiveBody, top: PlaneRegion, height: float
) -> Iterable[LiveBody]:
    """The fixed bodies that may stand on a surface."""
    corners = [corner for ring in top.rings for corner in ring]
    low, high = ([pick(corner[k] for corner in corners) for k in (0, 1)] for pick in (min, max))
    own = set(world.subtree(part.body))
    for body in world.bodies.values():
        if body is support or body.shape is None or body.part or body.hole or body in own:
            continue
        middle, radius = body.shape.sphere
        x, y, z = part.seen(world.pose(body)).point(middle)
        if abs(z - height) > radius or not (low[0] - radius < x < high[0] + radius):
            continue
        if low[1] - radius < y < high[1] + radius and not _moves(body):
            yield body


def _moves(body: LiveBody) -> bool:
    """Whether a body is part of a mechanism, or is carried by one."""
    return any(isinstance(each.segment(each.history.times[-1]).motion, LinkMotion) for each in lineage(body))


def supported(part: DroppedPart, pose: Pose, surfaces: Sequence[LevelSurface]) -> bool:
    """Whether a part that lies flat does not tip over: its centre of mass is above what it lies on."""
    x, y, _ = part.solid.centre(pose)
    if any(each.holds(x, y) for each in surfaces):
        return True
    side = PlaneRegion.of(part.support(pose))
    touching = [corner for each in surfaces for ring in (each.top & side).rings for corner in ring]
    return len(touching) > 2 and inside_outline(convex_outline(touching), (x, y), 1e-9)


@dataclass(frozen=True)
class Impact:
    """The constants of an impact of two materials."""

    restitution: float
    friction: float


def impact_of(world: World, part: LiveBody, surface: LiveBody) -> Impact:
    """The product of the restitutions of two bodies, and the lower of their frictions."""
    one, other = world.materials[part.material], world.materials[surface.material]
    return Impact(one.restitution * other.restitution, min(one.friction, other.friction))


def land(
    part: DroppedPart,
    moving: Moving,
    surface: LevelSurface,
    impact: Impact,
    gravity: float,
    others: Sequence[Polygon],
    random: Random,
) -> SurfacePath:
    """Let a part tumble on a surface.

    Args:
        part: The part.
        moving: Its state at the contact, in level coordinates.
        surface: The surface.
        impact: Restitution and friction.
        gravity: In m/s².
        others: The outlines of the parts that lie there.
        random: Draws whether it stays tangled.
    """
    x, y, z = moving.centre
    start = moving._replace(time=0.0, centre=(x, y, z - surface.height))
    found = tumble(part.solid, start, impact.restitution, impact.friction, gravity)
    path = [
        each._replace(centre=(each.centre[0], each.centre[1], each.centre[2] + surface.height)) for each in found.path
    ]
    state = next(each for each in part.states if part.states.number(each) == found.state)
    return _on_surface(part, path, surface, state.name, others, random)


def _on_surface(
    part: DroppedPart, path: list[Moving], surface: LevelSurface, state: str, others: Sequence[Polygon], random: Random
) -> SurfacePath:
    """End a path where it leaves the surface, or keep it inside, clear of walls and of other parts."""
    x, y, _ = path[0].centre
    kept: tuple[float, float] | None = None
    if surface.holds(x, y):
        inside = (x, y)
        for k, each in enumerate(path):
            at = (each.centre[0], each.centre[1])
            if surface.holds(*at):
                inside = at
            elif surface.keeps or surface.walls.contains(at):
                kept = inside
                path[k:] = [later._replace(centre=(*inside, later.centre[2])) for later in path[k:]]
                break
            else:
                return SurfacePath(tuple(path[: k + 1]), "")
    path, crowds = _spread(part, path, surface, others, random, kept is not None)
    return SurfacePath(tuple(path), state, crowds)


def _spread(
    part: DroppedPart, path: list[Moving], surface: LevelSurface, others: Sequence[Polygon], random: Random, kept: bool
) -> tuple[list[Moving], bool]:
    """Move the end of a path to free space, unless the part stays tangled with others."""
    pose = part.solid.pose(path[-1])
    x, y = path[-1].centre[0], path[-1].centre[1]
    own: Polygon = tuple((u - x, v - y) for u, v in part.outline(pose))
    wanted, crowds = (x, y), False
    overlaps = [each for each in others if overlap(each, own, wanted)]
    tangled = bool(overlaps) and part.body.tangle > 0.0 and random.random() < part.body.tangle
    outside = surface.keeps and not surface.top.shrunk(own).contains(wanted)
    pressed = kept or outside or not (PlaneRegion.of(part.outline(pose)) & surface.walls).empty
    if (overlaps and not tangled) or pressed:
        found = free_place(surface.top, () if tangled else others, own, wanted)
        if found is None and not tangled:
            crowds = bool(others)
            found = free_place(surface.top, (), own, wanted)
        wanted = wanted if found is None else found
    shift = (wanted[0] - x, wanted[1] - y)
    if shift != (0.0, 0.0):
        first, lasts = path[0].time, path[-1].time - path[0].time
        path = [_shifted(each, shift, (each.time - first) / lasts) for each in path]
    return path, crowds


def overlap(other: Polygon, own: Polygon, at: tuple[float, float]) -> bool:
    """Whether an outline at a place overlaps another, by more than it touches it."""
    for k in (0, 1):
        low, high = min(p[k] for p in own) + at[k], max(p[k] for p in own) + at[k]
        if low >= max(p[k] for p in other) or high <= min(p[k] for p in other):
            return False
    mirrored: Polygon = tuple((-x, -y) for x, y in own)
    return inside_outline(minkowski_sum(other, mirrored), at, -1e-6)


def _shifted(moving: Moving, shift: tuple[float, float], share: float) -> Moving:
    x, y, z = moving.centre
    return moving._replace(centre=(x + share * shift[0], y + share * shift[1], z))


def tip(part: DroppedPart, pose: Pose, surface: LevelSurface, gravity: float) -> tuple[Moving, ...] | None:
    """Let a part whose centre of mass is beyond the edge of a surface turn about that edge until it falls off.

    Returns:
        Its states; None if there is no edge beside it.
    """
    if surface.top.empty:
        return None
    start = part.moving(pose, (0.0, 0.0, 0.0))
    x, y, z = start.centre
    ex, ey = surface.top.nearest((x, y))
    out = math.sqrt((x - ex) * (x - ex) + (y - ey) * (y - ey))
    if out < _EXACT:
        return None
    ox, oy = (x - ex) / out, (y - ey) / out
    arm = (max(out, 1e-4), z - surface.height)  # outwards, upwards
    axis = (-oy, ox, 0.0)
    turned = Pose.of_quaternion(start.turn)
    along = turned.inverse().direction(axis)
    moment = sum(i * a * a for i, a in zip(part.solid.inertia, along, strict=True)) + arm[0] * arm[0] + arm[1] * arm[1]
    found, time, before = [start], 0.0, 0.0
    for step in range(1, _TIPS + 1):
        half = _TIPPED * step / _TIPS  # the tangent of half the angle: no sine or cosine is needed
        cosine, sine = (1.0 - half * half) / (1.0 + half * half), 2.0 * half / (1.0 + half * half)
        far, up = arm[0] * cosine + arm[1] * sine, arm[1] * cosine - arm[0] * sine
        turning = math.sqrt(2.0 * gravity * max(arm[1] - up, 1e-9) / moment)
        time += 2.0 * (2.0 * _TIPPED / _TIPS) / (before + turning)
        before = turning
        spun = Pose.of_quaternion((1.0, half * axis[0], half * axis[1], 0.0)) @ turned
        speed = (turning * up * ox, turning * up * oy, -turning * far)
        spin = (turning * along[0], turning * along[1], turning * along[2])
        centre = (ex + far * ox, ey + far * oy, surface.height + up)
        found.append(Moving(time, centre, spun.quaternion, speed, spin))
    return tuple(found)


def pilot_land(
    part: DroppedPart,
    moving: Moving,
    surface: LevelSurface,
    impact: Impact,
    gravity: float,
    fallen: float,
    others: Sequence[Polygon],
    random: Random,
) -> SurfacePath:
    """Let a part land by the rules of Pilot: its state, the direction and the distance of its bounce are drawn.

    With w = max(0, 1 − H/D), for a fall by H and a largest dimension D, it keeps the state that it was released over
    with probability w; otherwise the state is drawn from the table of :func:`stable_states`. It bounces in any
    direction, by a distance with a Rayleigh distribution, mean :func:`mean_bounce`, of at most 2.5 times the mean.

    Args:
        part: The part.
        moving: Its state at the contact, in level coordinates.
        surface: The surface.
        impact: Restitution and friction.
        gravity: In m/s².
        fallen: By how much it has fallen since its release, in metres.
        others: The outlines of the parts that lie there.
        random: The part's own stream.
    """
    pose = part.solid.pose(moving)
    released = part.states.at(pose)
    w = keep_share(fallen, part.solid.hull.size)
    state = released
    if not random.random() < w:
        draw, total = random.random(), 0.0
        for each in part.states:
            total += each.probability
            state = each
            if draw < total:
                break
    normal = pose.direction(state.down)
    turned = least_turn(normal, (0.0, 0.0, -1.0)) @ Pose.of_rows(
        (*pose.rows[:3], 0.0, *pose.rows[4:7], 0.0, *pose.rows[8:11], 0.0)
    )
    if state is not released:
        u, v = _direction(random)
        turned = Pose.of_rows((u, -v, 0.0, 0.0, v, u, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)) @ turned  # any yaw
    u, v = _direction(random)
    far = bounce(fallen, impact.restitution, random)
    x, y, _ = moving.centre
    goal = (x + far * u, y + far * v)
    end = (turned @ part.solid.axes).quaternion
    lasts = max(math.sqrt(2.0 * fallen / gravity) * (1.45 / (1.0 - min(impact.restitution, 0.9)) - 1.0), 1e-3)
    hop = 0.125 * gravity * lasts * lasts * impact.restitution
    path = [moving._replace(time=0.0)]
    start = (
        moving.turn
        if sum(p * q for p, q in zip(moving.turn, end, strict=True)) >= 0.0
        else tuple(-value for value in moving.turn)
    )
    for step in range(1, _HOPS + 1):
        share = step / _HOPS
        turn = tuple(p + share * (q - p) for p, q in zip(start, end, strict=True))
        n = 1.0 / math.sqrt(sum(value * value for value in turn))
        w0, a, b, c = (value * n for value in turn)
        spun = Pose.of_quaternion((w0, a, b, c))
        low = min(spun.direction(corner)[2] for corner in part.solid.corners)
        height = surface.height - low + 4.0 * hop * share * (1.0 - share)
        centre = (x + share * (goal[0] - x), y + share * (goal[1] - y), height)
        path.append(Moving(share * lasts, centre, (w0, a, b, c), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    speed = ((goal[0] - x) / lasts, (goal[1] - y) / lasts, 0.0)
    return _on_surface(
        part, [each._replace(velocity=speed) for each in path[:-1]] + path[-1:], surface, state.name, others, random
    )


def keep_share(fallen: float, size: float) -> float:
    """The probability with which Pilot's law keeps the state of release: 1 at no height, 0 from the size on.

    Args:
        fallen: The height of the fall, in metres.
        size: The largest dimension of the part, in metres.
    """
    return max(0.0, 1.0 - fallen / size)


def mean_bounce(fallen: float, restitution: float) -> float:
    """The mean distance in metres between contact and rest: a fit to 10,000 tumbles of various parts."""
    e = min(restitution, 0.9)
    return (0.10 + 1.27 * e / (1.0 - e * e)) * fallen


def bounce(fallen: float, restitution: float, random: Random) -> float:
    """Draw the distance of a bounce: Rayleigh, drawn again above 2.5 times the mean.

    Args:
        fallen: The height of the fall, in metres.
        restitution: The product of the restitutions of part and surface.
        random: The random stream.
    """
    mean = mean_bounce(fallen, restitution)
    while True:
        # A Rayleigh distribution with mean m has the deviation m √(2/π).
        found = mean * math.sqrt(-4.0 / math.pi * math.log(1.0 - random.random()))
        if found <= LONGEST * mean:
            return round(found, 9)


def _direction(random: Random) -> tuple[float, float]:
    """A uniformly random direction in the plane."""
    while True:
        u, v = 2.0 * random.random() - 1.0, 2.0 * random.random() - 1.0
        square = u * u + v * v
        if 0.0001 < square <= 1.0:
            n = 1.0 / math.sqrt(square)
            return u * n, v * n
