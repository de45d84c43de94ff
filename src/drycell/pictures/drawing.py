"""Line drawings of the world as SVG, with hidden lines removed; one page can show several instants."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from drycell.base import Array, DrycellError, Vector, text_beside
from drycell.pictures.camera import Camera, Projection
from drycell.pictures.hidden_lines import PlacedSolid, line_view
from drycell.pictures.page import HUNDREDTHS, Layer, Page, Stroke, Style, strokes
from drycell.world import LiveBody, World

_MARK: Final = "#c62828"
_RADIUS: Final = 12.0  # pixels
_SIDES: Final = 32


class _Exposure(NamedTuple):
    solids: tuple[PlacedSolid, ...]
    weight: float


class LineDrawing:
    """A page in the style of the figures of 1981. Expose it once, or at several times in one picture.

    An exposure reads the world immediately. The page is composed only when it is requested, so all exposures fit on it.
    """

    def __init__(
        self,
        world: World,
        *,
        size: tuple[int, int] = (900, 700),
        camera: Camera | None = None,
        parallel: bool = False,
        style: Style | None = None,
        title: str = "",
        caption: str = "",
    ) -> None:
        if min(size) < 16 or max(size) > 16384:
            raise DrycellError(f"a page cannot have {size[0]} × {size[1]} pixels", hint="use 16 to 16384 on each side")
        self.world = world
        self.size = size
        self.camera = camera or Camera()
        self.parallel = parallel
        self.style = style or Style()
        self.title, self.caption = title, caption
        self._exposures: list[_Exposure] = []
        self._room: list[Array] = []
        self._marks: list[Vector] = []

    def expose(self, at: int, bodies: Iterable[LiveBody] | None = None, *, weight: float = 1.0) -> None:
        """Add the world at a time, in ticks. Earlier exposures remain visible.

        With ``bodies``, only these are drawn (for example the moving ones), but everything in front of them at that
        time still hides them. A ``weight`` below 1 draws lighter and thinner lines.
        """
        if not 0.0 < weight <= 1.0:
            raise DrycellError(f"an exposure cannot have the weight {weight:g}", hint="use more than 0, at most 1")
        self._exposures.append(_Exposure(self._placed(at, bodies), weight))

    def include(self, at: int, bodies: Iterable[LiveBody] | None = None) -> None:
        """Reserve room on the page for bodies at a time, without drawing them.

        Drawings of one world that reserve room for the same times share a viewpoint, as a sequence should.
        """
        self._room += _corners(self._placed(at, bodies))

    def moved(self, since: int, at: int, bodies: Iterable[LiveBody] | None = None) -> list[LiveBody]:
        """Return the given bodies (default: all bodies) that moved or appeared between two times."""
        pose = self.world.pose
        return [
            body
            for body in (self.world.bodies.values() if bodies is None else bodies)
            if body.exists(at) and not (body.exists(since) and pose(body, since) == pose(body, at))
        ]

    def mark(self, points: Iterable[Vector]) -> None:
        """Draw red circles around points of the world, on top of everything; for example collisions."""
        self._marks += points

    def clear(self) -> None:
        """Remove all exposures and marks; reserved room stays."""
        self._exposures.clear()
        self._marks.clear()

    def page(self) -> Page:
        """The finished page."""
        corners = [*self._room, *(box for each in self._exposures for box in _corners(each.solids))]
        if not any(solid.drawn for each in self._exposures for solid in each.solids):
            raise DrycellError("there is nothing to draw", hint="expose a time at which a body has a shape")
        projection = Projection.framing(self.camera, np.concatenate(corners), self.size, self.parallel)
        page = Page(self.size, self.style, self.title, self.caption)
        for placed, weight in sorted(self._exposures, key=lambda each: each.weight):  # the lightest are at the bottom
            view = line_view(placed, projection, self.size)
            colour, thin = self.style.shade(weight), 0.5 + 0.5 * weight
            for part, width in ((~view.outline, self.style.edge), (view.outline, self.style.contour)):
                page.layers.append(Layer(strokes(view.segments[part], view.sure[part]), colour, thin * width))
        if self._marks:
            places = projection.points(np.array(self._marks))[:, :2]
            page.layers.append(Layer([_circle(x, y) for x, y in places.tolist()], _MARK, 2.2))
        return page

    def svg(self) -> str:
        """Return the page as SVG. The same world gives the same text."""
        return self.page().svg()

    def save(self, path: str | Path) -> None:
        """Write the page to an SVG file."""
        if Path(path).suffix.lower() != ".svg":
            raise DrycellError(
                f"line drawings are SVG files, not {Path(path).name!r}",
                hint="use a name that ends in .svg",
            )
        with text_beside(path) as file:
            file.write(self.svg())

    def _placed(self, at: int, bodies: Iterable[LiveBody] | None) -> tuple[PlacedSolid, ...]:
        wanted = None if bodies is None else dict.fromkeys(bodies)
        there = dict.fromkeys((*self.world.bodies.values(), *(wanted or ())))
        return tuple(
            PlacedSolid(body.shape, self.world.pose(body, at), wanted is None or body in wanted)
            for body in there
            if body.shape is not None and not body.hole and body.exists(at)
        )


def _circle(x: float, y: float) -> Stroke:
    """Return a circle around a position on the page."""
    angles = [2 * math.pi * number / _SIDES for number in range(_SIDES)]
    corners = [
        (round(HUNDREDTHS * (x + _RADIUS * math.cos(a))), round(HUNDREDTHS * (y + _RADIUS * math.sin(a))))
        for a in angles
    ]
    return [*corners, corners[0]]


def _corners(placed: Iterable[PlacedSolid]) -> list[Array]:
    """Return the corners of the bounding boxes of solids."""
    found = []
    for solid in placed:
        low, high = solid.shape.bounds
        box = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        found.append(box @ solid.pose.rotation.T + solid.pose.translation)
    return found
