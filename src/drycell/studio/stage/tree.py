"""The tree: everything there is in a cell, by name, as the page lists it."""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import Pose
from drycell.robots import Mechanism
from drycell.studio.stage.wire import Json
from drycell.world import Body, Linkage

if TYPE_CHECKING:
    from drycell.studio.stage.theatre import Theatre

_LINKS: Final = ("#cfd8dc", "#6f97bd")  # the links of a mechanism by turns, so that one sees where it bends
_LANGUAGES: Final = {".py": "python", ".pas": "pascal", ".arl": "arla", ".eml": "emula"}


def tree(theatre: "Theatre") -> dict[str, Json]:
    """What there is: bodies, robots, workpoints, sensors, devices, signals, programs and files."""
    linkages = theatre.world.linkages
    kinds = _kinds(theatre)
    return {
        "version": theatre.cast.version,
        "bodies": [_body(theatre, number, body, kinds) for number, body in enumerate(theatre.bodies)],
        "robots": [_robot(theatre, each) for each in linkages.values() if not _is_gripper(each, linkages)],
        "workpoints": [
            {"name": each.name, "on": None if each.body is None else each.body.name, "pose": seven(each.local)}
            for each in theatre.world.workpoints.values()
        ],
        "sensors": list(_sensors(theatre)),
        "devices": list(_devices(theatre)),
        "signals": [
            {"name": name, "type": each.type, "unit": each.unit} for name, each in theatre.record.signals.items()
        ],
        "programs": list(_programs(theatre)),
        "files": _files(theatre),
        "source": _source(theatre),
    }


def seven(pose: Pose) -> list[float]:
    """A pose as the wire has it: ``[x, y, z, qw, qx, qy, qz]``."""
    return [*pose.position, *pose.quaternion]


def _body(theatre: "Theatre", number: int, body: Body, kinds: Callable[[Body], tuple[str, int]]) -> dict[str, Json]:
    kind, place = kinds(body)
    if kind in ("robot", "gripper"):
        colour = _LINKS[place % len(_LINKS)]
    else:
        colour = _hex(theatre.world.materials[body.material].colour)
    return {
        "number": number,
        "name": body.name,
        "parent": None if body.parent is None else body.parent.name,
        "kind": kind,
        "mesh": theatre.meshes.key(body),
        "colour": colour,
        "material": body.material,
    }


def _kinds(theatre: "Theatre") -> Callable[[Body], tuple[str, int]]:
    """What kind of thing a body is, and which link of a mechanism."""
    linkages = theatre.world.linkages
    links: dict[Body, tuple[str, int]] = {}
    for linkage in linkages.values():
        kind = "gripper" if _is_gripper(linkage, linkages) else "robot"
        links[linkage.base] = (kind, 0)
        links.update((link, (kind, place)) for place, link in enumerate(linkage.links, 1))
    sensors = {each.body for each in theatre.sensors.values()}
    devices = tuple(theatre.cell.devices) if theatre.cell is not None else ()

    def kind_of(body: Body) -> tuple[str, int]:
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
    """Whether a mechanism belongs to another: ``arm/gripper`` to ``arm``."""
    return linkage.name.rpartition("/")[0] in linkages


def _robot(theatre: "Theatre", linkage: Linkage) -> dict[str, Json]:
    mechanism = linkage.kinematics
    joints = mechanism.joints if isinstance(mechanism, Mechanism) else ()
    cell = theatre.cell
    model = getattr(cell.models.get(linkage.name), "model", None) if cell is not None else None
    gripper = theatre.world.linkages.get(f"{linkage.name}/gripper")
    return {
        "name": linkage.name,
        "model": model if isinstance(model, str) else getattr(mechanism, "name", ""),
        "joints": [
            {"name": each.name, "kind": each.kind, "low": _finite(each.lower), "high": _finite(each.upper)}
            for each in joints
        ],
        "base": theatre.cast.number(linkage.base),
        "links": [theatre.cast.number(link) for link in linkage.links],
        "flange": f"{linkage.name}/flange" if f"{linkage.name}/flange" in theatre.world.bodies else None,
        "gripper": None if gripper is None else gripper.name,
    }


def _sensors(theatre: "Theatre") -> Iterator[dict[str, Json]]:
    for name, sensor in theatre.sensors.items():
        parent = sensor.body.parent
        yield {"name": name, "on": None if parent is None else parent.name, "kind": sensor.kind}


def _devices(theatre: "Theatre") -> Iterator[dict[str, Json]]:
    if theatre.cell is not None:
        for name in theatre.cell.devices:
            yield {"name": name, "kind": theatre.cell.models[name].meta.kind}
        return
    linkages = theatre.world.linkages
    for name, linkage in linkages.items():  # a recording tells mechanisms; those without a flange are no robots
        if f"{name}/flange" not in theatre.world.bodies and not _is_gripper(linkage, linkages):
            yield {"name": name, "kind": getattr(linkage.kinematics, "name", "")}


def _programs(theatre: "Theatre") -> Iterator[dict[str, Json]]:
    if theatre.cell is not None:
        for name, program in theatre.cell.programs.items():
            file = program_file(program.function)
            if theatre.idle and program.model is not None:  # not loaded
                file = os.path.abspath(theatre.cell.folder / program.model.file)
            yield {
                "name": name,
                "file": file,
                "language": _LANGUAGES.get(Path(file or "").suffix.lower(), "python"),
                "controller": program.controller,
            }


def program_file(function: object) -> str | None:
    """The file a program is written in."""
    code = getattr(function, "__code__", None)
    if code is not None:
        return str(code.co_filename)
    found = getattr(function, "__globals__", {}).get("__file__")
    return None if found is None else str(found)


def _source(theatre: "Theatre") -> str | None:
    """The cell's own file; of a recording, that of the cell it was made from, if it is still there."""
    if theatre.source is not None:
        return str(theatre.source.path)
    if theatre.recording is None or theatre.path is None or not theatre.recording.header.source:
        return None
    header = theatre.recording.header
    found = (theatre.path.parent / header.folder / header.source[0].path).resolve()
    return str(found) if found.is_file() else None


def _files(theatre: "Theatre") -> list[Json]:
    if theatre.recording is not None:
        return [each.path for each in theatre.recording.header.source]
    if theatre.source is None:
        return []
    folder = theatre.source.path.parent
    return [each.relative_to(folder).as_posix() for each in theatre.source.files() if each.is_relative_to(folder)]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _hex(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * share):02x}" for share in colour)
