"""Python variables through which programs can affect each other without a signal.

They are found in the code of the programs: variables of enclosing functions or modules that a program assigns, and
lists, dictionaries and other mutable objects. Every step of such a program counts as a change of its shared variables,
so the search tries these steps in every order. This is more than necessary; signals, in contrast, record reads and
writes.
"""

import dis
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial
from inspect import isbuiltin, isclass, isfunction, ismethod, ismodule
from pathlib import PurePath
from re import Pattern
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Final

from drycell.kernel import is_users

if TYPE_CHECKING:
    from drycell.cell import Cell

SPAWNED: Final = "what spawned programs share"
_PLAIN: Final = (int, float, complex, str, bytes, type(None), range, frozenset, Enum, Fraction, PurePath, Pattern)
_CONTAINERS: Final = (list, dict, set, bytearray)
_CHANGING: Final = frozenset({
    "append", "appendleft", "extend", "insert", "remove", "pop", "popleft", "popitem", "clear", "sort", "reverse",
    "add", "discard", "update", "setdefault", "rotate", "setattr", "delattr", "next", "__setitem__", "__setattr__",
    "difference_update", "intersection_update",
})  # fmt: skip
_STORES: Final = frozenset({"STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE", "STORE_ATTR", "DELETE_ATTR"})
_HEAP_TYPE: Final = 1 << 9
"""The flag of classes that are written in Python."""
_CLOCKS: Final = frozenset({"now", "history"})


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """Facts about a code object, including the functions inside it."""

    globals: frozenset[str]
    assigned: frozenset[str]
    """The variables of enclosing functions and of its module that it assigns."""
    changes: bool
    """Whether it may modify an object in place."""
    clock: bool
    """Whether it reads times without leaving a footprint."""
    spawns: bool


@lru_cache(maxsize=1024)
def facts(code: CodeType) -> CodeFacts:
    """Derive the facts about a code object."""
    names, assigned, done = set[str](), set[str](), set[str]()
    changes = False
    for part in _parts(code):
        for each in dis.get_instructions(part):
            if each.opname == "LOAD_GLOBAL":
                names.add(each.argval)
            elif each.opname == "STORE_GLOBAL" or (each.opname == "STORE_DEREF" and each.argval in part.co_freevars):
                assigned.add(each.argval)
            elif each.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                done.add(each.argval)
            changes = changes or each.opname in _STORES
    used = names | done
    changes = changes or bool(assigned) or not used.isdisjoint(_CHANGING)
    return CodeFacts(frozenset(names), frozenset(assigned), changes, not done.isdisjoint(_CLOCKS), "spawn" in used)


def _parts(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _parts(each)


@dataclass(slots=True)
class ProgramReach:
    """Everything the code of a program can reach: functions, variables and mutable objects."""

    functions: dict[int, FunctionType] = field(default_factory=dict)
    variables: dict[object, str] = field(default_factory=dict)
    things: dict[object, tuple[str, bool]] = field(default_factory=dict)
    """Their names, and whether all code that modifies them can be inspected."""

    @classmethod
    def of(cls, program: Callable[..., object]) -> "ProgramReach":
        """Return everything that a program's function, or another callable started as a program, can reach."""
        made = cls()
        made._value(getattr(program, "__name__", "program"), program)
        return made

    @property
    def facts(self) -> list[CodeFacts]:
        """The facts about all its functions."""
        return [facts(each.__code__) for each in self.functions.values()]

    def _function(self, function: FunctionType) -> None:
        if id(function) in self.functions or not is_users(function.__code__.co_filename):
            return
        self.functions[id(function)] = function
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.variables[id(cell)] = name
            try:
                self._value(name, cell.cell_contents)
            except ValueError:
                continue  # the variable has no value yet
        space = function.__globals__
        for name in sorted(facts(function.__code__).globals):
            self.variables[id(space), name] = name
            if name in space:
                self._value(name, space[name])
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._value(function.__name__, value)

    def _value(self, name: str, value: object) -> None:
        if isfunction(value):
            self._function(value)
        elif ismethod(value):
            self._value(name, value.__func__)
            self._value(name, value.__self__)
        elif isinstance(value, partial):
            self._value(name, (value.func, *value.args, *value.keywords.values()))
        elif isinstance(value, tuple):
            for each in value:
                self._value(name, each)
        elif isbuiltin(value) and not ismodule(value.__self__):  # for example a method of a list
            if not _immutable(value.__self__):
                self.things[id(value.__self__)] = name, False
        elif id(value) not in self.things and not _immutable(value):
            own = [each for each in vars(type(value)).values() if isfunction(each)]
            users = type(value).__flags__ & _HEAP_TYPE and all(is_users(each.__code__.co_filename) for each in own)
            self.things[id(value)] = name, isinstance(value, _CONTAINERS) or bool(users)
            for each in own:
                if each.__name__ not in ("__init__", "__post_init__"):  # runs before the object is shared
                    self._function(each)


def _immutable(value: object) -> bool:
    """Return whether a value never changes, or belongs to drycell, which reports its changes."""
    if isinstance(value, _PLAIN) or isbuiltin(value) or isclass(value) or ismodule(value):
        return True
    kind = type(value)
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    return frozen or kind.__module__.partition(".")[0] == "drycell"


class Sharing:
    """Everything the programs of a cell share, by program. Spawned programs share with all."""

    def __init__(self, cell: "Cell") -> None:
        self._reaches = {name: ProgramReach.of(program.function) for name, program in cell.programs.items()}
        self._of: dict[str, dict[str, bool]] = {name: {} for name in self._reaches}
        self._processes = cell.kernel.processes
        self._spawned = {SPAWNED: True} if any(map(self._spawns, self._reaches)) else {}
        self.names: dict[str, list[str]] = {}
        """The programs that share each name."""
        changing = {name: any(each.changes for each in reach.facts) for name, reach in self._reaches.items()}
        assigned = {each for reach in self._reaches.values() for fact in reach.facts for each in fact.assigned}
        for key, (name, careful) in self._candidates(assigned).items():
            sharers = [who for who, each in self._reaches.items() if key in each.variables or key in each.things]
            alone = len(sharers) < 2 and not self._spawns(sharers[0])
            if not alone and (not careful or any(changing[who] for who in sharers)):
                self._share(name, sharers)
        for who in self._reaches:
            if changing[who] and self._spawns(who):
                self._of[who][SPAWNED] = True

    def of(self, owner: str, footprint: Mapping[str, bool]) -> dict[str, bool]:
        """Return the names that a step of a program touches besides the signals in ``footprint``."""
        own = self._of.get(owner)
        if own is None and self._spawned:
            ended = f"process:{owner}" in footprint  # it ended in this step, so it is no longer among the processes
            if ended or any(each.name == owner for each in self._processes):
                return self._spawned
        return own or {}

    @property
    def notes(self) -> list[str]:
        """Notes for the user about what is shared."""
        found = []
        for name, sharers in sorted(self.names.items()):
            who = " and ".join(f"'{each}'" for each in sharers)
            found.append(f"'{name}', shared by {who}, is not a signal: their steps are tried in every order")
        return found

    @property
    def clock(self) -> bool:
        """Whether a program reads the time, or times in a signal's history, which leaves no footprint."""
        return any(each.clock for reach in self._reaches.values() for each in reach.facts)

    def _spawns(self, who: str) -> bool:
        return any(each.spawns for each in self._reaches[who].facts)

    def _candidates(self, assigned: set[str]) -> dict[object, tuple[str, bool]]:
        found: dict[object, tuple[str, bool]] = {}
        for reach in self._reaches.values():
            found.update({key: (name, True) for key, name in reach.variables.items() if name in assigned})
            found.update(reach.things)
        return found

    def _share(self, name: str, sharers: list[str]) -> None:
        self.names[name] = sorted({*self.names.get(name, ()), *sharers})
        if self._spawned:
            self._spawned[f"variable:{name}"] = True
        for who in sharers:
            self._of[who][f"variable:{name}"] = True
