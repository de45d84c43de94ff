"""drycell simulates a robot cell before you build it: robots, parts, sensors and programs on one deterministic clock.

What a cell and its programs need most is here; the packages hold the rest (``drycell.robots``, ``drycell.world``, …).
Names are looked up when first used, so that ``import drycell`` costs next to nothing.
"""

from drycell import packages

TYPE_CHECKING: bool = False  # what type checkers take as true; importing typing takes longer than all of this
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    from drycell.base import (
        DrycellError as DrycellError,
        N as N,
        Pose as Pose,
        ProgramError as ProgramError,
        deg as deg,
        hour as hour,
        inch as inch,
        kg as kg,
        m as m,
        minute as minute,
        mm as mm,
        ms as ms,
        rad as rad,
        s as s,
    )
    from drycell.cell import (
        Body as Body,
        Cell as Cell,
        Device as Device,
        Live as Live,
        Model as Model,
        Program as Program,
        Result as Result,
        Tolerance as Tolerance,
        Workpoint as Workpoint,
    )
    from drycell.devices import (
        Bend as Bend,
        Controller as Controller,
        Conveyor as Conveyor,
        Director as Director,
        Junction as Junction,
        Logic as Logic,
        Machine as Machine,
        Pallet as Pallet,
        Sink as Sink,
        Source as Source,
        Stop as Stop,
        Store as Store,
        StraightTrack as StraightTrack,
        TrayLine as TrayLine,
        TrayLoad as TrayLoad,
        TraySink as TraySink,
        TraySource as TraySource,
    )
    from drycell.effector import Effector as Effector, LiveMessageDevice, Pad as Pad, StandIn as StandIn, Wrist as Wrist
    from drycell.geometry import (
        Box as Box,
        Capsule as Capsule,
        Cone as Cone,
        Cylinder as Cylinder,
        MeshFile as MeshFile,
        Prism as Prism,
        Sphere as Sphere,
    )
    from drycell.handling import Block as Block, PartLayer as PartLayer
    from drycell.kernel import (
        choose as choose,
        current_process as current_process,
        delay as delay,
        interval as interval,
        now as now,
        spawn as spawn,
        wait as wait,
        wait_any as wait_any,
    )
    from drycell.recording import DocumentNode
    from drycell.robots import (
        Robot as Robot,
        Tool as Tool,
        ToolStation as ToolStation,
        above as above,
        approach as approach,
        offset as offset,
        shifted as shifted,
        turned as turned,
    )
    from drycell.sensors import Sensor as Sensor
    from drycell.world import LinkKinematics
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)


def _kinds() -> "Iterator[ModuleType]":
    """The packages that define kinds of things, built-in ones in the same way as those of a plug-in."""
    from drycell import cell, devices, effector, geometry, languages, robots, sensors
    from drycell.scorbot import controller  # only this module: the rest defines no kinds and takes time to load

    yield from (geometry, cell, robots, devices, effector, sensors, languages, controller)


def _plug_ins() -> "Iterator[ModuleType]":
    """Other distributions: ``[project.entry-points."drycell.kinds"] washer = "my_washer"``."""
    from importlib.metadata import entry_points

    from drycell.base import PlugInError

    for entry in entry_points(group="drycell.kinds"):
        try:
            yield entry.load()
        except Exception as error:
            what = f"plug-in {entry.name!r} cannot be loaded: {type(error).__name__}: {error}"
            raise PlugInError(what, hint=f"fix or uninstall the distribution that defines {entry.value!r}") from error


def _kinematics(node: "DocumentNode") -> "LinkKinematics":
    """How the links of a recorded robot follow from its joints."""
    from drycell.robots import mechanism_from

    return mechanism_from(node)


def _device_page(kind: str, device: "LiveMessageDevice[Any]", subdivisions: int) -> "packages.DevicePage":
    from drycell.studio.effector import DeviceCamera, PicturePage, view_of

    return PicturePage(kind, DeviceCamera(device.kernel, view_of(device)), subdivisions=subdivisions)


packages.kinds, packages.plug_ins = _kinds, _plug_ins
packages.kinematics, packages.device_page = _kinematics, _device_page
