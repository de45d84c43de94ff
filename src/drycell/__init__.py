"""drycell dry-runs a robot cell before it exists: robots, parts, sensors and their programs on one deterministic clock.

What a cell and its programs need most is here; the packages hold the rest (``drycell.robots``, ``drycell.world``, …).
Names are looked up when first used, so that ``import drycell`` costs next to nothing.
"""

from drycell.base import provided

TYPE_CHECKING = False  # what type checkers take as true; importing typing takes longer than all of this
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    from drycell.cell import Body, Cell, Device, Live, Model, Program, Result, Tolerance, Workpoint
    from drycell.devices import (
        Controller,
        Conveyor,
        Effector,
        Logic,
        Machine,
        Pad,
        Sink,
        Source,
        StandIn,
        Stop,
        Store,
        Wrist,
    )
    from drycell.errors import DrycellError, ProgramError
    from drycell.geometry import Box, Capsule, Cone, Cylinder, MeshFile, Prism, Sphere
    from drycell.kernel import choose, current_process, delay, interval, now, spawn, wait, wait_any
    from drycell.robots import Robot, above, approach, offset, shifted, turned
    from drycell.sensors import Sensor
    from drycell.spatial import Pose
    from drycell.units import N, deg, hour, inch, kg, m, minute, mm, ms, rad, s


def _kinds() -> "Iterator[ModuleType]":
    """The packages that define kinds of things, built-in ones in the same way as those of a plug-in."""
    from drycell import cell, devices, geometry, languages, robots, sensors

    yield from (geometry, cell, robots, devices, sensors, languages)


def _plug_ins() -> "Iterator[ModuleType]":
    """Other distributions: ``[project.entry-points."drycell.kinds"] washer = "my_washer"``."""
    from importlib.metadata import entry_points

    from drycell.errors import PlugInError

    for entry in entry_points(group="drycell.kinds"):
        try:
            yield entry.load()
        except Exception as error:
            what = f"plug-in {entry.name!r} cannot be loaded: {type(error).__name__}: {error}"
            raise PlugInError(what, hint=f"mend or uninstall the distribution that has {entry.value!r}") from error


def _recorder(*args: "Any", **options: "Any") -> "Any":
    from drycell.recording import recorder

    return recorder(*args, **options)


provided.kinds, provided.plug_ins, provided.recorder = _kinds, _plug_ins, _recorder

_HOME = {
    "cell": ("Body", "Cell", "Device", "Live", "Model", "Program", "Result", "Tolerance", "Workpoint"),
    "devices": (
        "Controller",
        "Conveyor",
        "Effector",
        "Logic",
        "Machine",
        "Pad",
        "Sink",
        "Source",
        "StandIn",
        "Stop",
        "Store",
        "Wrist",
    ),
    "geometry": ("Box", "Capsule", "Cone", "Cylinder", "MeshFile", "Prism", "Sphere"),
    "errors": ("DrycellError", "ProgramError"),
    "kernel": ("choose", "current_process", "delay", "interval", "now", "spawn", "wait", "wait_any"),
    "robots": ("Robot", "above", "approach", "offset", "shifted", "turned"),
    "sensors": ("Sensor",),
    "spatial": ("Pose",),
    "units": ("N", "deg", "hour", "inch", "kg", "m", "minute", "mm", "ms", "rad", "s"),
}
_PACKAGE = {name: package for package, names in _HOME.items() for name in names}

__all__ = [
    "Body",
    "Box",
    "Capsule",
    "Cell",
    "Cone",
    "Controller",
    "Conveyor",
    "Cylinder",
    "Device",
    "DrycellError",
    "Effector",
    "Live",
    "Logic",
    "Machine",
    "MeshFile",
    "Model",
    "N",
    "Pad",
    "Pose",
    "Prism",
    "Program",
    "ProgramError",
    "Result",
    "Robot",
    "Sensor",
    "Sink",
    "Source",
    "Sphere",
    "StandIn",
    "Stop",
    "Store",
    "Tolerance",
    "Workpoint",
    "Wrist",
    "above",
    "approach",
    "choose",
    "current_process",
    "deg",
    "delay",
    "hour",
    "inch",
    "interval",
    "kg",
    "m",
    "minute",
    "mm",
    "ms",
    "now",
    "offset",
    "rad",
    "s",
    "shifted",
    "spawn",
    "turned",
    "wait",
    "wait_any",
]


def __getattr__(name: str) -> object:
    if name not in _PACKAGE:
        raise AttributeError(f"module 'drycell' has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"drycell.{_PACKAGE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
