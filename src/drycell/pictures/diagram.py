"""Diagrams: graphs in layers, with circles, bars and boxes as nodes and arrows between them, written as SVG.

The layout follows Sugiyama et al.: reverse the arrows that close cycles, put every node in the layer below its
predecessors, add a joint where an arrow crosses a layer, order the nodes of each layer by the mean of their neighbours,
and straighten the arrows.
"""

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal
from xml.sax.saxutils import escape

from drycell.base import DrycellError
from drycell.pictures.page import Style

_SWEEPS = 24
_SETTLING = 12
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class DiagramLayout:
    """The positions of nodes, and the points of each arrow from its start to its end.

    Rows are 1 apart. Within a row, nodes are spaced by the room they need.
    """

    nodes: list[Point]
    arrows: list[list[Point]]


def lay_out(
    count: int,
    arrows: Sequence[tuple[int, int]],
    first: Sequence[int] = (),
    room: Sequence[tuple[float, float]] | None = None,
    joint: float = 0.2,
    seconds: float = math.inf,
) -> DiagramLayout:
    """Lay out nodes 0 … count − 1. Nodes in ``first`` are put above all their neighbours.

    ``room`` is the space that each node needs to its left and right (default: half a unit); an arrow that crosses a row
    needs ``joint`` on either side. A layout that takes longer than ``seconds`` of wall time is abandoned with an error.
    """
    deadline = time.monotonic() + seconds

    def check_time() -> None:
        if time.monotonic() > deadline:
            raise DrycellError(
                f"{count} nodes and {len(arrows)} arrows were not laid out within {seconds:.1f} s",
                hint="allow more time, or draw a part of the graph",
            )

    down = _opened(count, arrows, first)
    layer = _layers(count, down)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=0) + 1)]
    for node in range(count):
        rows[layer[node]].append(node)
    chains: list[list[int]] = []
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for start, end in down:
        check_time()
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
    _order(rows, above, below, check_time)
    needed = [*(room or [(0.5, 0.5)] * count), *[(joint, joint)] * (len(above) - count)]
    x = _columns(rows, above, below, needed, check_time)
    y = {node: float(number) for number, row in enumerate(rows) for node in row}
    lines = []
    for (start, end), chain, (real, _) in zip(arrows, chains, down, strict=True):
        points = [(x[node], y[node]) for node in chain]
        lines.append(points if start == real and start != end else points[::-1])
    return DiagramLayout([(x[node], y[node]) for node in range(count)], lines)


def _opened(count: int, arrows: Sequence[tuple[int, int]], first: Sequence[int]) -> list[tuple[int, int]]:
    """Return the arrows, reversing those that close a cycle."""
    out: list[list[int]] = [[] for _ in range(count)]
    into = [0] * count
    top = set(first)
    for start, end in arrows:
        if start != end and end not in top:
            out[start].append(end)
            into[end] += 1
    begin = [*(node for node in range(count) if not into[node]), *range(count)]
    state = [0] * count  # 1: in progress, 2: done
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
    """Put each node below all its predecessors, and then as near as possible to its successors."""
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


def _order(
    rows: list[list[int]], above: list[list[int]], below: list[list[int]], check_time: Callable[[], None]
) -> None:
    """Order the rows by the means of their neighbours, and keep the order with the fewest crossings."""
    best, fewest = [list(row) for row in rows], _crossings(rows, below)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        numbers = range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1)
        for number in numbers:
            check_time()
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
        before: list[int] = []
        for end in (end for group in ends for end in group):
            at = bisect_right(before, end)
            total += len(before) - at
            before.insert(at, end)
    return total


def _columns(
    rows: list[list[int]],
    above: list[list[int]],
    below: list[list[int]],
    room: Sequence[tuple[float, float]],
    check_time: Callable[[], None],
) -> list[float]:
    """Return columns for all nodes: each near the mean of its neighbours, with enough room between nodes."""
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
            check_time()
            wish = []
            for node in rows[number]:
                near = above[node] + below[node]
                wish.append(sum(x[each] for each in near) / len(near) if near else x[node])
            for node, value in zip(rows[number], _apart(wish, offsets[number]), strict=True):
                x[node] = value
    least = min(x, default=0.0)
    return [value - least for value in x]


def _apart(wish: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """Return the nearest positions to the desired ones that keep the distances; blocks that meet share their mean."""
    blocks: list[tuple[float, int]] = []  # mean of desired position − offset, and count
    for value, offset in zip(wish, offsets, strict=False):
        blocks.append((value - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, size), (before, count) = blocks.pop(), blocks.pop()
            blocks.append(((before * count + mean * size) / (count + size), count + size))
    flat = [mean for mean, size in blocks for _ in range(size)]
    return [mean + offset for mean, offset in zip(flat, offsets, strict=False)]


Kind = Literal["round", "bar", "box"]
ArrowTip = Literal["arrow", "double", "ring", "none"]

RADIUS: Final = 15.0
_BAR: Final = (30.0, 7.0)
_FONT: Final = 11
_MARGIN: Final = 28.0
_BOW: Final = 14.0
_ACCENT: Final = "#b5482a"


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A node at a position: ``text`` beside it (inside, for a box), ``mark`` inside, ``dots`` as tokens."""

    at: Point
    kind: Kind
    text: str
    mark: str = ""
    dots: int = 0
    accent: bool = False

    @property
    def room(self) -> Point:
        """The space it needs to its left and right, including its text."""
        beside = 0.0 if self.kind == "box" else 5 + wide(self.text)
        return self.half[0], self.half[0] + beside

    @property
    def half(self) -> Point:
        """Half its width and height."""
        if self.kind == "round":
            return RADIUS, RADIUS
        if self.kind == "bar":
            return _BAR[0] / 2, _BAR[1] / 2
        return max(34.0, wide(self.text) / 2 + 10), 17.0 if self.mark else 13.0


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line from one node to another through some points."""

    start: int
    end: int
    through: Sequence[Point] = ()
    text: str = ""
    tip: ArrowTip = "arrow"
    """Its end: one arrowhead, two, a small circle, or nothing; a line without a tip is dashed."""
    accent: bool = False
    text_at: float = 0.5
    """The position of the text along the line, from 0 at its start to 1 at its end."""


@dataclass
class Diagram:
    """Nodes and arrows on a page that fits them."""

    title: str = ""
    nodes: list[DiagramNode] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    style: Style = field(default_factory=Style)

    def svg(self) -> str:
        """Return the diagram as SVG. The same diagram gives the same bytes."""
        left, top, right, bottom = self._extent()
        width, height = round(right - left), round(bottom - top)
        ink, paper = self.style.ink, self.style.paper
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="{_n(left)} {_n(top)} {width} {height}" font-family="Helvetica, Arial, sans-serif" '
            f'font-size="{_FONT}">',
            f"<title>{escape(self.title)}</title>" if self.title else "",
            f'<rect x="{_n(left)}" y="{_n(top)}" width="{width}" height="{height}" fill="{paper}"/>' if paper else "",
        ]
        joined = {(arrow.start, arrow.end) for arrow in self.arrows}
        lines += [self._arrow(arrow, (arrow.end, arrow.start) in joined) for arrow in self.arrows]
        for node in self.nodes:
            lines += self._node(node)
        halo = f' stroke="{paper}" stroke-width="3" paint-order="stroke"' if paper else ""
        lines.append(f'<g fill="{ink}"{halo}>')
        lines += [self._words(node) for node in self.nodes]
        lines.append("</g>")
        return "\n".join(line for line in (*lines, "</svg>", "") if line) + "\n"

    def _extent(self) -> tuple[float, float, float, float]:
        xs, ys = [0.0], [0.0]
        for node in self.nodes:
            (x, y), (_, tall) = node.at, node.half
            xs += [x - node.room[0], x + node.room[1]]
            ys += [y - tall, y + tall]
        for arrow in self.arrows:
            xs += [x for x, _ in arrow.through]
            ys += [y for _, y in arrow.through]
        return min(xs) - _MARGIN, min(ys) - _MARGIN, max(xs) + _MARGIN, max(ys) + _MARGIN

    def _node(self, node: DiagramNode) -> list[str]:
        (x, y), (half, tall) = node.at, node.half
        colour = _ACCENT if node.accent else self.style.ink
        if node.kind == "round":
            drawn = [
                f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(RADIUS)}" fill="#ffffff" stroke="{colour}" '
                f'stroke-width="1.4"/>'
            ]
            return drawn + self._tokens(node)
        box = f'x="{_n(x - half)}" y="{_n(y - tall)}" width="{_n(2 * half)}" height="{_n(2 * tall)}"'
        if node.kind == "bar":
            return [f'<rect {box} fill="{colour}"/>']
        return [f'<rect {box} rx="4" fill="#ffffff" stroke="{colour}" stroke-width="{2 if node.accent else 1.2}"/>']

    def _tokens(self, node: DiagramNode) -> list[str]:
        x, y = node.at
        if node.mark:
            return [f'<text x="{_n(x)}" y="{_n(y + 4)}" text-anchor="middle">{escape(node.mark)}</text>']
        if node.dots > 4:
            return [f'<text x="{_n(x)}" y="{_n(y + 4)}" text-anchor="middle">{node.dots}</text>']
        apart = 0.0 if node.dots == 1 else 5.0
        return [
            f'<circle cx="{_n(x + apart * math.cos(turn))}" cy="{_n(y + apart * math.sin(turn))}" r="3.2" '
            f'fill="{self.style.ink}"/>'
            for turn in (2 * math.pi * number / node.dots + math.pi / 4 for number in range(node.dots))
        ]

    def _words(self, node: DiagramNode) -> str:
        (x, y), (half, _) = node.at, node.half
        if node.kind != "box":
            return f'<text x="{_n(x + half + 5)}" y="{_n(y + 4)}">{escape(node.text)}</text>' if node.text else ""
        if not node.mark:
            return f'<text x="{_n(x)}" y="{_n(y + 4)}" text-anchor="middle">{escape(node.text)}</text>'
        return (
            f'<text x="{_n(x)}" y="{_n(y - 2)}" text-anchor="middle">{escape(node.text)}</text>'
            f'<text x="{_n(x)}" y="{_n(y + 11)}" text-anchor="middle" font-size="9">{escape(node.mark)}</text>'
        )

    def _arrow(self, arrow: Arrow, both: bool) -> str:
        start, end = self.nodes[arrow.start], self.nodes[arrow.end]
        inner = list(arrow.through)
        side = 1.0
        if not inner and both:
            bend, side = _bow(start.at, end.at)  # arrows in both directions: side by side
            inner = [bend]
        first, last = (inner[0] if inner else end.at), (inner[-1] if inner else start.at)
        a, b = _edge(start, first), _edge(end, last)
        colour = _ACCENT if arrow.accent else self.style.shade(0.75)
        width = 2 if arrow.accent else 1.1
        dx, dy = b[0] - last[0], b[1] - last[1]
        length = math.hypot(dx, dy) or 1.0
        ux, uy = dx / length, dy / length
        if arrow.tip == "ring":
            tip = f'<circle cx="{_n(b[0] - 4 * ux)}" cy="{_n(b[1] - 4 * uy)}" r="4" fill="#ffffff" stroke="{colour}"/>'
        else:
            tip = ""
            for back in {"arrow": (0,), "double": (0, 8)}.get(arrow.tip, ()):
                x, y = b[0] - back * ux, b[1] - back * uy
                wing = ((x - 9 * ux + s * 3.5 * uy, y - 9 * uy - s * 3.5 * ux) for s in (1, -1))
                corners = " ".join(f"{_n(p)},{_n(q)}" for p, q in ((x, y), *wing))
                tip += f'<polygon points="{corners}" fill="{colour}"/>'
        stop = (b[0] - 8 * ux, b[1] - 8 * uy)
        dashes = ' stroke-dasharray="4 3"' if arrow.tip == "none" else ""
        line = f'fill="none" stroke="{colour}" stroke-width="{width}"{dashes}'
        drawn = f'<path d="{_curve([a, *inner, b if arrow.tip == "none" else stop])}" {line}/>{tip}'
        if arrow.text:
            x, y = _along([a, *inner, b], arrow.text_at)
            anchor = "" if side > 0 else ' text-anchor="end"'
            drawn += f'<text x="{_n(x + 6 * side)}" y="{_n(y + 4)}"{anchor} font-size="10">{escape(arrow.text)}</text>'
        return drawn


def _curve(points: Sequence[Point]) -> str:
    """Return a smooth curve through the midpoints between inner points, with the points as control points."""
    words = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for (x, y), (p, q) in pairwise(points[1:]):
        last = (p, q) == points[-1]
        to = (p, q) if last else ((x + p) / 2, (y + q) / 2)
        words.append(f"Q{_n(x)} {_n(y)} {_n(to[0])} {_n(to[1])}")
    if len(points) == 2:
        words.append(f"L{_n(points[1][0])} {_n(points[1][1])}")
    return "".join(words)


def _bow(start: Point, end: Point) -> tuple[Point, float]:
    """Return a position for text beside the middle of a line, and its side."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    aside = (-dy / length, dx / length)
    middle = ((start[0] + end[0]) / 2 + _BOW * aside[0], (start[1] + end[1]) / 2 + _BOW * aside[1])
    return middle, math.copysign(1.0, aside[0])


def _along(points: Sequence[Point], share: float) -> Point:
    """Return the point of a line at a fraction of its length."""
    lengths = [math.dist(a, b) for a, b in pairwise(points)]
    left = share * sum(lengths)
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if left <= length and length > 0:
            return a[0] + (b[0] - a[0]) * left / length, a[1] + (b[1] - a[1]) * left / length
        left -= length
    return points[-1]


def _edge(node: DiagramNode, towards: Point) -> Point:
    """Return the point of a node's outline in the direction of another point."""
    (x, y), (half, tall) = node.at, node.half
    dx, dy = towards[0] - x, towards[1] - y
    if dx == 0 and dy == 0:
        return x, y
    if node.kind == "round":
        share = RADIUS / math.hypot(dx, dy)
    elif node.kind == "bar" and dy:  # above or below: its text is beside it
        return x + max(-0.7 * half, min(0.7 * half, 0.15 * dx)), y + math.copysign(tall, dy)
    else:
        share = min(half / abs(dx) if dx else math.inf, tall / abs(dy) if dy else math.inf)
    return x + dx * share, y + dy * share


def wide(text: str) -> float:
    """Return the approximate width of some text."""
    return 0.56 * _FONT * len(text)


def _n(value: float) -> str:
    """A number of pixels to a tenth; ``+ 0.0`` avoids a negative zero."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
