"""The kit of all front ends: source texts, spans, diagnostics, tokens and expressions. It knows nothing of cells."""

from drycell.languages.kit.diagnostic import Diagnostic, Diagnostics, SourceError, TooMany
from drycell.languages.kit.lexer import END, Fault, Lexer, Token
from drycell.languages.kit.pratt import Infix, Pratt
from drycell.languages.kit.source import MAX_SIGNS, Source
from drycell.languages.kit.span import Span
from drycell.languages.kit.stream import MAX_NESTING, Mistake, TokenStream

__all__ = [
    "END",
    "MAX_NESTING",
    "MAX_SIGNS",
    "Diagnostic",
    "Diagnostics",
    "Fault",
    "Infix",
    "Lexer",
    "Mistake",
    "Pratt",
    "Source",
    "SourceError",
    "Span",
    "Token",
    "TokenStream",
    "TooMany",
]
