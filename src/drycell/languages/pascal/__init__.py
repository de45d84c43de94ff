"""Pascal with ScorPas, the units of the thesis' cell: the programs of the real cell, run as programs of a cell.

From text to tree (``parser``), types and names (``checker``), Python code with the places of the Pascal text in it
(``translation``), and what that calls (``runtime``, ``run``). Robots are reached through ``kit.machine`` only.
"""

from drycell.languages.pascal.fault import PascalError
from drycell.languages.pascal.program import PascalProgram, compile_pascal, load_pascal

__all__ = ["PascalError", "PascalProgram", "compile_pascal", "load_pascal"]
