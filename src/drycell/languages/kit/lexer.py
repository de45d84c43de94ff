"""Lexers: one regular expression per language. Comments and blanks are kept with the token that follows them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from drycell.languages.kit.diagnostic import Diagnostic, Diagnostics
from drycell.languages.kit.source import SourceText

END: Final = "end of text"


class Token(NamedTuple):
    """A token: its kind, its text, its offsets, and the trivia (comments and blanks) before it."""

    kind: str
    text: str
    start: int
    end: int
    trivia: "tuple[Token, ...]" = ()


class BadToken(NamedTuple):
    """A kind of token that is always a mistake, with the message and the hint to report."""

    what: str
    hint: str
    unfinished: bool = False


class Lexer:
    """Splits a text into tokens.

    Args:
        rules: the kinds of tokens and their patterns, tried in order. The kind of a token ``symbol`` is its own text;
            so is that of a token ``name`` that is a keyword.
        keywords: words, in lower case, that cannot be names. Case does not matter.
        trivia: the kinds that are kept beside the tokens.
        bad_tokens: the kinds that are mistakes.
    """

    def __init__(
        self,
        rules: Sequence[tuple[str, str]],
        *,
        keywords: Iterable[str] = (),
        trivia: Iterable[str] = (),
        bad_tokens: Mapping[str, BadToken] | None = None,
    ) -> None:
        self._pattern = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in rules))
        self._keywords = frozenset(keywords)
        self._trivia = frozenset(trivia)
        self._bad_tokens = dict(bad_tokens or {})

    def tokens(self, source: SourceText, diagnostics: Diagnostics) -> list[Token]:
        """Return all tokens of a text, the last one of the kind END. Characters that begin no token are reported."""
        made: list[Token] = []
        trivia: list[Token] = []
        text, place, end = source.text, 0, len(source.text)
        match_at = self._pattern.match
        while place < end:
            match = match_at(text, place)
            if match is None or match.end() == place:
                diagnostics.add(_unexpected_character(source, place))
                place += 1
                continue
            kind, word, start = match.lastgroup or "", match.group(), place
            place = match.end()
            if kind in self._trivia:
                trivia.append(Token(kind, word, start, place))
                continue
            if kind in self._bad_tokens:
                bad = self._bad_tokens[kind]
                diagnostics.add(Diagnostic(source.span(start, place), bad.what, bad.hint, bad.unfinished))
                continue
            if kind == "symbol":
                kind = word
            elif kind == "name" and (folded := word.lower()) in self._keywords:
                kind = folded
            made.append(Token(kind, word, start, place, tuple(trivia)))
            if trivia:
                trivia.clear()
        made.append(Token(END, "", end, end, tuple(trivia)))
        return made


def _unexpected_character(source: SourceText, place: int) -> Diagnostic:
    character = source.text[place]
    shown = repr(character) if character.isprintable() else f"U+{ord(character):04X}"
    return Diagnostic(source.span(place, place + 1), f"unexpected character {shown}", "remove it")
