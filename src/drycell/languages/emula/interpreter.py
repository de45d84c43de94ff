"""The interpreter: executes a program's tree as a program of the cell, statement by statement.

It is bounded on all sides: a loop that lets no cell time pass is stopped after so many steps, subroutines and values
have their limits, and whatever goes wrong comes out as an :class:`EmulaError` with its place in the text. Then the
statement is given up and the session goes on: variables, motors and attachments stay as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.errors import DrycellError
from drycell.kernel import current_process, in_program
from drycell.kernel.clock import seconds
from drycell.kernel.location import Location
from drycell.languages.emula import syntax
from drycell.languages.emula.evaluation import Evaluator
from drycell.languages.emula.fault import EmulaError, Interrupted
from drycell.languages.emula.measure import Measure
from drycell.languages.emula.motors import Motors
from drycell.languages.emula.parser import parse
from drycell.languages.emula.routine import routine_named, unknown
from drycell.languages.emula.scope import Frame, Scope
from drycell.languages.emula.values import Closure, Monitor, Refusal, Value, checked, is_true, show
from drycell.languages.kit import Source, Span

if TYPE_CHECKING:
    from drycell.languages.emula.emulation import Emulation
    from drycell.languages.emula.session_journal import Kind
    from drycell.languages.emula.syntax import Statement

STEPS: Final = 200_000
"""Statements and calls that may follow each other at one instant of cell time."""
LEVELS: Final = 250
"""How deep statements, expressions and subroutines may be at work inside each other."""
_NOWHERE: Final = Span("", 1, 1, 0, 0)


class _Returned(Exception):
    """Carries a RETURN to the call it ends."""

    def __init__(self, value: Value | None) -> None:
        super().__init__()
        self.value = value


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a program: how many statements of its outermost level ran, and how much cell time passed."""

    statements: int
    seconds: float


class Interpreter(Evaluator):
    """A session of the language on an emulation. ``interactive``: values of bare expressions are shown."""

    def __init__(
        self,
        emulation: "Emulation",
        *,
        echo: Callable[[str], None] = print,
        interactive: bool = False,
        out: Path = Path("out"),
        steps: int = STEPS,
    ) -> None:
        self.emulation = emulation
        self.echo = echo
        self.interactive = interactive
        self.out = out
        self.measure: Measure = Measure()
        self.motors = Motors(emulation)
        super().__init__(Scope(self.motors.constants()))
        self.monitors: list[Monitor] = []
        self.under_way: tuple[list[str], tuple[Monitor, ...]] | None = None
        """The motors and monitors of an AMOVE that nobody has waited for."""
        self._limit = steps
        self._steps = 0
        self._instant = -1
        self._levels = 0
        self._interrupted = False
        self._span: Span = _NOWHERE
        self._source = Source("", "")
        self._loading: list[Path] = []
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

    # ---------------------------------------------------------------- a session

    def execute(self, text: str, *, file: str = "console") -> Outcome:
        """Runs the statements of a text, one after the other; the first that goes wrong raises and ends it."""
        return self.run(Source(text, file))

    def run(self, source: Source) -> Outcome:
        """The same for a source text."""
        began = self.now
        try:
            program = parse(source)
        except EmulaError as error:
            self.note(source.text)
            self.note(error.what.splitlines()[0], "response")
            raise
        outer = self._source, self._span, self._interrupted, self.scope.frames
        self._source, self._interrupted = source, False
        if not self._loading:
            self._levels = 0
        locator = self._announce()
        done, noted = 0, 0
        try:
            for statement, end in zip(program.body, program.ends, strict=True):
                noted = self._note_lines(source, statement.span.start, end, noted)
                self._steps = 0
                done += 1
                self._top(statement)
        except _Returned:
            pass
        finally:
            self._source, self._span, _, self.scope.frames = outer
            if locator is not None:
                current_process().locator = locator[0]
        return Outcome(done, seconds(self.now - began))

    def load(self, path: Path) -> None:
        """Runs another file in the session, as if it were typed."""
        if len(self._loading) >= 10 or path in self._loading:
            raise Refusal(f"{path} loads itself, directly or by others")
        self._loading.append(path)
        try:
            self.run(Source.read(path))
        finally:
            self._loading.pop()

    def interrupt(self) -> None:
        """Gives up the running statement at its next step. May be called at any time, from a signal handler, too."""
        self._interrupted = True

    @property
    def now(self) -> int:
        """Cell time, in ticks."""
        now: int = self.emulation.cell.kernel.now
        return now

    def say(self, text: str, *, journal: bool = False) -> None:
        """An answer to the person at the console; with ``journal`` it is a response that the journal keeps, too."""
        self.echo(text)
        if journal:
            self.note(text.strip(), "response")

    def note(self, text: str, kind: "Kind" = "command") -> None:
        """Puts lines down in the journal, if one is open."""
        for line in text.splitlines():
            if line.strip():
                self.emulation.note(line.strip(), kind)

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

    def _announce(self) -> tuple[Callable[[], Location | None] | None] | None:
        """Has reports of the kernel name the line of the EMULA program instead of one of drycell's."""
        if not in_program():
            return None
        process = current_process()
        before = process.locator
        process.locator = lambda: Location(self._span.file, self._span.line, "program") if self._span.file else None
        return (before,)

    def _note_lines(self, source: Source, start: int, end: int, noted: int) -> int:
        """Journals the lines of a statement as they were typed, each line once."""
        first, last = source.position(start)[0], source.position(end)[0]
        for number in range(max(first, noted + 1), last + 1):
            self.note(source.line(number))
        return max(noted, last)

    # ---------------------------------------------------------------- statements

    def _top(self, statement: "Statement") -> None:
        """A statement of the outermost level: whatever goes wrong in it comes out with its place."""
        try:
            self.perform(statement)
        except EmulaError as error:
            if not isinstance(error, Interrupted) and not self._loading:
                self.note(error.what.splitlines()[0], "response")
            raise
        except RecursionError:
            raise self.fault(statement.span, "this goes too deep", "let subroutines call each other less") from None

    def perform(self, statement: "Statement") -> None:
        """Executes one statement."""
        self.step(statement.span)
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
        if self._steps % 256 == 0 or self._steps > self._limit:
            now = self.now
            if now != self._instant:
                self._instant, self._steps = now, 1
            elif self._steps > self._limit:
                self._steps = 0
                raise self.fault(
                    span,
                    f"{self._limit} steps in which no cell time passed: this never ends",
                    "move, or DELAY(0.1), inside the loop",
                )
        if self._interrupted:
            self._interrupted = False
            raise self._placed(Interrupted.at(self._source, span, "stopped at the console"))

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
        if value is not None and self.interactive and not self.scope.frames:
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
        near = unknown("variable", name.name, self.scope.names()).hint or ""
        hint = f"declare it first: {name.written}: NEW 0;"
        if near.startswith("did you mean") and any(repr(each) in near for each in self.scope.variables):
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
        raise _Returned(None if statement.value is None else self.evaluate(statement.value))

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
        caller = self._source
        self.scope.frames.append(frame)
        self._source = closure.source
        try:
            for statement in definition.body:
                self.perform(statement)
        except _Returned as returned:
            return returned.value
        finally:
            self.scope.frames.pop()
            self._source = caller
        return None


def run_text(text: str, emulation: "Emulation", *, file: str = "program") -> Outcome:
    """Runs the text of a program on an emulation, in a program of its cell."""
    return Interpreter(emulation, echo=emulation.echo).execute(text, file=file)
