"""Page: strokes of several weights on paper, written as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from drycell.base import DrycellError
from drycell.pictures.stroke import HUNDREDTHS, Stroke

_CAPTION: Final = 16  # pixels


@dataclass(frozen=True, slots=True)
class Style:
    """How a drawing looks: colours as ``#rrggbb`` (no paper: transparent), line widths in pixels."""

    ink: str = "#1b2530"
    paper: str | None = "#fcfaf4"
    contour: float = 1.7
    edge: float = 0.9

    def shade(self, weight: float) -> str:
        """The ink, thinned towards the paper."""
        return "#" + "".join(
            f"{round(int(paper, 16) + weight * (int(ink, 16) - int(paper, 16))):02x}"
            for ink, paper in zip(_channels(self.ink), _channels(self.paper or "#ffffff"), strict=True)
        )


class Layer(NamedTuple):
    """Strokes of one colour and width."""

    strokes: Sequence[Stroke]
    colour: str
    width: float


@dataclass(frozen=True)
class Page:
    """A sheet of a size in pixels with layers of strokes, the first at the bottom, and a caption below them."""

    size: tuple[int, int]
    style: Style
    title: str = ""
    caption: str = ""
    layers: list[Layer] = field(default_factory=list)

    def svg(self) -> str:
        """The page as a file: the same strokes give the same bytes."""
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
    """SVG's path data: each stroke from its start in steps, which are shorter to write than places."""
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
    """As few signs as will do: 12.5, -.25, 7."""
    whole, rest = divmod(abs(hundredths), HUNDREDTHS)
    text = f"{whole}.{rest:02d}".rstrip("0").rstrip(".") if rest else str(whole)
    text = text[1:] if text.startswith("0.") else text
    return f"-{text}" if hundredths < 0 else text


def _channels(colour: str) -> tuple[str, str, str]:
    digits = colour.removeprefix("#")
    if len(digits) != 6 or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
        raise DrycellError(f"{colour!r} is no colour", hint="write it as #rrggbb, such as #1b2530")
    return digits[:2], digits[2:4], digits[4:]
