"""The scene: overlays of the view, picked points and properties, read from the world at a time."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from drycell.base import IDENTITY, Array, Pose, UnknownName, Vector, WorldError
from drycell.geometry import Placed, project_to_surface, ray
from drycell.studio.api.codec import pose_data
from drycell.studio.api.scene import (
    MOST_POINTS,
    ContactOverlay,
    Exposure,
    FrameOverlay,
    Overlay,
    Overlays,
    Pick,
    PropertyTable,
    PropertyValue,
    SceneApi,
    SensorDetection,
    SensorOverlay,
    SensorVolume,
    Tree,
)
from drycell.studio.host.properties import PropertySource, properties
from drycell.studio.host.session import HostSession
from drycell.studio.host.tree import tree
from drycell.world import AT_REST, CollisionRules, LiveBody, Scene, WatchedPairs, World, contact_threshold, lineage

MOST_COPIES: Final = 20_000  # of bodies in one multiple exposure
WITHIN: Final = 0.03  # metres up to which gaps are drawn, unless the cell's own clearance is greater
_MOST_CONTACTS: Final = 24
_SAME_FACE: Final = 0.9  # the minimum cosine between the normal of a facet and of the surface that it stands for
_MOST_LINES: Final = 4000  # trace-lines of all sensors in one result


class HostScene(SceneApi):
    """Queries the world of a session."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def tree(self) -> Tree:
        return tree(self._session)

    async def mesh(self, key: str) -> bytes:
        return self._session.meshes.bytes_of(key)

    async def look(self, key: str) -> bytes:
        return self._session.meshes.look_bytes_of(key)

    async def overlays(self, t: int, what: tuple[Overlay, ...]) -> Overlays:
        t = min(t, self._session.now)
        return Overlays(
            sensors=self._sensors() if "sensors" in what else None,
            workpoints=self._workpoints() if "workpoints" in what else None,
            tools=self._tools() if "tools" in what else None,
            detections=self._detections(t) if "detections" in what else None,
            contacts=self._contacts(t) if "contacts" in what else None,
        )

    async def contacts(self, t: int) -> tuple[ContactOverlay, ...]:
        return self._contacts(min(t, self._session.now))

    async def absent(self, t: int) -> tuple[int, ...]:
        return tuple(number for number, body in enumerate(self._session.bodies) if not body.exists(t))

    async def properties(self, name: str, t: int) -> tuple[PropertyTable, ...]:
        session = self._session
        t = min(t, session.now)
        values: dict[str, tuple[PropertyValue, str]] = {}
        for each, changes in session.record.signals.items():
            values[each] = (changes.values[max(changes.count(t) - 1, 0)] if changes else None, changes.unit)
        source = PropertySource(session.world, session.cell, {body.name: body for body in session.bodies}, values)
        return tuple(properties(source, name, t))

    async def pick(self, number: int, origin: Vector, direction: Vector, t: int, near: Vector | None = None) -> Pick:
        if number >= len(self._session.bodies):
            raise WorldError(f"there is no body number {number}", hint="the cell has changed: click again")
        return pick(self._session.world, self._session.bodies[number], origin, direction, t, near)

    async def tool_path(self, robot: str, t0: int, t1: int, points: int = MOST_POINTS) -> tuple[Vector, ...]:
        flange, tool = self._tool(robot)
        course = path(self._session.world, flange, tool, t0, min(t1, self._session.now), points)
        return tuple((x, y, z) for x, y, z in course.round(6).tolist())

    async def exposures(self, t0: int, t1: int, count: int, bodies: tuple[str, ...]) -> tuple[Exposure, ...]:
        session = self._session
        wanted = {body: None for name in bodies for body in below(session.bodies, name) if body.shape is not None}
        if not wanted:
            raise UnknownName("body", bodies[0], [body.name for body in session.bodies])
        if len(wanted) * count > MOST_COPIES:
            raise WorldError(
                f"{count} exposures of {len(wanted)} bodies are {count * len(wanted)} copies, more than {MOST_COPIES}",
                hint="choose fewer bodies or fewer times",
            )
        last = min(t1, session.now)
        times = [round(t0 + (last - t0) * k / max(count - 1, 1)) for k in range(count)]
        return tuple(
            Exposure(t, {body.name: pose_data(session.world.pose(body, t)) for body in wanted if body.exists(t)})
            for t in times
        )

    # ---------------------------------------------------------------- overlays

    def _sensors(self) -> tuple[SensorOverlay, ...]:
        found: list[SensorOverlay] = []
        left = _MOST_LINES
        for name, sensor in self._session.sensors.items():
            volumes, lines = sensor.watched()
            found.append(
                SensorOverlay(
                    name,
                    self._session.numbering.number(sensor.body),
                    tuple(
                        SensorVolume(
                            each.form,
                            pose_data(each.pose),
                            each.reach,
                            tuple(each.vertices.round(6).ravel().tolist()),
                            tuple(each.normals.round(3).ravel().tolist()),
                            tuple(each.faces.ravel().tolist()),
                            tuple(each.edges.round(6).ravel().tolist()),
                        )
                        for each in volumes
                    ),
                    tuple((*each.origin, *each.direction, each.reach) for each in lines[:left]),
                )
            )
            left -= len(lines[:left])
        return tuple(found)

    def _detections(self, t: int) -> tuple[SensorDetection, ...]:
        found: list[SensorDetection] = []
        left = _MOST_LINES
        for name, sensor in self._session.sensors.items():
            if sensor.body.exists(t):
                seen = sensor.detection(self._session.scene, t)
                lines, tripped = seen.lines[:left], seen.tripped[:left]
                found.append(SensorDetection(name, seen.on, lines, tripped, seen.spans, seen.seen[:20]))
                left -= len(seen.lines[:left])
        return tuple(found)

    def _workpoints(self) -> tuple[FrameOverlay, ...]:
        number = self._session.numbering.number
        return tuple(
            FrameOverlay(point.name, None if point.body is None else number(point.body), pose_data(point.local))
            for point in self._session.world.workpoints.values()
        )

    def _tools(self) -> tuple[FrameOverlay, ...]:
        found: list[FrameOverlay] = []
        for name in self._session.world.linkages:
            if self._session.world.bodies.get(f"{name}/flange") is not None:
                flange, tool = self._tool(name)
                found.append(FrameOverlay(f"{name} TCP", self._session.numbering.number(flange), pose_data(tool)))
        return tuple(found)

    def _tool(self, robot: str) -> tuple[LiveBody, Pose]:
        """The flange of a robot, and the TCP relative to it. A recording has no TCP: the flange is used."""
        session = self._session
        flange = next((body for body in session.bodies if body.name == f"{robot}/flange"), None)
        if flange is None:
            raise UnknownName("robot", robot, session.world.linkages)
        found = session.cell.robots.get(robot) if session.cell is not None else None
        return flange, IDENTITY if found is None else found.tool

    def _contacts(self, t: int) -> tuple[ContactOverlay, ...]:
        session = self._session
        cell = session.cell
        monitor = cell.monitor if cell is not None else None
        rules = monitor.rules if monitor is not None else CollisionRules(clearance=WITHIN)
        links: set[LiveBody] = set()
        for name, linkage in session.world.linkages.items():
            if cell is None or name.partition("/")[0] in cell.robots:
                links.update(linkage.links)
        # Include what the arm carried at time t, not what it carries now.
        movers = [body for body in session.bodies if body.exists(t) and not links.isdisjoint(lineage(body, t))]
        return contacts(session.scene, movers, rules, t)


def contacts(scene: Scene, movers: Iterable[LiveBody], rules: CollisionRules, t: int) -> tuple[ContactOverlay, ...]:
    """The closest pairs of a moving body and any other body that a collision check watches, closest first.

    Pairs that are allowed to touch, or touch by construction, are excluded.
    """
    watch = WatchedPairs(rules)
    bodies = [body for body in movers if body.exists(t) and body.shape is not None and not body.hole]
    found: dict[frozenset[LiveBody], tuple[float, float, LiveBody, LiveBody]] = {}
    for body in bodies:
        for clearance in scene.clearances([body], max(WITHIN, rules.farthest), t):
            near = watch.near(lineage(clearance.a, t), lineage(clearance.b, t), t)
            # Links of one arm are shown only if they are closer than the clearance.
            own = clearance.a.name.partition("/")[0] == clearance.b.name.partition("/")[0]
            if near is not None and not (own and clearance.distance > near):
                pair = frozenset((clearance.a, clearance.b))
                found.setdefault(pair, (clearance.distance, near, clearance.a, clearance.b))
    nearest = sorted(found.values(), key=lambda each: (each[0], each[2].name, each[3].name))[:_MOST_CONTACTS]
    return tuple(_contact(scene, *each, t) for each in nearest)


def _contact(scene: Scene, distance: float, limit: float, a: LiveBody, b: LiveBody, t: int) -> ContactOverlay:
    """A part that rests on something or is held by it is in contact; it is a collision only if they overlap."""
    closest = scene.closest(a, b, t)
    start, end, gap = closest.point_a, closest.point_b, closest.distance
    text = f"{gap * 1e3:.1f} mm"
    if distance <= contact_threshold((a, b)):
        return ContactOverlay("collision", a.name, b.name, gap, (start,), start, end, text)
    if distance <= AT_REST:
        return ContactOverlay("touch", a.name, b.name, gap, (start,))
    return ContactOverlay("near" if distance <= limit else "clear", a.name, b.name, gap, None, start, end, text)


def pick(world: World, body: LiveBody, origin: Vector, direction: Vector, t: int, near: Vector | None = None) -> Pick:
    """The point where a ray first hits the exact surface of a body, not its mesh.

    Close to an outline a ray may hit the mesh and miss the exact surface. Then the point of the surface closest to
    ``near`` is returned.

    Raises:
        WorldError: The body has no surface, is not in the cell at that time, or is missed by the ray.
    """
    if body.shape is None or not body.exists(t):
        what = "has no surface" if body.shape is None else f"is not in the cell at {t * 1e-6:.6f} s"
        raise WorldError(f"{body.name!r} {what}", hint="pick another body")
    pose = world.pose(body, t)
    here = pose.inverse()
    length = math.hypot(*direction)
    if not 0.0 < length < math.inf:
        raise WorldError("a line of sight needs a direction", hint="give three numbers that are not all 0")
    x, y, z = (v / length for v in direction)
    placed = Placed(body.shape, pose)
    hit = ray(placed, origin, (x, y, z))
    if hit is None and near is None:
        raise WorldError(f"the line of sight misses {body.name!r}", hint="click on the body")
    if hit is not None:
        d = hit.distance
        along = (origin[0] + d * x, origin[1] + d * y, origin[2] + d * z)
    else:
        assert near is not None
        along = near
    # The hit is also projected, because from metres away its distance is rounded.
    found = project_to_surface(placed, along)
    # Close to an edge, the nearest surface may be the other one.
    beside = hit is not None and sum(a * b for a, b in zip(hit.normal, found.normal, strict=True)) < _SAME_FACE
    normal = hit.normal if hit is not None and beside else found.normal
    local_point, local_normal = here.point(found.point), here.direction(normal)
    return Pick(body.name, t, found.point, normal, local_point, local_normal, pose_data(pose))


def path(world: World, body: LiveBody, offset: Pose, t0: int, t1: int, points: int = MOST_POINTS) -> Array:
    """Positions (n, 3) of a frame on a body, evenly spaced in time, without those at which it rests."""
    t0 = max(t0, body.born, 0)
    t1 = min(t1, body.gone - 1)
    if t1 < t0:
        return np.empty((0, 3))
    count = max(2, min(points, MOST_POINTS, t1 - t0 + 1))
    times = np.unique(np.linspace(t0, t1, count).round().astype(np.int64))
    rotations, positions = world.batch(body, times)
    found = positions + rotations @ np.asarray(offset.position)
    step = np.linalg.norm(np.diff(found, axis=0), axis=1)
    moved = np.concatenate(([True], step > 1e-6))
    moved[:-1] |= moved[1:]  # the last point of a rest is where the next move begins
    moved[-1] = True
    course: Array = found[moved]
    return course


def below(bodies: Sequence[LiveBody], name: str) -> list[LiveBody]:
    """The body with a name, and all bodies named below it."""
    return [body for body in bodies if body.name == name or body.name.startswith(name + "/")]
