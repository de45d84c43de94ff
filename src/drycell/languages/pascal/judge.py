"""What all parts of the checker share: the scope, the routine at hand, and how mistakes are told."""

from drycell.base import did_you_mean
from drycell.languages.kit import Diagnostic, Diagnostics, Source
from drycell.languages.pascal import syntax
from drycell.languages.pascal.constants import Value, constant, in_range, number_of
from drycell.languages.pascal.symbols import Routine, Scope, Symbol
from drycell.languages.pascal.types import Array, Ordinal, Type, assignable


class Judge:
    """Looks at one source text. ``main`` is the program or unit as if it were a procedure."""

    def __init__(
        self, source: Source, diagnostics: Diagnostics, skipped: set[str], scope: Scope, main: Routine
    ) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.skipped = skipped
        self.scope = scope
        self.main = main
        self.routine = main
        self.hints: dict[str, str] = {}
        """What to try when one of these names is unknown: those of units that are not used."""

    def complain(self, node: syntax.Node, what: str, hint: str | None = None) -> None:
        """Tell of a mistake where something stands."""
        self.complain_at(node.start, node.end, what, hint)

    def complain_at(self, start: int, end: int, what: str, hint: str | None = None) -> None:
        """Tell of a mistake in a stretch of the text."""
        self.diagnostics.add(Diagnostic(self.source.span(start, max(end, start + 1)), what, hint))

    def unknown(self, node: syntax.Name | syntax.TypeName, what: str, *kinds: type[Symbol]) -> None:
        """Tell that a name is not known, and which names of some kinds are like it."""
        name, written = node.name, node.written
        if name not in self.skipped:
            hint = self.hints.get(name) or did_you_mean(written, self.scope.known(*kinds))
            self.complain(node, f"there is no {what} '{written}' here", hint)
            self.skipped.add(name)  # told once

    def declare(self, name: syntax.Name, symbol: Symbol) -> None:
        """Make a name known in the scope at hand."""
        if name.name in self.scope.names:
            self.complain(name, f"'{name.written}' is declared already in this block", "rename one of them")
            return
        self.scope.names[name.name] = symbol

    def fits(self, node: syntax.Expression, target: Type, purpose: str) -> None:
        """See that a value goes into a variable of a type; constants are seen to be in its range at once."""
        kind = node.type
        if not assignable(target, kind):
            hint = None
            if isinstance(target, Ordinal) and kind.name == "real":
                hint = "use trunc or round to make an integer of it"
            elif isinstance(target, Array) or target.structured:
                hint = "two types written alike are two types: give the type a name, and use it for both"
            self.complain(node, f"{purpose} is of type {target}, this of type {kind}", hint)
            return
        value = constant(node)
        if isinstance(target, Ordinal) and value is not None and not in_range(target, value):
            shown = target.show(value) if isinstance(value, (int, str)) else str(value)
            self.complain(node, f"{purpose} takes {target.limits}, this is {shown}")
        if isinstance(target, Array) and isinstance(node, syntax.Text) and len(node.value) != target.length:
            self.complain(node, f"{purpose} holds {target.length} characters, this has {len(node.value)}")

    def ordinal_constant(self, node: syntax.Expression, purpose: str) -> tuple[Ordinal, int] | None:
        """Type and number of a constant that must be an ordinal; None when it is not, which has been told."""
        value: Value | None = constant(node)
        if isinstance(node.type, Ordinal) and value is not None and not isinstance(value, float):
            return node.type, number_of(value)
        if node.type.name != "?":
            self.complain(node, f"{purpose} must be a constant integer, char, boolean or name of an enumeration")
        return None
