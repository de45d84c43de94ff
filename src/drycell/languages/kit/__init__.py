"""The kit of all front ends: source texts, spans, diagnostics, tokens and expressions, and the interface to a machine.

It knows nothing of cells.
"""

from drycell.languages.kit.diagnostic import Diagnostic, Diagnostics, SourceError, TooMany
from drycell.languages.kit.lexer import END, Fault, Lexer, Token
from drycell.languages.kit.machine import AXES, INPUTS, SPEEDS, TIMER_TICK, Controller
from drycell.languages.kit.pratt import Infix, Pratt
from drycell.languages.kit.recording_controller import RecordingController
from drycell.languages.kit.source import MAX_SIGNS, Source
from drycell.languages.kit.span import Span
from drycell.languages.kit.stream import MAX_NESTING, Mistake, TokenStream

__all__ = [
    "AXES",
    "END",
    "INPUTS",
    "MAX_NESTING",
    "MAX_SIGNS",
    "SPEEDS",
    "TIMER_TICK",
    "Controller",
    "Diagnostic",
    "Diagnostics",
    "Fault",
    "Infix",
    "Lexer",
    "Mistake",
    "Pratt",
    "RecordingController",
    "Source",
    "SourceError",
    "Span",
    "Token",
    "TokenStream",
    "TooMany",
]
