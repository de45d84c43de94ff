"""Mobile robots: their data, and how they move between walls and read their sensors.

May use the worlds of learning. It does not know controllers.
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
