"""Building on the bench: edited cell files tried out, what there is to build with, places, and how sensors answer."""

import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from drycell.base import CellFileError, DrycellError, FileError, Mistake, Pose
from drycell.studio.host.session import HostSession
from drycell.studio.host.table import Reply, Within, request
from drycell.studio.host.tree import seven
from drycell.studio.host.wire import Json

if TYPE_CHECKING:
    from drycell.cell import Cell, Model
    from drycell.sensors import SensorModel, Survey
    from drycell.world import LiveBody

Text = Annotated[str, Within(most=1_000_000)]
Short = Annotated[str, Within(most=1000)]
Seven = Annotated[list[float], Within(7, 7)]
_ON_STAGE: Final = ("bench", "empty")
_MOST_POINTS: Final = 121  # of a curve on the page


# -------------------------------------------------------------------- edited cells


@request("preview")
def preview(session: HostSession, *, text: Text, path: Short, seed: int | None = None) -> Reply:
    """Builds the cell of an edited text on the bench, as if it stood in the file ``path``, which is not touched.

    Answers with ``mistakes``, each with field, line and column; what can be built in spite of them is shown. With
    mistakes that leave nothing to show, what was on the bench stays.
    """
    from drycell.cell import Model

    if session.mode not in _ON_STAGE:
        raise DrycellError("the cell has been started", hint="restart it: what was edited is shown on the bench")
    try:
        model = Model.read(text, path)
        cell, mistakes, idle = _built(model, session.seed if seed is None else seed)
    except FileError as error:
        return {"shown": False, "mistakes": _told(error.mistakes or (Mistake(error.what, hint=error.hint),))}
    same = Path(path).is_file() and Path(path).read_bytes() == text.encode()
    session.set_up(cell, _source(path) if same else None, Path(path), idle)
    return {"shown": True, "mistakes": _told(mistakes)}


def _built(model: "Model", seed: int | None) -> "tuple[Cell, tuple[Mistake, ...], list[Path]]":
    """The cell of a model, what is wrong with it, and the programs that were not loaded because nobody trusts them."""
    from drycell.cell import Cell, Program, untrusted

    programs = {name: each for name, each in model.things.items() if isinstance(each, Program)}
    files = [model.folder / each.file for each in programs.values()]
    if untrusted(files):
        return Cell(model, seed=seed, exchanged=programs), (), files
    try:
        return Cell(model, seed=seed), (), []
    except CellFileError as error:
        # A program that cannot be read is no reason not to show where things stand.
        if not programs:
            raise
        bare = Cell(model, seed=seed, exchanged=programs)
        return bare, error.mistakes or (Mistake(error.what, hint=error.hint),), []


def _source(path: str) -> Any:
    from drycell.cell import CellSource

    return CellSource.find(path)


def _told(mistakes: tuple[Mistake, ...]) -> Json:
    return [
        {"what": each.what, "field": each.field, "line": each.line, "column": each.column, "hint": each.hint}
        for each in mistakes[:50]
    ]


@request("save_as_cell_file")
def save_as_cell_file(session: HostSession, *, path: Short) -> Reply:
    """Writes the cell on the bench, built in Python, say, as a cell file."""
    if session.mode != "bench":
        raise DrycellError("the cell has been started", hint="restart it, and save it before the run")
    target = Path(path)
    if target.exists():
        raise CellFileError(f"{str(target)!r} is there already", hint="save it elsewhere")
    session.needs_cell().save(target)
    return {"path": str(target)}


# -------------------------------------------------------------------- where things are


@request("place")
def place(session: HostSession, *, name: Short, carrier: Short | None, on_top: bool, at: Seven) -> Reply:
    """Where a thing is, and the frame its place would be seen from if it stood on, or hung on, a carrier.

    ``world`` is its pose; ``frame`` that frame; ``lift`` goes from the place to the thing's own origin: world =
    frame · place · lift; ``at`` is its place now, for a thing that has no body. ``bounds`` are of its shape;
    ``carried`` has the poses of all bodies that go along with it.
    """
    from drycell.cell import top_of

    cell = session.needs_cell()
    frame = Pose()
    if carrier is not None:
        support = cell.world.body(carrier)
        frame = session.world.pose(support, session.now) @ (top_of(support) if on_top else Pose())
    body = _body_of(cell, name)
    here = Pose.of_quaternion(at[3:], at[:3])
    if body is None:
        still: dict[str, Json] = {"lift": seven(Pose()), "bounds": None, "carried": {}}
        return {"world": seven(frame @ here), "frame": seven(frame), **still}
    lift = Pose()
    if on_top and body.shape is not None and name not in cell.robots:
        lift = Pose(0.0, 0.0, -body.shape.bounds[0][2])
    bounds: Json = None if body.shape is None else [list(each) for each in body.shape.bounds]
    world = session.world.pose(body, session.now)
    carried: dict[str, Json] = {
        each.name: seven(session.world.pose(each, session.now))
        for each in list(cell.world.bodies.values())
        if each.shape is not None and _goes_along(each, body)
    }
    return {
        "world": seven(world), "frame": seven(frame), "lift": seven(lift), "bounds": bounds, "carried": carried,
    }  # fmt: skip


def _goes_along(body: "LiveBody", carrier: "LiveBody") -> bool:
    here: LiveBody | None = body
    while here is not None and here is not carrier:
        here = here.parent
    return here is carrier


def _body_of(cell: "Cell", name: str) -> "LiveBody | None":
    if name in cell.robots:
        base: LiveBody = cell.robots[name].base
        return base
    if name in cell.devices:
        body: LiveBody | None = cell.devices[name].body
        return body
    return cell.world.bodies.get(name)


# -------------------------------------------------------------------- what there is to build with


@request("library")
def library(session: HostSession) -> Reply:
    """Robots, sensors and materials, each with a line about it."""
    names = session.world.materials.names
    return {**_library(), "materials": [{"name": each} for each in names]}


@cache
def _library() -> dict[str, Json]:
    from drycell.robots import LIBRARY as ROBOTS
    from drycell.sensors import LIBRARY as SENSORS

    mechanisms = _titles(ROBOTS)
    grippers = [each for each in mechanisms if "gripper" in str(each["text"])]
    machines = [each for each in mechanisms if "milling" in str(each["text"])]
    return {
        "robots": [each for each in mechanisms if each not in grippers and each not in machines],
        "sensors": [*_titles(SENSORS)],
    }


def _titles(folder: Path) -> list[dict[str, Json]]:
    """The files of a library by name, with their titles; they are not read as a whole, which would take a second."""
    found: list[dict[str, Json]] = []
    for path in sorted(folder.glob("*.yaml")):
        title = re.search(r"^title: *(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        found.append({"name": path.stem, "text": title[1].strip("'\" ") if title else ""})
    return found


# -------------------------------------------------------------------- sensors


@request("sensor_preview")
def sensor_preview(session: HostSession, *, entry: dict[str, Any], path: Short = "cell.yaml") -> Reply:
    """How a sensor that an entry of a cell file describes answers: to a plate over distance, and over angle.

    Wrong numbers come back as ``mistakes`` with their fields, as they would in the file.
    """
    from drycell.studio.looks.sensing import watched

    try:
        model = _sensor(entry, path)
    except FileError as error:
        return {"mistakes": _told(error.mistakes or (Mistake(error.what, hint=error.hint),))}
    except DrycellError as error:
        return {"mistakes": _told((Mistake(error.what, hint=error.hint),))}
    volumes, lines = watched(model)
    return {
        "mistakes": [],
        "title": model.title,
        "type": model.type,
        "kind": model.kind,
        "unit": model.unit,
        "curves": _curves(model),
        "volumes": [
            {"pose": seven(each.pose), "size": [float(size) for size in each.vertices.max(0) - each.vertices.min(0)]}
            for each in volumes
        ],
        "lines": [
            {"origin": list(each.origin), "direction": list(each.direction), "reach": each.reach} for each in lines
        ],
    }


def _sensor(entry: dict[str, Any], path: str) -> "SensorModel":
    from drycell.base import DrycellError, inline
    from drycell.cell import Model
    from drycell.sensors import Sensor

    # What it stands on plays no part in how it answers.
    alone = {name: value for name, value in entry.items() if name not in ("on", "at", "rpy", "faults", "ignore")}
    model = Model.read(f"sensors: {{sensor: {inline(alone)}}}\n", path)
    sensor = cast(Sensor, model.things["sensor"])
    try:
        return sensor.described(model.folder)
    except DrycellError as error:
        raise model.error(("sensors", "sensor"), error, sensor) from error


def _curves(model: "SensorModel") -> list[Json]:
    """The sensor's answers as curves. Those that make no sense for its kind are left out."""
    from drycell.sensors import over_angle, over_distance, over_force

    if model.type == "force" and not model.volumes:
        return [_curve("pressed in", "mm", model.unit or "N", over_force(model), 1e3)]
    curves = [_curve("distance", "mm", model.unit, over_distance(model), 1e3)]
    if model.type in ("range", "proximity") and model.beam == "diffuse":
        angle = over_angle(model)
        reach = replace(angle, found=tuple(each * 1e3 for each in angle.found))
        curves.append(_curve("angle off the axis", "deg", "mm", reach, 180.0 / math.pi))
    return curves


def _curve(over: str, unit: str, found: str, survey: "Survey", scale: float) -> Json:
    step = max(1, len(survey.places) // _MOST_POINTS)
    points: list[Json] = [
        [round(place * scale, 4), None if math.isnan(value) else round(value, 6)]
        for place, value in list(zip(survey.places, survey.found, strict=True))[::step]
    ]
    return {"over": over, "unit": unit, "of": found, "target": survey.target, "points": points}
