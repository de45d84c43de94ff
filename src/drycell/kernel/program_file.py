"""Program files: compiled with a mark on every line and a guard in every loop.

The mark is ``if __marks__: __mark__(line)``. It allows breakpoints and line steps at a few per cent of a program's
speed (``sys.settrace`` makes it four times slower, and leaks into every greenlet).

The guard recognises a loop that polls without using cell time, as programs of controllers do (``while not io.x:
pass``). On a controller such a loop takes time; here it would stop the clock. It is charged a poll period per
iteration, and the journal notes it once.

A program can import modules that are beside it. Each program file has its own copy of them, marked and guarded like
itself, so that cells in one process do not share their state.
"""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Final

from drycell.base import BusyWait, ProgramError, UnknownName, read_regular
from drycell.kernel.clock import FOREVER
from drycell.kernel.event import Fibre, Finish, Timer, current_fibre
from drycell.kernel.program_check import check_program
from drycell.kernel.ticker import TickerGroup
from drycell.kernel.verbs import delay

if TYPE_CHECKING:
    from drycell.kernel.kernel import Kernel

POLL_PERIOD: Final = 0.010
LOOK_EVERY: Final = 16
"""Iterations of a loop between two checks. A loop that reads signals and writes none, all at one instant from one
check to the next, is polling; from then on, every iteration is checked."""
BLANK_LOOKS: Final = 625
"""Number of checks at one instant after which a loop that does not read any signal is charged a poll period: a
controller also takes about a microsecond per iteration."""

IDLE_TURNS: Final = 100_000
"""Charged iterations of a polling loop after which the guard checks whether anything else can happen in the cell."""
BLANK_TURNS: Final = 5_000
"""Number of charges after which a loop that does not read any signal is stopped: 50 million iterations."""
BLANK_WARNED: Final = 100
"""Number of charges after which the run warns of such a loop: a million iterations."""

_loops: Final = count()


@dataclass(slots=True)
class LoopTurns:
    """The state of a loop of one program at its last check."""

    time: int
    budget: int
    writes: int
    blank: int = 0
    charged: int = 0
    computed: int = 0
    """The number of times it was charged without reading a signal."""


class ProgramFile:
    """A program file, executed once for its definitions. Its functions are then spawned like any others."""

    def __init__(
        self, source: str, file: str, names: Mapping[str, object], poll: float, importer: ProgramFile | None = None
    ) -> None:
        code, lines, self.remarks = _compiled(source, file)
        self.file = file
        self.source = source
        self.lines = set(lines)
        """The lines on which a breakpoint can be set."""
        self.first = min(lines, default=1)
        """The line that is shown for a program in this file that has not started yet."""
        self.parts: list[ProgramFile] = []
        """Other files whose code runs with it, such as units and the modules it imports from its folder."""
        self.poll = poll
        self._main: ProgramFile = self if importer is None else importer._main
        self._modules: dict[str, ModuleType] = {}
        module = ModuleType(Path(file).stem)
        if importer is not None:  # registered before it is executed, so that modules can import each other
            self._main.parts.append(self)
            self._main._modules[module.__name__] = module
        self.namespace: dict[str, object] = vars(module)
        self.namespace |= {
            "__file__": file,
            **names,
            "__drycell_program__": self,
            "__marks__": False,
            "__mark__": self.reach,
            "__turn__": self._turn,
            "__builtins__": {**vars(builtins), "__import__": self._import},
        }
        exec(code, self.namespace)

    def function(self, name: str) -> Callable[..., object]:
        """Return a function of the program, ready to spawn."""
        found = self.namespace.get(name)
        if not callable(found) or name.startswith("__"):
            raise UnknownName(
                f"function in {os.path.basename(self.file)}", name, (key for key in self.namespace if key[0] != "_")
            )
        return found

    def _import(
        self,
        name: str,
        names: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        wanted: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """What ``import`` does in the program: modules beside the file come first, as for a Python script."""
        folder = Path(self.file).resolve().parent
        beside = folder / f"{name}.py"
        if level or "." in name or not beside.is_file() or beside.resolve().parent != folder:
            return builtins.__import__(name, names, local, wanted or (), level)
        known = self._main._modules
        if name not in known:
            try:
                load_program(beside, poll=self.poll, importer=self)
            except BaseException:
                known.pop(name, None)
                raise
        return known[name]

    def watch(self, on: bool) -> None:
        """Enable or disable the check of every line. May be called from any thread."""
        self.namespace["__marks__"] = on

    @property
    def watched(self) -> bool:
        """Whether every line is checked now."""
        return bool(self.namespace["__marks__"])

    def reach(self, line: int) -> None:
        """Called when the running program reaches a line; stops it there if the pace requires it."""
        me = current_fibre()
        kernel = getattr(me, "kernel", None)
        if kernel is not None and kernel.pace is not None:
            kernel.pace.reach(me.process.name, self.file, line)

    def _turn(self, loop: int, line: int, may_poll: bool) -> int:
        """Check a loop after a number of iterations; return the value from which to count to the next check."""
        me = current_fibre()
        try:
            kernel = me.kernel
        except AttributeError:
            return 0  # not a program: the file's own definitions, or a callback
        turns = me.process.turns.get(loop)
        if turns is None:
            me.process.turns[loop] = LoopTurns(kernel.now, kernel.budget, kernel.writes)
            return 0
        if turns.time != kernel.now or turns.writes != kernel.writes:
            turns.time, turns.budget, turns.writes, turns.blank = kernel.now, kernel.budget, kernel.writes, 0
            return 0
        polling = may_poll and turns.budget != kernel.budget
        if not polling:
            turns.blank += 1
            if turns.blank < BLANK_LOOKS:
                return 0
        name, place = me.process.name, f"{os.path.basename(self.file)}:{line}"
        if not turns.charged:
            kernel.journal.write("polls", name, line=line, charged_s=self.poll)
        turns.charged += 1
        if not polling:
            turns.computed += 1
            if turns.computed == BLANK_WARNED:
                kernel.warn(name, f"the loop at {place} takes no cell time and reads no signal: it may be endless")
            if turns.computed == BLANK_TURNS:
                raise BusyWait(
                    f"program '{name}' has run the loop at {place} {turns.computed * BLANK_LOOKS * LOOK_EVERY:,} times "
                    "without reading a signal or using cell time",
                    hint="end the loop, or call delay() or wait() in it",
                )
        elif turns.charged % IDLE_TURNS == 0 and _nothing_else_happens(kernel):
            raise BusyWait(
                f"program '{name}' polled {turns.charged:,} times in the loop at {place}, and nothing else can happen "
                "in the cell",
                hint="find out what should set the signal; use wait(condition) instead of a loop; or set a time limit",
            )
        me.process.polls = True
        try:
            delay(self.poll)
        finally:
            me.process.polls = False
        turns.time, turns.budget, turns.writes, turns.blank = kernel.now, kernel.budget, kernel.writes, 0
        return LOOK_EVERY - 1 if polling else 0


def _nothing_else_happens(kernel: Kernel) -> bool:
    """Return whether the queue holds only programs that poll, and the run has no time limit."""
    if kernel.inbox.expects_requests():
        return False
    for time, _, _, what in kernel.queue:
        if time < 0:
            continue  # an inspection or a post
        if isinstance(what, Fibre):
            if not what.process.polls:
                return False
        elif isinstance(what, Finish):
            if time < FOREVER:
                return False
        elif isinstance(what, TickerGroup):
            if any(each.writes != () for each in what.tickers):
                return False
        elif not isinstance(what, Timer) or what.alive:
            return False
    return True


def load_program(
    path: str | Path,
    names: Mapping[str, object] | None = None,
    *,
    poll: float = POLL_PERIOD,
    importer: ProgramFile | None = None,
) -> ProgramFile:
    """Load a program from a file. ``names`` are available in it in addition to its imports (robots, io); ``importer``
    is the program that imports the file as a module."""
    try:
        source = read_regular(path).decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ProgramError(f"cannot read program file {path}: {error}") from None
    return ProgramFile(source, str(path), names or {}, poll, importer)


def program_lines(source: str, file: str) -> frozenset[int]:
    """Return the lines of a source text on which a breakpoint can be set."""
    return _compiled(source, file)[1]


@lru_cache(maxsize=256)
def _compiled(source: str, file: str) -> tuple[CodeType, frozenset[int], tuple[str, ...]]:
    """Return the marked code of a source text, its lines, and warnings about it. Cached: cells may be built often."""
    try:
        tree = ast.parse(source, file)
    except SyntaxError as error:
        raise ProgramError(
            f"{error.msg} in program file {os.path.basename(file)}",
            where=":".join(str(each) for each in (file, error.lineno, error.offset) if each is not None),
            hint="correct that line",
        ) from None
    remarks = check_program(tree, file)
    lines: set[int] = set()
    marked = _Marker(lines).mark(tree)
    code = compile(marked, file, "exec", dont_inherit=True)  # without this module's __future__ imports
    return code, frozenset(lines), remarks


class _Marker:
    """Adds marks and guards to a syntax tree."""

    def __init__(self, lines: set[int]) -> None:
        self._lines = lines
        self._numbers: dict[ast.stmt, int] = {}

    def mark(self, tree: ast.Module) -> ast.Module:
        self._visit(tree, in_function=False)
        return ast.fix_missing_locations(tree)

    def _visit(self, node: ast.AST, in_function: bool) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            in_function = True
        elif isinstance(node, ast.ClassDef):
            in_function = False
        for name, value in ast.iter_fields(node):
            if not isinstance(value, list):
                continue
            for child in value:
                if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                    self._visit(child, in_function)
            if in_function and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self._marked(value))
        if in_function and isinstance(node, (ast.While, ast.For)):
            self._guard(node)

    def _guard(self, loop: ast.While | ast.For) -> None:
        # Counted in a local variable: calling the guard in every iteration would double the time of a short loop.
        number = self._numbers[loop] = next(_loops)
        may_poll = isinstance(loop, ast.While)
        loop.body[:0] = [
            _made(f"_turns_{number} += 1", loop),
            _made(
                f"if _turns_{number} >= {LOOK_EVERY}: _turns_{number} = __turn__({number}, {loop.lineno}, {may_poll})",
                loop,
            ),
        ]

    def _marked(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        marked: list[ast.stmt] = []
        for place, statement in enumerate(statements):
            if place > 0 or not _is_docstring(statement):
                marked.append(_made(f"if __marks__: __mark__({statement.lineno})", statement))
                self._lines.add(statement.lineno)
            if statement in self._numbers:
                marked.append(_made(f"_turns_{self._numbers[statement]} = 0", statement))
            marked.append(statement)
        return marked


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _made(text: str, place: ast.stmt) -> ast.stmt:
    made = ast.parse(text).body[0]
    for node in ast.walk(made):
        ast.copy_location(node, place)
    return made
