"""Gravity: a released part falls, hits what is below it, and settles in a stable state.

How it settles is a *law*, of the cell or of a surface: ``tumble`` computes the drop from the materials, ``pilot`` draws
state and distance as the Pilot simulator does, and ``keep`` leaves the part as it lands, at whatever angle.
"""

import math
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from drycell.base import GeometryError, Pose, Vector, WorldError
from drycell.geometry import Closest, Polygon, inside_outline
from drycell.kernel import Kernel, Rank, Signal, Timer, Track, ticks
from drycell.world.body import LiveBody, Settling, lineage
from drycell.world.contact import Contact, first_contact
from drycell.world.drop import (
    FLAT,
    SET_DOWN,
    DroppedPart,
    LevelSurface,
    SurfacePath,
    impact_of,
    land,
    pilot_land,
    scattered,
    supported,
    surface_at,
    tip,
)
from drycell.world.motion import FOREVER, SECOND, Fall
from drycell.world.scene import Scene, Touch
from drycell.world.tumbling import Moving, advanced, struck

STANDARD: Final[Vector] = (0.0, 0.0, -9.80665)
LOST_AFTER: Final = ticks(2.0)  # a part that falls longer (19.6 m) without contact has left the cell
_SOON: Final = ticks(0.05)
_LATER: Final = ticks(0.3)
_NEAR: Final = 1e-6  # metres: a body this close below a part supports it
_FLIGHT: Final = 2.0  # seconds
_MOST_MET: Final = 40  # surfaces and edges that a falling part meets at most, before it stays where it is
_STEEP: Final = math.cos(math.radians(60.0))  # parts slide down slopes that are less steep than this
_LEVEL: Final = math.cos(math.radians(0.5))
_BOUNCES: Final = 0.1  # m/s towards a slope: slower parts slide
_RUBS: Final = 4  # hits of one edge or wall, after which a part slips past it
_WEDGED: Final = 8  # hits of one body, after which a part above it lies down on it, wherever they touch
_FAR: Final = 20.0  # metres
_SUNK: Final = 1e-4  # metres
_SLOW: Final = 1e-3  # m/s
_SLOW_SPIN: Final = 0.01  # rad/s
_EXACTLY_FLAT: Final = 1e-6  # rad
_BELOW: Final = math.cos(math.radians(80.0))  # a steeper face does not support a part


@dataclass(slots=True)
class _Falling:
    """A falling body: the version of its motion for which the landing was predicted, and the next event."""

    end: int
    version: int
    down: Vector
    pull: float  # m/s²
    timer: Timer | None = None
    drop: "_Drop | None" = None
    """What it is as a falling solid; None if it keeps its orientation."""
    slides: bool = False
    """Whether it slides down a slope, until ``end``."""


@dataclass(slots=True)
class _Drop:
    """A part that is not yet at rest: where its fall began, and what it has met."""

    part: DroppedPart
    law: Settling | None  # that of the release, if one was given
    top: float  # the height of its lowest point at its release, in level coordinates
    pull: float
    down: Vector
    start: int = 0
    flight: tuple[Moving, ...] = ()  # from ``start``; empty while it falls without turning
    met: int = 0  # surfaces and edges so far
    scattered: bool = False
    off: LiveBody | None = None  # the surface that it has just left over an edge
    passed: dict[LiveBody, None] = field(default_factory=dict)  # what it falls past: see ``_land`` and ``_struck``
    hits: dict[LiveBody, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Tumbling:
    """A part that tumbles on a surface: the version of its motion, and what it does at the end."""

    version: int
    support: LiveBody
    timer: Timer


class Gravity:
    """Lets parts fall and settle.

    Args:
        kernel: The kernel.
        scene: The scene.
        gravity: The acceleration in m/s².
        settling: How parts settle on surfaces that have no law of their own.
    """

    def __init__(self, kernel: Kernel, scene: Scene, gravity: Vector = STANDARD, settling: Settling = "keep") -> None:
        self._kernel, self._scene, self._world, self._gravity = kernel, scene, scene.world, gravity
        self.settling: Settling = settling
        self._falling: dict[LiveBody, _Falling] = {}
        self._tumbling: dict[LiveBody, _Tumbling] = {}
        self._outlines: dict[LiveBody, tuple[int, Polygon]] = {}
        self.lost: dict[LiveBody, None] = {}
        """Bodies that have left the cell, or fall with nothing below them."""
        self.on_lost: Callable[[LiveBody, bool], None] = lambda body, lost: None
        """Called when a body falls with nothing below it, and when something moves below it before it is lost."""
        self._track: Track[tuple[str, bool]] = kernel.tracks.track("lost")
        self._looking = False
        self.may_write: Callable[[], Sequence[Signal[Any]]] = tuple
        """Returns the signals that may change when a part lands; None if they are unknown."""
        scene.world.subscribe(self._changed)

    def release(self, body: LiveBody, gravity: Vector | None = None, law: Settling | None = None) -> None:
        """Release a body: it rests on the body directly below it, tips over, or falls.

        Args:
            body: the body.
            gravity: the acceleration in m/s², for example for a tilted cell; by default that of the world.
            law: how it settles; by default as on the surface that it meets.
        """
        pull = self._gravity if gravity is None else gravity
        size = math.hypot(*pull)
        if not 0.0 < size < math.inf:
            raise WorldError(f"a gravity of {pull} has no direction", hint="give a vector other than (0, 0, 0)")
        down = (pull[0] / size, pull[1] / size, pull[2] / size)
        self._forget(body)
        supports = self._supports(body, down)
        if supports and self._law(supports[0], law) == "keep":
            self._rest(body, supports[0])
            return
        drop = self._drop(body, down, size, law)
        if supports and (drop is None or self._set_down(body, drop, supports)):
            if drop is None:
                self._rest(body, supports[0])
            return
        now, world = self._kernel.now, self._world
        self._kernel.journal.write("falls", body.name)
        spin = (0.0, 0.0, 0.0) if drop is None else self._spin(body)
        if drop is not None and spin != (0.0, 0.0, 0.0):
            velocity = drop.part.level.direction(world.velocity(body))
            pose = drop.part.seen(world.pose(body))
            spin = drop.part.level.direction(spin)
            cx, cy, cz = (c - p for c, p in zip(drop.part.solid.centre(pose), pose.position, strict=True))
            sx, sy, sz = spin
            vx, vy, vz = velocity
            moving = drop.part.moving(
                pose, (vx + sy * cz - sz * cy, vy + sz * cx - sx * cz, vz + sx * cy - sy * cx), spin
            )
            self._fly(body, drop, moving)
            return
        world.move(body, Fall(now, now + LOST_AFTER, world.pose(body), world.velocity(body), pull))
        self._falling[body] = _Falling(now + LOST_AFTER, body.version, down, size, drop=drop)
        self._look_soon()

    def falls(self, body: LiveBody) -> bool:
        """Whether a body is falling or tumbling."""
        return body in self._falling or body in self._tumbling

    def close(self) -> None:
        """Predict falls that began at the last instant of a run."""
        for body, falling in self._falling.items():
            if falling.timer is None:
                self._set_lost(body, self._meeting(body) is None)

    # ---------------------------------------------------------------- laws

    def _law(self, surface: LiveBody, given: Settling | None) -> Settling:
        """How a part settles on a body."""
        for each in lineage(surface):
            if given is None and each.settling is not None:
                return each.settling
        return given or self.settling

    def _drop(self, body: LiveBody, down: Vector, pull: float, law: Settling | None) -> _Drop | None:
        """A body as a falling solid; None if it keeps its orientation, or has no centre of mass."""
        tumbles = law or self.settling
        if tumbles == "keep" and (law or all(each.settling in (None, "keep") for each in self._world.bodies.values())):
            return None
        try:
            part = DroppedPart(self._world, body, down)
        except GeometryError as error:
            self._kernel.warn(body.name, f"it keeps its orientation when it falls: {error.what}")
            return None
        return _Drop(part, law, part.lowest(part.seen(self._world.pose(body))), pull, down)

    def _spin(self, body: LiveBody) -> Vector:
        """The angular velocity of a body in the world until now, in rad/s; 0 if it is slow."""
        now = self._kernel.now
        if not body.exists(now - 1) or self._world.bound(body, now - 1, now)[1] < _SLOW_SPIN:
            return (0.0, 0.0, 0.0)
        turn = (self._world.pose(body) @ self._world.pose(body, now - 1).inverse()).rotation_vector
        x, y, z = (value / SECOND for value in turn)
        return (x, y, z) if math.hypot(x, y, z) >= _SLOW_SPIN else (0.0, 0.0, 0.0)

    # ---------------------------------------------------------------- on a surface

    def _set_down(self, body: LiveBody, drop: _Drop, supports: Sequence[LiveBody]) -> bool:
        """Leave a part that touches a surface there, let it lie down or tip over. False: it falls after all."""
        part = drop.part
        pose = part.seen(self._world.pose(body))
        found = [surface_at(self._world, part, each, self._height(part, each)) for each in supports]
        surfaces = [each for each in found if each is not None]
        if not surfaces:
            self._rest(body, supports[0])  # a face that is not level, such as a cradle
            return True
        if part.tilt(pose) > FLAT:
            x, y, _ = part.solid.centre(pose)
            on = next((each for each in surfaces if each.holds(x, y)), None)
            if on is None:
                return False
            self._land_on(body, drop, part.moving(pose, (0.0, 0.0, 0.0)), on)
            return True
        if not supported(part, pose, surfaces):
            path = tip(part, pose, surfaces[0], drop.pull)
            if path is None:
                return False
            self._kernel.journal.write("tips", body.name, over=surfaces[0].body.name)
            drop.off = surfaces[0].body
            self._follow(body, drop, path, surfaces[0].body, lambda: self._fly(body, drop, path[-1]))
            return True
        self._lie_flat(body, part, pose)
        self._rest(body, supports[0])
        return True

    def _lie_flat(self, body: LiveBody, part: DroppedPart, pose: Pose) -> None:
        """Turn a part that lies nearly flat so that it lies flat."""
        if part.tilt(pose) > _EXACTLY_FLAT:
            flat = part.flat(pose)
            self._world.place(body, part.level.inverse() @ flat)

    def _land_on(self, body: LiveBody, drop: _Drop, moving: Moving, surface: LevelSurface) -> None:
        """Let a part settle on a surface."""
        part, support = drop.part, surface.body
        drop.met, drop.off = drop.met + 1, None
        random = self._kernel.random(f"{body.name}.drop")
        if not drop.scattered:
            drop.scattered = True
            moving = scattered(moving, random)
        others = self._lying_on(part, support, drop)
        impact = impact_of(self._world, body, support)
        fallen = max(drop.top - surface.height, 0.0)
        if self._law(support, drop.law) == "pilot":
            landing = pilot_land(part, moving, surface, impact, drop.pull, fallen, others, random)
        else:
            landing = land(part, moving, surface, impact, drop.pull, others, random)
        self._kernel.journal.write("lands", body.name, on=support.name, height_mm=round(fallen * 1e3, 3))
        self._follow(body, drop, landing.path, support, lambda: self._after(body, drop, landing, support))

    def _follow(
        self,
        body: LiveBody,
        drop: _Drop,
        path: Sequence[Moving],
        support: LiveBody,
        then: Callable[[], None],
    ) -> None:
        """Move a part along a path on a surface, and do something at its end."""
        world, now = self._world, self._kernel.now
        self._forget(body)
        motion = drop.part.motion(now, world.pose(body), path)
        world.move(body, motion)
        timer = self._kernel.at(
            motion.end, lambda: self._ends(body, then), Rank.MOTION, body.name, writes=self.may_write() or None
        )
        self._tumbling[body] = _Tumbling(body.version, support, timer)

    def _ends(self, body: LiveBody, then: Callable[[], None]) -> None:
        if self._tumbling.pop(body, None) is not None:
            then()

    def _after(self, body: LiveBody, drop: _Drop, landing: SurfacePath, support: LiveBody) -> None:
        """At the end of a path: rest, or fall over the edge."""
        if landing.leaves:
            self._kernel.journal.write("bounces", body.name, off=support.name)
            drop.off = support
            self._fly(body, drop, landing.path[-1])
            return
        if landing.crowds:
            self._kernel.journal.write("crowds", body.name, on=support.name)
        self._world.attach(body, support)
        self._kernel.journal.write("rests", body.name, on=support.name, state=landing.state)

    def _fly(self, body: LiveBody, drop: _Drop, moving: Moving) -> None:
        """Let a part fly freely, turning."""
        now, world = self._kernel.now, self._world
        self._forget(body)
        drop.start = now
        drop.flight = drop.part.flight(moving, drop.pull, _FLIGHT)
        world.move(body, drop.part.motion(now, world.pose(body), drop.flight[1:]))
        end = now + ticks(_FLIGHT)
        self._falling[body] = _Falling(end, body.version, drop.down, drop.pull, drop=drop)
        self._look_soon()

    def _moving(self, body: LiveBody, drop: _Drop) -> Moving:
        """The state of a falling part now."""
        if not drop.flight:
            pose = drop.part.seen(self._world.pose(body))
            return drop.part.moving(pose, drop.part.level.direction(self._world.velocity(body)))
        seconds = (self._kernel.now - drop.start) * SECOND
        last = max((each for each in drop.flight if each.time <= seconds), key=lambda each: each.time)
        return advanced(drop.part.solid, last, seconds - last.time, drop.pull)

    def _lying_on(self, part: DroppedPart, support: LiveBody, drop: _Drop) -> list[Polygon]:
        """The outlines of the parts that lie on a body, in level coordinates."""
        found = []
        for each in support.children:
            if not each.part or each is part.body or each.shape is None:
                continue
            known = self._outlines.get(each)
            if known is None or known[0] != each.version:
                try:
                    lying = DroppedPart(self._world, each, drop.down)
                except GeometryError:
                    continue  # a surface that is not closed
                known = self._outlines[each] = (each.version, lying.outline(lying.seen(self._world.pose(each))))
            found.append(known[1])
        return found

    def _struck(self, body: LiveBody, drop: _Drop, obstacle: LiveBody) -> None:
        """Let a part bounce off an edge, a wall or a slope."""
        drop.met, drop.off = drop.met + 1, None
        near = self._nearest(body, obstacle)
        part = drop.part
        x, y, z = (round(-value, 6) for value in part.level.direction(near.normal))
        size = math.sqrt(x * x + y * y + z * z)
        point = part.level.point(near.point_b)
        at = (round(point[0], 7), round(point[1], 7), round(point[2], 7))
        impact = impact_of(self._world, body, obstacle)
        moving = self._moving(body, drop)
        drop.hits[obstacle] = drop.hits.get(obstacle, 0) + 1
        if drop.hits[obstacle] >= _RUBS and self._first_below(body, drop) is not obstacle:
            drop.passed[obstacle] = None  # it rubs along an edge that is not below its centre: it slips off
        moving = struck(part.solid, moving, at, (x / size, y / size, z / size), impact.restitution, impact.friction)
        self._fly(body, drop, moving)

    def _slides(self, body: LiveBody, drop: _Drop, slope: LiveBody) -> bool:
        """Let a part that has nearly come to rest on a slope lie there, or slide down. False: it bounces."""
        world = self._world
        towards = self._nearest(body, slope).normal
        up = sum(n * d for n, d in zip(towards, drop.down, strict=True))
        moving = self._moving(body, drop)
        speed = drop.part.level.inverse().direction(moving.velocity)
        if not _STEEP < up < _LEVEL or sum(v * n for v, n in zip(speed, towards, strict=True)) > _BOUNCES:
            return False
        x, y, z = (round(value, 6) for value in towards)
        size = math.sqrt(x * x + y * y + z * z)
        part = DroppedPart(world, body, (x / size, y / size, z / size))  # with the slope treated as level
        pose = part.seen(world.pose(body))
        surface = surface_at(world, part, slope, part.lowest(pose))
        cx, cy, _ = part.solid.centre(pose)
        if surface is None or not surface.holds(cx, cy):
            return False
        gx, gy, gz = (drop.pull * value for value in part.level.direction(drop.down))
        flat = part.flat(pose)
        fx, fy, fz = part.solid.centre(flat)
        height = fz - surface.height
        if gz >= 0.0 or not inside_outline(part.support(flat), (fx - height * gx / gz, fy - height * gy / gz), 1e-9):
            return False  # it topples over
        pull, grip = math.sqrt(gx * gx + gy * gy), -gz * impact_of(world, body, slope).friction
        drop.met += 1
        self._forget(body)
        back = part.level.inverse()
        world.place(body, back @ flat)
        if pull <= grip:
            self._rest(body, slope)
            return True
        ux, uy = gx / pull, gy / pull
        vx, vy, _ = part.level.direction(speed)
        start, gain = max(vx * ux + vy * uy, 0.0), pull - grip
        far = surface.way_out((fx, fy), (ux, uy))
        now, lasts = self._kernel.now, (math.sqrt(start * start + 2.0 * gain * far) - start) / gain
        end = now + min(max(math.ceil(lasts / SECOND), 1), LOST_AFTER)
        along = back.direction((ux, uy, 0.0))
        velocity, pulled = ([value * each for each in along] for value in (start, gain))
        self._kernel.journal.write("slides", body.name, on=slope.name)
        world.move(body, Fall(now, end, world.pose(body), velocity, pulled))
        drop.flight, drop.off, drop.scattered = (), slope, True
        self._falling[body] = _Falling(end, body.version, drop.down, drop.pull, drop=drop, slides=True)
        self._look_soon()
        return True

    def _first_below(self, body: LiveBody, drop: _Drop) -> LiveBody | None:
        """What is straight below the centre of mass of a part."""
        centre = self._world.pose(body).point(drop.part.solid.hull.centre)
        own = list(self._world.subtree(body))
        hit = self._scene.ray(centre, drop.down, _FAR, ignore=own)
        return None if hit is None else hit.body

    def _nearest(self, body: LiveBody, other: LiveBody) -> Closest:
        """Where a body, or what it carries, is nearest to another."""
        own = [each for each in self._world.subtree(body) if each.shape is not None and not each.hole]
        return min((self._scene.closest(each, other) for each in own), key=lambda near: near.distance)

    def _height(self, part: DroppedPart, support: LiveBody) -> float:
        """The level height at which a part touches a body: the part may have sunk in by its way in one tick."""
        return round(part.level.point(self._nearest(part.body, support).point_b)[2], 9)

    def _surface(self, body: LiveBody, drop: _Drop, supports: Sequence[LiveBody]) -> LevelSurface | None:
        """The level surface that a falling part has met with its lowest point, below its centre of mass."""
        part = drop.part
        pose = part.seen(self._world.pose(body))
        low = part.lowest(pose)
        x, y, _ = part.solid.centre(pose)
        for support in supports:
            height = self._height(part, support)
            if abs(height - low) > _SUNK + part.margin and drop.hits.get(support, 0) < _WEDGED:
                continue
            surface = surface_at(self._world, part, support, height)
            if surface is not None and surface.holds(x, y):
                return surface
        return None

    # ---------------------------------------------------------------- falling

    def _supports(self, body: LiveBody, down: Vector) -> list[LiveBody]:
        """The bodies directly below a body or the things it carries, those with the most level faces first."""
        found: dict[LiveBody, float] = {}
        for each, touch in self._touches(body):
            normal = self._scene.closest(each, touch.body).normal
            level = sum(n * d for n, d in zip(normal, down, strict=True))
            if level > _BELOW and level > found.get(touch.body, 0.0):
                found[touch.body] = level
        return sorted(found, key=lambda support: -found[support])

    def _obstacle(self, body: LiveBody, past: Container[LiveBody | None]) -> LiveBody | None:
        """The body that it overlaps, even at a steep face; a wall that it only grazes does not count."""
        touches = [touch for _, touch in self._touches(body) if touch.body not in past]
        pressed = [touch for touch in touches if touch.distance < -_NEAR / 2]
        return min(pressed, key=lambda touch: touch.distance).body if pressed else None

    def _touches(self, body: LiveBody) -> list[tuple[LiveBody, Touch]]:
        """All contacts of the body and of the things it carries, each with the other body."""
        own = list(self._world.subtree(body))
        return [
            (each, touch)
            for each in own
            if each.shape is not None and not each.hole
            for touch in self._scene.touching(each, margin=_NEAR, ignore=own)
        ]

    def _rest(self, body: LiveBody, support: LiveBody) -> None:
        self._world.attach(body, support)
        self._kernel.journal.write("rests", body.name, on=support.name)

    def _predict(self, body: LiveBody) -> None:
        """Predict the end of the fall if no motion changes."""
        falling = self._falling[body]
        if falling.timer is not None:
            falling.timer.cancel()
        met = self._meeting(body)
        self._set_lost(body, met is None and not falling.slides)
        when = falling.end if met is None else met.time
        falling.timer = self._kernel.at(
            when, lambda: self._land(body), Rank.MOTION, body.name, writes=self.may_write() or None
        )

    def _meeting(self, body: LiveBody) -> Contact | None:
        """The first contact of a fall if no motion changes."""
        falling, movers = self._falling[body], list(self._world.subtree(body))
        met, start = None, self._kernel.now
        # Most falls are short, so distant bodies are checked only if there is no contact with close ones.
        for end in (start + _SOON, start + _LATER, falling.end):
            if met is None and start < falling.end:
                end = min(end, falling.end)
                met = first_contact(self._scene, movers, self._below(movers, falling.pull, start, end), start, end)
                start = end
        return met

    def _below(self, movers: list[LiveBody], pull: float, t0: int, t1: int) -> list[LiveBody]:
        """The bodies that a fall may touch between two instants."""
        found: dict[LiveBody, None] = {}
        for mover in movers:
            if mover.shape is not None:
                middle, radius = mover.shape.sphere
                (x, y, z), (u, v, w) = (self._world.pose(mover, t).point(middle) for t in (t0, t1))
                # The path is a parabola, which deviates from the straight line by g t² / 8 at most.
                bulge = pull * ((t1 - t0) * SECOND) ** 2 / 8
                reach = radius + math.dist((x, y, z), (u, v, w)) / 2 + bulge + _NEAR
                centre = ((x + u) / 2, (y + v) / 2, (z + w) / 2)
                found |= dict.fromkeys(self._scene.broad_phase.approachable(centre, reach, t0, t1))
        others = [body for body in found if body not in movers]
        drop = self._falling[movers[0]].drop
        if drop is None:
            return others
        others = [each for each in others if each is not drop.off and each not in drop.passed]
        # Parts in a bin lie on its floor, perhaps tangled: what falls in falls to the floor as well.
        return [each for each in others if not (each.part and any(above.keeps for above in lineage(each)))]

    def _land(self, body: LiveBody) -> None:
        falling = self._falling[body]
        drop = falling.drop
        past: list[LiveBody | None] = [] if drop is None else [*drop.passed, drop.off]
        supports = [each for each in self._supports(body, falling.down) if each not in past]
        obstacle = supports[0] if supports else self._obstacle(body, past)
        if obstacle is not None:
            if (
                drop is None
                or drop.met >= _MOST_MET
                or self._carries(obstacle)
                or (self._law(obstacle, drop.law) == "keep")
            ):
                self._forget(body)
                self._rest(body, obstacle)
                return
            surface = self._surface(body, drop, supports)
            if surface is not None:
                self._touch_down(body, drop, surface)
            elif obstacle.part:
                drop.passed[obstacle] = None  # parts never lean on each other: they are shown overlapping
                self._predict(body)
            elif not self._slides(body, drop, obstacle):
                self._struck(body, drop, obstacle)
            return
        if drop is not None and falling.slides and self._kernel.now >= falling.end:
            self._fly(body, drop, self._moving(body, drop))  # off the end of a slope
            return
        if self._kernel.now < falling.end:
            self._predict(body)  # it only grazed something, which counts again if they overlap
            return
        del self._falling[body]
        self._kernel.journal.write("lost", body.name)
        self._set_lost(body, True)
        self._world.remove(body)

    def _touch_down(self, body: LiveBody, drop: _Drop, surface: LevelSurface) -> None:
        """At the contact with a level surface below it: set it down, or let it tumble."""
        part = drop.part
        pose = part.seen(self._world.pose(body))
        low = drop.top - surface.height <= SET_DOWN + _NEAR and not drop.flight and part.tilt(pose) <= FLAT
        moving = self._moving(body, drop)
        self._forget(body)
        if low and math.hypot(*moving.velocity[:2]) < _SLOW:
            self._lie_flat(body, part, pose)
            self._rest(body, surface.body)
        else:
            self._land_on(body, drop, moving, surface)

    def _carries(self, support: LiveBody) -> bool:
        """Whether a body moves: what lands on it stays as it lands, and moves with it."""
        now = self._kernel.now
        return self._world.bound(support, now, now + _LATER) != (0.0, 0.0)

    def _set_lost(self, body: LiveBody, lost: bool) -> None:
        if lost != (body in self.lost):
            if lost:
                self.lost[body] = None
            else:
                del self.lost[body]
            self._track.append(self._kernel.now, (body.name, lost))
            self.on_lost(body, lost)

    def _changed(self, changed: LiveBody) -> None:
        """Predict falls again after a change of motion."""
        for body, falling in list(self._falling.items()):
            if body.version != falling.version:
                self._forget(body)  # caught, or removed from the cell
        for body, tumbling in list(self._tumbling.items()):
            if body.version != tumbling.version:
                self._forget(body)
            elif changed is tumbling.support or changed in lineage(tumbling.support):
                self.release(body)  # the surface has moved away from below it
        if changed.gone != FOREVER:
            self._outlines.pop(changed, None)
        if self._falling:
            self._look_soon()

    def _look_soon(self) -> None:
        # Once for all changes of this instant: a gripper may release and open, and each link of an arm is announced.
        if not self._looking:
            self._looking = True
            writes = self.may_write() or None
            self._kernel.at(self._kernel.now, self._look_again, Rank.MOTION, "gravity", writes=writes)

    def _look_again(self) -> None:
        self._looking = False
        for body in list(self._falling):
            self._predict(body)

    def _forget(self, body: LiveBody) -> None:
        tumbling = self._tumbling.pop(body, None)
        if tumbling is not None:
            tumbling.timer.cancel()
        falling = self._falling.pop(body, None)
        if falling is not None:
            if falling.timer is not None:
                falling.timer.cancel()
            if body.gone == FOREVER:
                self._set_lost(body, False)  # caught
