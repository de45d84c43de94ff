"""The end effector: a parallel jaw and other devices that are commanded by messages.

The package may use base, kernel, geometry, world, record, cell, handling, robots, sensors and devices.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.effector.checker import Checker as Checker
    from drycell.effector.device import LiveMessageDevice as LiveMessageDevice
    from drycell.effector.effector import Effector as Effector, LiveEffector as LiveEffector
    from drycell.effector.messages import LinkTrouble as LinkTrouble
    from drycell.effector.servo import Servo as Servo
    from drycell.effector.stand_in import LiveStandIn as LiveStandIn, StandIn as StandIn
    from drycell.effector.tactile import LivePad as LivePad, Pad as Pad
    from drycell.effector.wrist import LiveWrist as LiveWrist, Wrist as Wrist
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
