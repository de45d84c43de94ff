"""Pictures of environments as arrays of pixels: lines and discs on white, without a graphics library."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array, FieldError
from drycell.learn.world import Point

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
RENDER_MODES: Final = ("rgb_array",)
WALL: Final = (40, 40, 40)
PATH: Final = (230, 159, 0)
ROBOT: Final = (0, 114, 178)
DONE: Final = (0, 158, 115)
_WIDE: Final = 480  # pixels
_HIGHEST: Final = 960
_MARGIN: Final = 0.05  # of the larger side


def check_render_mode(mode: str | None) -> str | None:
    """Return the mode, if environments have it."""
    if mode is not None and mode not in RENDER_MODES:
        raise FieldError(f"the environment has no render mode {mode!r}", hint='write render_mode="rgb_array"')
    return mode


class Raster:
    """A white picture of a rectangle in the plane, 480 pixels wide, with y upwards."""

    def __init__(self, low: Point, high: Point) -> None:
        margin = _MARGIN * max(high[0] - low[0], high[1] - low[1])
        wide, tall = high[0] - low[0] + 2.0 * margin, high[1] - low[1] + 2.0 * margin
        self.metre = _WIDE / wide
        """Pixels per metre."""
        rows = min(max(round(tall * self.metre), 1), _HIGHEST)
        self.pixels: Pixels = np.full((rows, _WIDE, 3), 255, dtype=np.uint8)
        self._x: Array = low[0] - margin + (np.arange(_WIDE, dtype=np.float64) + 0.5) / self.metre
        self._y: Array = high[1] + margin - (np.arange(rows, dtype=np.float64) + 0.5) / self.metre

    def line(self, points: Sequence[Point], colour: Colour, wide: float = 2.0) -> None:
        """Draw lines through points, ``wide`` pixels wide."""
        for (ax, ay), (bx, by) in pairwise(points):
            half = wide / 2.0 / self.metre
            columns = self._within(self._x, min(ax, bx) - half, max(ax, bx) + half)
            rows = self._within(self._y, min(ay, by) - half, max(ay, by) + half)
            x, y = self._x[columns][None, :], self._y[rows][:, None]
            ex, ey = bx - ax, by - ay
            square = ex * ex + ey * ey
            share = np.clip(((x - ax) * ex + (y - ay) * ey) / square, 0.0, 1.0) if square else 0.0
            far = np.hypot(x - ax - share * ex, y - ay - share * ey)
            self.pixels[rows, columns][far <= half] = colour

    def disc(self, middle: Point, radius: float, colour: Colour) -> None:
        """Draw a disc of a radius in metres, at least one pixel."""
        radius = max(radius, 1.0 / self.metre)
        columns = self._within(self._x, middle[0] - radius, middle[0] + radius)
        rows = self._within(self._y, middle[1] - radius, middle[1] + radius)
        far = np.hypot(self._x[columns][None, :] - middle[0], self._y[rows][:, None] - middle[1])
        self.pixels[rows, columns][far <= radius] = colour

    def _within(self, values: Array, low: float, high: float) -> slice:
        found = np.flatnonzero((values >= low) & (values <= high))
        return slice(int(found[0]), int(found[-1]) + 1) if len(found) else slice(0, 0)
