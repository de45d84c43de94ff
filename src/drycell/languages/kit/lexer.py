"""Lexers: one master regex a language; comments and other trivia are kept with the token they stand before."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from drycell.languages.kit.diagnostic import Diagnostic, Diagnostics
from drycell.languages.kit.source import SourceText

END: Final = "end of text"


class Token(NamedTuple):
    """A piece of the text: its kind, its text, its offsets, and the trivia before it, comments and blanks."""

    kind: str
    text: str
    start: int
    end: int
    trivia: "tuple[Token, ...]" = ()


class BadToken(NamedTuple):
    """A kind of token that is always a mistake: what to say of it, and what to try."""

    what: str
    hint: str
    unfinished: bool = False


class Lexer:
    """Cuts a text into tokens by rules tried in order.

    ``rules`` give the pattern of each kind. Kinds in ``trivia`` are kept beside the tokens. Words of the kind ``name``
    that are among the ``keywords`` (in lower case if the language does not tell cases apart) get their own text as
    their kind, signs of the kind ``sign`` always do. Kinds in ``faults`` are mistakes with a text of their own.
    """

    def __init__(
        self,
        rules: Sequence[tuple[str, str]],
        *,
        keywords: Iterable[str] = (),
        trivia: Iterable[str] = (),
        faults: Mapping[str, BadToken] | None = None,
        fold_case: bool = True,
    ) -> None:
        self._pattern = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in rules))
        self._keywords = frozenset(keywords)
        self._trivia = frozenset(trivia)
        self._faults = dict(faults or {})
        self._fold = fold_case

    def tokens(self, source: SourceText, diagnostics: Diagnostics) -> list[Token]:
        """All tokens of a text, the last one of the kind END; signs that begin none are reported and left out."""
        made: list[Token] = []
        trivia: list[Token] = []
        text, place, end = source.text, 0, len(source.text)
        match_at = self._pattern.match
        while place < end:
            match = match_at(text, place)
            if match is None or match.end() == place:
                diagnostics.add(_stranger(source, place))
                place += 1
                continue
            kind, word, start = match.lastgroup or "", match.group(), place
            place = match.end()
            if kind in self._trivia:
                trivia.append(Token(kind, word, start, place))
                continue
            if kind in self._faults:
                fault = self._faults[kind]
                diagnostics.add(Diagnostic(source.span(start, place), fault.what, fault.hint, fault.unfinished))
                continue
            if kind == "sign":
                kind = word
            elif kind == "name":
                folded = word.lower() if self._fold else word
                if folded in self._keywords:
                    kind = folded
            made.append(Token(kind, word, start, place, tuple(trivia)))
            if trivia:
                trivia.clear()
        made.append(Token(END, "", end, end, tuple(trivia)))
        return made


def _stranger(source: SourceText, place: int) -> Diagnostic:
    sign = source.text[place]
    named = repr(sign) if sign.isprintable() else f"U+{ord(sign):04X}"
    return Diagnostic(source.span(place, place + 1), f"the sign {named} means nothing here", "take it out")
