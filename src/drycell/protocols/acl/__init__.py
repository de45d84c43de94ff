"""ACL, the command language of Eshed's SCORBOT controllers: a driver for a serial line, and an emulated controller.

From bytes to replies (``codec``), to one command at a time with every fault told (``session``), to the commands of
programs (``driver``). The far end, on a pseudo-terminal and connected to a cell, is ``emulator``.
"""

from drycell.devices.calibration import SCORBOT, Calibration, load_calibration
from drycell.protocols.acl.codec import Decoder, Reply
from drycell.protocols.acl.driver import ScorbotDriver
from drycell.protocols.acl.fault import LineError, LineGarbage, LineLost, LineTimeout, Refused
from drycell.protocols.acl.port import Port, SerialPort
from drycell.protocols.acl.session import Session

__all__ = [
    "SCORBOT",
    "Calibration",
    "Decoder",
    "LineError",
    "LineGarbage",
    "LineLost",
    "LineTimeout",
    "Port",
    "Refused",
    "Reply",
    "ScorbotDriver",
    "SerialPort",
    "Session",
    "load_calibration",
]
