"""Coverability: which places of a net grow without end, and how; decided by Karp and Miller's tree."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final

import numpy as np

from drycell.nets.errors import NetError, OutOfTime
from drycell.nets.net import Marking, Net

OMEGA: Final = float("inf")
"""More tokens than any number."""
MOST_NODES: Final = 200_000
Covering = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """How a place grows: fire these first, then those again and again."""

    before: tuple[str, ...]
    repeated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coverability:
    """The greatest numbers of tokens each place can come to (:data:`OMEGA`: no end), and how the endless ones grow."""

    bounds: dict[str, float]
    growing: dict[str, Growth]
    nodes: int


def incidence(net: Net) -> list[list[int]]:
    """A row for each place, a column for each transition: how many tokens the place gains."""
    return [[it.gain(place) for it in net.transitions.values()] for place in net.places]


def structurally_bounded(net: Net, seconds: float = math.inf) -> bool:
    """Whether a weighted count of all tokens never grows, whatever the marking: then no place can grow without end.

    No means: not known this way, or not in so many ``seconds``. The weights come from a linear programme and are
    checked in whole numbers.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    free = [number for number, place in enumerate(net.places.values()) if place.capacity is None]
    gains = np.array(incidence(net), float).reshape(len(net.places), len(net.transitions))[free]
    if not gains.size:
        return True
    given = {} if seconds == math.inf else {"time_limit": max(seconds, 0.1)}
    limits, none = coo_array(gains.T), np.zeros(gains.shape[1])  # each transition touches few places
    found = linprog(np.ones(len(free)), A_ub=limits, b_ub=none, bounds=(1, None), options=given)
    if found.status != 0:
        return False
    weights = [Fraction(value).limit_denominator(10_000) for value in found.x]
    whole = np.array([int(weight * lcm(*(each.denominator for each in weights))) for weight in weights], object)
    return bool((whole > 0).all() and (whole @ gains.astype(int).astype(object) <= 0).all())


def coverability(
    net: Net, marking: Marking | None = None, *, most: int = MOST_NODES, deadline: float = math.inf
) -> Coverability:
    """Karp and Miller's tree, without the branches that one already there covers.

    ``deadline`` is an instant of the monotonic clock after which it is given up, with OutOfTime.
    """
    forbids = [it.name for it in net.transitions.values() if it.unless]
    if forbids:
        raise NetError(
            f"what grows cannot be decided of nets with inhibitor arcs: '{forbids[0]}' has one",
            hint="give every place a capacity, or explore with a limit",
        )
    plain, first = _without_capacities(net, net.initial if marking is None else marking)
    takes = np.array([[it.takes.get(p, 0) for p in plain.places] for it in plain.transitions.values()], float)
    gains = np.array([[it.gain(p) for p in plain.places] for it in plain.transitions.values()], float)
    names = list(plain.transitions)
    nodes: list[Covering] = [tuple(map(float, first))]
    parents, via = [-1], [-1]
    table = np.array(nodes)
    growing: dict[int, tuple[int, int, int]] = {}  # of a place: ancestor, parent and transition that show it
    here = 0
    while here < len(nodes):
        marked = np.array(nodes[here])
        for move in np.flatnonzero((takes <= marked).all(axis=1)) if names else ():
            if time.monotonic() > deadline:
                raise OutOfTime(f"whether net '{net.name}' grows without end was not decided in time")
            after = marked + gains[move]
            _accelerate(after, here, int(move), nodes, parents, growing)
            if (table[: len(nodes)] >= after).all(axis=1).any():
                continue
            nodes.append(tuple(after))
            parents.append(here)
            via.append(int(move))
            if len(nodes) > len(table):
                table = np.vstack([table, np.full_like(table, -1.0)])
            table[len(nodes) - 1] = after
            if len(nodes) > most:
                raise NetError(f"the tree of net '{net.name}' has more than {most} nodes", hint="raise most=")
        here += 1
    bounds = dict(zip(net.places, table[: len(nodes)].max(axis=0).tolist(), strict=False))
    order = list(plain.places)

    def fired(node: int) -> tuple[str, ...]:
        return tuple(names[via[each]] for each in _line(node, parents)[:-1])[::-1]

    grows = {
        order[place]: Growth(fired(ancestor), (*fired(parent)[len(fired(ancestor)) :], names[move]))
        for place, (
            ancestor,
            parent,
            move,
        ) in growing.items()  # the first is found first, and can be played as it is told
    }
    return Coverability({place: bounds[place] for place in net.places}, grows, len(nodes))


def unbounded_places(net: Net, marking: Marking | None = None, deadline: float = math.inf) -> dict[str, Growth]:
    """The places that grow without end, and how. Nothing is said of nets with inhibitor arcs."""
    if any(it.unless for it in net.transitions.values()):
        return {}
    return coverability(net, marking, deadline=deadline).growing


def _accelerate(
    after: np.ndarray[tuple[int], np.dtype[np.float64]],
    here: int,
    move: int,
    nodes: Sequence[Covering],
    parents: Sequence[int],
    growing: dict[int, tuple[int, int, int]],
) -> None:
    """Puts no end of tokens where a marking on the way here was smaller: what led from there can be repeated."""
    for ancestor in _line(here, parents):
        before = np.array(nodes[ancestor])
        if (before <= after).all():
            for place in np.flatnonzero((before < after) & np.isfinite(after)):
                growing.setdefault(int(place), (ancestor, here, move))
                after[place] = OMEGA


def _line(node: int, parents: Sequence[int]) -> list[int]:
    """A node, its parent, and so on to the first."""
    found = []
    while node >= 0:
        found.append(node)
        node = parents[node]
    return found


def _without_capacities(net: Net, marking: Marking) -> tuple[Net, Marking]:
    """The same net with a further place for what is free in each place of limited capacity."""
    limited = {name: place.capacity for name, place in net.places.items() if place.capacity is not None}
    if not limited:
        return net, marking
    plain = Net(net.name)
    for name in net.places:
        plain.place(name)
    for name in limited:
        plain.place(f"free {name}")
    for it in net.transitions.values():
        takes, gives = dict(it.takes), dict(it.gives)
        for name in limited:
            gain = it.gain(name)
            if gain > 0:
                takes[f"free {name}"] = gain
            elif gain < 0:
                gives[f"free {name}"] = -gain
        plain.transition(it.name, takes, gives)
    at = dict(zip(net.places, marking, strict=True))
    return plain, (*marking, *(capacity - at[name] for name, capacity in limited.items()))
