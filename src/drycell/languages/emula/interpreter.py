"""The interpreter: executes a program statement by statement, as a program of the cell.

Everything has a limit: the steps of a loop in which no cell time passes, the depth of subroutines, the size of values.
Every problem is raised as an :class:`EmulaError` with its place in the text. The statement is abandoned and the
session continues: variables, motors and attached functions keep their state.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError
from drycell.kernel import (
    BUSY_LIMIT,
    POLL_PERIOD,
    Location,
    ProgramCall,
    ProgramFile,
    current_process,
    in_program,
    seconds,
)
from drycell.languages.emula import (
    commands as commands,  # its modules register the routines of the language
    syntax,
)
from drycell.languages.emula.environment import Environment, SubroutineFrame, calls, lines_of
from drycell.languages.emula.motors import Motors, ProgramUnits
from drycell.languages.emula.name_check import name_problems
from drycell.languages.emula.parser import EmulaError, parse
from drycell.languages.emula.routines import Invocation, Routine, routine_named, undeclared_hint, unknown_hint
from drycell.languages.emula.syntax import Expression, Statement
from drycell.languages.emula.values import (
    Closure,
    Monitor,
    Value,
    binary,
    checked,
    described,
    is_true,
    show,
    size_of,
    unary,
)
from drycell.languages.kit import SourceSpan, SourceText, StatementError

if TYPE_CHECKING:
    from drycell.languages.emula.emulation import Emulation
    from drycell.languages.emula.session_journal import Kind
    from drycell.languages.emula.syntax import EmulaText

_COMMAND: Final = 320
"""The cost of a command, as the size of a value that takes equally long: it counts as twenty steps."""
MAX_STEPS: Final = 200_000
"""The most statements and calls at one instant of cell time."""
MAX_LEVELS: Final = 1000
"""The maximum nesting depth of statements, expressions and subroutines; a call counts as ``_CALL`` levels."""
_CALL: Final = 4
_NOWHERE: Final = SourceSpan("", 1, 1, 0, 0)
_PYTHON_RECURSION: Final = 5000
"""Python's recursion limit, which must not be reached before ``MAX_LEVELS``: each level takes two or three frames."""


class Interrupted(EmulaError):
    """The user has stopped the command at the console."""


class Returned(Exception):
    """RETURN: ends the running subroutine with a value."""

    def __init__(self, value: Value | None) -> None:
        super().__init__()
        self.value = value


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The result of a program: the number of outermost statements that ran, and the cell time that passed."""

    statements: int
    seconds: float


class Interpreter:
    """A session of the language on an emulation.

    Args:
        emulation: the engine.
        echo: is called with each line for the user.
        interactive: whether the values of bare expressions are shown.
        out: the folder for files.
        steps: the most steps at one instant of cell time.
        budget: the most steps of one text; default: no limit.
    """

    def __init__(
        self,
        emulation: "Emulation",
        *,
        echo: Callable[[str], None] = print,
        interactive: bool = False,
        out: Path = Path("out"),
        steps: int = MAX_STEPS,
        budget: int | None = None,
    ) -> None:
        self.motors = Motors(emulation)
        self.scope = Environment(self.motors.constants())
        self._kernel = kernel = emulation.cell.kernel
        # The kernel ends a run in which a program stops the clock; an EMULA program must be stopped before that.
        self._reserve = BUSY_LIMIT // 2 if kernel.chooser is None else -sys.maxsize
        self.interactive = interactive
        self._limit = steps
        self._budget = budget
        self._steps = 0
        self._total = 0
        self._instant = -1
        self._levels = 0
        self._interrupted = False
        self._span: SourceSpan = _NOWHERE
        self._source = SourceText("", "")
        self._watched: ProgramFile | None = None
        """The program file of the running text, for breakpoints and stepping."""
        self._texts: dict[str, ProgramFile] = {}
        self.emulation = emulation
        self.echo = echo
        self.out = out
        self.units: ProgramUnits = ProgramUnits()
        self.monitors: list[Monitor] = []
        self.background_move: tuple[list[str], tuple[Monitor, ...]] | None = None
        """The motors and monitors of an AMOVE that has not been waited for."""
        self._loading: list[Path] = []
        self._executors: dict[type, Callable[..., None]] = {
            syntax.Do: self._do,
            syntax.Assign: self._assign,
            syntax.Declare: self._declare,
            syntax.If: self._if,
            syntax.While: self._while,
            syntax.Repeat: self._repeat,
            syntax.CompoundStatement: self._block,
            syntax.Return: self._return,
            syntax.Subroutine: self._subroutine,
        }
        self._evaluators: dict[type, Callable[..., Value | None]] = {
            syntax.Given: lambda node: node.value,
            syntax.Number: lambda node: node.value,
            syntax.StringLiteral: lambda node: node.value,
            syntax.Name: self._name,
            syntax.Aggregate: self._aggregate,
            syntax.Unary: self._unary,
            syntax.Binary: self._binary,
            syntax.Call: self._call,
            syntax.Choice: self._choice,
            syntax.Reference: self._reference,
        }

    # ---------------------------------------------------------------- a session

    def execute(self, text: str, *, file: str = "console") -> ProgramResult:
        """Run program text; ``file`` is the name used when its mistakes are reported."""
        return self.run(SourceText(text, file))

    def run(self, source: SourceText) -> ProgramResult:
        """Run the statements of a source text in order. The first one that fails raises and ends the run."""
        start = self.now
        try:
            program = parse(source)
            if mistakes := name_problems(program.body, self.scope):
                raise EmulaError.of(source, mistakes)
        except EmulaError as error:
            self.note(source.text)
            self.note(error.what.splitlines()[0], "response")
            if not self.interactive and error.span is not None and in_program():
                self._source, self._span = source, error.span
                hooks = self._install_hooks()
                error.where = current_process().place()
                if hooks is not None:
                    current_process().locator, current_process().inspector = hooks
            raise
        outer = self._source, self._span, self._interrupted, self.scope.frames, self._watched
        self._source, self._interrupted, self.scope.frames = source, False, []
        self._watched = self._watch(source, program)
        if not self._loading:
            self._levels = 0
        hooks = self._install_hooks()
        done, noted, total = 0, 0, self._total
        self._total = 0 if not self._loading else total
        frames = sys.getrecursionlimit()
        sys.setrecursionlimit(max(frames, _PYTHON_RECURSION))
        try:
            for statement, end in zip(program.body, program.ends, strict=True):
                noted = self._note_lines(source, statement.span.start, end, noted)
                self.begin()
                done += 1
                self._top(statement)
        except Returned:
            pass
        finally:
            self._source, self._span, _, self.scope.frames, self._watched = outer
            sys.setrecursionlimit(frames)
            if hooks is not None:
                current_process().locator, current_process().inspector = hooks
        return ProgramResult(done, seconds(self.now - start))

    def load(self, path: Path) -> None:
        """Run another file in the session, as if it were typed."""
        if len(self._loading) >= 10 or path in self._loading:
            raise StatementError(f"{path} loads itself, directly or through other files")
        self._loading.append(path)
        try:
            self.run(SourceText.read(path))
        finally:
            self._loading.pop()

    def say(self, text: str, *, journal: bool = False) -> None:
        """Show a line to the user; with ``journal`` also write it to the journal as a response."""
        self.echo(text)
        if journal:
            self.note(text.strip(), "response")

    def note(self, text: str, kind: "Kind" = "command") -> None:
        """Write lines to the journal, if one is open."""
        for line in text.splitlines():
            if line.strip():
                self.emulation.note(line.strip(), kind)

    def _install_hooks(
        self,
    ) -> tuple[Callable[[], Location | None] | None, Callable[[], Sequence[ProgramCall]] | None] | None:
        """Make reports of the kernel name the line of the EMULA program; return the hooks to restore."""
        if not in_program():
            return None
        process = current_process()
        before = process.locator, process.inspector
        process.locator = lambda: Location(self._span.file, self._span.line, "program") if self._span.file else None
        process.inspector = lambda: calls(self.scope, self._span)
        return before

    def _watch(self, source: SourceText, tree: "EmulaText") -> ProgramFile | None:
        """Enable breakpoints if the text is a file; lines typed at the console cannot have breakpoints."""
        if not in_program() or not os.path.isfile(source.file):
            return None
        made = self._texts[source.file] = ProgramFile("", source.file, {}, POLL_PERIOD)
        made.lines |= lines_of(tree.body)
        self.emulation.cell.kernel.processes.adopt(made)
        return made

    def _note_lines(self, source: SourceText, start: int, end: int, noted: int) -> int:
        """Write the lines of a statement to the journal as they were typed, each line once."""
        first, last = source.position(start)[0], source.position(end)[0]
        for number in range(max(first, noted + 1), last + 1):
            self.note(source.line(number))
        return max(noted, last)

    def _top(self, statement: "Statement") -> None:
        """Execute an outermost statement. Errors get their place in the program."""
        try:
            self.perform(statement)
        except EmulaError as error:
            if not isinstance(error, Interrupted) and not self._loading:
                self.note(error.what.splitlines()[0], "response")
            if error.where is None and not self.interactive and in_program():
                error.where = current_process().place()
            raise
        except RecursionError:
            raise self.error_at(statement.span, "nested too deeply", "use fewer nested calls of subroutines") from None

    # ---------------------------------------------------------------- statements

    @property
    def now(self) -> int:
        """Cell time, in ticks."""
        return self._kernel.now

    def begin(self) -> None:
        """Start counting the steps of an outermost statement at one instant."""
        self._steps, self._instant = 0, self._kernel.now
        self._kernel.renew_budget()

    def interrupt(self) -> None:
        """Abandon the running statement at its next step. May be called at any time, even from a signal handler."""
        self._interrupted = True

    def error_at(self, span: SourceSpan, what: str, hint: str | None = None) -> EmulaError:
        """An error at a position in the running program."""
        return self._placed(EmulaError.at(self._source, span, what, hint))

    def _placed(self, error: EmulaError) -> EmulaError:
        trail = [
            f"subroutine {frame.name}, called at {frame.called_at.place}"
            for frame in reversed(self.scope.frames)
            if frame.called_at is not None
        ]
        if trail and error.where is None:
            error.where = "\n     ".join(trail if len(trail) <= 4 else [*trail[:3], f"… {len(trail) - 3} more calls"])
        return error

    def perform(self, statement: Statement) -> None:
        """Execute one statement."""
        self.step(statement.span)
        if self._watched is not None and self._watched.watched and not isinstance(statement, syntax.CompoundStatement):
            self._watched.reach(statement.span.line)
        self.enter()
        try:
            self._executors[type(statement)](statement)
        except (StatementError, DrycellError) as error:
            if isinstance(error, EmulaError):
                raise
            raise self.error_at(self._span, error.what, error.hint) from error
        finally:
            self.leave()

    def step(self, span: SourceSpan) -> None:
        """Count a step at one instant of cell time, and check for an interruption."""
        self._span = span
        self._steps += 1
        if self._steps % 256 == 0 or self._steps > self._limit or self._kernel.budget < self._reserve:
            self._check_clock(span)
        if self._budget is not None:
            self._total += 1
            if self._total > self._budget:
                raise self.error_at(span, f"more than {self._budget} steps", "this is the limit of the session")
        if self._interrupted:
            self._interrupted = False
            raise self._placed(Interrupted.at(self._source, span, "stopped at the console"))

    def _check_clock(self, span: SourceSpan) -> None:
        steps, over = self._steps, self._steps > self._limit or self._kernel.budget < self._reserve
        if self._kernel.now != self._instant:
            self.begin()
        elif over:
            self.begin()
            raise self.error_at(
                span,
                f"{steps - 1} steps without any cell time passing: the loop never ends",
                "move, or DELAY(0.1), inside the loop",
            )

    def charge(self, size: int) -> None:
        """Count additional steps for work on a large value."""
        self._steps += size // 16

    def too_deep(self) -> EmulaError:
        """The error for too many levels."""
        hint = "use fewer nested calls of subroutines"
        return self.error_at(self._span, f"more than {MAX_LEVELS} levels deep", hint)

    def enter(self) -> None:
        """Go one level deeper."""
        self._levels += 1
        if self._levels > MAX_LEVELS:
            self._levels -= 1
            raise self.too_deep()

    def leave(self) -> None:
        """Go back one level."""
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
            raise self.error_at(name.span, f"{name.written} is a command", "use another name for the variable")

    def _assign(self, statement: syntax.Assign) -> None:
        value = checked(self.evaluate(statement.value))
        self.charge(size_of(value))
        target, places = statement.target, list[tuple[syntax.Expression, SourceSpan]]()
        while isinstance(target, syntax.Call):
            places[:0] = [(argument, argument.span) for argument in target.arguments]
            target = target.target
        if not isinstance(target, syntax.Name):
            raise self.error_at(target.span, "only a variable or an element of one can be assigned to")
        if places:
            whole = self.scope.find(target.name)
            if whole is None:
                raise self._undeclared(target)
            value = checked(self._replaced(whole, places, value))
        if not self.scope.assign(target.name, value):
            raise self._undeclared(target)

    def _undeclared(self, name: syntax.Name) -> EmulaError:
        if isinstance(self.scope.find(name.name), Closure):
            return self.error_at(name.span, f"{name.written} is a subroutine", "use another name for the variable")
        local = self.scope.frames[-1].variables if self.scope.frames else {}
        hint = undeclared_hint(name, [*self.scope.variables, *local])
        return self.error_at(name.span, f"unknown variable {name.written!r}", hint)

    def _replaced(self, whole: Value, places: list[tuple[syntax.Expression, SourceSpan]], value: Value) -> Value:
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

    def _block(self, statement: syntax.CompoundStatement) -> None:
        for each in statement.body:
            self.perform(each)

    def _return(self, statement: syntax.Return) -> None:
        raise Returned(None if statement.value is None else self.evaluate(statement.value))

    def _subroutine(self, statement: syntax.Subroutine) -> None:
        name = statement.name
        known = routine_named(name.name)
        if known is not None and self.interactive:
            kind = "function" if known.gives else "command"
            self.say(f"  {name.written} is now your subroutine, not the {kind}")
        self.scope.variables[name.name] = Closure(statement, self._source)

    def call_closure(self, closure: Closure, arguments: list[Value], span: SourceSpan) -> Value | None:
        """Run a subroutine of the program; return None if it returns nothing."""
        definition = closure.definition
        wanted = definition.parameters
        if len(arguments) > len(wanted):
            raise self.error_at(
                span,
                f"{definition.name.written} takes {len(wanted)} arguments, not {len(arguments)}",
                f"it is defined at {definition.span.place}",
            )
        self.step(span)
        parameters = frozenset(name.name for name in wanted)
        frame = SubroutineFrame(definition.name.written, closure.source, span, parameters)
        frame.variables.update((name.name, value) for name, value in zip(wanted, arguments, strict=False))
        caller, watched = self._source, self._watched
        if self._levels + _CALL > MAX_LEVELS:
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

    # ---------------------------------------------------------------- expressions

    def evaluate(self, node: Expression) -> Value:
        """Evaluate an expression, which must have a value."""
        self.enter()
        try:
            value = self._evaluators[type(node)](node)
        except StatementError as error:
            raise self.error_at(node.span, error.what, error.hint) from None
        finally:
            self.leave()
        if value is None:
            what = node.target if isinstance(node, syntax.Call) else node
            named = what.written if isinstance(what, syntax.Name) else "this"
            raise self.error_at(node.span, f"{named} has no value", "use it as a statement")
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
        """The error for a parameter without an argument."""
        frame = self.scope.frames[-1] if self.scope.frames else None
        if frame is None or node.name not in frame.parameters:
            return None
        return self.error_at(node.span, f"{frame.name} was called without its argument {node.written}")

    def _is_known(self, name: str) -> bool:
        return self.scope.find(name) is not None or name in self.scope.constants or routine_named(name) is not None

    def _unknown(self, node: syntax.Name, kind: str) -> EmulaError:
        missing = self._missing(node)
        if missing is not None:
            return missing
        hint = unknown_hint(kind, node, self.scope.names())
        return self.error_at(node.span, f"unknown {kind} {node.written!r}", hint)

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
        """Execute a command, a call or an expression. Only commands can have clauses."""
        if clauses is None:
            if isinstance(node, syntax.Name) and not self._is_known(node.name):
                raise self._unknown(node, "command")
            try:
                return self._evaluators[type(node)](node)
            except StatementError as error:
                raise self.error_at(node.span, error.what, error.hint) from None
        target = node.target if isinstance(node, syntax.Call) else node
        if isinstance(target, syntax.Name):
            known = routine_named(target.name)
            if known is not None and not isinstance(self.scope.find(target.name), Closure):
                return self._invoke(known, node, node.arguments if isinstance(node, syntax.Call) else [], clauses)
            if known is None and self.scope.find(target.name) is None:
                raise self._unknown(target, "command")
        word, span = next(iter(clauses.spans.items()))
        raise self.error_at(span, f"only a command can have {word.upper()}, and this is not a command")

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
        """Call a subroutine or routine that is a value."""
        if isinstance(what, Closure):
            return self.call_closure(what, [self.evaluate(argument) for argument in arguments], node.span)
        if isinstance(what, Routine):
            return self._invoke(what, node, arguments, None)
        raise self.error_at(node.span, f"{described(what)} cannot be called", "refer to a subroutine with $ NAME")

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
        except (StatementError, DrycellError) as error:
            raise self.error_at(node.span, error.what, error.hint) from error
        except RecursionError:
            raise
        except Exception as error:
            # The session must survive every command, even a defect of drycell or of a user's sensor function.
            raise self.error_at(
                node.span,
                f"{known.name} failed: {type(error).__name__}: {error}",
                "this is a defect of drycell or of a sensor function, not of the program",
            ) from error

    def _element(self, whole: Value, node: syntax.Call) -> Value:
        if not node.arguments:
            raise self.error_at(node.span, f"{described(whole)} cannot be called", "remove the brackets")
        for argument in node.arguments:
            wanted = self.evaluate(argument)
            if isinstance(wanted, tuple):
                whole = tuple(self._item(whole, each, argument.span) for each in wanted)
            else:
                whole = self._item(whole, wanted, argument.span)
        return whole

    def _item(self, whole: Value, wanted: Value, span: SourceSpan) -> Value:
        index = self.index(whole, wanted, span)
        return whole[index] if isinstance(whole, (tuple, str)) else whole

    def index(self, whole: Value, wanted: Value, span: SourceSpan) -> int:
        """The Python index of an element of an aggregate; elements are numbered from 1."""
        if not isinstance(whole, tuple):
            raise self.error_at(span, f"{described(whole)} has no elements", "only aggregates such as <1,2,3> have")
        if not isinstance(wanted, int):
            raise self.error_at(span, f"the number of an element must be an INT, not {described(wanted)}")
        if not 1 <= wanted <= len(whole):
            what = f"element {wanted} does not exist: the aggregate has {len(whole)}"
            raise self.error_at(span, what, f"elements are numbered from 1 to {len(whole)}")
        return wanted - 1


def run_text(text: str, emulation: "Emulation", *, file: str = "program") -> ProgramResult:
    """Run a program text on an emulation. Call this from a program of its cell."""
    return Interpreter(emulation, echo=emulation.echo).execute(text, file=file)
