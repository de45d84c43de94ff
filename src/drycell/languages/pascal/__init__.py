"""Pascal with ScorPas, the units of the thesis' cell: the programs of the real cell, run as programs of a cell.

From text to tree (``parser``), types and names (``checker``), Python code with the places of the Pascal text in it
(``translator``), and what that calls (``runtime``, ``scorpas``). Robots are reached through ``ScorbotInterface`` only.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.languages.pascal.parser import PascalError as PascalError
    from drycell.languages.pascal.program import (
        PascalProgram as PascalProgram,
        check_text as check_text,
        compile_pascal as compile_pascal,
        load_pascal as load_pascal,
    )
    from drycell.languages.pascal.translator import translate as translate
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
