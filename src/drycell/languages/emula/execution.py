"""Execution of statements, bounded on all sides: steps at one instant of cell time, levels, and all there is."""

import sys
from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from drycell.base import DrycellError, did_you_mean
from drycell.kernel import BUSY_LIMIT, Kernel, ProgramFile
from drycell.languages.emula import syntax
from drycell.languages.emula.evaluation import Evaluator
from drycell.languages.emula.fault import EmulaError, Interrupted
from drycell.languages.emula.routine import routine_named
from drycell.languages.emula.scope import Frame, Scope
from drycell.languages.emula.syntax import Statement
from drycell.languages.emula.values import Closure, Refusal, Value, checked, is_true, show, size_of
from drycell.languages.kit import Source, Span

STEPS: Final = 200_000
"""Statements and calls that may follow each other at one instant of cell time."""
LEVELS: Final = 1000
"""How deep statements, expressions and subroutines may be at work inside each other; a call counts as several."""
_CALL: Final = 4
_NOWHERE: Final = Span("", 1, 1, 0, 0)


class Returned(Exception):
    """Carries a RETURN to the call it ends."""

    def __init__(self, value: Value | None) -> None:
        super().__init__()
        self.value = value


class Executor(Evaluator):
    """Executes statements; ``interactive``: values of bare expressions are shown."""

    def __init__(self, scope: Scope, kernel: Kernel, *, interactive: bool, steps: int, budget: int | None) -> None:
        super().__init__(scope)
        self._kernel = kernel
        # The kernel ends the whole run of a program that keeps its clock from going on; ours must be stopped before.
        self._reserve = BUSY_LIMIT // 2 if kernel.chooser is None else -sys.maxsize
        self.interactive = interactive
        self._limit = steps
        self._budget = budget
        self._steps = 0
        self._total = 0
        self._instant = -1
        self._levels = 0
        self._interrupted = False
        self._span: Span = _NOWHERE
        self._source = Source("", "")
        self._watched: ProgramFile | None = None
        """The kernel's program for the text that runs: break points and steps by line."""
        self._texts: dict[str, ProgramFile] = {}
        self._executors: dict[type, Callable[..., None]] = {
            syntax.Do: self._do,
            syntax.Assign: self._assign,
            syntax.Declare: self._declare,
            syntax.If: self._if,
            syntax.While: self._while,
            syntax.Repeat: self._repeat,
            syntax.Block: self._block,
            syntax.Return: self._return,
            syntax.Subroutine: self._subroutine,
        }

    @property
    def now(self) -> int:
        """Cell time, in ticks."""
        return self._kernel.now

    def begin(self) -> None:
        """A statement of the outermost level begins: what it does at one instant counts from here."""
        self._steps, self._instant = 0, self._kernel.now
        self._kernel.renew_budget()

    @abstractmethod
    def say(self, text: str, *, journal: bool = False) -> None:
        """An answer to the person at the console."""

    def interrupt(self) -> None:
        """Gives up the running statement at its next step. May be called at any time, from a signal handler, too."""
        self._interrupted = True

    def fault(self, span: Span, what: str, hint: str | None = None) -> EmulaError:
        """The error about something at a place of the text that is being executed."""
        return self._placed(EmulaError.at(self._source, span, what, hint))

    def _placed(self, error: EmulaError) -> EmulaError:
        trail = [
            f"subroutine {frame.name}, called at {frame.called_at.place}"
            for frame in reversed(self.scope.frames)
            if frame.called_at is not None
        ]
        if trail and error.where is None:
            error.where = "\n     ".join(trail if len(trail) <= 4 else [*trail[:3], f"… {len(trail) - 3} calls more"])
        return error

    def perform(self, statement: Statement) -> None:
        """Executes one statement."""
        self.step(statement.span)
        if self._watched is not None and self._watched.watched and not isinstance(statement, syntax.Block):
            self._watched.reach(statement.span.line)
        self._levels += 1
        if self._levels > LEVELS:
            self._levels -= 1
            raise self.too_deep()
        try:
            self._executors[type(statement)](statement)
        except (Refusal, DrycellError) as error:
            if isinstance(error, EmulaError):
                raise
            raise self.fault(self._span, error.what, error.hint) from error
        finally:
            self._levels -= 1

    def step(self, span: Span) -> None:
        """Counts what happens at one instant of cell time, and notices an interruption."""
        self._span = span
        self._steps += 1
        if self._steps % 256 == 0 or self._steps > self._limit or self._kernel.budget < self._reserve:
            self._look_at_clock(span)
        if self._budget is not None:
            self._total += 1
            if self._total > self._budget:
                raise self.fault(span, f"more than {self._budget} steps", "the program may make no more")
        if self._interrupted:
            self._interrupted = False
            raise self._placed(Interrupted.at(self._source, span, "stopped at the console"))

    def _look_at_clock(self, span: Span) -> None:
        steps, over = self._steps, self._steps > self._limit or self._kernel.budget < self._reserve
        if self._kernel.now != self._instant:
            self.begin()
        elif over:
            self.begin()
            raise self.fault(
                span,
                f"{steps - 1} steps in which no cell time passed: this never ends",
                "move, or DELAY(0.1), inside the loop",
            )

    def charge(self, size: int) -> None:
        """Work on a large value counts as many steps."""
        self._steps += size // 16

    def too_deep(self) -> EmulaError:
        """The error about too many levels."""
        return self.fault(self._span, f"more than {LEVELS} levels deep", "let subroutines call each other less")

    def enter(self) -> None:
        """An expression goes one level deeper."""
        self._levels += 1
        if self._levels > LEVELS:
            self._levels -= 1
            raise self.too_deep()

    def leave(self) -> None:
        """And comes back."""
        self._levels -= 1

    def _do(self, statement: syntax.Do) -> None:
        value = self.call_statement(statement.what, statement.clauses)
        if value is not None and self.interactive and self._levels == 1 and not self.scope.frames:
            self.say(f"  {show(value, quote=True)}")

    def _declare(self, statement: syntax.Declare) -> None:
        self._check_name(statement.name)
        self.scope.declare(statement.name.name, checked(self.evaluate(statement.value)))

    def _check_name(self, name: syntax.Name) -> None:
        known = routine_named(name.name)
        if known is not None and not known.gives:
            raise self.fault(name.span, f"{name.written} is a command", "give the variable another name")

    def _assign(self, statement: syntax.Assign) -> None:
        value = checked(self.evaluate(statement.value))
        self.charge(size_of(value))
        target, places = statement.target, list[tuple[syntax.Expression, Span]]()
        while isinstance(target, syntax.Call):
            places[:0] = [(argument, argument.span) for argument in target.arguments]
            target = target.target
        if not isinstance(target, syntax.Name):
            raise self.fault(target.span, "only a variable or an element of one can be given a value")
        if places:
            whole = self.scope.find(target.name)
            if whole is None:
                raise self._undeclared(target)
            value = checked(self._replaced(whole, places, value))
        if not self.scope.assign(target.name, value):
            raise self._undeclared(target)

    def _undeclared(self, name: syntax.Name) -> EmulaError:
        if isinstance(self.scope.find(name.name), Closure):
            return self.fault(name.span, f"{name.written} is a subroutine", "give the variable another name")
        local = self.scope.frames[-1].variables if self.scope.frames else {}
        near = did_you_mean(name.name, [*self.scope.variables, *local])
        hint = f"declare it first: {name.written}: NEW 0;"
        if near.startswith("did you mean"):
            hint = f"{near} Or {hint}"
        return self.fault(name.span, f"there is no variable {name.written!r}", hint)

    def _replaced(self, whole: Value, places: list[tuple[syntax.Expression, Span]], value: Value) -> Value:
        """An aggregate with one element replaced."""
        if not places:
            return value
        (node, span), rest = places[0], places[1:]
        index = self.index(whole, self.evaluate(node), span)
        items = list(whole) if isinstance(whole, tuple) else []
        items[index] = self._replaced(items[index], rest, value)
        return tuple(items)

    def _if(self, statement: syntax.If) -> None:
        if self._condition(statement.condition):
            self.perform(statement.yes)
        elif statement.no is not None:
            self.perform(statement.no)

    def _while(self, statement: syntax.While) -> None:
        while self._condition(statement.condition):
            self.perform(statement.body)

    def _repeat(self, statement: syntax.Repeat) -> None:
        while True:
            for each in statement.body:
                self.perform(each)
            self.step(statement.span)
            if self._condition(statement.condition):
                return

    def _condition(self, condition: syntax.Expression) -> bool:
        value = self.evaluate(condition)
        self._span = condition.span
        return is_true(value)

    def _block(self, statement: syntax.Block) -> None:
        for each in statement.body:
            self.perform(each)

    def _return(self, statement: syntax.Return) -> None:
        raise Returned(None if statement.value is None else self.evaluate(statement.value))

    def _subroutine(self, statement: syntax.Subroutine) -> None:
        name = statement.name
        known = routine_named(name.name)
        if known is not None and self.interactive:
            kind = "function" if known.gives else "command"
            self.say(f"  {name.written} now means your subroutine, no longer the {kind}")
        self.scope.variables[name.name] = Closure(statement, self._source)

    def call_closure(self, closure: Closure, arguments: list[Value], span: Span) -> Value | None:
        """Runs a subroutine of the program; None if it returns nothing."""
        definition = closure.definition
        wanted = definition.parameters
        if len(arguments) > len(wanted):
            raise self.fault(
                span,
                f"{definition.name.written} takes {len(wanted)} arguments, not {len(arguments)}",
                f"it is defined at {definition.span.place}",
            )
        self.step(span)
        parameters = frozenset(name.name for name in wanted)
        frame = Frame(definition.name.written, closure.source, span, parameters)
        frame.variables.update((name.name, value) for name, value in zip(wanted, arguments, strict=False))
        caller, watched = self._source, self._watched
        if self._levels + _CALL > LEVELS:
            raise self.too_deep()
        self._levels += _CALL
        self.scope.frames.append(frame)
        self._source, self._watched = closure.source, self._texts.get(closure.source.file)
        try:
            for statement in definition.body:
                self.perform(statement)
        except Returned as returned:
            return returned.value
        finally:
            self._levels -= _CALL
            self.scope.frames.pop()
            self._source, self._watched = caller, watched
        return None
