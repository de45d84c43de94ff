"""Handling: grippers, how they grasp parts, and the time laws that fingers and axes follow.

The package may use base, kernel, geometry, world and cell. It knows nothing about robots, which carry grippers.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.handling.gripper import (
        FACING as FACING,
        Gripper as Gripper,
        jaw_gap as jaw_gap,
    )
    from drycell.handling.holder import Holder as Holder
    from drycell.handling.holding import HeldBy as HeldBy, Hold as Hold
    from drycell.handling.pattern import (
        Block as Block,
        PartLayer as PartLayer,
        PatternPlace as PatternPlace,
        block_places as block_places,
    )
    from drycell.handling.resting_box import (
        RestingBox as RestingBox,
        part_meant as part_meant,
    )
    from drycell.handling.squeeze import Squeeze as Squeeze
    from drycell.handling.suction import Mouth as Mouth, Suction as Suction
    from drycell.handling.timelaw import (
        MotionLimits as MotionLimits,
        Piece as Piece,
        TimeLaw as TimeLaw,
        least_time as least_time,
        speed_for as speed_for,
        stop_law as stop_law,
        time_law as time_law,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
