"""Mobile robots: their data, and how they move between walls and read their sensors.

The package may use the worlds of learning. It knows nothing about controllers.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.learn.robot.mobile import (
        Mobile as Mobile,
        MobileLeg as MobileLeg,
        MobileModel as MobileModel,
        load_mobile as load_mobile,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
