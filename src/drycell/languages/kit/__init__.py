"""The kit of all front ends: source texts, spans, diagnostics, tokens and expressions, and the interface to a machine.

It knows nothing of cells.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.languages.kit.diagnostic import (
        Diagnostic as Diagnostic,
        Diagnostics as Diagnostics,
        SourceError as SourceError,
        StatementError as StatementError,
        TooMany as TooMany,
    )
    from drycell.languages.kit.lexer import END as END, Fault as Fault, Lexer as Lexer, Token as Token
    from drycell.languages.kit.machine import (
        AXES as AXES,
        INPUTS as INPUTS,
        SPEEDS as SPEEDS,
        TIMER_TICK as TIMER_TICK,
        Controller as Controller,
    )
    from drycell.languages.kit.pratt import Infix as Infix, Pratt as Pratt
    from drycell.languages.kit.recording_controller import RecordingController as RecordingController
    from drycell.languages.kit.source import MAX_SIGNS as MAX_SIGNS, Source as Source
    from drycell.languages.kit.span import Span as Span
    from drycell.languages.kit.stream import MAX_NESTING as MAX_NESTING, Mistake as Mistake, TokenStream as TokenStream
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
