"""State graphs: every marking that a net can reach, and the resulting deadlocks, liveness and reversibility."""

import math
import time
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Generic, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from drycell.nets.net import AnyNet, F, M, Marking, Net, NetError

LIMIT: Final = 5_000_000
"""The number of states after which a search ends by default."""

Level = Literal["live", "repeatable", "limited", "dead"]
LEVELS: Final[dict[Level, str]] = {
    "live": "can fire again from every reachable marking",
    "repeatable": "can fire any number of times, but can also become dead",
    "limited": "can fire, but only a limited number of times",
    "dead": "never fires",
}
Column = NDArray[np.int32]
_CELLS: Final = 2**24  # limit for the matrix of markings after one block of states


@dataclass(frozen=True, slots=True)
class Edges:
    """The firings between states, in columns: the state before, the move (its index in the graph), the state after."""

    sources: Column
    moves: Column
    targets: Column

    def __len__(self) -> int:
        return len(self.sources)


@dataclass(frozen=True)
class StateGraph(Generic[M, F]):
    """The reachable states of a net in the order of their distance from the first, with the firings between them."""

    states: Sequence[M]
    moves: Sequence[F]
    names: Sequence[str]
    """The transition of each move."""
    transitions: Sequence[str]
    parents: Column
    """For each state, the state from which it was first reached."""
    via: Column
    """The move that led to it from there."""
    dead: Sequence[int]
    """The deadlocks, the nearest first."""
    complete: bool
    """Whether these are all states. If not, the search ended at its limit and the graph describes the explored part."""
    edges: Edges

    def __len__(self) -> int:
        return len(self.states)

    def path(self, state: int) -> list[F]:
        """Return a shortest sequence of firings to a state, given by its index."""
        return [self.moves[move] for move in _path(state, self.parents, self.via)]

    @property
    def deadlock(self) -> list[F] | None:
        """The shortest sequence of firings that ends in a deadlock; None if there is no deadlock."""
        return self.path(self.dead[0]) if self.dead else None

    @cached_property
    def liveness(self) -> dict[str, Level]:
        """The level of liveness of each transition."""
        edges, component = self._edges("liveness"), self._components
        order = {name: number for number, name in enumerate(self.transitions)}
        transition = np.array([order[name] for name in self.names], np.int32)[edges.moves]
        inner = component[edges.sources] == component[edges.targets]
        last = np.ones(int(component.max(initial=0)) + 1, bool)
        last[component[edges.sources[~inner]]] = False  # components that can be left
        fires, again = (np.bincount(each, minlength=len(order)) > 0 for each in (transition, transition[inner]))
        ends = inner & last[component[edges.sources]]
        # A transition is live if it can fire again in every component that cannot be left.
        pairs = np.unique(component[edges.sources[ends]] * np.int64(len(order)) + transition[ends])
        live = np.bincount(pairs % max(len(order), 1), minlength=len(order)) == np.count_nonzero(last)
        return {
            name: "live" if live[number] else "repeatable" if again[number] else "limited" if fires[number] else "dead"
            for name, number in order.items()
        }

    @property
    def live(self) -> bool:
        """Whether every transition can fire again from every reachable marking."""
        return all(level == "live" for level in self.liveness.values())

    @property
    def reversible(self) -> bool:
        """Whether the first marking can be reached again from every other."""
        return not self._components.any()

    @cached_property
    def _components(self) -> Column:
        """The strongly connected component of each state."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        edges, count = self._edges("reversibility"), len(self)
        ones = np.ones(len(edges), np.int8)
        matrix = coo_matrix((ones, (edges.sources, edges.targets)), shape=(count, count)).tocsr()
        found: Column = connected_components(matrix, connection="strong")[1]
        return found

    def _edges(self, what: str) -> Edges:
        if not self.complete:
            raise NetError(
                f"{what} is not known: only the first {len(self)} states were explored",
                hint="explore with a higher limit",
            )
        return self.edges


def _path(state: int, parents: Column, via: Column) -> list[int]:
    """Return the moves that lead to a state, by the parents of the states."""
    found = []
    while state:
        found.append(int(via[state]))
        state = int(parents[state])
    return found[::-1]


class UnboundedNet(NetError):
    """A net with infinitely many markings, because the tokens on some places grow without limit."""

    def __init__(self, net: Net, places: list[str], before: Sequence[str], repeated: Sequence[str]) -> None:
        self.places = places
        shown = ", ".join(f"'{place}'" for place in places[:5]) + (" and others" if len(places) > 5 else "")
        after = f"after {firings_text(before)}, " if before else ""
        super().__init__(
            f"net '{net.name}' is unbounded: {shown} can grow without limit: {after}fire {firings_text(repeated)} "
            "repeatedly",
            hint="give the place a capacity",
        )


def explore(net: AnyNet[M, F], limit: int = LIMIT, *, seconds: float = math.inf) -> StateGraph[M, F]:
    """Find every marking that a net can reach, with the firings between them, nearest first.

    Args:
        net: A plain or a coloured net.
        limit: The number of states after which the search ends, with an incomplete graph.
        seconds: The wall time after which the search ends.

    Raises:
        UnboundedNet: A plain net's tokens grow without limit. This cannot be decided for nets with inhibitor arcs, for
            places that reset arcs empty, and for coloured nets: they are explored up to the limit.

    >>> net = Net("press")
    >>> net.place("idle", 1); net.place("busy")
    >>> net.transition("start", takes="idle", gives="busy")
    >>> graph = explore(net)
    >>> len(graph), graph.deadlock
    (2, ['start'])
    """
    given: Any = net
    transitions = list(given.transitions)
    if not isinstance(given, Net):
        return _explore(_ObjectStates(net), transitions, limit, seconds)
    started = time.monotonic()
    growing = not _surely_bounded(given, seconds / 4)
    found: Any  # a graph of a plain net
    try:
        left = seconds - (time.monotonic() - started)
        found = _explore(_MatrixStates(given, np.uint8, growing), transitions, limit, left)
    except _ManyTokens:
        left = seconds - (time.monotonic() - started)
        found = _explore(_MatrixStates(given, np.int64, growing), transitions, limit, left)
    return found  # type: ignore[no-any-return]


# ---------------------------------------------------------------- breadth first, a block of states at a time


class _States(Protocol[M, F]):
    """The states found so far. The search numbers them; how they are stored depends on the kind of net."""

    block: int
    """The number of states that are expanded at a time."""
    markings: Sequence[M]
    moves: Sequence[F]
    names: list[str]
    """The transition of each move."""

    def key(self) -> Hashable:
        """Return the key of the first state."""

    def expand(self, start: int, end: int) -> tuple[Column, Column, Sequence[Hashable]]:
        """Return all firings from a range of states: the states, the moves, and keys of the markings after them.

        They are in the order of the states, and for each state in the order of the transitions.
        """

    def add(self, firings: NDArray[np.intp]) -> None:
        """Append the markings after some of the firings last returned by :meth:`expand`."""

    def check(self, parents: Column, via: Column, deadline: float) -> None:
        """Raise if the states show that the net is unbounded; stop at the deadline."""


def _explore(states: _States[M, F], transitions: list[str], limit: int, seconds: float) -> StateGraph[M, F]:
    deadline = time.monotonic() + seconds
    numbers = {states.key(): 0}
    tree = _Rows(2, np.int32)  # parent and via of each state
    tree.extend(np.zeros((1, 2), np.int32))
    dead: list[int] = []
    blocks: list[tuple[Column, Column, Column]] = []
    complete, here = True, 0
    while here < len(states.markings):
        if here and time.monotonic() > deadline:
            complete = False
            break
        end, known = min(here + states.block, len(states.markings)), len(numbers)
        sources, moves, keys = states.expand(here, end)
        if known < limit:
            targets = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int32)
        else:
            targets = np.array([numbers.get(key, limit) for key in keys], np.int32)
        dead += (here + np.flatnonzero(np.bincount(sources - here, minlength=end - here) == 0)).tolist()
        fresh = np.flatnonzero((targets >= known) & (targets < limit))
        if fresh.size:
            added = fresh[np.unique(targets[fresh], return_index=True)[1]]
            states.add(added)
            tree.extend(np.column_stack((sources[added], moves[added])))
            parents, via = tree.columns
            states.check(parents, via, deadline)
        inside = targets < limit
        complete = complete and bool(inside.all())
        blocks.append((sources[inside], moves[inside], targets[inside]))
        here = end
    edges = Edges(*(np.concatenate(column) for column in zip(*blocks, strict=True)))
    parents, via = tree.columns
    return StateGraph(states.markings, states.moves, states.names, transitions, parents, via, dead, complete, edges)


class _Rows:
    """A matrix that rows are appended to."""

    def __init__(self, width: int, kind: type[np.integer[Any]]) -> None:
        self._room = np.empty((1024, width), kind)
        self._count = 0

    def extend(self, rows: NDArray[Any]) -> None:
        """Append rows."""
        count = self._count + len(rows)
        if count > len(self._room):
            room = np.empty((2 * count, self._room.shape[1]), self._room.dtype)
            room[: self._count] = self.rows
            self._room = room
        self._room[self._count : count] = rows
        self._count = count

    @property
    def rows(self) -> NDArray[Any]:
        """All rows."""
        return self._room[: self._count]

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """All columns."""
        return tuple(self.rows.T)


class Markings(Sequence[Marking]):
    """The markings of a plain net, as the rows of a matrix."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows.rows)

    @overload
    def __getitem__(self, index: int) -> Marking: ...
    @overload
    def __getitem__(self, index: slice) -> list[Marking]: ...
    def __getitem__(self, index: int | slice) -> Marking | list[Marking]:
        found = self._rows.rows[index].tolist()
        return tuple(found) if isinstance(index, int) else [tuple(each) for each in found]

    def bounds(self) -> list[int]:
        """Return the most tokens on each place."""
        found: list[int] = self._rows.rows.max(axis=0).tolist()
        return found


class _ManyTokens(Exception):
    """A place has more tokens than a byte can count."""


class _MatrixStates:
    """The states of a plain net: a row of a matrix each. numpy fires a whole block of them at a time."""

    def __init__(self, net: Net, kind: type[np.uint8 | np.int64], growing: bool) -> None:
        self.moves: Sequence[str] = list(net.transitions)
        self.names = list(net.transitions)
        self._net, self._growing = net, growing
        self._checked = 1  # the number of states already checked for growth
        self._kind, self._most = kind, int(np.iinfo(kind).max)
        self._tests = list(net.tests.values())
        self.block = max(_CELLS // max(len(net.places) * len(net.transitions), 512), 1)
        changes = [
            (it, {net.index[place]: it.after(place, 0) for place in it.changes}) for it in net.transitions.values()
        ]
        small = kind is np.uint8 and all(abs(gain) < 2**14 for _, gains in changes for gain in gains.values())
        shape = len(net.transitions), len(net.places)
        self._gains = np.zeros(shape, np.int16 if small else np.int64)  # their sum with a marking cannot overflow
        self._kept = np.ones(shape, kind) if any(it.empties for it, _ in changes) else None  # 0 where a firing empties
        for number, (it, gains) in enumerate(changes):
            self._gains[number, list(gains)] = list(gains.values())
            if self._kept is not None:
                self._kept[number, [net.index[place] for place in it.empties]] = 0
        self._rows = _Rows(len(net.places), kind)
        self._rows.extend(self._stored(np.array([net.initial], np.int64).reshape(1, -1)))
        self.markings: Sequence[Marking] = Markings(self._rows)

    def key(self) -> bytes:
        """Return the key of the first state."""
        return bytes(self._rows.rows[0])

    def expand(self, start: int, end: int) -> tuple[Column, Column, list[bytes]]:
        """Return all firings from a range of states; see :class:`_States`."""
        block = self._rows.rows[start:end]
        columns = np.ascontiguousarray(block.T)
        enabled = np.ones((len(self._tests), len(block)), bool)
        for fires, (least, most) in zip(enabled, self._tests, strict=True):
            for place, weight in least:
                fires &= columns[place] >= weight
            for place, weight in most:
                fires &= columns[place] <= weight
        sources, moves = np.nonzero(enabled.T)
        before = block[sources] if self._kept is None else block[sources] * self._kept[moves]
        self._after = self._stored(before + self._gains[moves])
        width = self._after.shape[1] * self._after.itemsize
        keys: Any = self._after.view(np.dtype((np.void, width))).ravel().tolist() if width else [b""] * len(sources)
        return (sources + start).astype(np.int32), moves.astype(np.int32), keys

    def add(self, firings: NDArray[np.intp]) -> None:
        """Append the markings after some of the latest firings."""
        self._rows.extend(self._after[firings])

    def _stored(self, markings: NDArray[Any]) -> NDArray[Any]:
        if markings.max(initial=0) > self._most:
            raise _ManyTokens
        return markings.astype(self._kind)

    def check(self, parents: Column, via: Column, deadline: float) -> None:
        """Raise if a marking has more tokens than one that it was reached from.

        The firings that lead from the one to the other can then be repeated (Karp and Miller), unless a capacity ends
        this: places of limited capacity must have as many tokens as before. Each repetition adds the same number of
        tokens only on places that no transition empties.
        """
        rows, places = self._rows.rows, self._net.places
        # Many states at a time: each needs as many comparisons as there are states on its path, and in a long thin net
        # a level has only a few states.
        if not self._growing or len(rows) < 2 * self._checked:
            return
        limited = [number for number, place in enumerate(places.values()) if place.capacity is not None]
        emptied = {place for it in self._net.transitions.values() for place in it.empties}
        lasting = [number for number, name in enumerate(places) if name not in emptied]
        found: tuple[int, int] | None = None
        after = np.arange(self._checked, len(rows))
        self._checked = len(rows)
        before = parents[after]
        while len(after) and time.monotonic() < deadline:
            grows = (rows[before] <= rows[after]).all(axis=1)
            grows &= (rows[before][:, limited] == rows[after][:, limited]).all(axis=1)
            if emptied:
                grows &= (rows[before][:, lasting] < rows[after][:, lasting]).any(axis=1)
            if grows.any():
                place = int(np.argmax(grows))
                found = int(before[place]), int(after[place])
                after, before = after[:place], before[:place]
            after, before = after[before > 0], parents[before[before > 0]]
        if found is not None:
            old, large = found
            more = rows[old] < rows[large]
            grown = [name for number, name in enumerate(places) if more[number] and name not in emptied]
            start, whole = _path(old, parents, via), _path(large, parents, via)
            names = [self.moves[move] for move in whole]
            raise UnboundedNet(self._net, grown, names[: len(start)], names[len(start) :])


class _ObjectStates(Generic[M, F]):
    """The states of a net that is fired one marking at a time."""

    block = 8

    def __init__(self, net: AnyNet[M, F]) -> None:
        self._net = net
        self._found = [net.initial]
        self.markings: Sequence[M] = self._found
        self.moves: Sequence[F] = []
        self.names: list[str] = []
        self._numbers: dict[F, int] = {}
        self._after: list[M] = []

    def key(self) -> M:
        """Return the key of the first state."""
        return self._net.initial

    def expand(self, start: int, end: int) -> tuple[Column, Column, list[M]]:
        """Return all firings from a range of states; see :class:`_States`."""
        numbers = self._numbers
        firings = [
            (source, numbers.setdefault(move, len(numbers)), self._net.fire(marking, move))
            for source, marking in enumerate(self.markings[start:end], start)
            for move in self._net.enabled(marking)
        ]
        self.moves, self.names = list(numbers), [self._net.named(move) for move in numbers]
        self._after = [after for _, _, after in firings]
        pairs = np.array([firing[:2] for firing in firings], np.int32).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1], self._after

    def add(self, firings: NDArray[np.intp]) -> None:
        """Append the markings after some of the latest firings."""
        self._found += [self._after[firing] for firing in firings]

    def check(self, parents: Column, via: Column, deadline: float) -> None:
        """Do nothing: boundedness is not decided for such nets."""


def _surely_bounded(net: Net, seconds: float) -> bool:
    """Return whether growth does not need a check: a weighted sum of all tokens never grows, or growth is undecidable.

    The weights come from a linear programme that ends after ``seconds``, and are verified in whole numbers.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    if any(it.unless for it in net.transitions.values()):
        return True
    free = {number for number, place in enumerate(net.places.values()) if place.capacity is None}
    gains = [{place: gain for place, gain in each.items() if place in free} for each in net.gains]
    entries = [(move, place, gain) for move, each in enumerate(gains) for place, gain in each.items()]
    if not entries:
        return True
    rows, columns, values = zip(*entries, strict=True)
    limits = coo_array((values, (rows, columns)), shape=(len(gains), len(net.places)))
    given = {} if seconds == math.inf else {"time_limit": max(seconds, 0.1)}
    found = linprog(np.ones(len(net.places)), A_ub=limits, b_ub=np.zeros(len(gains)), bounds=(1, None), options=given)
    if found.status != 0:
        return False
    weights = [Fraction(value).limit_denominator(10_000) for value in found.x]
    divisor = math.lcm(*(each.denominator for each in weights))
    whole = [int(weight * divisor) for weight in weights]
    return min(whole) > 0 and all(sum(whole[place] * gain for place, gain in each.items()) <= 0 for each in gains)


def firings_text(firings: Iterable[object]) -> str:
    """Return a sequence of firings as text."""
    return ", ".join(map(str, firings)) or "nothing"
