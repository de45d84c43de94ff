"""A layout of a directed graph in layers: arrows go down as far as they can, and cross as seldom as is found.

The way of Sugiyama and others: turn the arrows that close rings, give every node the layer below its predecessors, put
a joint where an arrow crosses a layer, order layers by the means of their neighbours, and straighten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_SWEEPS = 24
_SETTLING = 12
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where nodes are, and the points that each arrow goes through, from its start to its end.

    Rows are 1 apart; within a row nodes are apart by the room that they need.
    """

    nodes: list[Point]
    arrows: list[list[Point]]


def lay_out(
    count: int,
    arrows: Sequence[tuple[int, int]],
    first: Sequence[int] = (),
    room: Sequence[tuple[float, float]] | None = None,
    joint: float = 0.2,
) -> Layout:
    """Lays out nodes 0 … count − 1; those named ``first`` are put above what they lead to and what leads to them.

    ``room`` is how much each node needs to its left and to its right (half a unit if left out); an arrow that crosses a
    row needs ``joint`` on either side.
    """
    down = _opened(count, arrows, first)
    layer = _layers(count, down)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=0) + 1)]
    for node in range(count):
        rows[layer[node]].append(node)
    chains: list[list[int]] = []
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for start, end in down:
        chain = [start]
        for row in range(layer[start] + 1, layer[end]):
            bend = len(above)
            above.append([])
            below.append([])
            rows[row].append(bend)
            chain.append(bend)
        chain.append(end)
        for upper, lower in pairwise(chain) if start != end else ():
            below[upper].append(lower)
            above[lower].append(upper)
        chains.append(chain)
    _order(rows, above, below)
    needed = [*(room or [(0.5, 0.5)] * count), *[(joint, joint)] * (len(above) - count)]
    x = _columns(rows, above, below, needed)
    y = {node: float(number) for number, row in enumerate(rows) for node in row}
    lines = []
    for (start, end), chain, (real, _) in zip(arrows, chains, down, strict=True):
        points = [(x[node], y[node]) for node in chain]
        lines.append(points if start == real and start != end else points[::-1])
    return Layout([(x[node], y[node]) for node in range(count)], lines)


def _opened(count: int, arrows: Sequence[tuple[int, int]], first: Sequence[int]) -> list[tuple[int, int]]:
    """The arrows, with those turned round that lead to where it begins, or back to where the way came from."""
    out: list[list[int]] = [[] for _ in range(count)]
    into = [0] * count
    top = set(first)
    for start, end in arrows:
        if start != end and end not in top:
            out[start].append(end)
            into[end] += 1
    begin = [*(node for node in range(count) if not into[node]), *range(count)]
    state = [0] * count  # 1: on the way, 2: done
    back: set[tuple[int, int]] = set()
    for root in begin:
        if state[root]:
            continue
        state[root] = 1
        way = [(root, iter(out[root]))]
        while way:
            node, rest = way[-1]
            for after in rest:
                if state[after] == 1:
                    back.add((node, after))
                elif not state[after]:
                    state[after] = 1
                    way.append((after, iter(out[after])))
                    break
            else:
                state[node] = 2
                way.pop()
    return [
        (end, start) if (start, end) in back or (end in top and start not in top) else (start, end)
        for start, end in arrows
    ]


def _layers(count: int, down: Sequence[tuple[int, int]]) -> list[int]:
    """Each node below all before it, and then as near as can be to those after it."""
    after: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for start, end in down:
        if start != end:
            after[start].append(end)
            waiting[end] += 1
    layer = [0] * count
    order = [node for node in range(count) if not waiting[node]]
    for node in order:
        for end in after[node]:
            layer[end] = max(layer[end], layer[node] + 1)
            waiting[end] -= 1
            if not waiting[end]:
                order.append(end)
    has_above = {end for start, end in down if start != end}
    for node in reversed(order):
        if after[node] and node not in has_above:
            layer[node] = min(layer[end] for end in after[node]) - 1
    return layer


def _order(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> None:
    """Orders the rows by the means of their neighbours, and keeps the order with the fewest crossings."""
    best, fewest = [list(row) for row in rows], _crossings(rows, below)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        numbers = range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1)
        for number in numbers:
            place = {node: at for at, node in enumerate(rows[number - 1 if downwards else number + 1])}
            near = above if downwards else below
            keys = {
                node: (sum(place[each] for each in near[node]) / len(near[node]) if near[node] else float(at))
                for at, node in enumerate(rows[number])
            }
            rows[number].sort(key=keys.__getitem__)
        found = _crossings(rows, below)
        if found < fewest:
            best, fewest = [list(row) for row in rows], found
    rows[:] = best


def _crossings(rows: list[list[int]], below: list[list[int]]) -> int:
    total = 0
    for upper, lower in pairwise(rows):
        place = {node: at for at, node in enumerate(lower)}
        ends = [sorted(place[each] for each in below[node]) for node in upper]
        flat = [end for group in ends for end in group]
        total += sum(1 for i, end in enumerate(flat) for other in flat[i + 1 :] if other < end)
    return total


def _columns(
    rows: list[list[int]], above: list[list[int]], below: list[list[int]], room: Sequence[tuple[float, float]]
) -> list[float]:
    """Columns for all nodes: each near the mean of its neighbours, none nearer to the next than both need."""
    x = [0.0] * len(above)
    offsets = []
    for row in rows:
        at = [0.0]
        for node, after in pairwise(row):
            at.append(at[-1] + room[node][1] + room[after][0])
        offsets.append(at)
        for node, place in zip(row, at, strict=False):
            x[node] = place - at[-1] / 2
    for turn in range(_SETTLING):
        for number in range(len(rows)) if turn % 2 == 0 else reversed(range(len(rows))):
            wish = []
            for node in rows[number]:
                near = above[node] + below[node]
                wish.append(sum(x[each] for each in near) / len(near) if near else x[node])
            for node, value in zip(rows[number], _apart(wish, offsets[number]), strict=True):
                x[node] = value
    least = min(x, default=0.0)
    return [value - least for value in x]


def _apart(wish: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The places nearest to the wishes that keep their distance: blocks that meet share their mean."""
    blocks: list[tuple[float, int]] = []  # mean of wish − offset, and how many
    for value, offset in zip(wish, offsets, strict=False):
        blocks.append((value - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, size), (before, count) = blocks.pop(), blocks.pop()
            blocks.append(((before * count + mean * size) / (count + size), count + size))
    flat = [mean for mean, size in blocks for _ in range(size)]
    return [mean + offset for mean, offset in zip(flat, offsets, strict=False)]
