"""Building: previews of edited cell files, the library, places of things, and the response of sensors."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from drycell.base import CellFileError, DrycellError, FileError, Mistake, Pose
from drycell.cell import Cell, CellSource, Model, Program, Standing, top_of, untrusted
from drycell.studio.api.building import (
    BuildingApi,
    DraftPreview,
    Library,
    LibraryEntry,
    SensorCurve,
    SensorLine,
    SensorPreview,
    ThingPlace,
    VolumeBox,
)
from drycell.studio.api.codec import PoseData, pose_data, pose_of
from drycell.studio.api.debugging import RunRecipe
from drycell.studio.host.placing import clear_shift
from drycell.studio.host.session import HostSession

if TYPE_CHECKING:
    from drycell.sensors import ResponseCurve, SensorModel
    from drycell.world import LiveBody

_MOST_POINTS: Final = 121  # of a curve on the page


class HostBuilding(BuildingApi):
    """Previews the edited cell, in a session whose run has not started."""

    def __init__(self, session: HostSession) -> None:
        self._session = session

    async def preview(self, text: str, path: str, seed: int | None = None) -> DraftPreview:
        session = self._session
        if session.mode not in ("ready", "empty"):
            raise DrycellError("the run has started", hint="restart: the edited cell is then shown")
        try:
            model = Model.read(text, path)
            cell, mistakes, idle = _built(model, session.seed if seed is None else seed)
        except FileError as error:
            return DraftPreview(False, _mistakes(error))
        same = Path(path).is_file() and Path(path).read_bytes() == text.encode()
        session.open_cell(cell, CellSource.find(path) if same else None, Path(path), idle)
        session.can_repeat(RunRecipe(path, cell.seed, text=None if same else text))
        return DraftPreview(True, _sent(mistakes))

    async def check(self, text: str, path: str, new: str | None = None) -> DraftPreview:
        try:
            model = Model.read(text, path)
            cell, mistakes, _ = _built(model, self._session.seed)
        except FileError as error:
            return DraftPreview(False, _mistakes(error))
        root = _body_of(cell, new) if new is not None and isinstance(model.things.get(new), Standing) else None
        return DraftPreview(True, _sent(mistakes), (0.0, 0.0) if root is None else clear_shift(cell, root))

    async def save_as_cell_file(self, path: str) -> str:
        if self._session.mode != "ready":
            raise DrycellError("the run has started", hint="restart, and save the cell before you run it")
        target = Path(path)
        if target.exists():
            raise CellFileError(f"{str(target)!r} already exists", hint="choose another name or folder")
        self._session.require_cell().save(target)
        return str(target)

    async def place(self, name: str, carrier: str | None, on_top: bool, at: PoseData) -> ThingPlace:
        session, cell = self._session, self._session.require_cell()
        frame = Pose()
        if carrier is not None:
            support = cell.world.body(carrier)
            frame = session.world.pose(support, session.now) @ (top_of(support) if on_top else Pose())
        body = _body_of(cell, name)
        here = pose_of(at)
        if body is None:
            return ThingPlace(pose_data(frame @ here), pose_data(frame), pose_data(Pose()))
        lift = Pose()
        if on_top and body.shape is not None and name not in cell.robots:
            lift = Pose(0.0, 0.0, -body.shape.bounds[0][2])
        carried = {
            each.name: pose_data(session.world.pose(each, session.now))
            for each in list(cell.world.bodies.values())
            if each.shape is not None and _moves_with(each, body)
        }
        world = pose_data(session.world.pose(body, session.now))
        bounds = None if body.shape is None else body.shape.bounds
        return ThingPlace(world, pose_data(frame), pose_data(lift), bounds, carried)

    async def library(self) -> Library:
        names = self._session.world.materials.names
        return replace(_library(), materials=tuple(LibraryEntry(each) for each in names))

    async def sensor_preview(self, entry: str, path: str = "cell.yaml") -> SensorPreview:
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
            boxes.append(VolumeBox(pose_data(each.pose), (x, y, z)))
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
    """Mistakes as the page shows them: the first fifty, without the settings of a command line."""
    return tuple(replace(each, setting=None) for each in list(mistakes)[:50])


def _built(model: Model, seed: int | None) -> tuple[Cell, tuple[Mistake, ...], list[Path]]:
    """Build the cell of a model. Also returns its mistakes, and the programs that were not loaded for lack of trust."""
    programs = {name: each for name, each in model.things.items() if isinstance(each, Program)}
    files = [model.folder / each.file for each in programs.values()]
    if untrusted(files):
        return Cell(model, seed=seed, exchanged=programs), (), files
    try:
        return Cell(model, seed=seed), (), []
    except CellFileError as error:
        # Even if a program cannot be read, the layout of the cell can be shown.
        if not programs:
            raise
        bare = Cell(model, seed=seed, exchanged=programs)
        return bare, error.mistakes or (Mistake(error.what, hint=error.hint),), []


def _moves_with(body: "LiveBody", carrier: "LiveBody") -> bool:
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
    from drycell.robots import LIBRARY as ROBOTS, TOOLS, tool_heads
    from drycell.sensors import LIBRARY as SENSORS

    robots = [each for each in _titles(ROBOTS) if "gripper" not in each.text and "milling" not in each.text]
    tools = {each: tool_heads()[each.name].kind in ("gripper", "vacuum", "magnet") for each in _titles(TOOLS)}
    return Library(
        robots=tuple(_pictured(each) for each in robots),
        grippers=tuple(_pictured(each) for each, holds in tools.items() if holds),
        tools=tuple(_pictured(each) for each, holds in tools.items() if not holds),
        sensors=tuple(_titles(SENSORS)),
    )


def _pictured(entry: LibraryEntry) -> LibraryEntry:
    """A robot or a tool with the address of its thumbnail, if it has one."""
    from drycell.robots import LIBRARY, thumbnail

    picture = thumbnail(entry.name)
    return replace(entry, picture=f"/drycell/{picture}") if (LIBRARY / picture).is_file() else entry


def _titles(folder: Path) -> list[LibraryEntry]:
    """The files of a library, with their titles. Only the title line is read: parsing all files takes a second."""
    found: list[LibraryEntry] = []
    for path in sorted(folder.glob("*.yaml")):
        title = re.search(r"^title: *(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        found.append(LibraryEntry(path.stem, title[1].strip("'\" ") if title else ""))
    return found


def _sensor(entry: str, path: str) -> "SensorModel":
    from drycell.sensors import Sensor

    model = Model.read(f"sensors: {{sensor: {entry}}}\n", path)
    sensor = cast(Sensor, model.things["sensor"])
    try:
        return sensor.described(model.folder)
    except DrycellError as error:
        raise model.error(("sensors", "sensor"), error, sensor) from error


def _curves(model: "SensorModel") -> list[SensorCurve]:
    """The response curves that make sense for a sensor of this kind."""
    from drycell.sensors import over_angle, over_distance, over_force

    if model.type == "force" and not model.volumes:
        return [_curve("pressed in", "mm", model.unit or "N", over_force(model), 1e3)]
    curves = [_curve("distance", "mm", model.unit, over_distance(model), 1e3)]
    if model.type in ("range", "proximity") and model.beam == "diffuse":
        angle = over_angle(model)
        reach = replace(angle, found=tuple(each * 1e3 for each in angle.found))
        curves.append(_curve("angle off the axis", "deg", "mm", reach, 180.0 / math.pi))
    return curves


def _curve(over: str, unit: str, found: str, survey: "ResponseCurve", scale: float) -> SensorCurve:
    step = max(1, len(survey.places) // _MOST_POINTS)
    points = tuple(
        (round(place * scale, 4), None if math.isnan(value) else round(value, 6))
        for place, value in list(zip(survey.places, survey.found, strict=True))[::step]
    )
    return SensorCurve(over, unit, found, survey.target, points)
