"""Invariants, exact: weighted sums of tokens that no firing changes, and counts of firings that change no marking."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import gcd, inf
from typing import Final

from drycell.nets.net import Net, NetError

MOST_ROWS: Final = 5_000
Weights = dict[str, int]


@dataclass(frozen=True, slots=True)
class PlaceInvariant:
    """A weighted sum of tokens that keeps its initial value."""

    weights: Weights
    total: int

    def __str__(self) -> str:
        return f"{_sum(self.weights)} = {self.total}"


@dataclass(frozen=True, slots=True)
class TransitionInvariant:
    """Numbers of firings that, in some order, lead back to the same marking."""

    counts: Weights

    def __str__(self) -> str:
        return _sum(self.counts)


def place_invariants(net: Net, *, most: int = MOST_ROWS, seconds: float = inf) -> list[PlaceInvariant]:
    """Return all minimal place invariants without negative weights (P-semiflows).

    A place that a reset arc empties is in none of them: every such firing changes its sum with others.

    Args:
        net: The net.
        most: The limit of intermediate rows; above it, an error is raised. Wide nets have very many.
        seconds: The limit of wall time; after it, an error is raised.

    Raises:
        NetError: A limit was reached. Results so far are not minimal and are not returned.
    """
    names, tokens = list(net.places), net.initial
    emptied = {net.index[place] for it in net.transitions.values() for place in it.empties}
    rows: dict[int, Row] = {place: {} for place in range(len(names)) if place not in emptied}
    for move, gains in enumerate(net.gains):
        for place, gain in gains.items():
            if place not in emptied:
                rows[place][move] = gain
    return [
        PlaceInvariant(
            {names[place]: weight for place, weight in sorted(flow.items())},
            sum(weight * tokens[place] for place, weight in flow.items()),
        )
        for flow in _semiflows(rows, net.name, most, seconds)
    ]


def transition_invariants(net: Net, *, most: int = MOST_ROWS, seconds: float = inf) -> list[TransitionInvariant]:
    """Return all minimal transition invariants without negative counts (T-semiflows), with limits as for places.

    The effect of a transition that empties a place depends on the marking, so such transitions are in no invariant.
    """
    names = list(net.transitions)
    rows = {move: gains for move, gains in enumerate(net.gains) if not net.transitions[names[move]].empties}
    found = _semiflows(rows, net.name, most, seconds)
    return [TransitionInvariant({names[move]: count for move, count in sorted(flow.items())}) for flow in found]


Row = dict[int, int]
"""The entries of a row that are not zero, by column."""
Combination = tuple[Row, Row]
"""A sum of rows, with the coefficient of each row."""


def _semiflows(rows: Mapping[int, Row], name: str, most: int, seconds: float) -> list[Row]:
    """Combine rows until every column is zero (Farkas), and drop rows whose support includes another's."""
    deadline = time.monotonic() + seconds

    def check_time() -> None:
        if time.monotonic() > deadline:
            raise NetError(
                f"the invariants of net '{name}' were not found within {max(seconds, 0.0):.3g} s",
                hint="allow more time, or use a net with fewer parallel branches",
            )

    table: list[Combination] = [(row, {number: 1}) for number, row in rows.items()]
    for column in sorted({column for row in rows.values() for column in row}):
        check_time()
        plus = [entry for entry in table if entry[0].get(column, 0) > 0]
        minus = [entry for entry in table if entry[0].get(column, 0) < 0]
        table = [entry for entry in table if column not in entry[0]]
        if len(table) + len(plus) * len(minus) > most:  # checked before creating them
            raise NetError(f"net '{name}' has more than {most} intermediate invariants", hint="raise most=")
        for upper in plus:
            check_time()
            table += (_sum_without(column, upper, lower) for lower in minus)
        if plus and minus:  # otherwise the rows are still minimal
            table = _minimal(table, check_time)
    return sorted(
        (flow for _, flow in table), key=lambda flow: [*sorted((at, -weight) for at, weight in flow.items()), (inf, 0)]
    )


def _sum_without(column: int, upper: Combination, lower: Combination) -> Combination:
    a, b = -lower[0][column], upper[0][column]
    row, flow = (
        {key: value for key in {**p, **q} if (value := a * p.get(key, 0) + b * q.get(key, 0))}
        for p, q in zip(upper, lower, strict=True)
    )
    divisor = gcd(*row.values(), *flow.values())
    return (
        {key: value // divisor for key, value in row.items()},
        {key: value // divisor for key, value in flow.items()},
    )


def _minimal(table: list[Combination], check_time: Callable[[], None]) -> list[Combination]:
    supports = [sum(1 << place for place in flow) for _, flow in table]
    order = sorted(range(len(table)), key=lambda number: supports[number].bit_count())
    kept: list[int] = []
    for number in order:
        check_time()
        if all(supports[other] & ~supports[number] for other in kept):
            kept.append(number)
    return [table[number] for number in sorted(kept)]


def _sum(weights: Weights) -> str:
    return " + ".join(name if weight == 1 else f"{weight} {name}" for name, weight in weights.items())
