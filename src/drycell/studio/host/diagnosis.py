"""Checks texts of a cell in all its languages while they are being written: errors, warnings, and breakable lines.

Nothing is written, and no part of the text is executed.
"""

import ast
import builtins
import re
import symtable
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, FileError, ProgramError, did_you_mean, yamldoc
from drycell.cell import Model
from drycell.kernel import program_lines
from drycell.languages.kit import Diagnostic, SourceError, SourceText
from drycell.studio.api.debugging import Severity, TextFinding

if TYPE_CHECKING:
    from drycell.cell import Cell, LiveProgram

MOST: Final = 100
"""Findings that are reported for one text."""
_WORD: Final = re.compile(r"[\w.]+|\S")


_OWN: Final = frozenset({"__file__", "__name__", "__doc__", "__spec__", "__package__", "__builtins__"})
_WALL: Final = {
    "time.sleep": ("stops the whole cell without any cell time passing", "write delay(0.5), from drycell import delay"),
    "time.time": ("reads the wall clock: runs would not be repeatable", "write now(), from drycell import now"),
    "time.monotonic": ("reads the wall clock: runs would not be repeatable", "write now(), from drycell import now"),
    "time.perf_counter": ("reads the wall clock: runs would not be repeatable", "write now(), for cell time"),
    "datetime.now": ("reads the wall clock: runs would not be repeatable", "write now(), for cell time"),
    "random.random": (
        "does not depend on the seed of the run",
        "write interval('name', 0, 1), from drycell import interval",
    ),
    "random.uniform": ("does not depend on the seed of the run", "write interval('name', low, high)"),
    "random.choice": (
        "does not depend on the seed of the run",
        "write choose('name', options), from drycell import choose",
    ),
    "random.randint": ("does not depend on the seed of the run", "write choose('name', range(low, high + 1))"),
}
"""Calls that make a run depend on something outside the cell: what is wrong, and what to use instead."""


@dataclass(slots=True)
class Diagnosis:
    """The findings in a text. ``stops`` are the lines that can have a breakpoint; None: not known."""

    findings: list[TextFinding] = field(default_factory=list)
    stops: frozenset[int] | None = None

    def add(self, findings: Iterable[TextFinding]) -> None:
        """Add findings, up to the limit."""
        for each in findings:
            if len(self.findings) < MOST:
                self.findings.append(each)


def spanned(source: SourceText, found: Diagnostic, severity: Severity = "error") -> TextFinding:
    """A finding of a language's parser. One in another file is reported at the first line."""
    span = found.span
    if span.file != source.file:
        return TextFinding(1, 1, 1, 1 + len(source.line(1)), f"{span.place}: {found.what}", found.hint, severity)
    end_line, end_column = source.position(min(max(span.end, span.start + 1), len(source.text)))
    if (end_line, end_column) <= (span.line, span.column):
        end_line, end_column = span.line, span.column + 1
    return TextFinding(span.line, span.column, end_line, end_column, found.what, found.hint, severity)


def placed(
    source: SourceText,
    line: int | None,
    column: int | None,
    text: str,
    hint: str | None = None,
    severity: Severity = "error",
) -> TextFinding:
    """A finding of which only the start is known. It covers the word there, or the whole line."""
    number = min(max(line or 1, 1), source.lines)
    written = source.line(number)
    if column is None:
        first = len(written) - len(written.lstrip()) + 1
        return TextFinding(number, first, number, max(len(written.rstrip()) + 1, first + 1), text, hint, severity)
    word = _WORD.match(written, column - 1)
    return TextFinding(number, column, number, word.end() + 1 if word else column + 1, text, hint, severity)


def diagnose(file: Path, text: str, cell: "Cell | None" = None, *, is_cell: bool = False) -> Diagnosis:
    """Check a text as if it were in a file.

    Args:
        file: The file; its suffix selects the language.
        text: The text.
        cell: The cell whose things programs can ask for. It is only read.
        is_cell: Whether the file describes a cell.
    """
    found = Diagnosis()
    try:
        source = SourceText(text, str(file))
        check = _CHECKS.get(file.suffix.lower())
        if check is not None:
            check(source, found, cell)
        elif file.suffix.lower() in (".yaml", ".yml"):
            _yaml(source, found, is_cell or file.stem == "cell")
    except SourceError as error:
        found.add(spanned(source, each) for each in error.diagnostics)
        if not error.diagnostics:
            found.add([placed(source, 1, None, error.what, error.hint)])
    except FileError as error:
        found.add(placed(source, each.line, each.column, each.text, each.hint) for each in error.mistakes)
        if not error.mistakes:
            found.add([placed(SourceText("", str(file)), 1, None, error.what, error.hint)])
    except DrycellError as error:
        found.add([placed(source, 1, None, error.what, error.hint)])
    return found


def _yaml(source: SourceText, found: Diagnosis, is_cell: bool) -> None:
    if is_cell:
        Model.read(source.text, source.file)
    else:
        yamldoc.parse(source.text, source.file)


def _pascal(source: SourceText, found: Diagnosis, cell: "Cell | None") -> None:
    from drycell.languages.pascal import check_text, translate

    checked = check_text(source)
    lines = translate(checked)[1]
    found.stops = frozenset(lines[checked.program.name.name if checked.program.unit else ""])


def _arla(source: SourceText, found: Diagnosis, cell: "Cell | None") -> None:
    from drycell.languages.arla import Stub, parse, untaught

    text = parse(source)
    instructions = [each for program in text.programs.values() for each in program.instructions]
    found.stops = frozenset(each.span.line for each in instructions)
    for each in instructions:
        if isinstance(each.action, Stub):
            what = f"{each.action.text} is not supported and has no effect"
            found.add([spanned(source, Diagnostic(each.span, what), "warning")])
    if cell is not None:
        for number, span in text.taught.items():
            if f"p{number}" not in cell.world.workpoints:
                found.add([spanned(source, Diagnostic(span, *untaught(number)), "warning")])


def _emula(source: SourceText, found: Diagnosis, cell: "Cell | None") -> None:
    from drycell.languages.emula import lines_of, parse

    found.stops = frozenset(lines_of(parse(source).body))


# -------------------------------------------------------------------- Python


def diagnose_python(source: SourceText, found: Diagnosis, cell: "Cell | None") -> None:
    """Check a Python file: syntax, unknown names, and what a program of a cell must not do."""
    tree = _parsed(source, found)
    if tree is None:
        return
    try:
        found.stops = program_lines(source.text, source.file)
    except (ProgramError, RecursionError):
        return
    if _plain_names(tree):
        found.add(_unknown_names(source, tree))
    found.add(_outside_calls(source, tree))
    if cell is not None:
        found.add(_programs(source, tree, cell))


def _parsed(source: SourceText, found: Diagnosis) -> ast.Module | None:
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SyntaxWarning)
            warnings.simplefilter("always", DeprecationWarning)
            tree = ast.parse(source.text, source.file)
            compile(tree, source.file, "exec", dont_inherit=True)
    except SyntaxError as error:
        found.add([_syntax(source, error)])
        return None
    except (ValueError, RecursionError, MemoryError) as error:
        found.add([placed(source, 1, None, str(error) or "this is nested too deeply")])
        return None
    found.add(placed(source, each.lineno, None, str(each.message), None, "warning") for each in caught)
    return tree


def _syntax(source: SourceText, error: SyntaxError) -> TextFinding:
    line, column = error.lineno or 1, error.offset or None
    end_line, end_column = error.end_lineno or 0, error.end_offset or 0
    if column is not None and (end_line, end_column) > (line, column):
        return TextFinding(line, column, end_line, end_column, error.msg)
    return placed(source, line, column, error.msg)


def _at(
    source: SourceText, node: ast.expr | ast.stmt | ast.arg, text: str, hint: str | None, severity: Severity
) -> TextFinding:
    """A finding at a node of the syntax tree, whose columns count bytes."""
    line, end = node.lineno, node.end_lineno or node.lineno
    first = _characters(source.line(line), node.col_offset)
    last = _characters(source.line(end), node.end_col_offset or 0)
    return TextFinding(line, first, end, max(last, first + 1) if end == line else last, text, hint, severity)


def _characters(line: str, offset: int) -> int:
    return len(line.encode()[:offset].decode(errors="ignore")) + 1


# -------------------------------------------------------------------- names


def _plain_names(tree: ast.Module) -> bool:
    """Whether all names of the file are visible in it: not with ``from x import *`` or ``exec``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names):
            return False
        if isinstance(node, ast.Name) and node.id in ("exec", "eval", "globals"):
            return False
    return True


def _unknown_names(source: SourceText, tree: ast.Module) -> Iterator[TextFinding]:
    top = symtable.symtable(source.text, source.file, "exec")
    known = {each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_imported()}
    known |= {
        each.get_name()
        for table in _tables(top)
        for each in table.get_symbols()
        if each.is_declared_global() and each.is_assigned()
    }
    known |= _OWN | set(dir(builtins))
    wanted: dict[str, int] = {}
    for table in _tables(top):
        for each in table.get_symbols():
            free = each.is_global() or (table is top and not each.is_assigned() and not each.is_imported())
            if each.is_referenced() and free and each.get_name() not in known:
                wanted.setdefault(each.get_name(), table.get_lineno() if table is not top else 1)
    names = sorted(
        (node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in wanted),
        key=lambda node: (node.lineno, node.col_offset),
    )
    for node in names:
        if node.lineno >= wanted.get(node.id, len(source.text)):
            del wanted[node.id]  # report each name once
            hint = did_you_mean(node.id, known - _OWN)
            yield _at(
                source,
                node,
                f"name {node.id!r} is not defined in this file",
                hint if hint.startswith("did you mean") else "define or import it",
                "error",
            )


def _tables(top: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    waiting = [top]
    while waiting:
        table = waiting.pop()
        yield table
        waiting += table.get_children()


# -------------------------------------------------------------------- what programs must not do


def _outside_calls(source: SourceText, tree: ast.Module) -> Iterator[TextFinding]:
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            name = f"{called.value.id}.{called.attr}"
        elif isinstance(called, ast.Name):
            name = imported.get(called.id, "")
        else:
            continue
        if name in _WALL:
            why, hint = _WALL[name]
            yield _at(source, called, f"{name}() {why}", hint, "warning")


def _programs(source: SourceText, tree: ast.Module, cell: "Cell") -> Iterator[TextFinding]:
    """Check the functions that are programs of the cell: no generators, and parameters that name its things."""
    programs = {
        code.co_name: program
        for program in cell.programs.values()
        if (code := getattr(program.function, "__code__", None)) is not None and code.co_filename == source.file
    }
    for node in tree.body:
        program = programs.get(node.name) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
        if program is None or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.AsyncFunctionDef) or _yields(node):
            yield placed(
                source,
                node.lineno,
                None,
                f"{node.name}() is a generator or coroutine: it cannot be a program",
                "use delay(1) and wait(signal), without yield or await",
            )
            continue
        yield from _parameters(source, node, program, cell)


def _parameters(
    source: SourceText, node: ast.FunctionDef, program: "LiveProgram", cell: "Cell"
) -> Iterator[TextFinding]:
    on = cell.controllers[program.controller] if program.controller is not None else None
    offered = {**(cell.offered() if on is None else on.offered()), **program.given}
    given = [*node.args.posonlyargs, *node.args.args]
    for each in given[: len(given) - len(node.args.defaults)]:
        if each.arg not in offered:
            error: DrycellError | None = None if on is None else on.missing(node.name, each.arg)
            what = f"there is no {each.arg!r} in the cell" if error is None else error.what
            yield _at(source, each, what, did_you_mean(each.arg, offered) if error is None else error.hint, "error")


def _yields(node: ast.AST) -> bool:
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        each = waiting.pop()
        if isinstance(each, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(each)
    return False


_CHECKS: "Final[dict[str, Callable[[SourceText, Diagnosis, Cell | None], None]]]" = {
    ".py": diagnose_python,
    ".pas": _pascal,
    ".arl": _arla,
    ".eml": _emula,
}
