"""drycell dry-runs a robot cell before it exists: robots, parts, sensors and their programs on one deterministic clock.

What a cell and its programs need most is here; the packages hold the rest (``drycell.robots``, ``drycell.world``, …).
Names are looked up when first used, so that ``import drycell`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drycell.cell import Cell, Result, box, capsule, cone, cylinder, mesh, prism, solid, sphere
    from drycell.errors import DrycellError, ProgramError
    from drycell.kernel import choose, current_process, delay, interval, now, spawn, wait, wait_any
    from drycell.robots import above, approach, offset, shifted, turned
    from drycell.spatial import Pose
    from drycell.units import N, deg, hour, inch, kg, m, minute, mm, ms, rad, s

_HOME = {
    "cell": ("Cell", "Result", "box", "capsule", "cone", "cylinder", "mesh", "prism", "solid", "sphere"),
    "errors": ("DrycellError", "ProgramError"),
    "kernel": ("choose", "current_process", "delay", "interval", "now", "spawn", "wait", "wait_any"),
    "robots": ("above", "approach", "offset", "shifted", "turned"),
    "spatial": ("Pose",),
    "units": ("N", "deg", "hour", "inch", "kg", "m", "minute", "mm", "ms", "rad", "s"),
}
_PACKAGE = {name: package for package, names in _HOME.items() for name in names}

__all__ = [
    "Cell",
    "DrycellError",
    "N",
    "Pose",
    "ProgramError",
    "Result",
    "above",
    "approach",
    "box",
    "capsule",
    "choose",
    "cone",
    "current_process",
    "cylinder",
    "deg",
    "delay",
    "hour",
    "inch",
    "interval",
    "kg",
    "m",
    "mesh",
    "minute",
    "mm",
    "ms",
    "now",
    "offset",
    "prism",
    "rad",
    "s",
    "shifted",
    "solid",
    "spawn",
    "sphere",
    "turned",
    "wait",
    "wait_any",
]


def __getattr__(name: str) -> object:
    if name not in _PACKAGE:
        raise AttributeError(f"module 'drycell' has no attribute {name!r}")
    found: object = getattr(import_module(f"drycell.{_PACKAGE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
