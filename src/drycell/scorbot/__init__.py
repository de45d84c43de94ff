"""ACL, the command language of Eshed's SCORBOT controllers: a driver for a serial line, and an emulated controller.

From bytes to replies (``codec``), to one command at a time with every fault told (``session``), to the commands of
programs (``driver``). The far end, on a pseudo-terminal and connected to a cell, is ``emulator``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.devices.calibration import (
        SCORBOT as SCORBOT,
        Calibration as Calibration,
        load_calibration as load_calibration,
    )
    from drycell.scorbot.codec import Decoder as Decoder, Reply as Reply
    from drycell.scorbot.driver import ScorbotDriver as ScorbotDriver
    from drycell.scorbot.fault import (
        LineError as LineError,
        LineGarbage as LineGarbage,
        LineLost as LineLost,
        LineTimeout as LineTimeout,
        Refused as Refused,
    )
    from drycell.scorbot.port import Port as Port, SerialPort as SerialPort
    from drycell.scorbot.session import Session as Session
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
