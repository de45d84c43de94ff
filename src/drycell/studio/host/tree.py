"""The contents of a cell, as the page lists them."""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.robots import Mechanism
from drycell.studio.api.codec import pose_data
from drycell.studio.api.scene import (
    BodyKind,
    Tree,
    TreeBody,
    TreeDevice,
    TreeJoint,
    TreeProgram,
    TreeRobot,
    TreeSensor,
    TreeSignal,
    TreeWorkpoint,
)
from drycell.world import Linkage, LiveBody

if TYPE_CHECKING:
    from drycell.studio.host.session import HostSession

_LINKS: Final = ("#cfd8dc", "#6f97bd")  # alternating colours of links, so that the joints are visible
_LANGUAGES: Final = {".py": "python", ".pas": "pascal", ".arl": "arla", ".eml": "emula"}


def tree(session: "HostSession") -> Tree:
    """The bodies, robots, workpoints, sensors, devices, signals, programs and files of a session."""
    linkages = session.world.linkages
    kinds = _kinds(session)
    return Tree(
        scene=session.numbering.scene,
        version=session.numbering.version,
        bodies=tuple(_body(session, number, body, kinds) for number, body in enumerate(session.bodies)),
        robots=tuple(_robot(session, each) for each in linkages.values() if not _is_gripper(each, linkages)),
        workpoints=tuple(
            TreeWorkpoint(each.name, None if each.body is None else each.body.name, pose_data(each.local))
            for each in session.world.workpoints.values()
        ),
        sensors=tuple(_sensors(session)),
        devices=tuple(_devices(session)),
        signals=tuple(TreeSignal(name, each.type, each.unit) for name, each in session.record.signals.items()),
        programs=tuple(_programs(session)),
        files=tuple(_files(session)),
        source=_source(session),
    )


def _body(
    session: "HostSession", number: int, body: LiveBody, kinds: Callable[[LiveBody], tuple[BodyKind, int]]
) -> TreeBody:
    kind, place = kinds(body)
    if kind in ("robot", "gripper"):
        colour = _LINKS[place % len(_LINKS)]
    else:
        colour = _hex(session.world.materials[body.material].colour)
    parent = None if body.parent is None else body.parent.name
    look, channels = session.meshes.look(body)
    return TreeBody(number, body.name, parent, kind, session.meshes.key(body), colour, body.material, look, channels)


def _kinds(session: "HostSession") -> Callable[[LiveBody], tuple[BodyKind, int]]:
    """A function that returns the kind of a body, and the number of the link it is in its mechanism."""
    linkages = session.world.linkages
    links: dict[LiveBody, tuple[BodyKind, int]] = {}
    for linkage in linkages.values():
        kind: BodyKind = "gripper" if _is_gripper(linkage, linkages) else "robot"
        links[linkage.base] = (kind, 0)
        links.update((link, (kind, place)) for place, link in enumerate(linkage.links, 1))
    sensors = {each.body for each in session.sensors.values()}
    devices = tuple(session.cell.devices) if session.cell is not None else ()

    def kind_of(body: LiveBody) -> tuple[BodyKind, int]:
        found = links.get(body)
        if found is not None:
            return found
        if body.part:
            return ("part", 0)
        if body in sensors:
            return ("sensor", 0)
        if any(body.name == each or body.name.startswith(f"{each}/") for each in devices):
            return ("device", 0)
        return ("fixture", 0)

    return kind_of


def _is_gripper(linkage: Linkage, linkages: Mapping[str, Linkage]) -> bool:
    """Whether a mechanism belongs to another one, as ``arm/gripper`` belongs to ``arm``."""
    return linkage.name.rpartition("/")[0] in linkages


def _robot(session: "HostSession", linkage: Linkage) -> TreeRobot:
    mechanism = linkage.kinematics
    joints = mechanism.joints if isinstance(mechanism, Mechanism) else ()
    cell = session.cell
    model = getattr(cell.models.get(linkage.name), "model", None) if cell is not None else None
    gripper = session.world.linkages.get(f"{linkage.name}/gripper")
    return TreeRobot(
        name=linkage.name,
        model=model if isinstance(model, str) else getattr(mechanism, "name", ""),
        joints=tuple(TreeJoint(each.name, each.kind, _finite(each.lower), _finite(each.upper)) for each in joints),
        base=session.numbering.number(linkage.base),
        links=tuple(session.numbering.number(link) for link in linkage.links),
        flange=f"{linkage.name}/flange" if f"{linkage.name}/flange" in session.world.bodies else None,
        gripper=None if gripper is None else gripper.name,
    )


def _sensors(session: "HostSession") -> Iterator[TreeSensor]:
    for name, sensor in session.sensors.items():
        parent = sensor.body.parent
        yield TreeSensor(name, None if parent is None else parent.name, sensor.kind)


def _devices(session: "HostSession") -> Iterator[TreeDevice]:
    if session.cell is not None:
        for name in session.cell.devices:
            yield TreeDevice(name, session.cell.models[name].meta.kind)
        return
    linkages = session.world.linkages
    for name, linkage in linkages.items():  # a recording has mechanisms only; one without a flange is not a robot
        if f"{name}/flange" not in session.world.bodies and not _is_gripper(linkage, linkages):
            yield TreeDevice(name, getattr(linkage.kinematics, "name", ""))


def _programs(session: "HostSession") -> Iterator[TreeProgram]:
    if session.cell is not None:
        for name, program in session.cell.programs.items():
            file = program_file(program.function)
            if session.idle and program.model is not None:  # not loaded
                file = os.path.abspath(session.cell.folder / program.model.file)
            language = _LANGUAGES.get(Path(file or "").suffix.lower(), "python")
            yield TreeProgram(name, file, language, program.controller)


def program_file(function: object) -> str | None:
    """The source file of a program."""
    code = getattr(function, "__code__", None)
    if code is not None:
        return str(code.co_filename)
    found = getattr(function, "__globals__", {}).get("__file__")
    return None if found is None else str(found)


def _source(session: "HostSession") -> str | None:
    """The cell file; for a recording, the cell file it was made from, if it still exists."""
    if session.source is not None:
        return str(session.source.path)
    if session.recording is None or session.path is None or not session.recording.header.source:
        return None
    header = session.recording.header
    found = (session.path.parent / header.folder / header.source[0].path).resolve()
    return str(found) if found.is_file() else None


def _files(session: "HostSession") -> list[str]:
    if session.recording is not None:
        return [each.path for each in session.recording.header.source]
    if session.source is None:
        return []
    folder = session.source.path.parent
    return [each.relative_to(folder).as_posix() for each in session.source.files() if each.is_relative_to(folder)]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _hex(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * share):02x}" for share in colour)
