"""What a program may still do, derived from its source, its current position and the values of its variables.

The analysis follows the statements that the program can still reach. It knows the values that each signal may still
take, so it does not go past a ``wait`` whose condition cannot come true, nor into a branch whose test cannot hold. It
errs on one side only: where it does not understand a statement, the program may do anything that it can reach, and if
it could reach anything at all, nothing is known (:attr:`Prospects.unclear`).
"""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import lru_cache, partial
from inspect import isclass, ismethod, ismodule, unwrap
from itertools import pairwise
from types import CodeType, FrameType, FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, runtime_checkable

from drycell.kernel import verbs
from drycell.kernel.assignments import Assignments, assignments
from drycell.kernel.condition import Condition
from drycell.kernel.event import Timer
from drycell.kernel.inspection import is_users
from drycell.kernel.mailbox import EventFlags, Mailbox
from drycell.kernel.process import Process
from drycell.kernel.signal import Signal
from drycell.kernel.ticker import Ticker, TickerGroup

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal, Possible
    from drycell.kernel.kernel import Kernel
    from drycell.kernel.signal import Value

_ANY: Final = object()
"""Anything the program can reach."""
_PLAIN: Final = object()
"""A value that cannot change anything: a number, a string, a condition."""
_MOST_VALUES: Final = 8
_MOST_REACHED: Final = 20_000
_MOST_TURNS: Final = 64
_READS: Final = frozenset({
    "value", "truth", "name", "unit", "initial", "history", "is_on", "is_off", "has_subscribers", "value_type", "peek",
    "rises", "falls", "changes", "exceeds", "as_condition",
})  # fmt: skip
_VERBS: Final = (verbs.delay, verbs.wait, verbs.wait_any, verbs.now, verbs.interval, verbs.current_process)
_LOOKS_AROUND: Final = frozenset({
    "eval", "exec", "globals", "locals", "vars", "getattr", "setattr", "delattr", "compile", "__import__", "breakpoint",
})  # fmt: skip
_OF_CONTAINERS: Final = frozenset({
    "append", "appendleft", "extend", "pop", "popleft", "remove", "index", "count", "sort", "reverse", "items", "keys",
    "values", "setdefault", "update", "add", "discard", "join", "split", "strip", "format", "startswith", "endswith",
    "upper", "lower", "replace", "copy", "insert",
})  # fmt: skip
_ASKED: Final = frozenset({"__init__", "__new__", "__post_init__", "__repr__", "__enter__", "__exit__"})
"""Methods that run only where the analysis looks for them: at a call of the class, or a ``with``."""
_COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt,
    ast.LtE: operator.le,
}  # fmt: skip
_HUBS: Final = ("Kernel", "Cell", "World")
"""Classes of drycell through which everything can be reached."""
_BULK: Final = frozenset({"world", "geometry", "base", "record", "recording"})
"""Packages of drycell with many objects, none of which holds a signal of the user."""


@runtime_checkable
class Commanding(Protocol):
    """A program whose source is not Python, and which lists instead what it commands."""

    @property
    def commands(self) -> Sequence[object]:
        """Everything that it can act on."""


@runtime_checkable
class Commanded(Protocol):
    """Something of the cell that programs command, and that holds signals which they only read."""

    def sets(self) -> Iterable[object]:
        """Return the signals that a program can set through it, and the things that it moves."""


class Prospects:
    """The values that signals may still take, and the programs that may be cancelled."""

    def __init__(self, dormant: Collection[AnySignal]) -> None:
        self.values: dict[AnySignal, frozenset[Value] | None] = {}
        """The possible values of each signal that may still be written; None for any value. Other signals do not
        change."""
        self.lasting: dict[AnySignal, frozenset[Value] | None] = {}
        """Those of ``values`` that a test can see: not the values that their writer replaces in the same step, which
        only a program that already waits can see."""
        self.written: set[AnySignal] = set()
        self.named: set[AnySignal] = set()
        """Those of ``written`` that a statement names, and not only something that the program can reach."""
        self.asked: set[AnySignal] = set()
        """The signals in the conditions and tests that programs can reach."""
        self.cancelled: set[Process] = set()
        self.unclear: list[str] = []
        """What may do anything at all, as far as is known: in most cases programs."""
        self.guesses: list[str] | None = []
        """The programs of which only the things that they can reach are known, not what they do with them. None if
        what they may do to these things is not to be counted."""
        self.moving = False
        """Whether things may still move, which can wake sleeping sensors."""
        self._dormant = dormant

    def give_up(self, what: str) -> None:
        """Something may do anything at all."""
        if what not in self.unclear:
            self.unclear.append(what)

    def size(self) -> int:
        """Return a number that grows whenever something is added."""
        every = (*self.values.values(), *self.lasting.values())
        sizes = (_MOST_VALUES + 1 if values is None else len(values) for values in every)
        return sum(sizes) + len(self.cancelled) + len(self.unclear) + self.moving

    def suppose(self, signals: Iterable[AnySignal]) -> None:
        """Let signals take any value."""
        self.values.update(dict.fromkeys(signals))
        self.lasting.update(self.values)

    def copied(self) -> Prospects:
        """Return new prospects with the same values of signals."""
        copy = Prospects(())
        copy.guesses = None if self.guesses is None else []
        copy.values.update(self.values)
        copy.lasting.update(self.lasting)
        return copy

    def write(self, signal: AnySignal, value: object = _ANY, *, lasts: bool = True) -> None:
        """Note that a signal may be set to a value. Filters and devices that respond to it may pass the change on.

        Args:
            signal: The signal.
            value: The value.
            lasts: Whether the value outlasts the step that sets it, so that tests can see it.
        """
        self.written.add(signal)
        if lasts or signal.filter is not None:
            _add(self.lasting, signal, value)
        if not _add(self.values, signal, value):
            return
        if signal.followed_by_user:
            self.give_up(f"a function that follows {signal.name}")
        for other in signal.filter.reach() if signal.filter is not None else ():
            self.write(other)
        answers = list(signal.answered_by())
        for answer in answers:
            self.write(answer)
        if answers:
            self.move()

    def move(self) -> None:
        """Note that things may move."""
        if not self.moving:
            self.moving = True
            for signal in self._dormant:
                self.write(signal)

    def act(self, kernel: Kernel) -> None:
        """Note that a robot or a device may act: everything except plain signals of the user may change."""
        self.move()
        for signal in {id(each): each for each in kernel.signals.values()}.values():
            if type(signal) is not Signal or "." in signal.name:
                self.write(signal)


def _add(values: dict[AnySignal, frozenset[Value] | None], signal: AnySignal, value: object) -> bool:
    """Add a value to the possible ones of a signal; return whether it is new."""
    before = values.get(signal, frozenset((signal.peek(),)))
    if before is None:
        return False
    after: frozenset[Value] | None = None
    if signal.filter is None and isinstance(value, (bool, int, float, str)):
        after = before | {value}
        if len(after) > _MOST_VALUES:
            after = None
    if after == before:
        return False
    values[signal] = after
    return True


@lru_cache(maxsize=256)
def _functions(source: str) -> tuple[Mapping[tuple[str, int], ast.AST], frozenset[str]]:
    """Return the functions of a source text by name and first line, and the names that functions assign outside
    themselves."""
    found: dict[tuple[str, int], ast.AST] = {}
    twice: set[tuple[str, int]] = set()
    outer: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            if isinstance(node, ast.FunctionDef):
                key = (node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)]))
            else:
                key = ("<lambda>", node.lineno)
            if key in found:
                twice.add(key)
            found[key] = node
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
    return {key: node for key, node in found.items() if key not in twice}, frozenset(outer)


@lru_cache(maxsize=1024)
def _stored(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the names that a function binds, with the functions in it, except its own parameters."""
    stored = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    for inner in ast.walk(node):
        if isinstance(inner, (ast.FunctionDef, ast.Lambda)) and inner is not node:
            stored.update(_parameters(inner))
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)) and inner is not node:
            stored.add(inner.name)
        if isinstance(inner, (ast.Import, ast.ImportFrom)):
            stored.update((each.asname or each.name).partition(".")[0] for each in inner.names)
        if isinstance(inner, ast.ExceptHandler) and inner.name:
            stored.add(inner.name)
        if isinstance(inner, (ast.MatchAs, ast.MatchStar)) and inner.name:
            stored.add(inner.name)
    return frozenset(stored)


class _Unreadable(Exception):
    """Raised for a function without Python source."""


class _Scope:
    """A function: its syntax tree, and the values of its names."""

    def __init__(
        self, code: CodeType, space: Mapping[str, object], known: Mapping[str, object], *, fixed: bool
    ) -> None:
        source = getattr(space.get("__drycell_program__"), "source", None) or "".join(
            linecache.getlines(code.co_filename, dict(space))
        )
        try:
            functions, outer = _functions(source)
        except (SyntaxError, ValueError):
            raise _Unreadable from None
        node = functions.get((code.co_name, code.co_firstlineno))
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            raise _Unreadable
        self.node = node
        self.body: list[ast.stmt] = (
            node.body if isinstance(node, ast.FunctionDef) else [ast.copy_location(ast.Return(node.body), node)]
        )
        self.code = code
        self.outer = outer
        self.stored = _stored(node)
        self.held: Mapping[str, object] = {}
        """Variables that keep their values as long as the program is in the loop where it is."""
        self.own = set(_parameters(node))
        self.known = known
        self.space = space
        self.loose = () if fixed else code.co_freevars  # variables of a function that still runs

    def named(self, name: str) -> object:
        """Return what a name stands for, as far as that is certain."""
        if name in self.held:
            return self.held[name]
        if name in self.stored or name in self.loose:
            return _ANY
        if name in self.own:
            return self.known.get(name, _ANY)
        if name in self.outer:
            return _ANY
        if name in self.known:
            return self.known[name]
        return self.space[name] if name in self.space else getattr(builtins, name, _ANY)

    def hold(self, frame: FrameType, loop: ast.stmt | None) -> None:
        """Use the values that variables have in a frame, for those that are not assigned in the loop where it is."""
        self.held = {}
        if not isinstance(loop, (ast.While, ast.For)):
            return
        assigned = {
            each.id for each in ast.walk(loop) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
        }
        if isinstance(loop, ast.For):
            assigned.difference_update(self.counted(loop))  # it keeps its value until the next turn
        shared = {*frame.f_code.co_cellvars, *frame.f_code.co_freevars, *self.outer}
        # A variable that is also a parameter of a function in the loop, or is bound by it in another way, is not known.
        bound = {each for inner in ast.walk(loop) if isinstance(inner, _BINDS) for each in self.stored}
        unsure = assigned | shared | bound
        self.held = {
            name: value for name, value in frame.f_locals.items() if name in self.stored and name not in unsure
        }

    def counted(self, loop: ast.For) -> tuple[str, ...]:
        """Return the variables that only the head of a loop assigns; none if the body may reach them otherwise."""
        target = loop.target
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        names = tuple(each.id for each in parts if isinstance(each, ast.Name))
        inside = [each for statement in loop.body for each in ast.walk(statement)]
        assigned = {each.id for each in inside if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
        elsewhere = {*assigned, *self.code.co_cellvars, *self.code.co_freevars, *self.outer}
        sure = len(names) == len(parts) == len(set(names)) and elsewhere.isdisjoint(names)
        return names if sure and not any(isinstance(each, _BINDS) for each in inside) else ()

    def roots(self) -> Iterator[object]:
        """Yield everything that the function can reach by its names."""
        yield from self.known.values()
        yield from _of_module(self.code, self.space)


_BINDS: Final = (
    ast.FunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
    ast.comprehension,
)
"""What binds names otherwise than by an assignment."""


def _parameters(node: ast.FunctionDef | ast.Lambda) -> list[str]:
    given = node.args
    every = [
        *given.posonlyargs,
        *given.args,
        *given.kwonlyargs,
        *(each for each in (given.vararg, given.kwarg) if each),
    ]
    return [each.arg for each in every]


def foresee(process: Process, prospects: Prospects) -> None:
    """Add everything that a program that can continue may still do."""
    if process.writes is not None:
        for signal in process.writes:
            prospects.write(signal)
        if process.writes:
            prospects.move()
        ends = True
    else:
        ends = _Future(process, prospects).look()
    if ends and process.done_signal is not None:
        prospects.write(process.done_signal, True)
        prospects.named.add(process.done_signal)


class Polling(NamedTuple):
    """What a program that only reads and lets time pass can do."""

    asked: frozenset[AnySignal]
    """The signals that it asks for."""
    leaves: tuple[bool, ...]
    """For each loop that it is in, the innermost first: whether it may leave it."""


def polling(process: Process, prospects: Prospects) -> Polling | None:
    """Return what a program asks for if it can do nothing else any more; None if it may do something, or end."""
    if process.writes is not None:
        return None
    ahead = prospects.copied()
    future = _Future(process, ahead)
    if future.look() or ahead.written or ahead.cancelled or ahead.unclear or ahead.moving:
        return None
    return Polling(frozenset(ahead.asked), tuple(future.leaves))


def could_leave(process: Process, now: Polling, prospects: Prospects) -> bool:
    """Return whether a program that polls would leave a loop, which it cannot leave now, with other prospects."""
    ahead = prospects.copied()
    future = _Future(process, ahead)
    future.look()
    return any(then and not before for before, then in zip(now.leaves, future.leaves, strict=False))


def set_in_cell(kernel: Kernel) -> set[AnySignal]:
    """Return the signals that something in the cell certainly writes: a statement of a program that names the signal,
    at whichever line the program is, a device or a sensor, or anything that has written it in this run. Other signals
    are set from outside, such as an emergency stop."""
    from drycell.kernel.outside import OUTSIDE

    written: set[AnySignal] = set()
    for process in kernel.processes:
        prospects = Prospects(())
        prospects.suppose(kernel.signals.values())
        _Future(process, prospects).look_at_all()
        written |= prospects.named
    for signal in kernel.signals.values():
        written.update(signal.answered_by())
        if signal.filter is not None:
            written.update((signal, *signal.filter.reach()))
        if (
            type(signal) is not Signal
            or "." in signal.name
            or any(writer not in ("", OUTSIDE) for _, _, writer in signal.history)
        ):
            written.add(signal)
    for entry in kernel.queue:
        source = entry[3]
        for each in source.tickers if isinstance(source, TickerGroup) else (source,):
            if isinstance(each, (Timer, Ticker)):
                written.update(each.writes or ())
    return written


def comes_from_outside(kernel: Kernel, signals: Iterable[AnySignal]) -> bool:
    """Return whether nothing in the cell ever writes some signals."""
    written = set_in_cell(kernel)
    return not any(signal in written for signal in signals)


class _Future:
    """The analysis of one program."""

    def __init__(self, process: Process, prospects: Prospects) -> None:
        self._process = process
        self._prospects = prospects
        self._roots: list[object] = []
        self._everything = False  # it may write anything it can reach
        self._blocked = False  # the last analysed expression never returns
        self._returned = False
        self.leaves: list[bool] = []
        """For each loop that the program is in, the innermost first: whether it may leave it."""
        self._loops: list[list[bool]] = []  # (may be left by break, may be repeated by continue)
        self._calls: dict[tuple[object, ...], bool] = {}
        self._items_seen: list[list[Any]] = []  # kept, because the id() of an argument identifies a call
        self._passing = False  # the signal set by the present statement is set again in the same step
        living = process.kernel.processes.living()
        self._running = {frame.f_code.co_qualname for each in living for frame in each.frames()}

    def look(self) -> bool:
        """Add everything that the program may do; return whether it may end."""
        try:
            ends = self._look()
        except (_Unreadable, RecursionError):
            self._prospects.give_up(f"program '{self._process.name}'")
            return True
        self._finish()
        return ends

    def look_at_all(self) -> None:
        """Add everything that the program may do from its beginning."""
        given: object = self._process.function
        function = unwrap(self._process.function)
        try:
            if isinstance(given, Commanding):
                self._look()
                self._prospects.named |= self._prospects.written
            elif not isinstance(function, FunctionType) or not is_users(function.__code__.co_filename):
                raise _Unreadable
            else:
                self._call(function, self._process.arguments, {})
        except (_Unreadable, RecursionError):
            self._prospects.give_up(f"program '{self._process.name}'")
        self._finish()

    def _finish(self) -> None:
        if self._everything or any(map(_runs_unseen, self._own())):
            guesses = self._prospects.guesses
            if guesses is None:
                return
            name = f"program '{self._process.name}'"
            if name not in guesses:
                guesses.append(name)
            for thing in self._reached(self._roots):
                self._escape(thing)
            self._prospects.act(self._process.kernel)

    def _look(self) -> bool:
        process = self._process
        given: object = process.function
        if isinstance(given, Commanding):
            for each in given.commands:
                self._escape(each)
                if not _is_drycells(each):
                    self._roots.append(each)
                    self._everything = True
            return True
        if process.locator is not None or process.inspector is not None:
            raise _Unreadable  # another language
        function = unwrap(process.function)
        frames = process.frames()
        users = [frame for frame in frames if is_users(frame.f_code.co_filename)]
        if not isinstance(function, FunctionType) or not is_users(function.__code__.co_filename):
            if function is verbs.delay:
                return True
            raise _Unreadable
        if not frames:
            return self._call(function, list(process.arguments), {})
        inner: FrameType | None = None
        for frame in users:
            if not self._resumed(frame, inner, first=frame is frames[0]):
                return False
            inner = frame
        return True

    # -- a function that is under way

    def _resumed(self, frame: FrameType, inner: FrameType | None, *, first: bool) -> bool:
        """Analyse the rest of a running function; return whether it may return."""
        scope = self._enter(frame.f_code, frame.f_globals, frame.f_locals)
        place = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        if place[0] is None or place[2] is None:
            raise _Unreadable
        start, end = (place[0], place[2]), (place[1] or place[0], place[3] or place[2])
        path = _path(scope.body, start, end)
        if not path:
            raise _Unreadable
        self._returned = False
        block, index = path.pop()
        now = block[index]
        owners = [(block[at], body) for (block, at), (body, _) in pairwise([*path, (block, index)])]
        around = [each for each, body in owners if isinstance(each, (ast.While, ast.For)) and body is each.body]
        if isinstance(now, (ast.While, ast.For)) and (now.lineno, now.col_offset) == start and _end(now) == end:
            path.append((block, index))  # in the guard of the loop, which comes before its body
            falls, block, index = True, now.body, -1
            around.append(now)
            scope.hold(frame, now)
        else:
            scope.hold(frame, now if isinstance(now, ast.While) or not around else around[-1])
            falls = self._passes(now, scope, inner)
            if isinstance(now, (ast.While, ast.For)):
                self.leaves.append(falls or self._returned)
                scope.hold(frame, around[-1] if around else None)
        while True:
            owner = path[-1][0][path[-1][1]] if path else None
            loops = isinstance(owner, (ast.While, ast.For)) and block is owner.body
            if loops:
                self._loops.append([False, False])
            falls = falls and self._block(block[index + 1 :], scope, _next_turn(owner, block))
            if owner is None:
                scope.held = {}
                return falls or self._returned
            if loops:
                left, again = self._loops.pop()
                if not falls and not again:
                    falls = left
                elif isinstance(owner, ast.For):
                    falls = self._turns(owner, scope, begun=True) or left
                else:
                    falls = self._statement(owner, scope) or left
                self.leaves.append(falls or self._returned)
                around.pop()
                scope.hold(frame, around[-1] if around else None)
            elif isinstance(owner, ast.Try):
                falls = falls and self._block(owner.orelse, scope)
                for handler in owner.handlers:
                    falls = self._block(handler.body, scope) or falls
                falls = self._block(owner.finalbody, scope) and falls
            elif isinstance(owner, ast.With):
                self._everything = True  # what happens at the end of the block
            block, index = path.pop()

    def _passes(self, now: ast.stmt, scope: _Scope, inner: FrameType | None) -> bool:
        """Analyse the rest of the statement that a function is executing."""
        call = now.value if isinstance(now, ast.Expr) else None
        if isinstance(call, ast.Call):
            called = self._quietly(call.func, scope)
            if inner is None and _one_of(called, _VERBS):
                return True
            if inner is not None and getattr(called, "__code__", None) is inner.f_code:
                return True
        return self._statement(now, scope)

    # -- statements: each returns whether the next one may be reached

    def _block(self, statements: Sequence[ast.stmt], scope: _Scope, then: Sequence[ast.stmt] = ()) -> bool:
        """Analyse statements, which are followed by others."""
        for index, each in enumerate(statements):
            self._passing = self._is_replaced(each, [*statements[index + 1 :], *then], scope)
            falls = self._statement(each, scope)
            self._passing = False
            if not falls:
                return False
        return True

    def _is_replaced(self, node: ast.stmt, then: Iterable[ast.stmt], scope: _Scope) -> bool:
        """Return whether a statement sets a signal that the program sets again before anyone else can test it."""
        first = self._set_by(node, scope)
        if first is None:
            return False
        signal, value = first
        values: dict[AnySignal, frozenset[Value]] = {signal: frozenset((value,))}
        for each in then:
            other = self._set_by(each, scope)
            if other is not None and other[0] is signal:
                return True
            if other is not None:
                values[other[0]] = frozenset((other[1],))
            elif not self._is_passed(each, values, scope):
                return False
        return False

    def _is_passed(self, node: ast.stmt, values: Mapping[AnySignal, frozenset[Value]], scope: _Scope) -> bool:
        """Return whether a statement waits only for what is certainly true, given the values of some signals."""
        asked = set(self._prospects.asked)
        match node:
            case ast.Expr(value=ast.Call(func=function, args=[what])) if self._quietly(function, scope) is verbs.wait:
                condition, wanted = self._condition(what, scope), (True, False)
            case ast.While(test=what, orelse=[]):
                condition, wanted = self._condition(what, scope), (False, True)
            case _:
                return False
        self._prospects.asked = asked
        if condition is None or condition.edges is not None or not values.keys() >= set(condition.signals):
            return False
        return condition.possible(values) == wanted

    def _set_by(self, node: ast.stmt, scope: _Scope) -> tuple[AnySignal, Value] | None:
        """Return the signal that a statement sets to a certain value, and the value, if it certainly does only that."""
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr="set"), args=[given], keywords=[])):
                signal, value = self._quietly(target, scope), self._quietly(given, scope)
                if type(signal) is not Signal or not isinstance(value, (bool, int, float, str)):
                    return None
                return (signal, value) if type(value) is signal.value_type else None
        return None

    def _turns(self, loop: ast.For, scope: _Scope, *, begun: bool = False) -> bool:
        """Analyse a loop, over its items one after the other if they are certain; return whether it may end. If it has
        ``begun``, it may be at any item."""
        held, names, items = scope.held, scope.counted(loop), self._items(loop.iter, scope)
        turns: list[dict[str, object]] | None = None
        if len(names) == 1 and items is not None:
            turns = [{names[0]: each} for each in items]
        elif names and items is not None and all(type(each) is tuple and len(each) == len(names) for each in items):
            turns = [dict(zip(names, each, strict=True)) for each in items]
        if turns is None:
            scope.held = {name: value for name, value in held.items() if name not in names}
            if not begun and not self._done(scope, loop.iter):
                return False
        reached, ended = True, False
        for turn in [{}] if turns is None else turns:
            scope.held = {**scope.held, **turn}
            self._loops.append([False, False])
            falls = self._block(loop.body, scope)
            left, again = self._loops.pop()
            ended = ended or left
            reached = falls or again or begun or turns is None
            if not reached:
                break
        scope.held = {name: value for name, value in held.items() if name not in names}
        return (reached and self._block(loop.orelse, scope)) or ended

    def _items(self, node: ast.expr, scope: _Scope) -> list[Any] | None:
        """Return the items that a loop iterates over, if they are certain."""
        found: list[Any] | None = None
        match node:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                found = [self._quietly(each, scope) for each in elements]
                if any(each is _ANY for each in found):
                    found = None
            case ast.Call(func=ast.Attribute(value=value, attr="values" | "items" as attr), args=[], keywords=[]):
                thing = self._quietly(value, scope)
                if type(thing) is dict and not self._assigned().contents:
                    found = list(thing.values() if attr == "values" else thing.items())
            case ast.Call(func=function, args=arguments, keywords=[]) if arguments:
                found = self._items_of_call(self._quietly(function, scope), arguments, scope)
            case ast.Subscript(value=value, slice=ast.Slice(lower=low, upper=high, step=None)):
                ends: list[Any] = [None if each is None else self._quietly(each, scope) for each in (low, high)]
                whole = self._items(value, scope)
                if whole is not None and all(each is None or type(each) is int for each in ends):
                    found = whole[slice(*ends)]
            case ast.Name() | ast.Attribute() | ast.Subscript():
                thing = self._quietly(node, scope)
                if type(thing) is tuple or (type(thing) in (list, dict) and not self._assigned().contents):
                    found = list(thing)  # type: ignore[call-overload]  # one of the three types
        if found is None or len(found) > _MOST_TURNS:
            return None
        self._items_seen.append(found)
        return found

    def _items_of_call(self, function: object, arguments: list[ast.expr], scope: _Scope) -> list[Any] | None:
        if function is range:
            numbers = [self._quietly(each, scope) for each in arguments]
            whole = [each for each in numbers if type(each) is int]
            valid = len(whole) == len(numbers) <= 3 and 0 not in whole[2:]
            return list(range(*whole)[: _MOST_TURNS + 1]) if valid else None
        items = [self._items(each, scope) for each in arguments]
        if len(items) == 1 and items[0] is not None:
            if function is reversed:
                return items[0][::-1]
            if function is enumerate:
                return list(enumerate(items[0]))
        return None

    def _statement(self, node: ast.stmt, scope: _Scope) -> bool:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                true, false = self._test(test, scope)
                first = true and self._block(body, scope)
                return (false and self._block(orelse, scope)) or first
            case ast.While(test=test, body=body, orelse=orelse):
                true, false = self._test(test, scope)
                self._loops.append([False, False])
                if true:
                    self._block(body, scope, _next_turn(node, body))
                left, _ = self._loops.pop()
                return (false and self._block(orelse, scope)) or left
            case ast.For():
                return self._turns(node, scope)
            case ast.With(items=items, body=body):
                if not self._done(scope, *(each.context_expr for each in items)):
                    return False
                self._everything = True  # what happens at the end of the block
                return self._block(body, scope)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                falls = self._block(body, scope) and self._block(orelse, scope)
                for handler in handlers:
                    falls = self._block(handler.body, scope) or falls
                return self._block(final, scope) and falls
            case ast.Match(subject=subject, cases=cases):
                self._done(scope, subject)
                for case in cases:
                    self._block(case.body, scope)
                return True
            case ast.Return(value=value):
                if value is None or self._kept(value, scope):
                    self._returned = True
                return False
            case ast.Raise():
                self._done(scope, *(each for each in (node.exc, node.cause) if each is not None))
                return False
            case ast.Break():
                if self._loops:
                    self._loops[-1][0] = True
                return False
            case ast.Continue():
                if self._loops:
                    self._loops[-1][1] = True
                return False
            case ast.Assign(value=value) | ast.AugAssign(value=value):
                return self._kept(value, scope)
            case ast.AnnAssign(value=value):
                return value is None or self._kept(value, scope)
            case ast.Expr(value=value):
                return self._done(scope, value)
            case ast.Assert(test=test):
                return self._done(scope, test)
            case ast.FunctionDef(body=body):
                self._aside(lambda: self._block(body, scope))
                return True
            case ast.Pass() | ast.Global() | ast.Nonlocal() | ast.Import() | ast.ImportFrom() | ast.Delete():
                return True
        raise _Unreadable

    def _aside(self, look: Callable[[], object]) -> None:
        """Analyse something that may run later or never, so it does not stop the program here."""
        loops, returned = self._loops, self._returned
        self._loops = []
        look()
        self._loops, self._returned, self._blocked = loops, returned, False

    def _done(self, scope: _Scope, *expressions: ast.expr) -> bool:
        """Analyse expressions; return whether the code after them can be reached."""
        self._blocked = False
        for each in expressions:
            self._value(each, scope)
        blocked, self._blocked = self._blocked, False
        return not blocked

    def _kept(self, node: ast.expr, scope: _Scope) -> bool:
        """Analyse an expression whose value is stored: others may later write its content."""
        self._blocked = False
        self._escape(self._value(node, scope))
        blocked, self._blocked = self._blocked, False
        return not blocked

    def _test(self, node: ast.expr, scope: _Scope) -> Possible:
        """Analyse a test; return whether it may be true, and whether it may be false."""
        if not self._done(scope, node):
            return False, False
        return self._truth(node, scope)

    def _truth(self, node: ast.expr, scope: _Scope) -> Possible:
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                true, false = self._truth(operand, scope)
                return false, true
            case ast.BoolOp(op=op, values=values):
                found = [self._truth(each, scope) for each in values]
                if isinstance(op, ast.And):
                    return all(true for true, _ in found), any(false for _, false in found)
                return any(true for true, _ in found), all(false for _, false in found)
            case ast.Call(args=[what, *_]) if self._quietly(node.func, scope) is verbs.wait:
                condition = self._condition(what, scope)
                if condition is None:
                    return True, _timed(node)
                true, false = condition.possible(self._prospects.values)
                return true, _timed(node) and false
        certain = self._quietly(node, scope)
        if certain is None or isinstance(certain, (bool, int, float, str)):
            return bool(certain), not certain
        condition = self._condition(node, scope)
        if condition is None or condition.edges is not None:
            return True, True
        return condition.possible(self._prospects.lasting)

    def _condition(self, node: ast.expr, scope: _Scope) -> Condition | None:
        """Return the condition over signals that an expression evaluates to; None for anything else."""
        match node:
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                inner = self._condition(operand, scope)
                return None if inner is None or inner.edges is not None else ~inner
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as op, right=right):
                one, other = self._condition(left, scope), self._condition(right, scope)
                if one is None or other is None:
                    return None
                if isinstance(op, ast.BitOr):
                    return one | other
                return None if one.edges is not None and other.edges is not None else one & other
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
                signal, value = self._signal(left, scope), self._quietly(right, scope)
                if signal is None or not isinstance(value, (bool, int, float, str)):
                    return None
                if isinstance(value, str) != (signal.value_type is str):
                    return None
                condition = _COMPARE[type(op)](signal, value)
                return condition if isinstance(condition, Condition) else None
            case ast.Attribute(value=value, attr="is_on" | "is_off" as attr):
                signal = self._signal(value, scope)
                return None if signal is None else signal.is_on if attr == "is_on" else signal.is_off
            case ast.Call(func=ast.Attribute(value=value, attr="rises" | "falls" | "changes" as attr), args=[]):
                signal = self._signal(value, scope)
                if signal is None or (signal.value_type is str and attr != "changes"):
                    return None
                edge = {"rises": signal.rises, "falls": signal.falls, "changes": signal.changes}[attr]
                return edge()
        signal = self._signal(node, scope)
        return None if signal is None else signal.is_on

    def _signal(self, node: ast.expr, scope: _Scope) -> AnySignal | None:
        if isinstance(node, ast.Attribute) and node.attr == "value":
            return self._signal(node.value, scope)
        found = self._quietly(node, scope)
        if not isinstance(found, Signal):
            return None
        self._prospects.asked.add(found)
        return found

    def _quietly(self, node: ast.expr, scope: _Scope) -> object:
        """Return the certain value of an expression, ignoring its effects."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return scope.named(name)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.Attribute(value=value, attr=attr):
                return self._kept_attribute(self._quietly(value, scope), attr)
            case ast.Subscript(value=value, slice=key):
                return self._kept_item(self._quietly(value, scope), self._quietly(key, scope))
        return _ANY

    # -- expressions: each returns what it certainly stands for

    def _value(self, node: ast.expr, scope: _Scope) -> object:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return scope.named(name)
            case ast.Call():
                return self._called(node, scope)
            case ast.Attribute(value=value, attr=attr):
                return self._attribute(self._value(value, scope), attr)
            case ast.BoolOp(values=[first, *others]):
                found = [self._value(first, scope), *self._maybe(others, scope)]
                return _PLAIN if all(map(_harmless, found)) else _ANY
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._value(test, scope)
                return _PLAIN if all(map(_harmless, self._maybe([body, orelse], scope))) else _ANY
            case ast.UnaryOp() | ast.BinOp() | ast.Compare() | ast.JoinedStr() | ast.FormattedValue():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._value(child, scope)
                quiet = self._quietly(node, scope)
                return _PLAIN if quiet is _ANY else quiet
            case ast.Lambda(body=body):
                self._aside(lambda: self._value(body, scope))
                return _ANY
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for child in ast.walk(node):
                    if isinstance(child, ast.comprehension):
                        self._maybe([child.iter, *child.ifs], scope)
                results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                self._maybe(results, scope)
                return _ANY
            case ast.Subscript(value=value, slice=key):
                return self._kept_item(self._value(value, scope), self._value(key, scope))
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.Starred() | ast.Slice():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        inside = self._value(child, scope)
                        if not isinstance(node, ast.Slice):
                            self._escape(inside)
                return _ANY
            case ast.NamedExpr(value=value):
                self._escape(self._value(value, scope))
                return _ANY
        raise _Unreadable

    def _maybe(self, nodes: Iterable[ast.expr], scope: _Scope) -> list[object]:
        """Analyse expressions that might not be evaluated."""
        blocked = self._blocked
        found = [self._value(each, scope) for each in nodes]
        self._blocked = blocked
        return found

    def _attribute(self, thing: object, attr: str) -> object:
        if thing is _ANY or thing is _PLAIN:
            return thing
        if isinstance(thing, Signal):
            if attr in _READS:
                return _PLAIN
            self._escape(thing)
            return _ANY
        found = self._kept_attribute(thing, attr)
        if found is not _ANY:
            return found
        if isinstance(thing, (Mailbox, EventFlags)):
            if attr not in ("filled", "has_room", "value", "name", "capacity"):
                self._escape(thing)
            return _PLAIN
        if isinstance(thing, Process):
            return _PLAIN if attr != "cancel" else self._escape(thing)
        if _is_hub(thing):
            return _PLAIN if attr in ("time", "name", "seed") else self._escape(thing)
        if _is_drycells(thing):
            self._act(thing)
        return _ANY

    def _kept_attribute(self, thing: object, attr: str) -> object:
        """Return an attribute if it certainly does not change: see ``_attribute``, or one of an object of the user that
        no code assigns."""
        found = _attribute(thing, attr)
        if found is not _ANY or thing is _ANY or thing is _PLAIN or isclass(thing) or not _is_simple(thing):
            return found
        kept = getattr(thing, "__dict__", {})
        covered = any(hasattr(vars(kind).get(attr), "__set__") for kind in type(thing).__mro__)
        if attr not in kept or covered:
            return _ANY
        still = self._assigned()
        return _ANY if attr in still.attributes else kept[attr]

    def _kept_item(self, thing: object, key: object) -> object:
        """Return an item of a tuple, list or dictionary if it certainly does not change."""
        if type(thing) not in (tuple, list, dict) or not isinstance(key, (bool, int, str)):
            return _ANY
        if type(thing) is not tuple and self._assigned().contents:
            return _ANY
        try:
            return thing[key]  # type: ignore[index]  # one of the three types above
        except (LookupError, TypeError):
            return _ANY

    def _assigned(self) -> Assignments:
        """Return what the code of the programs may still assign."""
        deadlock = self._process.kernel.deadlock
        if deadlock.assigned is None:
            deadlock.assigned = _assigned(self._process.kernel)
        return deadlock.assigned

    def _called(self, node: ast.Call, scope: _Scope) -> object:
        given = [*node.args, *(each.value for each in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            thing, attr = self._value(node.func.value, scope), node.func.attr
            found = self._kept_attribute(thing, attr)
            method = _method_of_user(thing, attr)
            if found is _ANY and method is None:
                return self._method(thing, attr, [self._value(each, scope) for each in given])
            function = found if method is None else method
            itself = [] if method is None else [thing]
        else:
            function, itself = self._value(node.func, scope), []
        arguments = [self._value(each, scope) for each in given]
        if _one_of(function, (verbs.wait, verbs.wait_any)):
            conditions = [self._condition(each, scope) for each in node.args]
            values = self._prospects.values
            if not _timed(node) and all(each is not None and not each.possible(values)[0] for each in conditions):
                self._blocked = True
            return _PLAIN
        if _one_of(function, _VERBS):
            return _PLAIN
        if function is verbs.spawn:
            blocked = self._blocked
            self._invoked(arguments[0] if arguments else _ANY, arguments[1:], {})
            self._blocked = blocked
            return _ANY
        if any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
            arguments, names = [_ANY] * 64, {}
        else:
            names = dict(zip((each.arg or "" for each in node.keywords), arguments[len(node.args) :], strict=True))
            arguments = arguments[: len(node.args)]
        return self._invoked(function, [*itself, *arguments], names)

    def _method(self, thing: object, attr: str, arguments: Sequence[object]) -> object:
        """Analyse the call of a method."""
        prospects = self._prospects
        if isinstance(thing, Signal):
            if attr == "set" and arguments:
                prospects.write(thing, arguments[0], lasts=not self._passing)
                prospects.named.add(thing)
            elif attr not in _READS:
                self._escape(thing)
            return _PLAIN
        if thing is _PLAIN or isinstance(thing, (bool, int, float, str, bytes)):
            return _PLAIN
        for each in arguments:
            self._escape(each)
        if isinstance(thing, (Mailbox, EventFlags)):
            if attr not in ("any_set", "all_set"):
                self._escape(thing)
                prospects.named.add(thing.count if isinstance(thing, Mailbox) else thing.bits)
            return _ANY
        if isinstance(thing, Process) or _is_hub(thing):
            return self._escape(thing)
        if _is_drycells(thing):
            self._act(thing)
            return _ANY
        if attr not in _OF_CONTAINERS:
            self._everything = True
            if attr in ("cancel", "kernel", "cell"):
                prospects.give_up(f"program '{self._process.name}'")
        return _ANY

    def _invoked(self, function: object, arguments: Sequence[object], names: Mapping[str, object]) -> object:
        """Analyse the call of a function."""
        every = [*arguments, *names.values()]
        plain = unwrap(function) if callable(function) else function
        if isinstance(plain, FunctionType) and is_users(plain.__code__.co_filename):
            if plain is not function:
                self._everything = True  # a decorator replaced the function
            if not self._call(plain, arguments, names):
                self._blocked = True
            return _ANY
        if function is _ANY or isinstance(function, partial) or ismethod(function):
            self._everything = True
            for each in [function, *every]:
                self._escape(each)
            return _ANY
        module = str(getattr(function, "__module__", "") or "")
        if module == "builtins" or (isclass(function) and issubclass(function, BaseException)):
            if getattr(function, "__name__", "") in _LOOKS_AROUND:
                self._prospects.give_up(f"program '{self._process.name}'")
            for each in every:
                if isinstance(each, FunctionType):
                    self._invoked(each, [_ANY] * 64, {})
            return _PLAIN if all(map(_harmless, every)) else _ANY
        for each in every:
            self._escape(each)
        if module.partition(".")[0] == "drycell":
            self._prospects.act(self._process.kernel)
        elif isclass(function) or is_users(str(getattr(function, "__file__", ""))):
            self._everything = True
        return _ANY

    def _call(self, function: FunctionType, arguments: Sequence[object], names: Mapping[str, object]) -> bool:
        """Analyse a call of a user's function; return whether it may return."""
        code = function.__code__
        key = (code, *map(id, arguments), *((name, id(each)) for name, each in names.items()))
        if key in self._calls:
            return self._calls[key]
        self._calls[key] = True
        known: dict[str, object] = {}
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                known[name] = cell.cell_contents
            except ValueError:
                continue  # the variable has no value yet
        count = code.co_argcount
        defaults = function.__defaults__ or ()
        known |= dict(zip(code.co_varnames[count - len(defaults) : count], defaults, strict=True))
        known |= function.__kwdefaults__ or {}
        known |= dict(zip(code.co_varnames[:count], arguments, strict=False))
        known |= names
        scope = self._enter(code, function.__globals__, known)
        outer = self._loops, self._returned, self._blocked
        self._loops, self._returned = [], False
        falls = self._block(scope.body, scope)
        returns = falls or self._returned
        self._loops, self._returned, self._blocked = outer
        self._calls[key] = returns
        return returns

    # -- what it can reach

    def _enter(self, code: CodeType, space: Mapping[str, object], known: Mapping[str, object]) -> _Scope:
        outer = code.co_qualname.rpartition(".<locals>.")[0]
        scope = _Scope(code, space, known, fixed=outer not in self._running)
        self._roots.extend(scope.roots())
        return scope

    def _escape(self, thing: object) -> object:
        """Note that an object is passed to code that is not analysed, which may do anything with it."""
        prospects = self._prospects
        if isinstance(thing, Signal):
            prospects.write(thing)
        elif isinstance(thing, Mailbox):
            prospects.write(thing.count)
        elif isinstance(thing, EventFlags):
            prospects.write(thing.bits)
        elif isinstance(thing, Process):
            prospects.cancelled.add(thing)
        elif _is_hub(thing):
            prospects.give_up(f"program '{self._process.name}'")
        elif _is_drycells(thing):
            self._act(thing)
        return _ANY

    def _act(self, thing: object) -> None:
        """Note that a robot, a device or another thing of the cell acts."""
        self._prospects.act(self._process.kernel)
        for each in self._reached([thing]):
            if isinstance(each, Signal):
                self._prospects.write(each)

    def _own(self) -> Iterator[object]:
        """Yield what the program can reach without passing through things of drycell or of other libraries."""
        seen: dict[int, object] = {}
        waiting = list(self._roots)
        while waiting:
            thing = waiting.pop()
            if id(thing) not in seen and not ismodule(thing) and not _is_drycells(thing):
                seen[id(thing)] = thing
                yield thing
                if isclass(thing) or isinstance(thing, (Mapping, Collection, FunctionType)) or _is_users_kind(thing):
                    waiting.extend(_parts(thing))

    def _reached(self, roots: Iterable[object]) -> Iterator[object]:
        """Yield everything that can be reached from some objects, except through a kernel, a cell or a world."""
        seen: dict[int, object] = {}
        waiting = list(roots)
        while waiting:
            thing = waiting.pop()
            if id(thing) in seen or thing is None or isinstance(thing, (bool, int, float, str, bytes, complex)):
                continue
            seen[id(thing)] = thing
            if len(seen) > _MOST_REACHED:
                self._prospects.give_up(f"program '{self._process.name}'")
                return
            yield thing
            if not isinstance(thing, (Signal, Process)) and not _is_hub(thing):
                waiting.extend(_parts(thing))


@lru_cache(maxsize=256)
def _module_names(code: CodeType) -> frozenset[str]:
    """Return the names that a function, with the functions in it, looks up in its module."""
    found = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return frozenset(found).union(*(_module_names(each) for each in code.co_consts if isinstance(each, CodeType)))


def _of_module(code: CodeType, space: Mapping[str, object]) -> Iterator[object]:
    return (space[name] for name in sorted(_module_names(code)) if name in space)


def _assigned(kernel: Kernel) -> Assignments:
    """Return what the code that the programs can reach may still assign."""
    seen: dict[int, object] = {}
    found: list[Assignments] = []
    waiting: list[object] = []
    for process in kernel.processes.living():
        waiting += [process.function, *process.arguments]
        for frame in process.frames():
            waiting += frame.f_locals.values()
            if is_users(frame.f_code.co_filename):
                found.append(assignments(frame.f_code))
                waiting += _of_module(frame.f_code, frame.f_globals)
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or _is_drycells(thing) or isinstance(thing, (bool, int, float, str, bytes, type(None))):
            continue
        seen[id(thing)] = thing
        if len(seen) > _MOST_REACHED:
            return Assignments(contents=True)
        if isinstance(thing, FunctionType) and is_users(thing.__code__.co_filename):
            found.append(assignments(thing.__code__))
        if ismodule(thing):
            waiting += vars(thing).values() if is_users(getattr(thing, "__file__", None) or "") else ()
        elif callable(thing) or isinstance(thing, (Mapping, Collection)) or _is_simple(thing) or _is_users_kind(thing):
            waiting.extend(_parts(thing))
    return Assignments().join(found)


def _parts(thing: object) -> Iterator[object]:
    """Yield the content of an object."""
    if isinstance(thing, Mapping):
        yield from thing.keys()
        yield from thing.values()
    elif isinstance(thing, Collection) and type(thing).__module__ in ("builtins", "collections"):
        yield from thing
    elif isinstance(thing, FunctionType):
        for cell in thing.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:
                continue
        yield from thing.__defaults__ or ()
        if is_users(thing.__code__.co_filename):
            yield from _of_module(thing.__code__, thing.__globals__)
    elif ismethod(thing):
        yield from (thing.__self__, thing.__func__)
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isclass(thing):
        for each in vars(thing).values():
            function = each.fget if isinstance(each, property) else getattr(each, "__func__", each)
            if isinstance(function, FunctionType) and is_users(function.__code__.co_filename):
                yield function
    elif isinstance(thing, Commanded):
        yield from thing.sets()
    elif not ismodule(thing) and not _is_bulk(thing):
        yield from getattr(thing, "__dict__", {}).values()
        for kind in type(thing).__mro__:
            yield kind
            slots = kind.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                yield getattr(thing, name, None)


def _attribute(thing: object, attr: str) -> object:
    """Return an attribute if it certainly does not change: one of a module, or a signal of a thing of drycell."""
    if ismodule(thing):
        return vars(thing).get(attr, _ANY)
    if _is_drycells(thing) and not _is_hub(thing) and not isinstance(thing, (Signal, Process)):
        found = getattr(thing, "__dict__", {}).get(attr, _ANY)
        return found if isinstance(found, Signal) else _ANY
    return _ANY


@lru_cache(maxsize=256)
def _functions_of(kind: type) -> tuple[str, ...]:
    """Return the names of the functions and properties of a class that the user wrote."""
    found = []
    for name, each in vars(kind).items():
        function = each.fget if isinstance(each, property) else getattr(each, "__func__", each)
        if isinstance(function, FunctionType) and is_users(function.__code__.co_filename):
            found.append("property" if isinstance(each, property) else name)
    return tuple(found)


def _is_simple(thing: object) -> bool:
    """Return whether an object keeps its attributes in the usual way, and is of a class of the user."""
    kind = type(thing)
    plain = kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__")
    users = kind is SimpleNamespace or is_dataclass(kind) or _is_users_kind(thing)
    return plain and users and not _is_drycells(thing)


def _is_users_kind(thing: object) -> bool:
    return any(_functions_of(kind) for kind in type(thing).__mro__)


def _method_of_user(thing: object, attr: str) -> FunctionType | None:
    """Return the function behind an ordinary method of an object of the user."""
    if thing is _ANY or thing is _PLAIN or isclass(thing) or attr in getattr(thing, "__dict__", {}):
        return None
    kinds = [kind for kind in type(thing).__mro__ if attr in vars(kind)]
    found = vars(kinds[0])[attr] if kinds else None
    return found if isinstance(found, FunctionType) and is_users(found.__code__.co_filename) else None


def _runs_unseen(thing: object) -> bool:
    """Return whether an object has code of the user that runs where no call shows it: properties, operators, and
    methods that are taken for those of a list or a dictionary."""
    names = {name for kind in type(thing).__mro__ for name in _functions_of(kind)} - _ASKED
    return any(name == "property" or name.startswith("__") or name in _OF_CONTAINERS for name in names)


def _is_bulk(thing: object) -> bool:
    package, _, inside = type(thing).__module__.partition(".")
    return package == "numpy" or (package == "drycell" and inside.partition(".")[0] in _BULK)


def _one_of(thing: object, others: Iterable[object]) -> bool:
    return any(thing is other for other in others)


def _harmless(thing: object) -> bool:
    return thing is _PLAIN or isinstance(thing, (bool, int, float, str, bytes, type(None)))


def _is_drycells(thing: object) -> bool:
    return thing is not _ANY and thing is not _PLAIN and type(thing).__module__.partition(".")[0] == "drycell"


def _is_hub(thing: object) -> bool:
    return _is_drycells(thing) and type(thing).__name__ in _HUBS


def _timed(call: ast.Call) -> bool:
    """Return whether a call of ``wait`` or ``wait_any`` may end by its timeout."""
    positional = (
        len(call.args) > 1 and isinstance(call.func, (ast.Name, ast.Attribute)) and _name(call.func) != "wait_any"
    )
    return positional or any(each.arg in ("timeout", None) for each in call.keywords) or _starred(call)


def _starred(call: ast.Call) -> bool:
    return any(isinstance(each, ast.Starred) for each in call.args)


def _name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _next_turn(owner: ast.stmt | None, block: list[ast.stmt]) -> Sequence[ast.stmt]:
    """Return the statements that follow a block at once if it is the body of an endless loop; none if that is not
    certain."""
    match owner:
        case ast.While(test=ast.Constant(value=True), body=body) if body is block:
            return body
    return ()


def _end(node: ast.stmt) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _path(body: list[ast.stmt], start: tuple[int, int], end: tuple[int, int]) -> list[tuple[list[ast.stmt], int]]:
    """Return the blocks, from the outermost to the innermost, and the index in each of the statement that holds a
    piece of text."""
    for index, node in enumerate(body):
        if (node.lineno, node.col_offset) <= start and end <= _end(node):
            for block in _blocks(node):
                inner = _path(block, start, end) if block else []
                if inner:
                    return [(body, index), *inner]
            return [(body, index)]
    return []


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield handler.body
