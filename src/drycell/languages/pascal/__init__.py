"""Pascal with ScorPas, the procedures of the cell in the thesis. Programs of the real cell run in a virtual one.

``parser`` reads a text into a syntax tree, ``checker`` resolves names and types, and ``translator`` makes Python code
with the positions of the Pascal text. It calls ``runtime`` and ``scorpas``, which commands a ``ScorbotInterface``.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.languages.pascal.parser import PascalError as PascalError
    from drycell.languages.pascal.program import check_text as check_text, load_pascal as load_pascal
    from drycell.languages.pascal.translator import translate as translate
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
