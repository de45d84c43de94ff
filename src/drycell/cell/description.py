"""From a cell to a cell file: what was built in Python, written down as data."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from drycell.cell.controllers import controller_specs
from drycell.cell.devices.section import device_specs
from drycell.cell.faults import fault_specs
from drycell.cell.file import (
    BodySpec,
    CellFile,
    ChecksSpec,
    CrashSpec,
    ProgramSpec,
    RobotSpec,
    RunSpec,
    ToolSpec,
    WorkpointSpec,
    save_cell_file,
)
from drycell.cell.program import Program
from drycell.cell.sensors import sensor_spec
from drycell.cell.shapes import shape_spec
from drycell.cell.tolerances import Nominal, tolerance_specs
from drycell.errors import CellFileError
from drycell.fields import JointValue
from drycell.kernel import seconds
from drycell.spatial import Pose, Vector
from drycell.world import Body, Who

if TYPE_CHECKING:
    from drycell.cell.cell import Cell, Model


class _Place(TypedDict):
    at: Vector
    rpy: Vector


def save(cell: "Cell", path: str | Path) -> None:
    """Writes the cell as it was built to a cell file; what is no primitive becomes a mesh file beside it."""
    target = Path(path)
    save_cell_file(describe(cell, target.parent), target)


def describe(cell: "Cell", folder: Path) -> CellFile:
    """The cell as it was built, as a cell file that is to stand in a folder."""
    world = cell.world
    offered = {name for device in cell.devices.values() for name in device.points}
    return CellFile(
        name=cell.name,
        bodies={
            body.name: _body(cell, body, folder)
            for body in cell.added
            if world.bodies.get(body.name) is body  # what was merged into another is in that one's shape now
        },
        workpoints={
            name: WorkpointSpec(on=None if point.body is None else point.body.name, **_place(point.local))
            for name, point in world.workpoints.items()
            if name not in offered
        },
        robots={name: _robot(cell, name) for name in cell.robots},
        signals={name: signal.value for name, signal in cell.declared.items()},
        programs={name: _program(name, program, folder) for name, program in cell.programs.items()},
        checks=_checks(cell),
        run=RunSpec(until=cell.until, seed=cell.seed, pace=cell.pace),
        sections={
            **_sensors(cell, folder),
            **device_specs(cell, folder),
            **controller_specs(cell),
            **tolerance_specs(cell),
            **fault_specs(cell),
        },
    )


def _place(pose: Pose) -> _Place:
    return {"at": pose.position, "rpy": pose.rpy}


def _nominal(cell: "Cell", body: Body) -> Nominal:
    """A body as it was built: tolerances are written as such, and drawn anew when the file is read."""
    return cell.nominals.get(body) or Nominal(body.shape, cell.world.relative(body.parent, body))


def _body(cell: "Cell", body: Body, folder: Path) -> BodySpec:
    shape, local = _nominal(cell, body).shape, _nominal(cell, body).local
    return BodySpec(
        shape=None if shape is None else shape_spec(shape, body.name, folder),
        material=body.material,
        part=body.part,
        hole=body.hole,
        parent=None if body.parent is None else body.parent.name,
        **_place(local),
    )


def _robot(cell: "Cell", name: str) -> RobotSpec:
    robot = cell.robots[name]
    model, gripper = (None if each is None else _library_name(name, each) for each in cell.models[name])
    own = gripper is not None and robot.tool == robot.gripper.tcp
    tool = None if own else ToolSpec(**_place(robot.tool))
    return RobotSpec(
        model=model,
        parent=None if robot.base.parent is None else robot.base.parent.name,
        tool=tool,
        gripper=gripper,
        controller=robot.controller.name,
        joints=tuple(
            JointValue(value, "angle" if joint.revolute else "length")
            for joint, value in zip(robot.mechanism.joints, robot.joints, strict=True)
        ),
        **_place(_nominal(cell, robot.base).local),
    )


def _sensors(cell: "Cell", folder: Path) -> dict[str, object]:
    specs = {}
    for name, sensor in cell.sensors.items():
        shape = sensor.body.shape
        specs[name] = sensor_spec(sensor, None if shape is None else shape_spec(shape, name, folder), folder)
    return {"sensors": specs} if specs else {}


def _library_name(robot: str, model: "Model") -> str:
    if isinstance(model, str):
        return model
    raise CellFileError(
        f"robot {robot!r} uses the mechanism {model.name!r}, which is not of the library, so no file can name it",
        hint="give cell.add_robot the name of a robot of the library: drycell show --robots lists them",
    )


def _program(name: str, program: Program, folder: Path) -> ProgramSpec:
    code = getattr(program.function, "__code__", None)
    whole = getattr(program.function, "file", None)
    if code is None and isinstance(whole, str):  # of another language than Python
        return ProgramSpec(
            file=Path(os.path.relpath(whole, folder)).as_posix(),
            controller=program.controller,
            daemon=program.daemon,
            priority=program.priority,
        )
    if code is None or code.co_freevars or "<" in program.function.__qualname__:
        raise CellFileError(
            f"program {name!r} is defined inside another function and cannot be named by a file",
            hint="write it as a function of its own, whose parameters name the robots, bodies and signals it uses",
        )
    file = os.path.relpath(code.co_filename, folder)
    return ProgramSpec(
        file=Path(file).as_posix(),
        function=code.co_name,
        controller=program.controller,
        args=dict(program.given),
        daemon=program.daemon,
        priority=program.priority,
    )


def _checks(cell: "Cell") -> ChecksSpec:
    monitor = cell.monitor
    if monitor is None:
        return ChecksSpec()
    rules = monitor.rules
    return ChecksSpec(
        crash=CrashSpec(
            pairs=None if rules.pairs is None else tuple((_name(a), _name(b)) for a, b in rules.pairs),
            everything_but=tuple(map(_name, rules.but)) or None,
            allowed=tuple((_name(a), _name(b)) for a, b in rules.allow),
            near_miss=rules.near_miss,
            near_misses=tuple((_name(a), _name(b), distance) for a, b, distance in rules.near_misses),
            cycle=None if monitor.cycle is None else seconds(monitor.cycle),
            stop=monitor.stops,
        )
    )


def _name(who: Who) -> str:
    return who if isinstance(who, str) else who.name
