"""An emulated controller: a cell's robot behind a pseudo-terminal, with the command language, timing and faults of ACL.

``interpreter`` knows the language, ``station`` the cell, ``terminal`` the line, and ``controller`` puts them together.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.scorbot.emulator.controller import EmulatedController as EmulatedController
    from drycell.scorbot.emulator.faults import LineFaults as LineFaults
    from drycell.scorbot.emulator.interpreter import Interpreter as Interpreter
    from drycell.scorbot.emulator.station import Station as Station
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
