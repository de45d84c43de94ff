"""SCORBOT: its controller in a cell, a driver for a real one on a serial line, and an emulated one for the far end.

``controller`` is what programs in a cell command, ``driver`` does the same for an arm on a line that speaks ACL
(``acl``), ``emulator`` puts a cell's robot at the far end of such a line, and ``calibration`` serves all three.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.scorbot.acl import (
        AclSession as AclSession,
        LineError as LineError,
        LineGarbage as LineGarbage,
        LineLost as LineLost,
        LineTimeout as LineTimeout,
        Refused as Refused,
        ReplyDecoder as ReplyDecoder,
        SerialPort as SerialPort,
    )
    from drycell.scorbot.calibration import (
        SCORBOT as SCORBOT,
        Calibration as Calibration,
        load_calibration as load_calibration,
    )
    from drycell.scorbot.controller import ScorbotCommands as ScorbotCommands, ScorbotController as ScorbotController
    from drycell.scorbot.driver import ScorbotDriver as ScorbotDriver
    from drycell.scorbot.emulator import (
        AclInterpreter as AclInterpreter,
        EmulatedController as EmulatedController,
        LineFaults as LineFaults,
        Station as Station,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
