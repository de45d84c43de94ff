"""Reachability: every marking a net can come to, counted exactly, nearest first."""

import math
import time
from array import array
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.nets.columns import ColumnSearch, Fields, Numbers
from drycell.nets.errors import NetError, OutOfTime
from drycell.nets.game import F, Game, M
from drycell.nets.graph import Edges, StateGraph, States, told
from drycell.nets.karp_miller import structurally_bounded, unbounded_places
from drycell.nets.net import Marking, Net
from drycell.nets.packing import Packing, widths

LIMIT: Final = 5_000_000
"""States that are looked at, unless told otherwise."""


_LOOK: Final = 64
"""States between two looks at the clock."""


class Overflow(Exception):
    """A place has come to more tokens than its field holds."""


class NetGraph(StateGraph[Marking, str]):
    """The state graph of a plain net, its markings kept packed."""

    table: Callable[[], NDArray[np.unsignedinteger]]

    def tokens(self) -> NDArray[np.unsignedinteger]:
        """All markings as a table: a row for each state, a column for each place."""
        return self.table()


def explore(
    net: Net,
    limit: int = LIMIT,
    *,
    edges: bool = True,
    marking: Marking | None = None,
    seconds: float = math.inf,
) -> NetGraph:
    """All markings that a plain net can come to, with the firings between them (``edges=False`` saves their memory).

    A net some of whose places grow without end is refused, with how they grow. At the limit of states, or when about so
    many ``seconds`` are over, the search ends, and the graph says that it is not complete.
    """
    began = time.monotonic()
    first = net.initial if marking is None else marking
    fields = Fields.of(net, first)
    if fields is not None:
        return _in_columns(net, fields, first, limit, edges)
    if not structurally_bounded(net, seconds / 4):
        try:
            growing = unbounded_places(net, first, began + seconds / 2)
        except OutOfTime:
            growing = {}  # not known; what can be seen of its markings may still tell something
        if growing:
            place, growth = next(iter(growing.items()))
            after = f"after {told(growth.before)}, " if growth.before else ""
            raise NetError(
                f"net '{net.name}' has no end of markings: {_listed(list(growing))} without end, "
                f"'{place}' {after}by {told(growth.repeated)} again and again",
                hint="give the place a capacity, or ask for coverability(net)",
            )
    return explore_wide(net, limit, edges=edges, marking=first, deadline=began + seconds)


def explore_wide(
    net: Net,
    limit: int = LIMIT,
    *,
    edges: bool = True,
    marking: Marking | None = None,
    deadline: float = math.inf,
) -> NetGraph:
    """The same from state to state, for nets of any width; bounds need not be known."""
    first = net.initial if marking is None else marking
    for width in widths(net, first):
        try:
            return _explore(net, Packing(net, width), first, limit, edges, deadline)
        except Overflow:
            continue
    raise NetError(f"net '{net.name}' comes to more than {(1 << 31) - 1} tokens on one place")


def _explore(net: Net, packing: Packing, first: Marking, limit: int, keep: bool, deadline: float) -> NetGraph:
    guard, tests = packing.guard, list(enumerate(packing.tests))
    start = packing.pack(first)
    numbers, order = {start: 0}, [start]
    parents, via, dead = array("i", [0]), array("i", [0]), array("i")
    sources, moves, targets = array("i"), array("i"), array("i")
    complete = True
    for here, state in enumerate(order):  # grows while it is gone through
        if here % _LOOK == _LOOK - 1 and time.monotonic() > deadline:
            complete = False
            break
        fired = False
        high = state | guard
        for move, (takes, adds, most) in tests:
            if (high - takes) & guard != guard or (most is not None and (most - state) & guard != guard):
                continue
            fired = True
            after = state + adds
            there = numbers.get(after)
            if there is None:
                if after & guard:
                    raise Overflow
                if len(order) >= limit:
                    complete = False
                    continue
                there = numbers[after] = len(order)
                order.append(after)
                parents.append(here)
                via.append(move)
            if keep:
                sources.append(here)
                moves.append(move)
                targets.append(there)
        if not fired:
            dead.append(here)

    def table() -> NDArray[np.unsignedinteger]:
        size = packing.places * packing.width // 8
        rows = b"".join(state.to_bytes(size, "little") for state in order)
        return np.frombuffer(rows, f"<u{packing.width // 8}").reshape(len(order), packing.places)

    columns = Edges.of(sources, moves, targets) if keep else None
    states: States[Marking] = States(len(order), lambda number: packing.unpack(order[number]))
    return _graph(net, states, (parents, via, dead), complete, columns, table)


def _in_columns(net: Net, fields: Fields, first: Marking, limit: int, keep: bool) -> NetGraph:
    found = ColumnSearch(net, fields, limit, keep).run(first)

    def table() -> NDArray[np.unsignedinteger]:
        return np.stack([fields.column(found.keys, place) for place in range(len(net.places))], axis=1)

    columns = Edges(found.sources, found.moves, found.targets) if keep else None
    states: States[Marking] = States(len(found.keys), lambda number: fields.unpack(int(found.keys[number])))
    return _graph(net, states, (found.parents, found.via, found.dead), found.complete, columns, table)


def _graph(
    net: Net,
    states: States[Marking],
    ways: tuple[Sequence[int] | Numbers, Sequence[int] | Numbers, Sequence[int] | Numbers],
    complete: bool,
    edges: Edges | None,
    table: Callable[[], NDArray[np.unsignedinteger]],
) -> NetGraph:
    names = list(net.transitions)
    parents, via, dead = ways
    graph = NetGraph(states, names, names, names, parents, via, dead, complete, edges)
    graph.__dict__["table"] = table
    return graph


def explore_game(
    net: Game[M, F], limit: int = LIMIT, *, marking: M | None = None, seconds: float = math.inf
) -> StateGraph[M, F]:
    """The same for any net, coloured ones included, firing by firing."""
    deadline = time.monotonic() + seconds
    first = net.initial if marking is None else marking
    numbers, order = {first: 0}, [first]
    labels: dict[F, int] = {}
    parents, via, dead = array("i", [0]), array("i", [0]), array("i")
    sources, moves, targets = array("i"), array("i"), array("i")
    complete = True
    for here, state in enumerate(order):
        if here % _LOOK == _LOOK - 1 and time.monotonic() > deadline:
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
            sources.append(here)
            moves.append(label)
            targets.append(there)
        if not enabled:
            dead.append(here)
    kinds = [net.named(move) for move in labels]
    edges = Edges.of(sources, moves, targets)
    return StateGraph(order, list(labels), kinds, list(net.transitions), parents, via, dead, complete, edges)


def _listed(places: list[str]) -> str:
    shown = ", ".join(f"'{place}'" for place in places[:5]) + (" and others" if len(places) > 5 else "")
    return f"{shown} grow{'s' if len(places) == 1 else ''}"
