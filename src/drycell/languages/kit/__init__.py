"""What all languages share: source texts, diagnostics, tokens, expressions, and the interface to a SCORBOT.

The package uses the kernel, but knows nothing about cells.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.languages.kit.diagnostic import (
        Diagnostic as Diagnostic,
        Diagnostics as Diagnostics,
        SourceError as SourceError,
        StatementError as StatementError,
        TooMany as TooMany,
    )
    from drycell.languages.kit.lexer import END as END, BadToken as BadToken, Lexer as Lexer, Token as Token
    from drycell.languages.kit.operators import COMPARISONS as COMPARISONS, quotient as quotient
    from drycell.languages.kit.parsing import (
        MAX_NESTING as MAX_NESTING,
        Infix as Infix,
        ParseError as ParseError,
        Pratt as Pratt,
        TokenStream as TokenStream,
    )
    from drycell.languages.kit.program import LanguageProgram as LanguageProgram, runtime_error as runtime_error
    from drycell.languages.kit.recorder import CommandRecorder as CommandRecorder
    from drycell.languages.kit.scorbot_interface import (
        AXES as AXES,
        INPUTS as INPUTS,
        SPEEDS as SPEEDS,
        TIMER_TICK as TIMER_TICK,
        RecordingController as RecordingController,
        ScorbotInterface as ScorbotInterface,
    )
    from drycell.languages.kit.source import SourceSpan as SourceSpan, SourceText as SourceText
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
