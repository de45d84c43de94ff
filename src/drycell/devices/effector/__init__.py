"""The concurrent end effector: a parallel jaw commanded by messages, and its kin on the same support.

May use messages, kernel, world, cell, robots and sensors.
"""

from drycell.devices.effector.checker import Checker, Doubt
from drycell.devices.effector.claims import Claim
from drycell.devices.effector.effector import Effector, LiveEffector
from drycell.devices.effector.jaw import Jaw
from drycell.devices.effector.servo import Servo
from drycell.devices.effector.stand_in import LiveStandIn, StandIn
from drycell.devices.effector.station import Station
from drycell.devices.effector.tactile import LivePad, Pad
from drycell.devices.effector.wrist import LiveWrist, Wrist
from drycell.messages import Trouble

__all__ = [
    "Checker",
    "Claim",
    "Doubt",
    "Effector",
    "Jaw",
    "LiveEffector",
    "LivePad",
    "LiveStandIn",
    "LiveWrist",
    "Pad",
    "Servo",
    "StandIn",
    "Station",
    "Trouble",
    "Wrist",
]
