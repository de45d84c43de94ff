"""Expressions by Pratt's method: each operator has a binding power, and a function that makes the node."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from drycell.languages.kit.lexer import Token
from drycell.languages.kit.stream import TokenStream

Node = TypeVar("Node")
Prefix = Callable[[Token], Node]
"""Makes a node from the token just read, reading what belongs to it."""


@dataclass(frozen=True, slots=True)
class Infix(Generic[Node]):
    """An operator after an operand: how strongly it binds to the left, and what it makes of both."""

    power: int
    make: Callable[[Node, Token], Node]


class Pratt(Generic[Node]):
    """Reads expressions from a stream by two tables: what may begin an operand, and what may follow one."""

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
        """An expression whose operators all bind more strongly than ``power``."""
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
        """What follows an operand that has been read already."""
        stream = self._stream
        while True:
            infix = self._infixes.get(stream.now.kind)
            if infix is None or infix.power <= power:
                return left
            left = infix.make(left, stream.take())
