"""Devices: small state machines with named signals and motions, and the controllers that programs run on.

May use everything below: kernel, geometry, world, cell, robots, sensors.
"""

from drycell.devices.controller import Controller, LiveController
from drycell.devices.conveyor import Conveyor, LiveConveyor
from drycell.devices.effector import Effector, LiveEffector, LivePad, LiveStandIn, LiveWrist, Pad, StandIn, Wrist
from drycell.devices.interval import Every
from drycell.devices.logic import LiveLogic, Logic
from drycell.devices.machine import LiveMachine, Machine
from drycell.devices.scorbot_controller import ScorbotController
from drycell.devices.sink import LiveSink, Sink
from drycell.devices.source import LiveSource, PartKind, Source
from drycell.devices.stop import Stop
from drycell.devices.store import LiveStore, Store

__all__ = [
    "Controller",
    "Conveyor",
    "Effector",
    "Every",
    "LiveController",
    "LiveConveyor",
    "LiveEffector",
    "LiveLogic",
    "LiveMachine",
    "LivePad",
    "LiveSink",
    "LiveSource",
    "LiveStandIn",
    "LiveStore",
    "LiveWrist",
    "Logic",
    "Machine",
    "Pad",
    "PartKind",
    "ScorbotController",
    "Sink",
    "Source",
    "StandIn",
    "Stop",
    "Store",
    "Wrist",
]
