"""An emulated controller: a cell's robot behind a pseudo-terminal, with the command language, timing and faults of ACL.

``interpreter`` knows the language, ``station`` the cell, ``terminal`` the line, and ``controller`` puts them together.
"""

from drycell.protocols.acl.emulator.controller import EmulatedController
from drycell.protocols.acl.emulator.faults import LineFaults
from drycell.protocols.acl.emulator.interpreter import Interpreter
from drycell.protocols.acl.emulator.station import Station

__all__ = ["EmulatedController", "Interpreter", "LineFaults", "Station"]
