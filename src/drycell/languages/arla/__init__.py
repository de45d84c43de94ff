"""ARLA, the language of ABB's S3 controllers, in the dialect of table 25 of the thesis: registers, jumps, search moves.

``parser`` reads a text into instructions (``syntax``), and ``program`` executes them one by one in a cell. Programs
command an ``ArlaMachine`` (``machine``); ``virtual`` implements it with a robot of a cell.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.languages.arla.machine import RecordingMachine as RecordingMachine
    from drycell.languages.arla.parser import ArlaError as ArlaError, parse as parse
    from drycell.languages.arla.program import load_arla as load_arla, untaught as untaught
    from drycell.languages.arla.syntax import Stub as Stub
    from drycell.languages.arla.virtual import VirtualS3 as VirtualS3
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
