"""Building on the bench: edited cell files tried out, what there is to build with, places, and how sensors answer."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from drycell.base import CellFileError, DrycellError, FileError, Mistake, Pose, inline
from drycell.cell import Cell, CellSource, Model, Program, top_of, untrusted
from drycell.studio.api.building import (
    BenchPreview,
    BuildingApi,
    Library,
    LibraryEntry,
    SensorCurve,
    SensorLine,
    SensorPreview,
    ThingPlace,
    VolumeBox,
)
from drycell.studio.api.codec import PoseData
from drycell.studio.host.session import HostSession
from drycell.studio.host.tree import seven

if TYPE_CHECKING:
    from drycell.sensors import SensorModel, Survey
    from drycell.world import LiveBody

_MOST_POINTS: Final = 121  # of a curve on the page


class HostBuilding(BuildingApi):
    """Builds on the bench of a session."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def preview(self, text: str, path: str, seed: int | None = None) -> BenchPreview:
        session = self._session
        if session.mode not in ("bench", "empty"):
            raise DrycellError("the cell has been started", hint="restart it: what was edited is shown on the bench")
        try:
            model = Model.read(text, path)
            cell, mistakes, idle = _built(model, session.seed if seed is None else seed)
        except FileError as error:
            return BenchPreview(False, _mistakes(error))
        same = Path(path).is_file() and Path(path).read_bytes() == text.encode()
        session.set_up(cell, CellSource.find(path) if same else None, Path(path), idle)
        return BenchPreview(True, _sent(mistakes))

    async def save_as_cell_file(self, path: str) -> str:
        if self._session.mode != "bench":
            raise DrycellError("the cell has been started", hint="restart it, and save it before the run")
        target = Path(path)
        if target.exists():
            raise CellFileError(f"{str(target)!r} is there already", hint="save it elsewhere")
        self._session.needs_cell().save(target)
        return str(target)

    async def place(self, name: str, carrier: str | None, on_top: bool, at: PoseData) -> ThingPlace:
        session, cell = self._session, self._session.needs_cell()
        frame = Pose()
        if carrier is not None:
            support = cell.world.body(carrier)
            frame = session.world.pose(support, session.now) @ (top_of(support) if on_top else Pose())
        body = _body_of(cell, name)
        here = Pose.of_quaternion(at[3:], at[:3])
        if body is None:
            return ThingPlace(seven(frame @ here), seven(frame), seven(Pose()))
        lift = Pose()
        if on_top and body.shape is not None and name not in cell.robots:
            lift = Pose(0.0, 0.0, -body.shape.bounds[0][2])
        carried = {
            each.name: seven(session.world.pose(each, session.now))
            for each in list(cell.world.bodies.values())
            if each.shape is not None and _goes_along(each, body)
        }
        world = seven(session.world.pose(body, session.now))
        bounds = None if body.shape is None else body.shape.bounds
        return ThingPlace(world, seven(frame), seven(lift), bounds, carried)

    async def library(self) -> Library:
        names = self._session.world.materials.names
        return replace(_library(), materials=tuple(LibraryEntry(each) for each in names))

    async def sensor_preview(self, entry: dict[str, Any], path: str = "cell.yaml") -> SensorPreview:
        from drycell.studio.host.sensing import watched

        try:
            model = _sensor(entry, path)
        except FileError as error:
            return SensorPreview(_mistakes(error))
        except DrycellError as error:
            return SensorPreview((Mistake(error.what, hint=error.hint),))
        volumes, lines = watched(model)
        boxes = []
        for each in volumes:
            x, y, z = (float(size) for size in each.vertices.max(0) - each.vertices.min(0))
            boxes.append(VolumeBox(seven(each.pose), (x, y, z)))
        return SensorPreview(
            title=model.title,
            type=model.type,
            kind=model.kind,
            unit=model.unit,
            curves=tuple(_curves(model)),
            volumes=tuple(boxes),
            lines=tuple(SensorLine(each.origin, each.direction, each.reach) for each in lines),
        )


def _mistakes(error: FileError) -> tuple[Mistake, ...]:
    return _sent(error.mistakes or (Mistake(error.what, hint=error.hint),))


def _sent(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Mistakes as the page shows them: the first fifty, without the settings that no file of the page has."""
    return tuple(replace(each, setting=None) for each in list(mistakes)[:50])


def _built(model: Model, seed: int | None) -> tuple[Cell, tuple[Mistake, ...], list[Path]]:
    """The cell of a model, what is wrong with it, and the programs that were not loaded because nobody trusts them."""
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


def _goes_along(body: "LiveBody", carrier: "LiveBody") -> bool:
    here: LiveBody | None = body
    while here is not None and here is not carrier:
        here = here.parent
    return here is carrier


def _body_of(cell: Cell, name: str) -> "LiveBody | None":
    if name in cell.robots:
        base: LiveBody = cell.robots[name].base
        return base
    if name in cell.devices:
        body: LiveBody | None = cell.devices[name].body
        return body
    return cell.world.bodies.get(name)


@cache
def _library() -> Library:
    from drycell.robots import LIBRARY as ROBOTS
    from drycell.sensors import LIBRARY as SENSORS

    robots = [each for each in _titles(ROBOTS) if "gripper" not in each.text and "milling" not in each.text]
    return Library(robots=tuple(robots), sensors=tuple(_titles(SENSORS)))


def _titles(folder: Path) -> list[LibraryEntry]:
    """The files of a library by name, with their titles; they are not read as a whole, which would take a second."""
    found: list[LibraryEntry] = []
    for path in sorted(folder.glob("*.yaml")):
        title = re.search(r"^title: *(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        found.append(LibraryEntry(path.stem, title[1].strip("'\" ") if title else ""))
    return found


def _sensor(entry: dict[str, Any], path: str) -> "SensorModel":
    from drycell.sensors import Sensor

    # What it stands on plays no part in how it answers.
    alone = {name: value for name, value in entry.items() if name not in ("on", "at", "rpy", "faults", "ignore")}
    model = Model.read(f"sensors: {{sensor: {inline(alone)}}}\n", path)
    sensor = cast(Sensor, model.things["sensor"])
    try:
        return sensor.described(model.folder)
    except DrycellError as error:
        raise model.error(("sensors", "sensor"), error, sensor) from error


def _curves(model: "SensorModel") -> list[SensorCurve]:
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


def _curve(over: str, unit: str, found: str, survey: "Survey", scale: float) -> SensorCurve:
    step = max(1, len(survey.places) // _MOST_POINTS)
    points = tuple(
        (round(place * scale, 4), None if math.isnan(value) else round(value, 6))
        for place, value in list(zip(survey.places, survey.found, strict=True))[::step]
    )
    return SensorCurve(over, unit, found, survey.target, points)
