"""Plain Petri nets: places with tokens, and transitions that take and give tokens and may have durations.

:class:`AnyNet` is the interface that plain and coloured nets share: markings, and firings that lead from one to
another.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Protocol, TypeVar

from drycell.base import DrycellError, UnknownName

Marking = tuple[int, ...]
"""The number of tokens on each place, in the order of the net's places."""
Arcs = str | Iterable[str] | Mapping[str, int]
"""Places with numbers of tokens: a name, several names (one token each), or names with weights."""
Position = tuple[float, float]
M = TypeVar("M", bound=Hashable)
F = TypeVar("F", bound=Hashable)


class NetError(DrycellError):
    """An invalid net, a firing that is not enabled, or an analysis that cannot be completed."""


class AnyNet(Protocol[M, F]):
    """A plain or coloured net: plain nets fire transitions, coloured nets fire transitions with a binding."""

    name: str

    @property
    def initial(self) -> M:
        """The initial marking."""

    @property
    def transitions(self) -> Any:
        """The transitions by name."""

    def enabled(self, marking: M) -> Sequence[F]:
        """Return the firings that are enabled."""

    def fire(self, marking: M, move: F, /) -> M:
        """Return the marking after a firing."""

    def named(self, move: F, /) -> str:
        """Return the transition of a firing."""

    def event(self, move: F, /) -> str:
        """Return the event that a firing stands for."""

    def text(self, marking: M) -> str:
        """Return a marking as text."""


@dataclass(frozen=True, slots=True)
class NetPlace:
    """A place, with its initial tokens and its capacity."""

    name: str
    tokens: int = 0
    capacity: int | None = None
    at: Position | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition: it takes tokens and gives tokens. It is disabled while the places of ``unless`` have these tokens,
    or while those of ``needs`` have fewer. A firing removes all tokens from the places of ``empties``.

    ``lasts`` is the shortest and the longest duration in seconds. ``label`` is the event it represents, by default its
    name.
    """

    name: str
    takes: Mapping[str, int] = field(default_factory=dict)
    gives: Mapping[str, int] = field(default_factory=dict)
    unless: Mapping[str, int] = field(default_factory=dict)
    needs: Mapping[str, int] = field(default_factory=dict)
    empties: tuple[str, ...] = ()
    lasts: tuple[float, float] = (0.0, 0.0)
    label: str = ""
    at: Position | None = None

    @property
    def event(self) -> str:
        """The event it represents."""
        return self.label or self.name

    @property
    def timed(self) -> bool:
        """Whether it takes time."""
        return self.lasts != (0.0, 0.0)

    @property
    def changes(self) -> dict[str, None]:
        """The places whose tokens a firing can change."""
        return dict.fromkeys((*self.takes, *self.empties, *self.gives))

    def gain(self, place: str) -> int:
        """Return the largest gain of a place's tokens by a firing; it is smaller if the firing empties the place."""
        return self.gives.get(place, 0) - self.takes.get(place, 0)

    def after(self, place: str, tokens: int) -> int:
        """Return the tokens of a place after a firing, given those before."""
        return self.gives.get(place, 0) if place in self.empties else tokens + self.gain(place)


class Net:
    """A place/transition net with weights, capacities, inhibitor, test and reset arcs, and durations.

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
        """Add a place.

        Args:
            name: Its name, which no other place or transition may have.
            tokens: The number of tokens at the start.
            capacity: The most tokens it can hold; a transition that would give more is disabled.
            at: Its position in pictures.
        """
        self._new(name)
        if tokens < 0 or (capacity is not None and tokens > capacity):
            limit = "below 0" if capacity is None else f"not between 0 and {capacity}"
            raise NetError(f"place '{name}' cannot have {tokens} tokens: {tokens} is {limit}")
        self.places[name] = NetPlace(name, tokens, capacity, at)
        self.__dict__.pop("index", None)

    def transition(
        self,
        name: str,
        takes: Arcs = (),
        gives: Arcs = (),
        *,
        unless: Arcs = (),
        needs: Arcs = (),
        empties: str | Iterable[str] = (),
        lasts: float | tuple[float, float] = 0.0,
        label: str = "",
        at: Position | None = None,
    ) -> None:
        """Add a transition between existing places.

        Args:
            name: Its name, which no other place or transition may have.
            takes: The tokens that it takes; it is enabled only if they are there.
            gives: The tokens that it gives.
            unless: Inhibitor arcs: it is disabled while one of these places has at least these tokens.
            needs: Test arcs: it is enabled only while these places have at least these tokens, but does not take them.
            empties: Reset arcs: a firing removes all tokens from these places, before it gives tokens.
            lasts: Its duration in seconds, or the shortest and the longest duration.
            label: The event that it represents; by default its name.
            at: Its position in pictures.
        """
        self._new(name)
        low, high = lasts if isinstance(lasts, tuple) else (lasts, lasts)
        if not 0.0 <= low <= high:
            what = f"{low:g} s is below 0 s" if low < 0.0 else "the shortest duration is above the longest"
            raise NetError(f"transition '{name}' cannot last {low:g} s to {high:g} s: {what}")
        taken, given, forbids, needed, emptied = (
            self._arcs(name, arcs) for arcs in (takes, gives, unless, needs, empties)
        )
        self.transitions[name] = Transition(
            name, taken, given, forbids, needed, tuple(emptied), (float(low), float(high)), label, at
        )
        self.__dict__.pop("tests", None)

    # ---------------------------------------------------------------- markings

    @cached_property
    def index(self) -> dict[str, int]:
        """The index of each place in a marking."""
        return {name: number for number, name in enumerate(self.places)}

    @property
    def initial(self) -> Marking:
        """The initial marking."""
        return tuple(place.tokens for place in self.places.values())

    def marking(self, tokens: Mapping[str, int]) -> Marking:
        """Return the marking with these tokens, and none on all other places."""
        for name in tokens:
            if name not in self.places:
                raise UnknownName("place", name, self.places)
        return tuple(tokens.get(name, 0) for name in self.places)

    def tokens(self, marking: Marking) -> dict[str, int]:
        """Return the places that have tokens, with the number of tokens."""
        return {name: count for name, count in zip(self.places, marking, strict=True) if count}

    def text(self, marking: Marking | None = None) -> str:
        """Return a marking as text, by default the initial one: ``part 2, idle``."""
        found = self.tokens(self.initial if marking is None else marking).items()
        return ", ".join(name if count == 1 else f"{name} {count}" for name, count in found) or "no tokens"

    @property
    def gains(self) -> list[dict[int, int]]:
        """For each transition: the places, by index, whose tokens it changes, and by how many."""
        return [
            {self.index[place]: it.gain(place) for place in (*it.takes, *it.gives) if it.gain(place)}
            for it in self.transitions.values()
        ]

    # ---------------------------------------------------------------- the token game

    def enabled(self, marking: Marking) -> list[str]:
        """Return the transitions that can fire, in order of addition."""
        return [
            name
            for name, (least, most) in self.tests.items()
            if all(marking[place] >= weight for place, weight in least)
            and all(marking[place] <= limit for place, limit in most)
        ]

    def why_disabled(self, marking: Marking, transition: str) -> str:
        """Return why a transition cannot fire; empty if it can."""
        it, index = self._transition(transition), self.index
        for place, weight in (*it.takes.items(), *it.needs.items()):
            if marking[index[place]] < weight:
                return f"'{place}' has {marking[index[place]]} of {weight} tokens"
        for place, weight in it.unless.items():
            if marking[index[place]] >= weight:
                return f"'{place}' has {marking[index[place]]} tokens but must have fewer than {weight}"
        for place in it.gives:
            capacity = self.places[place].capacity
            count = it.after(place, marking[index[place]])
            if capacity is not None and count > capacity:
                return f"'{place}' would have {count} tokens but holds at most {capacity}"
        return ""

    def fire(self, marking: Marking, transition: str) -> Marking:
        """Return the marking after a firing."""
        why = self.why_disabled(marking, transition)
        if why:
            enabled = ", ".join(map(repr, self.enabled(marking))) or "none: this is a deadlock"
            raise NetError(f"transition '{transition}' is not enabled: {why}", hint=f"enabled here: {enabled}")
        after = list(marking)
        it = self.transitions[transition]
        for place in it.changes:
            after[self.index[place]] = it.after(place, marking[self.index[place]])
        return tuple(after)

    def named(self, move: str) -> str:
        """Return the transition of a firing: in a plain net, a firing is a transition."""
        return move

    def event(self, move: str) -> str:
        """Return the event that a firing stands for."""
        return self._transition(move).event

    # ---------------------------------------------------------------- inside

    @cached_property
    def tests(self) -> dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
        """For each transition: the minimum tokens that it needs on places, and the maximum that places may have."""
        found = {}
        for name, it in self.transitions.items():
            most = [(self.index[place], weight - 1) for place, weight in it.unless.items()]
            for place in it.gives:
                capacity = self.places[place].capacity
                if capacity is not None and place not in it.empties:
                    most.append((self.index[place], capacity - it.gain(place)))
                elif capacity is not None and it.gives[place] > capacity:
                    most.append((self.index[place], -1))  # never
            least = [(self.index[place], weight) for place, weight in (*it.takes.items(), *it.needs.items())]
            found[name] = least, most
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
    """Fire enabled transitions at random, with equal probability; yield each firing with the marking after it.

    It ends after ``steps`` firings, or in a deadlock. The same seed gives the same sequence.
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
