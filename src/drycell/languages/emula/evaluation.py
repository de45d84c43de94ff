"""Evaluation of expressions: names, calls, subscripts and operators."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from drycell.base import DrycellError
from drycell.languages.emula import syntax
from drycell.languages.emula.arithmetic import binary, unary
from drycell.languages.emula.fault import EmulaError
from drycell.languages.emula.invocation import Invocation
from drycell.languages.emula.routine import Routine, routine_named, unknown
from drycell.languages.emula.scope import Scope
from drycell.languages.emula.syntax import Expression
from drycell.languages.emula.values import Closure, Refusal, Value, checked, described, is_true, size_of
from drycell.languages.kit import Span

_COMMAND: Final = 320
"""The work of a command, as the size of a value that takes as long: it counts as twenty steps."""


class Evaluator:
    """Finds the value of expressions; what it needs of the interpreter around it is abstract here."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._evaluators: dict[type, Callable[..., Value | None]] = {
            syntax.Given: lambda node: node.value,
            syntax.Number: lambda node: node.value,
            syntax.Text: lambda node: node.value,
            syntax.Name: self._name,
            syntax.Aggregate: self._aggregate,
            syntax.Unary: self._unary,
            syntax.Binary: self._binary,
            syntax.Call: self._call,
            syntax.Choice: self._choice,
            syntax.Reference: self._reference,
        }

    @abstractmethod
    def fault(self, span: Span, what: str, hint: str | None = None) -> EmulaError:
        """The error about something at a place of the text."""

    @abstractmethod
    def step(self, span: Span) -> None:
        """Counts a step."""

    @abstractmethod
    def charge(self, size: int) -> None:
        """Counts work on a value by its size."""

    @abstractmethod
    def enter(self) -> None:
        """One level deeper."""

    @abstractmethod
    def leave(self) -> None:
        """Back up."""

    @abstractmethod
    def call_closure(self, closure: Closure, arguments: list[Value], span: Span) -> Value | None:
        """Runs a subroutine."""

    def evaluate(self, node: Expression) -> Value:
        """The value of an expression, which must have one."""
        self.enter()
        try:
            value = self._evaluators[type(node)](node)
        except Refusal as error:
            raise self.fault(node.span, error.what, error.hint) from None
        finally:
            self.leave()
        if value is None:
            what = node.target if isinstance(node, syntax.Call) else node
            named = what.written if isinstance(what, syntax.Name) else "this"
            raise self.fault(node.span, f"{named} gives no value", "it can only stand as a statement of its own")
        return value

    # ---------------------------------------------------------------- operands

    def _name(self, node: syntax.Name) -> Value | None:
        found = self.scope.find(node.name)
        if isinstance(found, Closure):
            return self.call_closure(found, [], node.span)
        if found is not None:
            return found
        known = routine_named(node.name)
        if known is not None and node.name not in self.scope.constants:
            return self._invoke(known, node, [], None)
        found = self.scope.constants.get(node.name)
        if found is None:
            raise self._unknown(node, "variable")
        return found

    def _missing(self, node: syntax.Name) -> EmulaError | None:
        """The error about a parameter that the caller left out."""
        frame = self.scope.frames[-1] if self.scope.frames else None
        if frame is None or node.name not in frame.parameters:
            return None
        return self.fault(node.span, f"{frame.name} was called without its argument {node.written}")

    def _is_known(self, name: str) -> bool:
        return self.scope.find(name) is not None or name in self.scope.constants or routine_named(name) is not None

    def _unknown(self, node: syntax.Name, kind: str) -> EmulaError:
        missing = self._missing(node)
        if missing is not None:
            return missing
        error = unknown(kind, node.name, self.scope.names())
        hint = error.hint
        if hint is not None and not hint.startswith("did you mean"):
            hint = "'help' lists the commands; a variable is declared as name: NEW value;"
        return self.fault(node.span, f"there is no {kind} {node.written!r}", hint)

    def _aggregate(self, node: syntax.Aggregate) -> Value:
        value = checked(tuple([self.evaluate(item) for item in node.items]))
        self.charge(size_of(value))
        return value

    def _reference(self, node: syntax.Reference) -> Value:
        name = node.name
        found = self.scope.find(name.name)
        if isinstance(found, Closure):
            return found
        known = routine_named(name.name)
        if known is None:
            raise self._unknown(name, "subroutine")
        return known

    # ---------------------------------------------------------------- operators

    def _unary(self, node: syntax.Unary) -> Value:
        return unary(node.operator, self.evaluate(node.operand))

    def _binary(self, node: syntax.Binary) -> Value:
        operator = node.operator
        left = self.evaluate(node.left)
        if operator in ("and", "or"):
            holds = is_true(left)
            if holds == (operator == "or"):
                return int(holds)
            return int(is_true(self.evaluate(node.right)))
        value = binary(operator, left, self.evaluate(node.right))
        if isinstance(value, (tuple, str)):
            self.charge(len(value))
        return value

    def _choice(self, node: syntax.Choice) -> Value:
        return self.evaluate(node.yes if is_true(self.evaluate(node.condition)) else node.no)

    # ---------------------------------------------------------------- calls and subscripts

    def call_statement(self, node: Expression, clauses: syntax.Clauses | None) -> Value | None:
        """A statement that is a command, a call or an expression; clauses belong to commands only."""
        if clauses is None:
            if isinstance(node, syntax.Name) and not self._is_known(node.name):
                raise self._unknown(node, "command")
            try:
                return self._evaluators[type(node)](node)
            except Refusal as error:
                raise self.fault(node.span, error.what, error.hint) from None
        target = node.target if isinstance(node, syntax.Call) else node
        if isinstance(target, syntax.Name):
            known = routine_named(target.name)
            if known is not None and not isinstance(self.scope.find(target.name), Closure):
                return self._invoke(known, node, node.arguments if isinstance(node, syntax.Call) else [], clauses)
            if known is None and self.scope.find(target.name) is None:
                raise self._unknown(target, "command")
        word, span = next(iter(clauses.spans.items()))
        raise self.fault(span, f"{word.upper()} belongs to commands, and this is none")

    def _call(self, node: syntax.Call) -> Value | None:
        target = node.target
        if isinstance(target, syntax.Name):
            found = self.scope.find(target.name)
            if found is None:
                known = routine_named(target.name)
                if known is not None:
                    return self._invoke(known, node, node.arguments, None)
                found = self.scope.constants.get(target.name)
                if found is None:
                    raise self._unknown(target, "command")
        else:
            found = self.evaluate(target)
        if isinstance(found, (Closure, Routine)):
            return self.call_value(found, node.arguments, node)
        return self._element(found, node)

    def call_value(self, what: Value, arguments: list[Expression], node: Expression) -> Value | None:
        """Calls a subroutine or routine that is a value."""
        if isinstance(what, Closure):
            return self.call_closure(what, [self.evaluate(argument) for argument in arguments], node.span)
        if isinstance(what, Routine):
            return self._invoke(what, node, arguments, None)
        raise self.fault(node.span, f"{described(what)} cannot be called", "a subroutine is named with $ NAME")

    def _invoke(
        self, known: Routine, node: Expression, arguments: list[Expression], clauses: syntax.Clauses | None
    ) -> Value | None:
        self.step(node.span)
        if not known.gives:
            self.charge(_COMMAND)
        invocation = Invocation(self, known, node.span, arguments, clauses)
        try:
            return known.run(invocation)
        except EmulaError:
            raise
        except (Refusal, DrycellError) as error:
            raise self.fault(node.span, error.what, error.hint) from error
        except RecursionError:
            raise
        except Exception as error:
            # Whatever is typed, the session must survive it: a fault of drycell or of a user's sensor function, too.
            raise self.fault(
                node.span,
                f"{known.name} failed: {type(error).__name__}: {error}",
                "this is a fault of drycell or of a sensor function, not of the program",
            ) from error

    def _element(self, whole: Value, node: syntax.Call) -> Value:
        if not node.arguments:
            raise self.fault(node.span, f"{described(whole)} cannot be called", "take the brackets out")
        for argument in node.arguments:
            wanted = self.evaluate(argument)
            if isinstance(wanted, tuple):
                whole = tuple(self._item(whole, each, argument.span) for each in wanted)
            else:
                whole = self._item(whole, wanted, argument.span)
        return whole

    def _item(self, whole: Value, wanted: Value, span: Span) -> Value:
        index = self.index(whole, wanted, span)
        return whole[index] if isinstance(whole, (tuple, str)) else whole

    def index(self, whole: Value, wanted: Value, span: Span) -> int:
        """Where in an aggregate an element stands; elements are counted from 1."""
        if not isinstance(whole, tuple):
            raise self.fault(span, f"{described(whole)} has no elements", "only aggregates <1,2,3> have")
        if not isinstance(wanted, int):
            raise self.fault(span, f"an element is named by an INT, not {described(wanted)}")
        if not 1 <= wanted <= len(whole):
            raise self.fault(span, f"element {wanted} of {len(whole)}", f"elements are counted from 1 to {len(whole)}")
        return wanted - 1
