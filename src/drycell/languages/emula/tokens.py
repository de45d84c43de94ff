"""The tokens of EMULA's language: names, numbers, strings, signs, the ends of lines, and two kinds of comments."""

from typing import Final

from drycell.languages.kit import Fault, Lexer

KEYWORDS: Final = frozenset(
    (
        *("if", "then", "else", "while", "do", "repeat", "until", "begin", "end", "subr", "return", "new"),
        *("and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "div", "mod"),
    )
)
"""Words that cannot be names. SENSORS, EXCEED, AT and FROM mean something only where a clause may stand."""

LEXER: Final = Lexer(
    [
        ("blank", r"[ \t\r\f\v]+"),
        ("line", r"\n"),
        ("comment", r"/\*[\s\S]*?\*/|--[^\n]*"),  # the paper's, and AML's own
        ("open_comment", r"/\*[\s\S]*"),
        ("number", r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![0-9])"),
        ("name", r"[A-Za-z_][A-Za-z_0-9]*"),
        ("string", r"'(?:[^'\n]|'')*'|\"[^\"\n]*\""),
        ("open_string", r"['\"][^\n]*"),
        ("sign", r"\*\*|<=|>=|<>|[-+*/#$()<>=,;:]"),
    ],
    keywords=KEYWORDS,
    trivia=("blank", "comment"),
    faults={
        "open_comment": Fault("this comment has no end", "close it with */", unfinished=True),
        "open_string": Fault("this string has no end on its line", "close it with the quote it began with"),
    },
)
