"""A diagram as SVG: round, barred and boxed nodes with words beside or in them, and arrows with heads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal
from xml.sax.saxutils import escape

from drycell.pictures.page import Style

Kind = Literal["round", "bar", "box"]
Point = tuple[float, float]

RADIUS: Final = 15.0
_BAR: Final = (30.0, 7.0)
_FONT: Final = 11
_MARGIN: Final = 28.0
_BOW: Final = 14.0
_ACCENT: Final = "#b5482a"


@dataclass(frozen=True, slots=True)
class Node:
    """Something drawn at a place: ``text`` beside it (in it, for a box), ``mark`` inside, ``dots`` as tokens."""

    at: Point
    kind: Kind
    text: str
    mark: str = ""
    dots: int = 0
    accent: bool = False

    @property
    def room(self) -> Point:
        """How much it needs to its left and right, words included."""
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
    """A line from one node to another through some points; ``ring`` ends it in a small circle, which forbids."""

    start: int
    end: int
    through: Sequence[Point] = ()
    text: str = ""
    ring: bool = False
    accent: bool = False
    text_at: float = 0.5
    """Where along the line the text stands, from 0 at its start to 1 at its end."""


@dataclass
class Diagram:
    """Nodes and arrows on a sheet as large as they need."""

    title: str = ""
    nodes: list[Node] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    style: Style = field(default_factory=Style)

    def svg(self) -> str:
        """The file: the same diagram gives the same bytes."""
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
        lines += [self._arrow(arrow) for arrow in self.arrows]
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

    def _node(self, node: Node) -> list[str]:
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

    def _tokens(self, node: Node) -> list[str]:
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

    def _words(self, node: Node) -> str:
        (x, y), (half, _) = node.at, node.half
        if node.kind != "box":
            return f'<text x="{_n(x + half + 5)}" y="{_n(y + 4)}">{escape(node.text)}</text>' if node.text else ""
        if not node.mark:
            return f'<text x="{_n(x)}" y="{_n(y + 4)}" text-anchor="middle">{escape(node.text)}</text>'
        return (
            f'<text x="{_n(x)}" y="{_n(y - 2)}" text-anchor="middle">{escape(node.text)}</text>'
            f'<text x="{_n(x)}" y="{_n(y + 11)}" text-anchor="middle" font-size="9">{escape(node.mark)}</text>'
        )

    def _arrow(self, arrow: Arrow) -> str:
        start, end = self.nodes[arrow.start], self.nodes[arrow.end]
        inner = list(arrow.through)
        side = 1.0
        if not inner and any((each.start, each.end) == (arrow.end, arrow.start) for each in self.arrows):
            bend, side = _bow(start.at, end.at)  # there and back: side by side
            inner = [bend]
        first, last = (inner[0] if inner else end.at), (inner[-1] if inner else start.at)
        a, b = _edge(start, first), _edge(end, last)
        colour = _ACCENT if arrow.accent else self.style.shade(0.75)
        width = 2 if arrow.accent else 1.1
        dx, dy = b[0] - last[0], b[1] - last[1]
        length = math.hypot(dx, dy) or 1.0
        ux, uy = dx / length, dy / length
        if arrow.ring:
            tip = f'<circle cx="{_n(b[0] - 4 * ux)}" cy="{_n(b[1] - 4 * uy)}" r="4" fill="#ffffff" stroke="{colour}"/>'
        else:
            wing = ((b[0] - 9 * ux + s * 3.5 * uy, b[1] - 9 * uy - s * 3.5 * ux) for s in (1, -1))
            corners = " ".join(f"{_n(p)},{_n(q)}" for p, q in (b, *wing))
            tip = f'<polygon points="{corners}" fill="{colour}"/>'
        stop = (b[0] - 8 * ux, b[1] - 8 * uy)
        drawn = f'<path d="{_curve([a, *inner, stop])}" fill="none" stroke="{colour}" stroke-width="{width}"/>{tip}'
        if arrow.text:
            x, y = _along([a, *inner, b], arrow.text_at)
            anchor = "" if side > 0 else ' text-anchor="end"'
            drawn += f'<text x="{_n(x + 6 * side)}" y="{_n(y + 4)}"{anchor} font-size="10">{escape(arrow.text)}</text>'
        return drawn


def _curve(points: Sequence[Point]) -> str:
    """A smooth line: through the middle between each two inner points, bent at the points themselves."""
    words = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for (x, y), (p, q) in pairwise(points[1:]):
        last = (p, q) == points[-1]
        to = (p, q) if last else ((x + p) / 2, (y + q) / 2)
        words.append(f"Q{_n(x)} {_n(y)} {_n(to[0])} {_n(to[1])}")
    if len(points) == 2:
        words.append(f"L{_n(points[1][0])} {_n(points[1][1])}")
    return "".join(words)


def _bow(start: Point, end: Point) -> tuple[Point, float]:
    """A point beside the middle of a line, to the right of the way there, and on which side of it that is."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    aside = (-dy / length, dx / length)
    middle = ((start[0] + end[0]) / 2 + _BOW * aside[0], (start[1] + end[1]) / 2 + _BOW * aside[1])
    return middle, math.copysign(1.0, aside[0])


def _along(points: Sequence[Point], share: float) -> Point:
    """The point of a line at a share of its length."""
    lengths = [math.dist(a, b) for a, b in pairwise(points)]
    left = share * sum(lengths)
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if left <= length and length > 0:
            return a[0] + (b[0] - a[0]) * left / length, a[1] + (b[1] - a[1]) * left / length
        left -= length
    return points[-1]


def _edge(node: Node, towards: Point) -> Point:
    """The point of a node's outline on the way from its middle to somewhere."""
    (x, y), (half, tall) = node.at, node.half
    dx, dy = towards[0] - x, towards[1] - y
    if dx == 0 and dy == 0:
        return x, y
    if node.kind == "round":
        share = RADIUS / math.hypot(dx, dy)
    elif node.kind == "bar" and dy:  # above or below: its words are beside it
        return x + max(-0.7 * half, min(0.7 * half, 0.15 * dx)), y + math.copysign(tall, dy)
    else:
        share = min(half / abs(dx) if dx else math.inf, tall / abs(dy) if dy else math.inf)
    return x + dx * share, y + dy * share


def wide(text: str) -> float:
    """About how wide a text is drawn."""
    return 0.56 * _FONT * len(text)


def _n(value: float) -> str:
    """A number of pixels, to a tenth; + 0.0: no negative zero."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
