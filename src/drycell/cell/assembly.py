"""From a cell file to a cell: what it says becomes bodies, robots, signals, programs and checks."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from drycell.cell.cell import Cell, Model
from drycell.cell.controllers import add_controllers
from drycell.cell.devices.logic import connect_logic
from drycell.cell.devices.section import add_device, carrier_of, devices_of, names_of
from drycell.cell.faults import apply_faults
from drycell.cell.file import CellFile, PlacedBody, RobotSpec
from drycell.cell.loading import load_function
from drycell.cell.sensors import add_sensor, sensors_of
from drycell.cell.shapes import shape_from
from drycell.cell.tolerances import apply_tolerances
from drycell.datafile import Key
from drycell.errors import CellFileError, DrycellError, UnitError, UnknownName
from drycell.fields import JointValue
from drycell.kernel import Chooser
from drycell.robots import CONTROLLERS, Controller, load_robot, robot_from_file
from drycell.units import with_article
from drycell.world import Body


def assemble(
    cell_file: CellFile,
    *,
    seed: int | None = None,
    chooser: Chooser | None = None,
    exchanged: Mapping[str, Path] | None = None,
) -> Cell:
    """A cell ready to run. Mistakes that only show now name file, line and field as well.

    ``exchanged`` are files that take the place of programs, by name; the files of those programs are not even read.
    """
    exchanged = exchanged or {}
    cell = Cell(cell_file.name, seed=cell_file.run.seed if seed is None else seed, chooser=chooser)
    bodies = cell_file.bodies_in_order()
    own = {body.name for body in bodies}
    # Bodies first, then the robots that stand on them, then what hangs on a robot and all that hangs on that.
    hanging: list[PlacedBody] = []
    for body in bodies:
        if body.carrier is not None and (body.carrier not in own or body.carrier in {each.name for each in hanging}):
            hanging.append(body)
        else:
            _add_body(cell, cell_file, body)
    for name, robot in cell_file.robots.items():
        _add_robot(cell, cell_file, name, robot)
    late = _hanging_on_mounted(cell_file, hanging)
    for body in hanging:
        if body not in late:
            _add_body(cell, cell_file, body)
    # Devices and sensors after merging: what is merged takes in all that hangs on it.
    _merge(cell, cell_file, [body for body in bodies if body not in late])
    _add_mounted(cell, cell_file, late)
    _merge(cell, cell_file, late)
    with _naming(cell_file, ("tolerances",)):
        apply_tolerances(cell, cell_file)
    for name, point in cell_file.workpoints.items():
        with _naming(cell_file, ("workpoints", name)):
            cell.workpoint(name, None if point.on is None else cell.world.body(point.on), point.pose)
    for name, initial in cell_file.signals.items():
        cell.signal(name, initial)
    for name in names_of(cell_file, "wired"):
        with _naming(cell_file, ("devices", name)):
            add_device(cell, cell_file, name)
    connect_logic(cell, cell_file)
    add_controllers(cell, cell_file)
    apply_faults(cell, cell_file)
    _add_checks(cell, cell_file)
    for name, program in cell_file.programs.items():
        if name in exchanged:  # mistakes in that file are not the cell file's
            function = load_function(cell, exchanged[name], None, name, program.controller)
        else:
            with _naming(cell_file, ("programs", name)):
                file = cell_file.locate(program.file, "programs", name, "file")
                function = load_function(cell, file, program.function, name, program.controller)
        with _naming(cell_file, ("programs", name)):
            cell.add_program(
                name,
                function,
                given=program.args,
                controller=program.controller,
                daemon=program.daemon,
                priority=program.priority,
            )
    cell.until, cell.pace = cell_file.run.until, cell_file.run.pace
    return cell


@contextmanager
def _naming(cell_file: CellFile, path: tuple[Key, ...]) -> Iterator[None]:
    """Says file, line and field of whatever goes wrong inside."""
    try:
        yield
    except CellFileError:
        raise
    except DrycellError as error:
        what = error.what if error.where is None else f"{error.what} ({error.where})"
        raise cell_file.error(path, what, error.hint) from error


def _add_body(cell: Cell, cell_file: CellFile, body: PlacedBody) -> None:
    spec = body.spec
    with _naming(cell_file, body.path):
        shape = None if spec.shape is None else shape_from(spec.shape, cell_file, body.path)
        made = Body(body.name, shape, material=spec.material, hole=spec.hole)
        carrier = None if body.carrier is None else cell.world.body(body.carrier)
        if body.on_top:
            cell.add(made, on=carrier, at=spec.pose, fixed=not body.part)
        else:
            cell.add(made, parent=carrier, at=spec.pose, fixed=not body.part)


def _merge(cell: Cell, cell_file: CellFile, bodies: list[PlacedBody]) -> None:
    for body in bodies:
        if body.spec.merge:
            with _naming(cell_file, body.path):
                cell.world.merge(cell.world.body(body.name))


def _hanging_on_mounted(cell_file: CellFile, hanging: list[PlacedBody]) -> list[PlacedBody]:
    """The bodies that hang on a sensor or device in the end, as a tool does on a force sensor; after their carriers."""
    carriers, found = set[str](), []
    for body in hanging:
        if body.carrier is not None and (body.carrier in carriers or cell_file.is_mounted(body.carrier)):
            carriers.add(body.name)
            found.append(body)
    return found


def _add_mounted(cell: Cell, cell_file: CellFile, bodies: list[PlacedBody]) -> None:
    """The devices, the sensors and what hangs on them, each after what carries it."""
    devices = {name: carrier_of(devices_of(cell_file)[name]) for name in names_of(cell_file, "standing")}
    waiting: list[tuple[str | None, str | PlacedBody]] = [
        *((carrier, name) for name, carrier in devices.items()),
        *((spec.on, name) for name, spec in sensors_of(cell_file).items()),
        *((body.carrier, body) for body in bodies),
    ]
    while waiting:
        there = cell.world.bodies
        # If none is ready, the first one's error says what is missing.
        ready = next((each for each in waiting if each[0] is None or each[0] in there), waiting[0])
        waiting.remove(ready)
        if isinstance(ready[1], PlacedBody):
            _add_body(cell, cell_file, ready[1])
            continue
        if ready[1] in devices:
            with _naming(cell_file, ("devices", ready[1])):
                add_device(cell, cell_file, ready[1])
            continue
        path = ("sensors", ready[1])
        with _naming(cell_file, path):
            shape = sensors_of(cell_file)[ready[1]].shape
            add_sensor(cell, cell_file, ready[1], None if shape is None else shape_from(shape, cell_file, path))


def _add_robot(cell: Cell, cell_file: CellFile, name: str, spec: RobotSpec) -> None:
    path = ("robots", name)
    with _naming(cell_file, path):
        if spec.file is not None:
            model: Model = robot_from_file(cell_file.locate(spec.file, *path, "file"))
        else:
            model = spec.model or ""
        cell.add_robot(
            model,
            name=name,
            at=spec.pose,
            on=None if spec.on is None else cell.world.body(spec.on),
            parent=None if spec.parent is None else cell.world.body(spec.parent),
            gripper=spec.gripper,
            controller=_controller(spec.controller),
            joints=None if spec.joints is None else _joints(model, spec.joints),
            tool=None if spec.tool is None else spec.tool.pose,
        )


def _joints(model: Model, given: tuple[JointValue, ...]) -> list[float]:
    """Joint values as plain numbers, each checked to be an angle or a length as its joint wants it."""
    mechanism = load_robot(model) if isinstance(model, str) else model
    for joint, written in zip(mechanism.joints, given, strict=False):
        wanted = "angle" if joint.revolute else "length"
        if written.dimension is not None and written.dimension != wanted:
            raise UnitError(f"joint {joint.name!r} wants {with_article(wanted)}, not {with_article(written.dimension)}")
    return [written.value for written in given]


def _controller(name: str | None) -> Controller | None:
    if name is None:
        return None
    if name not in CONTROLLERS:
        raise UnknownName("controller", name, CONTROLLERS)
    return CONTROLLERS[name]()


def _add_checks(cell: Cell, cell_file: CellFile) -> None:
    crash = cell_file.checks.crash
    if crash is None:
        return
    with _naming(cell_file, ("checks", "crash")):
        cell.check_crashes(
            crash.pairs,
            but=crash.everything_but or (),
            allow=crash.allowed,
            near_miss=crash.near_miss,
            near_misses=crash.near_misses,
            cycle=crash.cycle,
            stop=crash.stop,
        )
