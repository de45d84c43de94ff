"""The rules of a logic block as a field: expressions by the signals they set, and the signals they name."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from drycell.base import Describer, FieldError, Ref, SingleValue, Table, Type, did_you_mean
from drycell.devices.logic_syntax import Expression, parse_expression, references, wrong


@dataclass(frozen=True)
class Rule(Type):
    """An expression over signals, such as ``ton(eye, 2 s) and not belt.run``. ``own`` are outputs of the same block."""

    own: frozenset[str] = frozenset()

    def check(self, value: Any) -> str:
        """The expression itself, if it can be parsed."""
        if not isinstance(value, str):
            hint = "write for example 'eye and not belt.run', in quotes"
            raise FieldError(f"an expression is wanted, but this is {value!r}", hint=hint)
        parse_expression(value)
        return value

    def schema(self, describer: Describer) -> dict[str, Any]:
        """A text; forms offer the names of signals."""
        return {"type": "string", "x-widget": "expression", "x-names": "signal"}

    def names(self, value: Any) -> Iterator[tuple[str, Ref]]:
        """The signals it names."""
        tree: Expression = parse_expression(value)
        for each in references(tree):
            yield each.name, Named(value, each.column, optional=each.name in self.own)


class Named(Ref):
    """The name of a signal in an expression, with its column."""

    text: str
    column: int

    def __init__(self, text: str, column: int, *, optional: bool) -> None:
        super().__init__("signal", needed=False, optional=optional)
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "column", column)

    def missing(self, named: str, known: Iterable[str]) -> tuple[str, str]:
        """What is wrong, at which column."""
        error = unknown_signal(self.text, self.column, named, known)
        return error.what, error.hint or ""


def unknown_signal(text: str, column: int, named: str, known: Iterable[str]) -> FieldError:
    """The error about a signal in an expression that does not exist."""
    hint = did_you_mean(named, known)
    if "-" in named:
        hint += "; a minus has blanks around it"
    return wrong(text, column, f"there is no signal {named!r}", hint)


@dataclass(frozen=True)
class Rules(Table):
    """Expressions by the signals they set: signals of the cell, or outputs that the block declares by this."""

    def walk(self, value: Any, *, naming: bool = False) -> Iterator[SingleValue]:
        """A name without a dot may be an output of the block, both where it is set and where it is read."""
        own = frozenset(value)
        for output, text in value.items():
            yield SingleValue((output,), Ref("signal", needed=False, optional="." not in output), output, key=True)
            yield SingleValue((output,), Rule(own), text)

    @property
    def names_things(self) -> bool:
        """Rules are made of names."""
        return True
