"""The tokens of ARLA: numbered lines of words, registers, sensors, zones, numbers and signs."""

from typing import Final

from drycell.languages.kit import Fault, Lexer

LEXER: Final = Lexer(
    [
        ("blank", r"[ \t\r\f\v]+"),
        ("line", r"\n"),
        ("comment", r"/\*[^\n]*"),  # as in the listing: a comment goes to the end of its line, with */ or without
        ("cut", r"\.\.+|…"),
        ("number", r"[0-9]+\.?[0-9]*|\.[0-9]+"),
        ("register", r"[Rr][0-9]+(?![A-Za-z_0-9])"),
        ("sensor", r"[Ss][0-9]+(?![A-Za-z_0-9])"),
        ("zone", r"[Cc][0-9]+(?![A-Za-z_0-9])"),
        ("name", r"[A-Za-z_]+"),
        ("sign", r"<=|>=|<>|[-+*/()#%=<>]"),
    ],
    trivia=("blank", "comment"),
    faults={"cut": Fault("the listing is cut here", "complete the program: what is left out cannot be run")},
)
