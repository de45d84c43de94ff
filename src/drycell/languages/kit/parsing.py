"""Parsing: a stream of tokens with bounded nesting, and expressions by Pratt's method."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from drycell.languages.kit.diagnostic import Diagnostic, Diagnostics, TooMany
from drycell.languages.kit.lexer import END, Lexer, Token
from drycell.languages.kit.source import SourceSpan, SourceText

MAX_NESTING: Final = 60
"""The limit of nested blocks and parentheses, far below Python's recursion limit, which no text can reach."""
_NAMES: Final = {END: "the end of the text", "line": "the end of the line", "name": "a name", "number": "a number"}


class ParseError(Exception):
    """Raised when a parser cannot continue. The enclosing statement reports the mistake and continues after its end."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.what)
        self.diagnostic = diagnostic


class TokenStream:
    """The tokens of a text, read in sequence."""

    def __init__(self, source: SourceText, lexer: Lexer) -> None:
        self.source = source
        self.diagnostics = Diagnostics(source)
        try:
            self._tokens = lexer.tokens(source, self.diagnostics)
        except TooMany:  # further mistakes are not worth reading
            self._tokens = [Token(END, "", 0, 0)]
        self._place = 0
        self._depth = 0
        self.now = self._tokens[0]

    @property
    def last(self) -> Token:
        """The last token read."""
        return self._tokens[max(0, self._place - 1)]

    def ahead(self, count: int = 1) -> Token:
        """Look at a token further on without reading it."""
        return self._tokens[min(self._place + count, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Read one token. At the end of the text, the token END is returned every time."""
        token = self.now
        if self._place < len(self._tokens) - 1:
            self._place += 1
            self.now = self._tokens[self._place]
        return token

    def at(self, *kinds: str) -> bool:
        """Whether the next token is of one of these kinds."""
        return self.now.kind in kinds

    def at_word(self, *words: str) -> bool:
        """Whether the next token is one of these words, which are keywords only in this place."""
        return self.now.kind == "name" and self.now.text.lower() in words

    def accept_word(self, *words: str) -> Token | None:
        """Read the next token if it is one of these words."""
        return self.take() if self.at_word(*words) else None

    def expect_word(self, *words: str, wanted: str = "", hint: str | None = None) -> Token:
        """Read a token that must be one of these words; ``wanted`` describes them in the message."""
        if not self.at_word(*words):
            raise self.unexpected(wanted or " or ".join(word.upper() for word in words), hint)
        return self.take()

    def accept(self, *kinds: str) -> Token | None:
        """Read the next token if it is of one of these kinds."""
        return self.take() if self.now.kind in kinds else None

    def expect(self, kind: str, purpose: str = "", hint: str | None = None) -> Token:
        """Read a token that must be of this kind."""
        if self.now.kind == kind:
            return self.take()
        wanted = kind.upper() if kind.isalpha() and kind not in _NAMES else quoted(kind)
        raise self.unexpected(f"{wanted} {purpose}".rstrip(), hint)

    def unexpected(self, wanted: str, hint: str | None = None) -> ParseError:
        """Return the mistake about an unexpected next token."""
        unfinished = self.now.kind == END
        found = quoted(self.now.kind) if unfinished or self.now.kind == "line" else quoted(self.now.text[:30])
        return ParseError(Diagnostic(self.span(self.now), f"expected {wanted}, found {found}", hint, unfinished))

    def mistake(self, what: str, span: SourceSpan, hint: str | None = None) -> ParseError:
        """Return a mistake with a custom message."""
        return ParseError(Diagnostic(span, what, hint))

    def span(self, token: Token) -> SourceSpan:
        """The span of a token."""
        return self.source.span(token.start, max(token.end, token.start + (token.kind == END)))

    def since(self, first: Token) -> SourceSpan:
        """The span from a token to the last one read."""
        return self.source.span(first.start, max(first.end, self.last.end))

    def enter(self) -> None:
        """Go one level deeper; exceeding the limit is a mistake."""
        if self._depth >= MAX_NESTING:
            raise self.mistake(
                f"nested more than {MAX_NESTING} levels deep", self.span(self.now), "split it into smaller pieces"
            )
        self._depth += 1

    def leave(self) -> None:
        """Go back one level."""
        self._depth -= 1

    def recover(self, mistake: ParseError, *ends: str) -> None:
        """Report a mistake and skip to the next token of one of these kinds."""
        self.diagnostics.add(mistake.diagnostic)
        while not self.at(END, *ends):
            self.take()


def quoted(text: str) -> str:
    """The kind or text of a token as messages show it."""
    return _NAMES.get(text) or f"'{text}'"


Node = TypeVar("Node")
Prefix = Callable[[Token], Node]
"""Creates a node from the token just read, and reads its parts."""


@dataclass(frozen=True, slots=True)
class Infix(Generic[Node]):
    """An operator that follows an operand: its binding power, and the node it creates."""

    power: int
    make: Callable[[Node, Token], Node]


class Pratt(Generic[Node]):
    """Reads expressions with two tables: tokens that can begin an operand, and tokens that can follow one."""

    def __init__(
        self,
        stream: TokenStream,
        prefixes: Mapping[str, Prefix[Node]],
        infixes: Mapping[str, Infix[Node]],
        *,
        wanted: str = "a value",
    ) -> None:
        self._stream = stream
        self._prefixes = prefixes
        self._infixes = infixes
        self._wanted = wanted

    def expression(self, power: int = 0) -> Node:
        """Read an expression whose operators all bind more strongly than ``power``."""
        stream = self._stream
        prefix = self._prefixes.get(stream.now.kind)
        if prefix is None:
            raise stream.unexpected(self._wanted)
        stream.enter()
        try:
            return self.rest(prefix(stream.take()), power)
        finally:
            stream.leave()

    def rest(self, left: Node, power: int = 0) -> Node:
        """Read the rest of an expression after its first operand."""
        stream = self._stream
        while True:
            infix = self._infixes.get(stream.now.kind)
            if infix is None or infix.power <= power:
                return left
            left = infix.make(left, stream.take())
