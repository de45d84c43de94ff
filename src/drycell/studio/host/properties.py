"""The properties of a body, robot, sensor, device, workpoint, program or signal at a time."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from drycell.base import Pose, UnknownName
from drycell.robots import Mechanism, Robot, Tool
from drycell.sensors import sensors_of
from drycell.studio.api.scene import Property, PropertyTable, PropertyValue
from drycell.world import Linkage, LiveBody, World

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.geometry import Shape
    from drycell.sensors import LiveSensor


@dataclass(frozen=True)
class PropertySource:
    """Where properties are looked up: a world, its cell (None for a recording), bodies and signals."""

    world: World
    cell: "Cell | None"
    bodies: "Mapping[str, LiveBody]"
    values: "Mapping[str, tuple[PropertyValue, str]]" = field(default_factory=dict)
    """The value and unit of each signal at the time."""


def properties(subject: PropertySource, name: str, t: int) -> list[PropertyTable]:
    """The properties of all things with a name: a conveyor is a device and a body, a sensor a signal and a body."""
    found = [*_robot(subject, name, t), *_sensor(subject, name, t), *_device(subject, name), *_signals(subject, name)]
    found += [*_workpoint(subject, name, t), *_program(subject, name)]
    body = subject.bodies.get(name)
    if body is None and name in subject.world.linkages:
        body = subject.world.linkages[name].base
    if body is not None:
        found += _body(subject, body, t)
    if not found:
        raise UnknownName("thing", name, [*subject.bodies, *subject.world.workpoints, *subject.values])
    return found


# -------------------------------------------------------------------- bodies and frames


def _body(subject: PropertySource, body: LiveBody, t: int) -> Iterator[PropertyTable]:
    world = subject.world
    if not body.exists(t):
        yield PropertyTable("Body", (Property("in the cell", "not at this time"),))
        return
    parent = body.segment(t).parent
    yield _pose("Pose in the world", world.pose(body, t))
    if parent is not None:
        yield _pose(f"Pose relative to {parent.name}", world.relative(parent, body, t), parent.name)
    lines = [Property("attached to", "world" if parent is None else parent.name), Property("material", body.material)]
    if body.part:
        lines.append(Property("part", "loose, can be grasped"))
    if body.shape is not None:
        kind, size, volume = _solid(body.shape)
        lines += [Property("shape", kind)]
        lines += [Property(f"size {axis}", value, "m") for axis, value in zip("xyz", size, strict=True)]
        lines += [
            Property("volume", volume, "m³"),
            Property("mass", volume * world.materials[body.material].density, "kg"),
        ]
    yield PropertyTable("Body", tuple(lines))


@lru_cache(maxsize=1024)
def _solid(shape: "Shape") -> tuple[str, tuple[float, ...], float]:
    lower, upper = shape.bounds
    return type(shape).__name__.lower(), tuple(b - a for a, b in zip(lower, upper, strict=True)), shape.volume


def _workpoint(subject: PropertySource, name: str, t: int) -> Iterator[PropertyTable]:
    point = subject.world.workpoints.get(name)
    if point is None:
        return
    if point.body is None or point.body.exists(t):
        yield _pose("Workpoint in the world", subject.world.pose(point, t))
    if point.body is not None:
        yield _pose(f"Workpoint relative to {point.body.name}", point.local, point.body.name)


def _pose(title: str, pose: Pose, link: str | None = None) -> PropertyTable:
    at = [Property(axis, value, "m") for axis, value in zip("xyz", pose.position, strict=True)]
    turned = [Property(angle, value, "rad") for angle, value in zip(("roll", "pitch", "yaw"), pose.rpy, strict=True)]
    return PropertyTable(title, (*at, *turned), link)


# -------------------------------------------------------------------- robots


def _robot(subject: PropertySource, name: str, t: int) -> Iterator[PropertyTable]:
    linkage = subject.world.linkages.get(name)
    if linkage is None:
        return
    yield PropertyTable("Joints", tuple(_joints(linkage, t)))
    cell = subject.cell
    robot = cell.robots.get(name) if cell is not None else None
    flange = subject.bodies.get(f"{name}/flange")
    if flange is not None:
        tool = robot.tool if robot is not None else Pose()
        yield _pose(
            "TCP in the world" if robot is not None else "Flange in the world", subject.world.pose(flange, t) @ tool
        )
    if cell is not None and robot is not None:
        model = cast(Robot, cell.models[name])
        lines = [Property("model", model.model if isinstance(model.model, str) else robot.mechanism.name)]
        lines += [Property(called, _shown(tool)) for called, tool in model.mounted_tools() if not tool.is_frame]
        lines.append(Property("controller", type(robot.controller).__name__))
        yield PropertyTable("Robot", tuple(lines))


def _shown(tool: Tool) -> str:
    return tool.model.name if isinstance(tool.model, Mechanism) else str(tool.model or tool.file)


def _joints(linkage: Linkage, t: int) -> Iterator[Property]:
    kinematics = linkage.kinematics
    known = kinematics.joints if isinstance(kinematics, Mechanism) else ()
    for number, value in enumerate(linkage.joints(t)):
        if number < len(known):
            joint = known[number]
            low, high = (v if math.isfinite(v) else None for v in (joint.lower, joint.upper))
            yield Property(joint.name, value, "rad" if joint.revolute else "m", low, high)
        else:
            yield Property(f"joint {number + 1}", value)


# -------------------------------------------------------------------- sensors, devices, signals


def _sensor(subject: PropertySource, name: str, t: int) -> Iterator[PropertyTable]:
    sensor = sensors_of(subject.cell).get(name) if subject.cell is not None else None
    if sensor is None:
        return
    model = sensor.model
    lines = [Property("model", model.title or model.name or model.type), Property("type", model.type)]
    if model.senses != "anything":
        lines.append(Property("senses", model.senses))
    if model.type == "proximity":
        lines.append(Property("beam", model.beam))
    reach = max(model.probe.reaches, default=None)
    if reach is not None:
        lines += [Property("trace-lines", len(model.probe.lines)), Property("reach", reach, "m")]
    lines += [Property("sampling period", sensor.period, "s")]
    if model.delay:
        lines.append(Property("delay", model.delay, "s"))
    lines += [Property("output", model.kind + (f" in {model.unit}" if model.unit else "")), *_sees(sensor, subject, t)]
    yield PropertyTable("Sensor", tuple(lines))


def _sees(sensor: "LiveSensor[Any]", subject: PropertySource, t: int) -> Iterator[Property]:
    value, unit = subject.values.get(sensor.name, (None, ""))
    yield Property("value", value, unit)
    yield Property("active", "yes" if sensor.active else "no")


def _device(subject: PropertySource, name: str) -> Iterator[PropertyTable]:
    cell = subject.cell
    device = cell.devices.get(name) if cell is not None else None
    if cell is not None and device is not None:
        lines = [Property("kind", cell.models[name].meta.kind)]
        if device.points:
            lines.append(Property("workpoints", ", ".join(device.points)))
        yield PropertyTable("Device", tuple(lines))


def _signals(subject: PropertySource, name: str) -> Iterator[PropertyTable]:
    own = {each: found for each, found in subject.values.items() if each.startswith(name + ".") or each == name}
    if own:
        lines = tuple(Property(each.removeprefix(name + "."), value, unit) for each, (value, unit) in own.items())
        yield PropertyTable("Signals", lines)


def _program(subject: PropertySource, name: str) -> Iterator[PropertyTable]:
    program = subject.cell.programs.get(name) if subject.cell is not None else None
    if program is not None:
        lines = [Property("controller", program.controller or "none"), Property("priority", program.priority)]
        if program.daemon:
            lines.append(Property("daemon", "the run does not wait for it"))
        yield PropertyTable("Program", tuple(lines))
