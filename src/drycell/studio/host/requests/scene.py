"""What the view draws over bodies, and what there is to say about a thing: pure looks at the world at an instant."""

from typing import Annotated, Any, Literal

from drycell.base import IDENTITY, Pose, UnknownName, WorldError
from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, Within, request
from drycell.studio.host.wire import Json
from drycell.studio.looks.courses import MOST_COPIES, MOST_POINTS, below, exposures, path
from drycell.studio.looks.facts import Facts, Subject, Value, facts
from drycell.studio.looks.nearness import WITHIN, nearness
from drycell.studio.looks.picking import pick
from drycell.world import CollisionRules, LiveBody, lineage

Overlay = Literal["sensors", "workpoints", "tools", "detections", "contacts"]
Vector = Annotated[list[float], Within(3, 3)]
Tick = Annotated[int, Within(0, 10**15)]
_MOST_LINES = 4000  # trace-lines told in one answer


@request("overlays")
def overlays(session: HostSession, *, t: Tick, what: Annotated[list[Overlay], Within(most=8)]) -> Reply:
    """What is drawn besides bodies. ``sensors``, ``workpoints`` and ``tools`` stay as long as the tree does."""
    tellers = {
        "sensors": _sensors,
        "workpoints": _workpoints,
        "tools": _tools,
        "detections": _detections,
        "contacts": _contacts,
    }
    t = min(t, session.now)
    return {each: tellers[each](session, t) for each in what}


@request("contacts")
def contacts(session: HostSession, *, t: Tick) -> Reply:
    """Who touches whom, and who is near, at an instant."""
    return {"contacts": _contacts(session, min(t, session.now))}


@request("absent")
def absent(session: HostSession, *, t: Tick) -> Reply:
    """The numbers of bodies that are not in the cell at an instant: not yet, or no longer."""
    return {"numbers": [number for number, body in enumerate(session.bodies) if not body.exists(t)]}


@request("properties")
def properties(session: HostSession, *, name: Annotated[str, Within(most=500)], t: Tick) -> Reply:
    """Tables of facts about a body, robot, sensor, device, workpoint or signal; SI values with units."""
    t = min(t, session.now)
    values: dict[str, tuple[Value, str]] = {}
    for each, changes in session.record.signals.items():
        values[each] = (changes.values[max(changes.count(t) - 1, 0)] if changes else None, changes.unit)
    subject = Subject(session.world, session.cell, {body.name: body for body in session.bodies}, values)
    return {"name": name, "t": t, "tables": [_table(each) for each in facts(subject, name, t)]}


@request("pick")
def pick_surface(
    session: HostSession,
    *,
    number: Annotated[int, Within(0)],
    origin: Vector,
    direction: Vector,
    t: Tick,
    near: Vector | None = None,
) -> Reply:
    """The point of a body's true surface under a line of sight, with the normal, in the world and in the body."""
    if number >= len(session.bodies):
        raise WorldError(f"there is no body number {number}", hint="the tree has changed: click again")
    found = pick(
        session.world,
        session.bodies[number],
        (origin[0], origin[1], origin[2]),
        (direction[0], direction[1], direction[2]),
        t,
        None if near is None else (near[0], near[1], near[2]),
    )
    return {
        "body": found.body.name,
        "number": number,
        "t": t,
        "pose": _seven(found.pose),
        "point": list(found.point),
        "normal": list(found.normal),
        "local_point": list(found.local_point),
        "local_normal": list(found.local_normal),
    }


@request("trace")
def trace(
    session: HostSession,
    *,
    robot: str,
    t0: Tick,
    t1: Tick,
    points: Annotated[int, Within(2, MOST_POINTS)] = MOST_POINTS,
) -> Reply:
    """The path of a robot's tool centre point between two instants."""
    flange, tool = _tool(session, robot)
    course = path(session.world, flange, tool, t0, min(t1, session.now), points)
    return {"robot": robot, "points": course.round(6).tolist()}


@request("exposures")
def expose(
    session: HostSession,
    *,
    t0: Tick,
    t1: Tick,
    count: Annotated[int, Within(1, 200)],
    bodies: Annotated[list[str], Within(1, 500)],
) -> Reply:
    """Where bodies, and all named below them, were at evenly spread instants."""
    wanted = {body: None for name in bodies for body in below(session.bodies, name) if body.shape is not None}
    if not wanted:
        raise UnknownName("body", bodies[0], [body.name for body in session.bodies])
    if len(wanted) * count > MOST_COPIES:
        raise WorldError(
            f"{count} exposures of {len(wanted)} bodies are {count * len(wanted)} copies, more than {MOST_COPIES}",
            hint="choose fewer bodies, or fewer instants",
        )
    found = exposures(session.world, wanted, t0, min(t1, session.now), count)
    return {
        "exposures": [
            {"t": t, "poses": {body.name: _seven(pose) for body, pose in poses.items()}} for t, poses in found
        ]
    }


# -------------------------------------------------------------------- what overlays tell


def _sensors(session: HostSession, t: int) -> Json:
    told: list[Json] = []
    left = _MOST_LINES
    for name, sensor in session.sensors.items():
        volumes, lines = sensor.watched()
        told.append(
            {
                "name": name,
                "body": session.numbering.number(sensor.body),
                "volumes": [
                    {
                        "pose": _seven(each.pose),
                        "vertices": each.vertices.round(6).ravel().tolist(),
                        "faces": each.faces.ravel().tolist(),
                    }
                    for each in volumes
                ],
                "lines": [[*each.origin, *each.direction, each.reach] for each in lines[:left]],
            }
        )
        left -= len(lines[:left])
    return told


def _detections(session: HostSession, t: int) -> Json:
    told: list[Json] = []
    left = _MOST_LINES
    for name, sensor in session.sensors.items():
        if sensor.body.exists(t):
            found = sensor.detection(session.scene, t)
            told.append(
                {"name": name, "on": found.on, "lines": list(found.lines[:left]), "seen": list(found.seen[:20])}
            )
            left -= len(found.lines[:left])
    return told


def _workpoints(session: HostSession, t: int) -> Json:
    return [
        {
            "name": point.name,
            "body": None if point.body is None else session.numbering.number(point.body),
            "pose": _seven(point.local),
        }
        for point in session.world.workpoints.values()
    ]


def _tools(session: HostSession, t: int) -> Json:
    told: list[Json] = []
    for name in session.world.linkages:
        if session.world.bodies.get(f"{name}/flange") is not None:
            flange, tool = _tool(session, name)
            told.append({"name": f"{name} TCP", "body": session.numbering.number(flange), "pose": _seven(tool)})
    return told


def _contacts(session: HostSession, t: int) -> Json:
    cell = session.cell
    monitor = cell.monitor if cell is not None else None
    rules = monitor.rules if monitor is not None else CollisionRules(clearance=WITHIN)
    links: set[LiveBody] = set()
    for name, linkage in session.world.linkages.items():
        if cell is None or name.partition("/")[0] in cell.robots:
            links.update(linkage.links)
    # What an arm carries moves with it: what it carried then, not what it carries now.
    movers = [body for body in session.bodies if body.exists(t) and not links.isdisjoint(lineage(body, t))]
    told: list[Json] = []
    for each in nearness(session.scene, movers, rules, t):
        entry: dict[str, Json] = {"kind": each.kind, "a": each.a.name, "b": each.b.name, "distance": each.distance}
        if each.kind in ("collision", "touch"):
            entry["points"] = [list(each.points[0])]
        if each.kind != "touch":
            entry |= {"from": list(each.points[0]), "to": list(each.points[1])}
            entry["text"] = f"{each.distance * 1e3:.1f} mm"
        told.append(entry)
    return told


def _tool(session: HostSession, robot: str) -> tuple[LiveBody, Pose]:
    """A robot's flange, and its tool seen from there; a recording does not tell tools."""
    flange = next((body for body in session.bodies if body.name == f"{robot}/flange"), None)
    if flange is None:
        raise UnknownName("robot", robot, session.world.linkages)
    found = session.cell.robots.get(robot) if session.cell is not None else None
    return flange, IDENTITY if found is None else found.tool


def _seven(pose: Pose) -> list[Any]:
    return [*pose.position, *pose.quaternion]


def _table(table: Facts) -> Json:
    lines: list[Json] = []
    for fact in table.lines:
        line: dict[str, Json] = {"label": fact.label, "value": fact.value, "unit": fact.unit}
        if fact.low is not None or fact.high is not None:
            line |= {"low": fact.low, "high": fact.high}
        lines.append(line)
    return {"title": table.title, "lines": lines, "link": table.link}
