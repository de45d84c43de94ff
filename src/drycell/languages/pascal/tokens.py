"""The tokens of Pascal: names, numbers, strings with control characters, signs, and three kinds of comments."""

from typing import Final

from drycell.languages.kit import Fault, Lexer

KEYWORDS: Final = frozenset(
    (
        *("and", "array", "begin", "case", "const", "div", "do", "downto", "else", "end", "file", "for", "function"),
        *("goto", "if", "in", "label", "mod", "nil", "not", "of", "or", "packed", "procedure", "program", "record"),
        *("repeat", "set", "then", "to", "type", "until", "var", "while", "with"),  # standard Pascal up to here
        *("implementation", "interface", "shl", "shr", "string", "unit", "uses", "xor"),
    )
)
"""Words that cannot be names. FORWARD, EXTERNAL and OTHERWISE mean something only where they may stand."""

LEXER: Final = Lexer(
    [
        ("blank", r"[ \t\r\n\f\v]+"),
        ("comment", r"\{[^}]*\}|\(\*[\s\S]*?\*\)|//[^\n]*"),
        ("open_comment", r"\{[\s\S]*|\(\*[\s\S]*"),
        ("name", r"[A-Za-z_][A-Za-z_0-9]*"),
        ("number", r"\$[0-9A-Fa-f]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![A-Za-z_])"),
        ("bad_number", r"[0-9]+(?:\.[0-9]+)?[A-Za-z_][A-Za-z_0-9]*"),
        ("text", r"(?:'(?:[^'\n]|'')*'|#[0-9]{1,3}|#\$[0-9A-Fa-f]{1,2})+"),
        ("open_string", r"'[^\n]*"),
        ("sign", r":=|\.\.|<=|>=|<>|[-+*/()\[\]<>=,;:.^@]"),
    ],
    keywords=KEYWORDS,
    trivia=("blank", "comment"),
    faults={
        "open_comment": Fault("this comment has no end", "close it with } or *)", unfinished=True),
        "open_string": Fault("this string has no end on its line", "close it with '"),
        "bad_number": Fault("this is neither a number nor a name", "write a blank between them"),
    },
)
