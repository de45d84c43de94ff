"""The concurrent end effector: a parallel jaw commanded by messages, and its kin on the same support.

May use messages, kernel, world, robots and sensors; knows no cell.
"""

from drycell.devices.effector.checker import Checker, Doubt
from drycell.devices.effector.claims import Claim
from drycell.devices.effector.effector import Effector
from drycell.devices.effector.jaw import Jaw
from drycell.devices.effector.servo import Servo
from drycell.devices.effector.stand_in import StandIn
from drycell.devices.effector.station import Station
from drycell.devices.effector.tactile import Pad
from drycell.devices.effector.wrist import Wrist

__all__ = ["Checker", "Claim", "Doubt", "Effector", "Jaw", "Pad", "Servo", "StandIn", "Station", "Wrist"]
