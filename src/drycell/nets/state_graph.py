"""State graphs: every marking that a net can reach, and what they say of deadlocks, liveness and the way back."""

import math
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import le
from typing import Any, Final, Generic, Literal

import numpy as np
from numpy.typing import NDArray

from drycell.nets.net import F, Game, M, Marking, Net, NetError

LIMIT: Final = 5_000_000
"""States that are explored by default."""
_CLOCK_EVERY: Final = 64  # states between two looks at the clock

Level = Literal["live", "for ever", "at times", "dead"]
LEVELS: Final[dict[Level, str]] = {
    "live": "from every marking it can come to fire again",
    "for ever": "can fire again and again, but can also be lost",
    "at times": "can fire, but only so many times",
    "dead": "never fires",
}


@dataclass(frozen=True, slots=True)
class Edges:
    """Firings between states as columns: from, what fires (an index into the graph's moves), to."""

    sources: NDArray[np.int32]
    moves: NDArray[np.int32]
    targets: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.sources)


@dataclass(frozen=True)
class StateGraph(Generic[M, F]):
    """States in the order of their distance from the first, with the firings between them.

    ``complete`` says whether these are all; if not, the search ended at its limit, and what is said of the net holds
    for what was seen only.
    """

    states: Sequence[M]
    moves: Sequence[F]
    names: Sequence[str]
    """The transition that each move is a firing of."""
    transitions: Sequence[str]
    parents: Sequence[int]
    via: Sequence[int]
    dead: Sequence[int]
    """The deadlocks, the nearest first."""
    complete: bool
    edges: Edges

    def __len__(self) -> int:
        return len(self.states)

    def path(self, state: int) -> list[F]:
        """A shortest sequence of firings that leads to a state."""
        return _path(state, self.moves, self.parents, self.via)

    @property
    def deadlock(self) -> list[F] | None:
        """The shortest sequence of firings that ends in a deadlock; None if there is none."""
        return self.path(self.dead[0]) if self.dead else None

    @cached_property
    def liveness(self) -> dict[str, Level]:
        """How live each transition is."""
        edges, component = self._edges("liveness"), self._components
        inner = component[edges.sources] == component[edges.targets]
        last = np.ones(int(component.max(initial=0)) + 1, bool)
        last[component[edges.sources[~inner]]] = False  # components that can be left
        order = {name: number for number, name in enumerate(self.transitions)}
        transition = np.array([order[name] for name in self.names], np.int32)[edges.moves]
        found: dict[str, Level] = {}
        for name, number in order.items():
            mine = transition == number
            if not mine.any():
                found[name] = "dead"
                continue
            again = np.zeros(len(last), bool)
            again[component[edges.sources[mine & inner]]] = True
            if again[last].all():
                found[name] = "live"
            else:
                found[name] = "for ever" if again.any() else "at times"
        return found

    @property
    def live(self) -> bool:
        """Whether every transition can fire again from wherever the net has got to."""
        return all(level == "live" for level in self.liveness.values())

    @property
    def reversible(self) -> bool:
        """Whether the first marking can be reached again from every other."""
        return not self._components.any()

    @cached_property
    def _components(self) -> NDArray[np.int32]:
        """The strongly connected component of each state."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        edges, count = self._edges("the way back"), len(self)
        ones = np.ones(len(edges), np.int8)
        matrix = coo_matrix((ones, (edges.sources, edges.targets)), shape=(count, count)).tocsr()
        found: NDArray[np.int32] = connected_components(matrix, connection="strong")[1]
        return found

    def _edges(self, what: str) -> Edges:
        if not self.complete:
            raise NetError(
                f"{what} cannot be told: only the first {len(self)} states are known",
                hint="explore with a higher limit",
            )
        return self.edges


def _path(state: int, moves: Sequence[F], parents: Sequence[int], via: Sequence[int]) -> list[F]:
    found = []
    while state:
        found.append(moves[via[state]])
        state = parents[state]
    return found[::-1]


class UnboundedNet(NetError):
    """A net with places on which tokens grow without end, so that it has no end of markings."""

    def __init__(self, net: Net, places: list[str], before: Sequence[str], repeated: Sequence[str]) -> None:
        self.places = places
        shown = ", ".join(f"'{place}'" for place in places[:5]) + (" and others" if len(places) > 5 else "")
        after = f"after {firings_text(before)}, " if before else ""
        super().__init__(
            f"net '{net.name}' has no end of markings: {shown} grow{'s' if len(places) == 1 else ''} without end, "
            f"'{places[0]}' {after}by {firings_text(repeated)} again and again",
            hint="give the place a capacity",
        )


def explore(net: Game[M, F], limit: int = LIMIT, *, seconds: float = math.inf) -> StateGraph[M, F]:
    """Finds every marking that a net can reach, with the firings between them, nearest first.

    At the limit of states, or after about ``seconds``, the search ends, and the graph says that it is not complete.
    Raises :class:`UnboundedNet` for a plain net whose tokens grow without end; nets with inhibitor arcs, for which this
    cannot be decided, and coloured nets are explored up to the limit.
    """
    deadline = time.monotonic() + seconds
    plain: object = net
    growing = plain if isinstance(plain, Net) and not _surely_bounded(plain, seconds / 4) else None
    numbers, order = {net.initial: 0}, [net.initial]
    labels: dict[F, int] = {}
    parents, via, dead = array("i", [0]), array("i", [0]), array("i")
    sources, moves, targets = array("i"), array("i"), array("i")
    complete = True

    def path(state: int) -> list[F]:
        return _path(state, list(labels), parents, via)

    for here, state in enumerate(order):  # grows while it is gone through
        if here % _CLOCK_EVERY == _CLOCK_EVERY - 1 and time.monotonic() > deadline:
            complete = False
            break
        enabled = net.enabled(state)
        for move in enabled:
            after = net.fire(state, move)
            there = numbers.get(after)
            label = labels.setdefault(move, len(labels))
            if there is None:
                if len(order) >= limit:
                    complete = False
                    continue
                there = numbers[after] = len(order)
                order.append(after)
                parents.append(here)
                via.append(label)
                if growing is not None:
                    _check_growth(growing, order, parents, path)
            sources.append(here)
            moves.append(label)
            targets.append(there)
        if not enabled:
            dead.append(here)
    edges = Edges(*(np.frombuffer(column, np.int32) for column in (sources, moves, targets)))
    kinds = [net.named(move) for move in labels]
    return StateGraph(order, list(labels), kinds, list(net.transitions), parents, via, dead, complete, edges)


def _check_growth(net: Net, order: Sequence[Any], parents: Sequence[int], path: Callable[[int], list[Any]]) -> None:
    """Raises if the last marking shows that tokens grow without end: it has more of them than one that it came from.

    What led from the one to the other can then be repeated (Karp and Miller), unless a capacity ends it: places of
    limited capacity must have as many tokens as before.
    """
    new: Marking = order[-1]
    state = len(order) - 1
    limited = [number for number, place in enumerate(net.places.values()) if place.capacity is not None]
    while state:
        state = parents[state]
        old = order[state]
        if all(map(le, old, new)) and all(old[place] == new[place] for place in limited):
            places = [name for name, few, many in zip(net.places, old, new, strict=True) if few < many]
            before = path(state)
            raise UnboundedNet(net, places, before, path(len(order) - 1)[len(before) :])


def _surely_bounded(net: Net, seconds: float) -> bool:
    """Whether growth need not be looked for: it is undecidable, or a weighted count of all tokens never grows.

    The weights come from a linear programme that may take so many ``seconds``, and are checked in whole numbers.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    if any(it.unless for it in net.transitions.values()):
        return True
    free = [number for number, place in enumerate(net.places.values()) if place.capacity is None]
    gains = np.array(net.incidence, float).reshape(len(net.places), len(net.transitions))[free]
    if not gains.size:
        return True
    given = {} if seconds == math.inf else {"time_limit": max(seconds, 0.1)}
    limits, none = coo_array(gains.T), np.zeros(gains.shape[1])  # each transition touches few places
    found = linprog(np.ones(len(free)), A_ub=limits, b_ub=none, bounds=(1, None), options=given)
    if found.status != 0:
        return False
    weights = [Fraction(value).limit_denominator(10_000) for value in found.x]
    whole = np.array([int(weight * math.lcm(*(each.denominator for each in weights))) for weight in weights], object)
    return bool((whole > 0).all() and (whole @ gains.astype(int).astype(object) <= 0).all())


def firings_text(firings: Iterable[object]) -> str:
    """A sequence of firings in words."""
    return ", ".join(map(str, firings)) or "nothing fires"
