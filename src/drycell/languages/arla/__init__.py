"""ARLA, the language of ABB's S3 controllers, in the dialect of the thesis' table 25: registers, jumps, search moves.

From text to instructions (``parser``), executed one by one as a program of a cell (``program``). What moves is reached
through ``machine`` only; ``virtual`` does it with a robot of a cell.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.languages.arla.machine import ArlaMachine as ArlaMachine, RecordingMachine as RecordingMachine
    from drycell.languages.arla.parser import ArlaError as ArlaError, parse as parse
    from drycell.languages.arla.program import (
        ArlaProgram as ArlaProgram,
        compile_arla as compile_arla,
        load_arla as load_arla,
        untaught as untaught,
    )
    from drycell.languages.arla.syntax import Stub as Stub
    from drycell.languages.arla.virtual import VirtualS3 as VirtualS3
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
