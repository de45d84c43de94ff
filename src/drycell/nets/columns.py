"""Exploring in columns: all markings at one distance at once, each in 64 bits, as far as bounds are known beforehand.

Invariants and capacities bound the places of most nets of machines and programs; where these bounds fit into 64 bits,
this finds the very same graph, in the very same order, as going from state to state does, in a fraction of the time.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.nets.errors import NetError
from drycell.nets.invariants import place_invariants
from drycell.nets.net import Marking, Net

_MOST_INVARIANTS: Final = 500
_MOST_PLACES: Final = 512
_WORD: Final = 63  # the highest bit stays free, so that keys sort as whole numbers with a sign do, too

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Fields:
    """Where the tokens of each place stand in a key, and how many fit."""

    shifts: tuple[int, ...]
    masks: tuple[int, ...]

    @classmethod
    def of(cls, net: Net, marking: Marking) -> "Fields | None":
        """The fields of a net from a marking on; None if its places are not all bounded, or too many for a word."""
        if sum(count.bit_length() for count in marking) > _WORD or len(net.places) > _MOST_PLACES:
            return None  # before the invariants, which take long of wide nets
        bounds = [place.capacity for place in net.places.values()]
        try:
            invariants = place_invariants(net, most=_MOST_INVARIANTS)
        except NetError:
            invariants = []
        for each in invariants:
            total = sum(weight * marking[net.index[name]] for name, weight in each.weights.items())
            for name, weight in each.weights.items():
                old = bounds[net.index[name]]
                bounds[net.index[name]] = total // weight if old is None else min(old, total // weight)
        bits = [0 if bound is None else bound.bit_length() for bound in bounds]
        if None in bounds or sum(bits) > _WORD or max(bits, default=0) > 31:
            return None
        return cls(tuple(sum(bits[:number]) for number in range(len(bits))), tuple((1 << each) - 1 for each in bits))

    def pack(self, marking: Marking) -> int:
        """The key of a marking."""
        return sum(count << shift for count, shift in zip(marking, self.shifts, strict=True))

    def unpack(self, key: int) -> Marking:
        """The marking of a key."""
        return tuple((key >> shift) & mask for shift, mask in zip(self.shifts, self.masks, strict=True))

    def column(self, keys: Keys, place: int) -> Keys:
        """The tokens of one place in many keys."""
        found: Keys = (keys >> np.uint64(self.shifts[place])) & np.uint64(self.masks[place])
        return found


@dataclass(frozen=True, slots=True)
class Rule:
    """A transition as tests on columns: at least so many tokens here, at most so many there, and what is added."""

    least: tuple[tuple[int, int], ...]
    most: tuple[tuple[int, int], ...]
    adds: np.uint64

    @classmethod
    def of(cls, net: Net, name: str, fields: Fields) -> "Rule":
        it = net.transitions[name]
        most = [(net.index[place], weight - 1) for place, weight in it.unless.items()]
        for place in it.gives:
            capacity = net.places[place].capacity
            if capacity is not None:
                most.append((net.index[place], capacity - it.gain(place)))
        gains = sum(it.gain(place) << fields.shifts[net.index[place]] for place in {**it.takes, **it.gives})
        least = tuple((net.index[place], weight) for place, weight in it.takes.items())
        return cls(least, tuple(most), np.uint64(gains % (1 << 64)))

    def enabled(self, keys: Keys, fields: Fields) -> NDArray[np.intp]:
        """Which of the keys it can fire in."""
        found = np.ones(len(keys), bool)
        for place, weight in self.least:
            found &= fields.column(keys, place) >= np.uint64(weight)
        for place, limit in self.most:
            found &= fields.column(keys, place) <= np.uint64(limit) if limit >= 0 else False
        return np.flatnonzero(found)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found, as columns."""

    keys: Keys
    parents: Numbers
    via: Numbers
    dead: Numbers
    complete: bool
    sources: Numbers
    moves: Numbers
    targets: Numbers


class ColumnSearch:
    """A search in breadth, a distance at a time."""

    def __init__(self, net: Net, fields: Fields, limit: int, keep: bool) -> None:
        self._fields, self._limit, self._keep = fields, limit, keep
        self._rules = [Rule.of(net, name, fields) for name in net.transitions]

    def run(self, first: Marking) -> Found:
        """All states from a marking on."""
        front = np.array([self._fields.pack(first)], np.uint64)
        known, numbers = front, np.zeros(1, np.int32)  # all keys so far in order, and their numbers
        keys, parents, via = [front], [np.zeros(1, np.int32)], [np.zeros(1, np.int32)]
        dead: list[Numbers] = []
        edges: list[tuple[Numbers, Numbers, Numbers]] = []
        base, count, complete = 0, 1, True
        while len(front):
            sources, moves, after = self._fired(front)
            dead.append(_whole(base + np.flatnonzero(np.bincount(sources, minlength=len(front)) == 0)))
            sources += np.int32(base)
            base += len(front)
            unique, place, back = np.unique(after, return_index=True, return_inverse=True)
            at = np.minimum(np.searchsorted(known, unique), len(known) - 1)
            old = known[at] == unique
            number = np.where(old, numbers[at], np.int32(-1))
            fresh = np.flatnonzero(~old)
            fresh = fresh[np.argsort(place[fresh], kind="stable")]  # in the order in which they are come upon
            if count + len(fresh) > self._limit:
                fresh, complete = fresh[: self._limit - count], False
            number[fresh] = np.arange(count, count + len(fresh), dtype=np.int32)
            count += len(fresh)
            if self._keep:
                targets = number[back]
                seen = targets >= 0
                edges.append((sources, moves, targets) if seen.all() else (sources[seen], moves[seen], targets[seen]))
            front = unique[fresh]
            keys.append(front)
            parents.append(sources[place[fresh]])
            via.append(moves[place[fresh]])
            known, numbers = _merged(known, numbers, front, number[fresh])
        columns = [np.concatenate(group) if edges else np.zeros(0, np.int32) for group in zip(*edges, strict=True)]
        sources, moves, targets = columns or [np.zeros(0, np.int32)] * 3
        joined = (np.concatenate(keys), np.concatenate(parents), np.concatenate(via), np.concatenate(dead))
        return Found(*joined, complete, sources, moves, targets)

    def _fired(self, front: Keys) -> tuple[Numbers, Numbers, Keys]:
        """All firings in the front: by state, and of each state in the order of the transitions."""
        sources, moves, after = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], [np.zeros(0, np.uint64)]
        for move, rule in enumerate(self._rules):
            at = rule.enabled(front, self._fields)
            sources.append(_whole(at))
            moves.append(np.full(len(at), move, np.int32))
            after.append(front[at] + rule.adds)
        flat = np.concatenate(sources)
        order = np.argsort(flat, kind="stable")
        return flat[order], np.concatenate(moves)[order], np.concatenate(after)[order]


def _merged(known: Keys, numbers: Numbers, keys: Keys, fresh: Numbers) -> tuple[Keys, Numbers]:
    own = np.argsort(keys)
    at = np.searchsorted(known, keys[own])
    return np.insert(known, at, keys[own]), np.insert(numbers, at, fresh[own])


def _whole(values: NDArray[np.intp]) -> Numbers:
    return values.astype(np.int32)
