"""Python texts looked at: syntax, names that nothing has, and what a program of a cell must not do."""

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, ProgramError, did_you_mean
from drycell.kernel import program_lines
from drycell.languages.kit import SourceText
from drycell.studio.api.debugging import Severity, TextFinding
from drycell.studio.host.diagnosis.finding import Diagnosis, placed

if TYPE_CHECKING:
    from drycell.cell import Cell, LiveProgram

_OWN: Final = frozenset({"__file__", "__name__", "__doc__", "__spec__", "__package__", "__builtins__"})
_WALL: Final = {
    "time.sleep": ("stops the whole cell, and lets no cell time pass", "write delay(0.5), from drycell import delay"),
    "time.time": ("is the clock on the wall: no replay would be the same", "write now(), from drycell import now"),
    "time.monotonic": ("is the clock on the wall: no replay would be the same", "write now(), from drycell import now"),
    "time.perf_counter": ("is the clock on the wall: no replay would be the same", "write now(), for cell time"),
    "datetime.now": ("is the clock on the wall: no replay would be the same", "write now(), for cell time"),
    "random.random": ("does not follow the run's seed", "write interval('name', 0, 1), from drycell import interval"),
    "random.uniform": ("does not follow the run's seed", "write interval('name', low, high)"),
    "random.choice": ("does not follow the run's seed", "write choose('name', options), from drycell import choose"),
    "random.randint": ("does not follow the run's seed", "write choose('name', range(low, high + 1))"),
}
"""Calls that make a run depend on something outside the cell."""


def diagnose_python(source: SourceText, found: Diagnosis, cell: "Cell | None") -> None:
    """Everything that can be told of a Python file without running it."""
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
        with warnings.catch_warnings(record=True) as told:
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
    found.add(placed(source, each.lineno, None, str(each.message), None, "warning") for each in told)
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
    """A finding at a node; Python counts columns of its nodes in bytes."""
    line, end = node.lineno, node.end_lineno or node.lineno
    first = _characters(source.line(line), node.col_offset)
    last = _characters(source.line(end), node.end_col_offset or 0)
    return TextFinding(line, first, end, max(last, first + 1) if end == line else last, text, hint, severity)


def _characters(line: str, offset: int) -> int:
    return len(line.encode()[:offset].decode(errors="ignore")) + 1


# -------------------------------------------------------------------- names


def _plain_names(tree: ast.Module) -> bool:
    """Whether all names of the file stand in it: not after ``from x import *`` or ``exec``."""
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
            del wanted[node.id]  # once is enough
            hint = did_you_mean(node.id, known - _OWN)
            yield _at(
                source,
                node,
                f"there is no name {node.id!r} in this file",
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
    """The functions of the file that are programs of the cell: no generators, and their parameters name its things."""
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
                f"{node.name}() is a generator or coroutine, and cannot be a program",
                "write delay(1) and wait(signal), without yield or await",
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
            told: DrycellError | None = None if on is None else on.missing(node.name, each.arg)
            what = f"there is no {each.arg!r} in the cell" if told is None else told.what
            yield _at(source, each, what, did_you_mean(each.arg, offered) if told is None else told.hint, "error")


def _yields(node: ast.AST) -> bool:
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        each = waiting.pop()
        if isinstance(each, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(each)
    return False
