"""Sharing: Python variables through which programs may talk to each other, unseen by footprints.

What programs share is found by their code: variables of functions around them or of modules that one of them assigns,
and lists, dictionaries and other things that can be changed. Every step of such a program counts as changing what it
shares, so the search tries these steps in every order. That is more than is needed: a signal says who reads and who
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
"""The flag of classes written in Python."""
_CLOCKS: Final = frozenset({"now", "history"})


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """What a piece of code does, that of functions inside it included."""

    globals: frozenset[str]
    assigned: frozenset[str]
    """Variables of functions around it, and of its module."""
    changes: bool
    """Whether it may change a thing in place."""
    clock: bool
    """Whether it reads times that leave no footprint."""
    spawns: bool


@lru_cache(maxsize=1024)
def facts(code: CodeType) -> CodeFacts:
    """What can be read off a piece of code."""
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
    """What a program can come to by its own code: functions, variables, and things that can be changed."""

    functions: dict[int, FunctionType] = field(default_factory=dict)
    variables: dict[object, str] = field(default_factory=dict)
    things: dict[object, tuple[str, bool]] = field(default_factory=dict)
    """Their names, and whether only code that can be looked at changes them."""

    @classmethod
    def of(cls, program: Callable[..., object]) -> "ProgramReach":
        """Of a program's function, or whatever else is started as one."""
        made = cls()
        made._value(getattr(program, "__name__", "program"), program)
        return made

    @property
    def facts(self) -> list[CodeFacts]:
        """Of all its functions."""
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
                continue  # it has not got a value yet
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
        elif isbuiltin(value) and not ismodule(value.__self__):  # the method of a list, say
            if not _lasting(value.__self__):
                self.things[id(value.__self__)] = name, False
        elif id(value) not in self.things and not _lasting(value):
            own = [each for each in vars(type(value)).values() if isfunction(each)]
            users = type(value).__flags__ & _HEAP_TYPE and all(is_users(each.__code__.co_filename) for each in own)
            self.things[id(value)] = name, isinstance(value, _CONTAINERS) or bool(users)
            for each in own:
                if each.__name__ not in ("__init__", "__post_init__"):  # before anybody shares it
                    self._function(each)


def _lasting(value: object) -> bool:
    """Whether a value is one that nobody changes, or drycell's own, which tells of its changes."""
    if isinstance(value, _PLAIN) or isbuiltin(value) or isclass(value) or ismodule(value):
        return True
    kind = type(value)
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    return frozen or kind.__module__.partition(".")[0] == "drycell"


class Sharing:
    """What the programs of a cell share, by program; programs that one of them spawns share with all."""

    def __init__(self, cell: "Cell") -> None:
        self._reaches = {name: ProgramReach.of(program.function) for name, program in cell.programs.items()}
        self._of: dict[str, dict[str, bool]] = {name: {} for name in self._reaches}
        self._processes = cell.kernel.processes
        self._spawned = {SPAWNED: True} if any(map(self._spawns, self._reaches)) else {}
        self.names: dict[str, list[str]] = {}
        """The programs that share a name."""
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
        """The footprint that a step of a program leaves besides that of its signals, which is given."""
        own = self._of.get(owner)
        if own is None and self._spawned:
            ended = f"process:{owner}" in footprint  # in this very step, so that it is no longer among the processes
            if ended or any(each.name == owner for each in self._processes):
                return self._spawned
        return own or {}

    @property
    def notes(self) -> list[str]:
        """What a person should know of it."""
        told = []
        for name, sharers in sorted(self.names.items()):
            who = " and ".join(f"'{each}'" for each in sharers)
            told.append(f"'{name}', shared by {who}, is no signal: their steps are tried in every order")
        return told

    @property
    def clock(self) -> bool:
        """Whether a program reads times that leave no footprint: of the kernel, or of a signal's history."""
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
