"""Pages: segments joined into a few long strokes in several weights, written as SVG."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from drycell.base import Array, DrycellError

Place = tuple[int, int]
Stroke = list[Place]

HUNDREDTHS: Final = 100
_DOUBTFUL: Final = 16.0 * HUNDREDTHS  # uncertain strokes shorter than this are omitted
_SLACK: Final = 5.0  # hundredths of a pixel; corners closer to the line than this are omitted


def strokes(segments: Array, sure: Array) -> list[Stroke]:
    """Return polylines that cover each segment (n, 4) once and turn as little as possible. Short strokes that are
    mostly uncertain are omitted.
    """
    ends = np.round(segments * HUNDREDTHS).astype(np.int64)
    flip = (ends[:, 0] > ends[:, 2]) | ((ends[:, 0] == ends[:, 2]) & (ends[:, 1] > ends[:, 3]))
    ends[flip] = ends[flip][:, [2, 3, 0, 1]]
    long = (ends[:, 0] != ends[:, 2]) | (ends[:, 1] != ends[:, 3])
    # Also sorts, so the order does not depend on how the segments were found.
    ends, which = np.unique(ends[long], axis=0, return_inverse=True)
    certain = np.zeros(len(ends))
    np.maximum.at(certain, which.ravel(), sure[long])
    lines: list[tuple[Place, Place]] = [((a, b), (c, d)) for a, b, c, d in ends.tolist()]
    at: defaultdict[Place, list[int]] = defaultdict(list)
    for number, (start, end) in enumerate(lines):
        at[start].append(number)
        at[end].append(number)
    unused = [True] * len(lines)

    def onward(before: Place, here: Place) -> int | None:
        """Return the unused line at ``here`` with the smallest turn."""
        least, chosen = -2.0, None
        u, v = here[0] - before[0], here[1] - before[1]
        for number in at[here]:
            if unused[number]:
                start, end = lines[number]
                far = end if start == here else start
                p, q = far[0] - here[0], far[1] - here[1]
                cosine = (u * p + v * q) / ((p * p + q * q) * (u * u + v * v)) ** 0.5
                if cosine > least:
                    least, chosen = cosine, number
        return chosen

    made = []
    # Start at line ends, so that no open line starts in its middle.
    for number in sorted(range(len(lines)), key=lambda k: (min(len(at[lines[k][0]]), len(at[lines[k][1]])) > 1, k)):
        if not unused[number]:
            continue
        unused[number] = False
        start, end = lines[number]
        stroke, proven = [start, end], certain[number] * math.dist(start, end)
        if len(at[start]) > 1 and len(at[end]) == 1:
            stroke.reverse()
        while (further := onward(stroke[-2], stroke[-1])) is not None:
            unused[further] = False
            start, end = lines[further]
            proven += certain[further] * math.dist(start, end)
            stroke.append(end if start == stroke[-1] else start)
        length = sum(map(math.dist, stroke, stroke[1:]))
        if length > _DOUBTFUL or proven > 0.5 * length:
            made.append(_straightened(stroke))
    return made


def _straightened(stroke: Stroke) -> Stroke:
    """Return the stroke without negligible corners (D. H. Douglas and T. K. Peucker, 1973)."""
    if len(stroke) < 3:
        return stroke
    kept = {0, len(stroke) - 1}
    waiting = [(0, len(stroke) - 1)]
    if stroke[0] == stroke[-1]:
        kept.add(len(stroke) // 2)
        waiting = [(0, len(stroke) // 2), (len(stroke) // 2, len(stroke) - 1)]
    while waiting:
        first, last = waiting.pop()
        (x, y), (p, q) = stroke[first], stroke[last]
        u, v = p - x, q - y
        square = float(u * u + v * v)
        worst, farthest = _SLACK * _SLACK, -1
        for k in range(first + 1, last):
            a, b = stroke[k][0] - x, stroke[k][1] - y
            share = min(1.0, max(0.0, (a * u + b * v) / square)) if square else 0.0
            off = (a - share * u) ** 2 + (b - share * v) ** 2
            if off > worst:
                worst, farthest = off, k
        if farthest > 0:
            kept.add(farthest)
            waiting += [(first, farthest), (farthest, last)]
    return [stroke[k] for k in sorted(kept)]


_CAPTION: Final = 16  # pixels


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a drawing: colours as ``#rrggbb`` (paper None is transparent), line widths in pixels."""

    ink: str = "#1b2530"
    paper: str | None = "#fcfaf4"
    contour: float = 1.7
    edge: float = 0.9

    def shade(self, weight: float) -> str:
        """Return the ink colour, blended towards the paper."""
        return "#" + "".join(
            f"{round(int(paper, 16) + weight * (int(ink, 16) - int(paper, 16))):02x}"
            for ink, paper in zip(_channels(self.ink), _channels(self.paper or "#ffffff"), strict=True)
        )


class Layer(NamedTuple):
    """Strokes with one colour and width."""

    strokes: Sequence[Stroke]
    colour: str
    width: float


@dataclass(frozen=True)
class Page:
    """A page with layers of strokes, the first at the bottom, and a caption below them; its size is in pixels."""

    size: tuple[int, int]
    style: Style
    title: str = ""
    caption: str = ""
    layers: list[Layer] = field(default_factory=list)

    def svg(self) -> str:
        """Return the page as SVG. The same strokes give the same bytes."""
        width, height = self.size
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        ]
        if self.title:
            lines.append(f"<title>{escape(self.title)}</title>")
        if self.style.paper is not None:
            lines.append(f'<rect width="{width}" height="{height}" fill="{self.style.paper}"/>')
        lines.append('<g fill="none" stroke-linecap="round" stroke-linejoin="round">')
        lines += [
            f'<path stroke="{colour}" stroke-width="{_number(round(HUNDREDTHS * pen))}" d="{_path(drawn)}"/>'
            for drawn, colour, pen in self.layers
            if drawn
        ]
        lines.append("</g>")
        if self.caption:
            lines.append(
                f'<text x="{_number(50 * width)}" y="{height - _CAPTION}" text-anchor="middle" '
                f'font-family="Georgia, \'Times New Roman\', serif" font-style="italic" font-size="{_CAPTION}" '
                f'fill="{self.style.ink}">{escape(self.caption)}</text>'
            )
        return "\n".join((*lines, "</svg>", ""))


def _path(drawn: Sequence[Stroke]) -> str:
    """Return SVG path data: each stroke starts at a point and continues in relative steps, which are shorter."""
    words = []
    for stroke in drawn:
        (x, y), *others = stroke
        closed = len(others) > 2 and others[-1] == stroke[0]
        words.append(f"M{_number(x)} {_number(y)}l")
        for p, q in others[:-1] if closed else others:
            step, down = _number(p - x), _number(q - y)
            glue = "" if words[-1].endswith("l") or step.startswith("-") else " "
            words.append(f"{glue}{step}{'' if down.startswith('-') else ' '}{down}")
            x, y = p, q
        if closed:
            words.append("z")
    return "".join(words)


def _number(hundredths: int) -> str:
    """Return a number with as few characters as possible: 12.5, -.25, 7."""
    whole, rest = divmod(abs(hundredths), HUNDREDTHS)
    text = f"{whole}.{rest:02d}".rstrip("0").rstrip(".") if rest else str(whole)
    text = text[1:] if text.startswith("0.") else text
    return f"-{text}" if hundredths < 0 else text


def _channels(colour: str) -> tuple[str, str, str]:
    digits = colour.removeprefix("#")
    if len(digits) != 6 or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
        raise DrycellError(f"{colour!r} is not a colour", hint="write it as #rrggbb, such as #1b2530")
    return digits[:2], digits[2:4], digits[4:]
