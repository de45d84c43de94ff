"""Invariants, exact: weighted sums of tokens that no firing changes, and counts of firings that change no marking."""

import time
from collections.abc import Sequence
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

    Args:
        net: The net.
        most: The number of intermediate rows above which the computation ends with an error. Wide nets have very many.
        seconds: The wall time after which it does so.

    Raises:
        NetError: A limit was reached. What was found until then is not minimal and is not returned.
    """
    names, tokens = list(net.places), net.initial
    found = _semiflows(net.incidence, net.name, most, seconds)
    return [
        PlaceInvariant(
            {names[place]: weight for place, weight in enumerate(flow) if weight},
            sum(weight * count for weight, count in zip(flow, tokens, strict=True)),
        )
        for flow in found
    ]


def transition_invariants(net: Net, *, most: int = MOST_ROWS, seconds: float = inf) -> list[TransitionInvariant]:
    """Return all minimal transition invariants without negative counts (T-semiflows), with limits as for places."""
    names, rows = list(net.transitions), net.incidence
    columns = [[row[number] for row in rows] for number in range(len(names))]
    found = _semiflows(columns, net.name, most, seconds)
    return [TransitionInvariant({names[move]: count for move, count in enumerate(flow) if count}) for flow in found]


def _semiflows(rows: Sequence[Sequence[int]], name: str, most: int, seconds: float) -> list[tuple[int, ...]]:
    """Combine rows until every column is zero (Farkas), and drop rows whose support includes another's."""
    deadline = time.monotonic() + seconds
    table = [(list(row), [int(i == number) for i in range(len(rows))]) for number, row in enumerate(rows)]
    for column in range(len(rows[0]) if rows else 0):
        if time.monotonic() > deadline:
            raise NetError(
                f"the invariants of net '{name}' were not found within {seconds:g} s",
                hint="allow more time, or use a net with fewer parallel branches",
            )
        plus = [entry for entry in table if entry[0][column] > 0]
        minus = [entry for entry in table if entry[0][column] < 0]
        table = [entry for entry in table if not entry[0][column]]
        if len(table) + len(plus) * len(minus) > most:  # checked before they are made, because there can be very many
            raise NetError(f"net '{name}' has more than {most} intermediate invariants", hint="raise most=")
        if plus and minus:  # otherwise the rows are still minimal
            table = _minimal([*table, *(_sum_without(column, upper, lower) for upper in plus for lower in minus)])
    return sorted((tuple(flow) for _, flow in table), key=lambda flow: tuple(-weight for weight in flow))


Row = tuple[list[int], list[int]]


def _sum_without(column: int, upper: Row, lower: Row) -> Row:
    a, b = -lower[0][column], upper[0][column]
    row = [a * p + b * q for p, q in zip(upper[0], lower[0], strict=True)]
    flow = [a * p + b * q for p, q in zip(upper[1], lower[1], strict=True)]
    divisor = gcd(*row, *flow) or 1
    return [value // divisor for value in row], [value // divisor for value in flow]


def _minimal(table: list[Row]) -> list[Row]:
    supports = [sum(1 << place for place, weight in enumerate(flow) if weight) for _, flow in table]
    order = sorted(range(len(table)), key=lambda number: supports[number].bit_count())
    kept: list[int] = []
    for number in order:
        if all(supports[other] & ~supports[number] for other in kept):
            kept.append(number)
    return [table[number] for number in sorted(kept)]


def _sum(weights: Weights) -> str:
    return " + ".join(name if weight == 1 else f"{weight} {name}" for name, weight in weights.items())
