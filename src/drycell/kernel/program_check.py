"""Mistakes in programs that Python accepts: conditions joined with ``and``, real time, unseeded random numbers."""

import ast
import inspect
import os
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Final

from drycell.base import ProgramError

_WAITS: Final = frozenset(("wait", "wait_any"))
_REAL_TIME: Final = frozenset(
    (
        *(
            f"time.{clock}{unit}"
            for clock in ("time", "monotonic", "perf_counter", "process_time")
            for unit in ("", "_ns")
        ),
        *(f"datetime.datetime.{method}" for method in ("now", "today", "utcnow")),
        "datetime.date.today",
    )
)
_RANDOM: Final = ("random.", "numpy.random.", "secrets.", "os.urandom", "os.getrandom", "uuid.uuid1", "uuid.uuid4")
_SEEDED: Final = frozenset(
    ("random.Random", "numpy.random.default_rng", "numpy.random.Generator", "numpy.random.RandomState")
)


def check_program(tree: ast.AST, file: str, imported: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return remarks on the calls of a program that do not do what they seem to, each with its file and line.

    ``imported`` are names that are imported elsewhere in the file, with their full names.

    Raises:
        ProgramError: A wait joins its conditions with ``and``, ``or`` or a chain of comparisons, so that Python passes
            on only one of them.
    """
    names = {**(imported or {}), **_imports(tree)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = []
    for call in sorted(calls, key=lambda each: each.lineno):
        for condition in _conditions(call):
            _check_condition(condition, file)
            if isinstance(condition, ast.Name) and (assigned := _assigned(tree, call, condition.id)):
                _check_condition(assigned, file)
            for part in ast.walk(condition):
                for returned in _returned(tree, part):
                    _check_condition(returned, file)
        if remark := _remark(call, names):
            found.append(f"{os.path.basename(file)}:{call.lineno}: {remark}")
    return tuple(found)


def _imports(tree: ast.AST) -> dict[str, str]:
    """The names that are imported anywhere in a tree, with the full names of what they are."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.asname or each.name.split(".")[0]: _bound(each) for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return names


def _bound(name: ast.alias) -> str:
    """What ``import numpy.random`` binds is ``numpy``, and with ``as r`` it is ``numpy.random``."""
    return name.name if name.asname else name.name.split(".")[0]


def check_function(function: Callable[..., object]) -> tuple[str, ...]:
    """Return the remarks on a program: those on its file, or those on the function and on the functions of the same
    file that it calls by their names, as far as their source is known."""
    file = getattr(function, "__globals__", {}).get("__drycell_program__")
    if file is not None:
        return tuple(dict.fromkeys(remark for each in (file, *file.parts) for remark in each.remarks))
    return tuple(dict.fromkeys(remark for code in _reached(function) for remark in _check_code(code)))


def _reached(function: Callable[..., object]) -> Iterator[CodeType]:
    """The code of a function, and of the functions of the same file that can be reached from it by name."""
    known: set[CodeType] = set()
    left: list[object] = [inspect.unwrap(function)]
    file = ""
    while left:
        each = left.pop()
        each = getattr(each, "__func__", each)  # of a method
        if not isinstance(each, FunctionType) or each.__code__ in known:
            continue
        if file and each.__code__.co_filename != file:
            continue
        file = each.__code__.co_filename
        known.add(each.__code__)
        yield each.__code__
        cells = zip(each.__code__.co_freevars, each.__closure__ or (), strict=True)
        near = {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}
        left += [near.get(name, each.__globals__.get(name)) for name in (*near, *each.__code__.co_names)]


def _is_filled(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # raises if the variable has no value yet
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1024)  # a search builds a cell thousands of times
def _check_code(code: CodeType) -> tuple[str, ...]:
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
        imported = _imports(ast.parse("".join(inspect.findsource(code)[0])))
    except (OSError, TypeError, SyntaxError):  # typed at a prompt, or a lambda in the middle of a statement
        return ()
    ast.increment_lineno(tree, first - 1)
    return check_program(tree, code.co_filename, imported)


def _conditions(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that are conditions: those of ``wait`` and ``wait_any``, and every ``until=``."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in _WAITS:
        yield from call.args
    yield from (each.value for each in call.keywords if each.arg == "until")


def _assigned(tree: ast.AST, call: ast.Call, name: str) -> ast.expr | None:
    """What the function that contains a call assigns to a variable last before it; None if that is not known."""
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda | ast.Module)]
    inner = next(scope for scope in reversed(scopes) if call in set(_own(scope)))
    found: dict[tuple[int, int], ast.expr | None] = {}
    for node in _own(inner):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            targets = [node.target]
        else:
            continue
        place = node.lineno, node.col_offset
        names = [each.id for each in targets if isinstance(each, ast.Name)]
        if name in names and place < (call.lineno, call.col_offset):
            found[place] = node.value
    return found[max(found)] if found else None


def _returned(tree: ast.AST, condition: ast.AST) -> Iterator[ast.expr]:
    """What a function of the same file returns, if the condition is a call of it: ``wait(both())``."""
    if isinstance(condition, ast.Call) and isinstance(condition.func, ast.Name):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == condition.func.id:
                yield from (each.value for each in _own(node) if isinstance(each, ast.Return) and each.value)


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of the functions in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _own(child)


def _check_condition(node: ast.expr, file: str) -> None:
    if isinstance(node, ast.NamedExpr):
        _check_condition(node.value, file)
    elif isinstance(node, ast.BinOp):  # conditions joined with & and |
        _check_condition(node.left, file)
        _check_condition(node.right, file)
    elif isinstance(node, ast.BoolOp):
        word, sign = ("and", "&") if isinstance(node.op, ast.And) else ("or", "|")
        joined = f" {sign} ".join(f"({ast.unparse(each)})" for each in node.values)
        what = f"'{ast.unparse(node)}' waits for only one of these conditions: Python's {word!r} passes on a single one"
        raise ProgramError(what, where=f"{file}, line {node.lineno}", hint=f"write {joined}")
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        parts = [node.left, *node.comparators]
        pairs = [
            f"({ast.unparse(ast.Compare(left, [op], [right]))})"
            for left, op, right in zip(parts, node.ops, parts[1:], strict=False)
        ]
        what = f"'{ast.unparse(node)}' waits for only one of these comparisons: Python passes on a single one"
        raise ProgramError(what, where=f"{file}, line {node.lineno}", hint=f"write {' & '.join(pairs)}")


def _remark(call: ast.Call, names: dict[str, str]) -> str:
    name = _dotted(call.func, names)
    if name in ("time.sleep", "asyncio.sleep"):
        return f"{name}() stops the computer, not the cell: no cell time passes; use delay()"
    if name in _REAL_TIME:
        return f"{name}() is real time, which differs from run to run; use now() for cell time"
    if name.startswith(_RANDOM) and (name not in _SEEDED or not (call.args or call.keywords)):
        return f"{name}() ignores the seed of the run, so the run cannot be repeated; use interval() or choose()"
    return ""


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """The full name of a function that was imported; empty for anything else."""
    rest: list[str] = []
    while isinstance(node, ast.Attribute):
        rest.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return ""
    return ".".join((names[node.id], *reversed(rest)))
