"""Devices: small state machines with named signals and motions, and the ledger of the parts they handle.

May use everything below: kernel, geometry, world, robots, sensors.
"""

from drycell.devices.controller import Controller
from drycell.devices.conveyor import Conveyor
from drycell.devices.device import Device
from drycell.devices.interval import Every
from drycell.world.ledger import Ledger, PartRecord, Parts
from drycell.devices.logic import Logic
from drycell.devices.machine import MachineTool, Usage
from drycell.devices.scorbot_controller import ScorbotController
from drycell.devices.sink import Sink
from drycell.devices.source import PartKind, Source
from drycell.devices.stop import Stop
from drycell.devices.store import Store

__all__ = [
    "Controller",
    "Conveyor",
    "Device",
    "Every",
    "Ledger",
    "Logic",
    "MachineTool",
    "PartKind",
    "PartRecord",
    "Parts",
    "ScorbotController",
    "Sink",
    "Source",
    "Stop",
    "Store",
    "Usage",
]
