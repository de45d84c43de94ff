"""Net: places with tokens, and transitions that take and give them; plain, or with times on the transitions.

:class:`AnyNet` is what plain and coloured nets have in common: markings, and firings that lead from one to another.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Protocol, TypeVar

from drycell.base import DrycellError, UnknownName

Marking = tuple[int, ...]
"""How many tokens are on each place, in the order of the net's places."""
Arcs = str | Iterable[str] | Mapping[str, int]
"""Places and how many tokens of each: a name, several names (once each), or names with weights."""
Position = tuple[float, float]
M = TypeVar("M", bound=Hashable)
F = TypeVar("F", bound=Hashable)


class NetError(DrycellError):
    """A net that makes no sense, a firing that is not enabled, or a question that cannot be answered of it."""


class AnyNet(Protocol[M, F]):
    """A net that can be played: plain nets fire transitions, coloured ones transitions with a binding."""

    name: str

    @property
    def initial(self) -> M:
        """The marking it starts with."""

    @property
    def transitions(self) -> Any:
        """Its transitions by name."""

    def enabled(self, marking: M) -> Sequence[F]:
        """What can fire."""

    def fire(self, marking: M, move: F, /) -> M:
        """The marking after a firing."""

    def named(self, move: F, /) -> str:
        """The transition that a firing is one of."""

    def event(self, move: F, /) -> str:
        """The event that a firing stands for."""

    def text(self, marking: M) -> str:
        """A marking in words."""


@dataclass(frozen=True, slots=True)
class NetPlace:
    """Where tokens are: so many at first, and never more than the capacity."""

    name: str
    tokens: int = 0
    capacity: int | None = None
    at: Position | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """What can happen: takes tokens, gives tokens, and cannot start where a place of ``unless`` has so many.

    ``lasts`` is how long it takes, from … to, in seconds. ``label`` is the event it stands for, if not its name.
    """

    name: str
    takes: Mapping[str, int] = field(default_factory=dict)
    gives: Mapping[str, int] = field(default_factory=dict)
    unless: Mapping[str, int] = field(default_factory=dict)
    lasts: tuple[float, float] = (0.0, 0.0)
    label: str = ""
    at: Position | None = None

    @property
    def event(self) -> str:
        """The event it stands for."""
        return self.label or self.name

    @property
    def timed(self) -> bool:
        """Whether it takes time."""
        return self.lasts != (0.0, 0.0)

    def gain(self, place: str) -> int:
        """How many tokens more a place has when it has fired."""
        return self.gives.get(place, 0) - self.takes.get(place, 0)


class Net:
    """A place/transition net with weights, capacities, inhibitor arcs and durations.

    >>> net = Net("load")
    >>> net.place("part", 2); net.place("idle", 1); net.place("loaded")
    >>> net.transition("load", takes=["part", "idle"], gives="loaded")
    >>> net.enabled(net.initial)
    ['load']
    """

    def __init__(self, name: str = "net") -> None:
        self.name = name
        self.places: dict[str, NetPlace] = {}
        self.transitions: dict[str, Transition] = {}

    # ---------------------------------------------------------------- building

    def place(self, name: str, tokens: int = 0, *, capacity: int | None = None, at: Position | None = None) -> None:
        """Adds a place."""
        self._new(name)
        if tokens < 0 or (capacity is not None and tokens > capacity):
            limit = "" if capacity is None else f" ≤ {capacity}"
            raise NetError(f"place '{name}' cannot have {tokens} tokens: not 0 ≤ {tokens}{limit}")
        self.places[name] = NetPlace(name, tokens, capacity, at)
        self.__dict__.pop("index", None)

    def transition(
        self,
        name: str,
        takes: Arcs = (),
        gives: Arcs = (),
        *,
        unless: Arcs = (),
        lasts: float | tuple[float, float] = 0.0,
        label: str = "",
        at: Position | None = None,
    ) -> None:
        """Adds a transition between places that are there: what it takes, what it gives, and what forbids it."""
        self._new(name)
        low, high = lasts if isinstance(lasts, tuple) else (lasts, lasts)
        if not 0.0 <= low <= high:
            raise NetError(f"transition '{name}' cannot last {low:g} s to {high:g} s: not 0 ≤ {low:g} ≤ {high:g}")
        taken, given, forbids = (self._arcs(name, arcs) for arcs in (takes, gives, unless))
        self.transitions[name] = Transition(name, taken, given, forbids, (float(low), float(high)), label, at)
        self.__dict__.pop("tests", None)

    # ---------------------------------------------------------------- markings

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each place stands in a marking."""
        return {name: number for number, name in enumerate(self.places)}

    @property
    def initial(self) -> Marking:
        """The marking it starts with."""
        return tuple(place.tokens for place in self.places.values())

    def marking(self, tokens: Mapping[str, int]) -> Marking:
        """The marking with so many tokens on some places, and none on the others."""
        for name in tokens:
            if name not in self.places:
                raise UnknownName("place", name, self.places)
        return tuple(tokens.get(name, 0) for name in self.places)

    def tokens(self, marking: Marking) -> dict[str, int]:
        """The places that have tokens, and how many."""
        return {name: count for name, count in zip(self.places, marking, strict=True) if count}

    def text(self, marking: Marking | None = None) -> str:
        """A marking in words, by default the initial one: ``part 2, idle``."""
        found = self.tokens(self.initial if marking is None else marking).items()
        return ", ".join(name if count == 1 else f"{name} {count}" for name, count in found) or "no tokens"

    @property
    def incidence(self) -> list[list[int]]:
        """A row for each place, a column for each transition: how many tokens the place gains."""
        return [[it.gain(place) for it in self.transitions.values()] for place in self.places]

    # ---------------------------------------------------------------- the token game

    def enabled(self, marking: Marking) -> list[str]:
        """The transitions that can fire, in the order in which they were added."""
        return [
            name
            for name, (least, most) in self.tests.items()
            if all(marking[place] >= weight for place, weight in least)
            and all(marking[place] <= limit for place, limit in most)
        ]

    def hindrance(self, marking: Marking, transition: str) -> str:
        """Why a transition cannot fire, in words; empty if it can."""
        it, index = self._transition(transition), self.index
        for place, weight in it.takes.items():
            if marking[index[place]] < weight:
                return f"'{place}' has {marking[index[place]]} of {weight} tokens"
        for place, weight in it.unless.items():
            if marking[index[place]] >= weight:
                return f"'{place}' has {marking[index[place]]} tokens, and must have fewer than {weight}"
        for place in it.gives:
            capacity = self.places[place].capacity
            if capacity is not None and marking[index[place]] + it.gain(place) > capacity:
                return f"'{place}' would have {marking[index[place]] + it.gain(place)} tokens, and holds {capacity}"
        return ""

    def fire(self, marking: Marking, transition: str) -> Marking:
        """The marking after a firing."""
        why = self.hindrance(marking, transition)
        if why:
            enabled = ", ".join(map(repr, self.enabled(marking))) or "none: it is a deadlock"
            raise NetError(f"transition '{transition}' is not enabled: {why}", hint=f"enabled here: {enabled}")
        after = list(marking)
        it = self.transitions[transition]
        for place, weight in it.takes.items():
            after[self.index[place]] -= weight
        for place, weight in it.gives.items():
            after[self.index[place]] += weight
        return tuple(after)

    def fire_all(self, firings: Sequence[str], marking: Marking | None = None) -> Marking:
        """The marking after several firings in turn, by default from the initial one."""
        here = self.initial if marking is None else marking
        for transition in firings:
            here = self.fire(here, transition)
        return here

    def named(self, move: str) -> str:
        """The transition that a firing is one of: here every transition fires in one way."""
        return move

    def event(self, move: str) -> str:
        """The event that a firing stands for."""
        return self._transition(move).event

    # ---------------------------------------------------------------- inside

    @cached_property
    def tests(self) -> dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
        """Of each transition: places that need so many tokens at least, and places that may have so many at most."""
        found = {}
        for name, it in self.transitions.items():
            most = [(self.index[place], weight - 1) for place, weight in it.unless.items()]
            for place in it.gives:
                capacity = self.places[place].capacity
                if capacity is not None:
                    most.append((self.index[place], capacity - it.gain(place)))
            found[name] = [(self.index[place], weight) for place, weight in it.takes.items()], most
        return found

    def __repr__(self) -> str:
        return f"<Net {self.name}: {len(self.places)} places, {len(self.transitions)} transitions>"

    def _transition(self, name: str) -> Transition:
        try:
            return self.transitions[name]
        except KeyError:
            raise UnknownName("transition", name, self.transitions) from None

    def _new(self, name: str) -> None:
        if not name or name in self.places or name in self.transitions:
            raise NetError(f"there is already a '{name}' in net '{self.name}'" if name else "a name is missing")

    def _arcs(self, transition: str, given: Arcs) -> dict[str, int]:
        if isinstance(given, str):
            given = [given]
        if isinstance(given, Mapping):
            arcs = dict(given)
        else:
            arcs = {}
            for place in given:
                arcs[place] = arcs.get(place, 0) + 1
        for place, weight in arcs.items():
            if place not in self.places:
                raise UnknownName(f"place for transition '{transition}'", place, self.places)
            if weight < 1:
                raise NetError(f"the arc between '{transition}' and '{place}' has weight {weight}: it must be ≥ 1")
        return arcs


def play(net: AnyNet[M, F], steps: int, seed: int = 0, marking: M | None = None) -> Iterator[tuple[F, M]]:
    """Fires at random, evenly among what is enabled, and gives each firing with the marking it leads to.

    Ends after so many steps, or in a deadlock. The same seed plays the same game.
    """
    random = Random(seed)
    here = net.initial if marking is None else marking
    for _ in range(steps):
        enabled = net.enabled(here)
        if not enabled:
            return
        move = enabled[random.randrange(len(enabled))]
        here = net.fire(here, move)
        yield move, here
