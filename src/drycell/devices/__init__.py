"""Devices: small state machines with named signals and motions, and the ledger of the parts they handle.

May use everything below: kernel, geometry, world, robots, handling, sensors.
"""

from drycell.devices.conveyor import Conveyor, Stop
from drycell.devices.device import Device
from drycell.devices.gripper import Gripper
from drycell.devices.handling_robot import HandlingRobot
from drycell.devices.interval import Every
from drycell.devices.ledger import Ledger, PartRecord, Parts
from drycell.devices.sink import Sink
from drycell.devices.source import PartKind, Source
from drycell.devices.store import Store

__all__ = [
    "Conveyor",
    "Device",
    "Every",
    "Gripper",
    "HandlingRobot",
    "Ledger",
    "PartKind",
    "PartRecord",
    "Parts",
    "Sink",
    "Source",
    "Stop",
    "Store",
]
