"""Facts: all there is to say about a body, robot, sensor, device, workpoint or signal at an instant."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from drycell.base import Pose, UnknownName
from drycell.robots import Mechanism, Robot
from drycell.sensors import sensors_of
from drycell.studio.api.scene import Fact, FactTable, FactValue
from drycell.world import Linkage, LiveBody, World

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.geometry import Shape
    from drycell.sensors import LiveSensor


@dataclass(frozen=True)
class FactSource:
    """What facts are told about: a world, the cell if there is one (a recording has none), and its signals."""

    world: World
    cell: "Cell | None"
    bodies: "Mapping[str, LiveBody]"
    values: "Mapping[str, tuple[FactValue, str]]" = field(default_factory=dict)
    """FactValue and unit of every signal at the instant."""


def facts(subject: FactSource, name: str, t: int) -> list[FactTable]:
    """Everything that goes by a name: a conveyor is a device and a body, a sensor a signal and a body."""
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


def _body(subject: FactSource, body: LiveBody, t: int) -> Iterator[FactTable]:
    world = subject.world
    if not body.exists(t):
        yield FactTable("Body", (Fact("in the cell", "not at this instant"),))
        return
    parent = body.segment(t).parent
    yield _pose("Pose in the world", world.pose(body, t))
    if parent is not None:
        yield _pose(f"Pose seen from {parent.name}", world.relative(parent, body, t), parent.name)
    lines = [Fact("fixed to", "world" if parent is None else parent.name), Fact("material", body.material)]
    if body.part:
        lines.append(Fact("part", "loose, can be grasped"))
    if body.shape is not None:
        kind, size, volume = _solid(body.shape)
        lines += [Fact("shape", kind)]
        lines += [Fact(f"size {axis}", value, "m") for axis, value in zip("xyz", size, strict=True)]
        lines += [Fact("volume", volume, "m³"), Fact("mass", volume * world.materials[body.material].density, "kg")]
    yield FactTable("Body", tuple(lines))


@lru_cache(maxsize=1024)
def _solid(shape: "Shape") -> tuple[str, tuple[float, ...], float]:
    lower, upper = shape.bounds
    return type(shape).__name__.lower(), tuple(b - a for a, b in zip(lower, upper, strict=True)), shape.volume


def _workpoint(subject: FactSource, name: str, t: int) -> Iterator[FactTable]:
    point = subject.world.workpoints.get(name)
    if point is None:
        return
    if point.body is None or point.body.exists(t):
        yield _pose("Workpoint in the world", subject.world.pose(point, t))
    if point.body is not None:
        yield _pose(f"Workpoint seen from {point.body.name}", point.local, point.body.name)


def _pose(title: str, pose: Pose, link: str | None = None) -> FactTable:
    at = [Fact(axis, value, "m") for axis, value in zip("xyz", pose.position, strict=True)]
    turned = [Fact(angle, value, "rad") for angle, value in zip(("roll", "pitch", "yaw"), pose.rpy, strict=True)]
    return FactTable(title, (*at, *turned), link)


# -------------------------------------------------------------------- robots


def _robot(subject: FactSource, name: str, t: int) -> Iterator[FactTable]:
    linkage = subject.world.linkages.get(name)
    if linkage is None:
        return
    yield FactTable("Joints", tuple(_joints(linkage, t)))
    cell = subject.cell
    robot = cell.robots.get(name) if cell is not None else None
    flange = subject.bodies.get(f"{name}/flange")
    if flange is not None:
        tool = robot.tool if robot is not None else Pose()
        yield _pose("Tool in the world" if robot is not None else "Flange", subject.world.pose(flange, t) @ tool)
    if cell is not None and robot is not None:
        model = cast(Robot, cell.models[name])
        lines = [Fact("model", model.model if isinstance(model.model, str) else robot.mechanism.name)]
        if model.gripper is not None:
            lines.append(Fact("gripper", model.gripper if isinstance(model.gripper, str) else model.gripper.name))
        lines.append(Fact("controller", type(robot.controller).__name__))
        yield FactTable("Robot", tuple(lines))


def _joints(linkage: Linkage, t: int) -> Iterator[Fact]:
    kinematics = linkage.kinematics
    known = kinematics.joints if isinstance(kinematics, Mechanism) else ()
    for number, value in enumerate(linkage.joints(t)):
        if number < len(known):
            joint = known[number]
            low, high = (v if math.isfinite(v) else None for v in (joint.lower, joint.upper))
            yield Fact(joint.name, value, "rad" if joint.revolute else "m", low, high)
        else:
            yield Fact(f"joint {number + 1}", value)


# -------------------------------------------------------------------- sensors, devices, signals


def _sensor(subject: FactSource, name: str, t: int) -> Iterator[FactTable]:
    sensor = sensors_of(subject.cell).get(name) if subject.cell is not None else None
    if sensor is None:
        return
    model = sensor.model
    lines = [Fact("model", model.title or model.name or model.type), Fact("type", model.type)]
    if model.senses != "anything":
        lines.append(Fact("senses", model.senses))
    if model.type == "proximity":
        lines.append(Fact("beam", model.beam))
    reach = max(model.probe.reaches, default=None)
    if reach is not None:
        lines += [Fact("trace-lines", len(model.probe.lines)), Fact("reach", reach, "m")]
    lines += [Fact("samples every", sensor.period, "s")]
    if model.delay:
        lines.append(Fact("delay", model.delay, "s"))
    lines += [Fact("output", model.kind + (f" in {model.unit}" if model.unit else "")), *_sees(sensor, subject, t)]
    yield FactTable("Sensor", tuple(lines))


def _sees(sensor: "LiveSensor[Any]", subject: FactSource, t: int) -> Iterator[Fact]:
    value, unit = subject.values.get(sensor.name, (None, ""))
    yield Fact("value", value, unit)
    yield Fact("takes samples", "yes" if sensor.active else "no")


def _device(subject: FactSource, name: str) -> Iterator[FactTable]:
    cell = subject.cell
    device = cell.devices.get(name) if cell is not None else None
    if cell is not None and device is not None:
        lines = [Fact("kind", cell.models[name].meta.kind)]
        if device.points:
            lines.append(Fact("workpoints", ", ".join(device.points)))
        yield FactTable("Device", tuple(lines))


def _signals(subject: FactSource, name: str) -> Iterator[FactTable]:
    own = {each: found for each, found in subject.values.items() if each.startswith(name + ".") or each == name}
    if own:
        lines = tuple(Fact(each.removeprefix(name + "."), value, unit) for each, (value, unit) in own.items())
        yield FactTable("Signals", lines)


def _program(subject: FactSource, name: str) -> Iterator[FactTable]:
    program = subject.cell.programs.get(name) if subject.cell is not None else None
    if program is not None:
        lines = [Fact("runs on", program.controller or "the cell"), Fact("priority", program.priority)]
        if program.daemon:
            lines.append(Fact("daemon", "the run does not wait for it"))
        yield FactTable("Program", tuple(lines))
