"""Scopes: what names stand for in a session, and in the subroutine that is running."""

from dataclasses import dataclass, field

from drycell.languages.emula.values import Closure, Value
from drycell.languages.kit import Source, Span


@dataclass(slots=True)
class Frame:
    """A subroutine at work: its own variables, the text it stands in, and from where it was called."""

    name: str
    source: Source
    called_at: Span | None = None
    parameters: frozenset[str] = frozenset()
    variables: dict[str, Value] = field(default_factory=dict)


class Scope:
    """The session's variables and subroutines, the frames above them, and the constants below them."""

    def __init__(self, constants: dict[str, Value]) -> None:
        self.constants = constants
        self.variables: dict[str, Value] = {}
        self.frames: list[Frame] = []

    def find(self, name: str) -> Value | None:
        """The value of a variable, or a subroutine: of the running subroutine first, then of the session."""
        if self.frames:
            found = self.frames[-1].variables.get(name)
            if found is not None:
                return found
        return self.variables.get(name)

    def declare(self, name: str, value: Value) -> None:
        """A new variable, of the running subroutine or of the session."""
        (self.frames[-1].variables if self.frames else self.variables)[name] = value

    def assign(self, name: str, value: Value) -> bool:
        """Another value for a variable; False if there is none of the name."""
        for variables in ([self.frames[-1].variables] if self.frames else []) + [self.variables]:
            if name in variables and not isinstance(variables[name], Closure):
                variables[name] = value
                return True
        return False

    def names(self) -> list[str]:
        """All names that are known now."""
        local = self.frames[-1].variables if self.frames else {}
        return sorted({*local, *self.variables, *self.constants})
