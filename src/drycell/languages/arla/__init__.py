"""ARLA, the language of ABB's S3 controllers, in the dialect of the thesis' table 25: registers, jumps, search moves.

From text to instructions (``parser``), executed one by one as a program of a cell (``run``, ``program``). What moves is
reached through ``machine`` only; ``virtual`` does it with a robot of a cell.
"""

from drycell.languages.arla.fault import ArlaError
from drycell.languages.arla.machine import Machine
from drycell.languages.arla.program import ArlaProgram, compile_arla, load_arla
from drycell.languages.arla.recording_machine import RecordingMachine
from drycell.languages.arla.virtual import VirtualS3

__all__ = ["ArlaError", "ArlaProgram", "Machine", "RecordingMachine", "VirtualS3", "compile_arla", "load_arla"]
