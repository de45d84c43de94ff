"""SCORBOT: its controller in a cell, a driver for a real arm on a serial line, and an emulator of a real controller.

``controller`` executes the commands of programs in a cell. ``driver`` sends them to a real arm over a serial line, in
ACL (``acl``). ``emulator`` puts a cell's robot at the other end of such a line. All three use ``calibration``.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.scorbot.acl import (
        AclSession as AclSession,
        CommandRefused as CommandRefused,
        LineError as LineError,
        LineGarbage as LineGarbage,
        LineLost as LineLost,
        LineTimeout as LineTimeout,
        ReplyDecoder as ReplyDecoder,
        SerialPort as SerialPort,
    )
    from drycell.scorbot.calibration import (
        SCORBOT as SCORBOT,
        Calibration as Calibration,
        load_calibration as load_calibration,
    )
    from drycell.scorbot.controller import ScorbotCommands as ScorbotCommands
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
