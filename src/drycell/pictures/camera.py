"""Cameras: from where a picture is taken."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from drycell.base import Array, DrycellError, UnknownName, Vector

VIEW_ANGLE: Final = 30.0  # degrees, from the bottom of the picture to its top
_MARGIN: Final = 1.06
_FARTHEST: Final = 1000.0  # metres

# Direction from the scene to the eye, and which way is up in the picture.
VIEWS: Final[dict[str, tuple[Vector, Vector]]] = {
    "iso": ((0.75, -1.0, 0.55), (0.0, 0.0, 1.0)),
    "iso-back": ((-0.75, 1.0, 0.55), (0.0, 0.0, 1.0)),
    "front": ((0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
    "back": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "left": ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "right": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "top": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
}


@dataclass(frozen=True, slots=True)
class Camera:
    """A view by name that shows everything, or moves in by ``zoom`` on a point (the middle, if none is given)."""

    view: str = "iso"
    zoom: float = 1.0
    focus: Vector | None = None

    def __post_init__(self) -> None:
        if self.view not in VIEWS:
            raise UnknownName("view", self.view, VIEWS)
        if not 0.0 < self.zoom < math.inf:
            raise DrycellError(f"a camera cannot zoom by {self.zoom:g}", hint="more than 0; 1 shows everything")
        if self.focus is not None and not all(abs(v) <= _FARTHEST for v in self.focus):
            place = ", ".join(f"{v:g}" for v in self.focus)
            raise DrycellError(f"a camera cannot look at ({place}) m", hint=f"keep within {_FARTHEST:g} m")

    def framing(self, points: Array, aspect: float) -> tuple[Vector, Vector, Vector]:
        """Eye, focus and up of a camera that just sees all points in a picture so many times wider than high."""
        direction, up = VIEWS[self.view]
        back = np.array(direction) / math.hypot(*direction)
        right = np.cross(up, back)
        right /= np.linalg.norm(right)
        axes = np.stack((right, np.cross(back, right), back))
        seen = points @ axes.T
        middle = (seen.min(axis=0) + seen.max(axis=0)) / 2 if self.focus is None else axes @ self.focus
        x, y, z = np.abs(seen - middle)[:, 0], np.abs(seen - middle)[:, 1], (seen - middle)[:, 2]
        slope = math.tan(math.radians(VIEW_ANGLE / 2))
        far = _MARGIN * float(np.max(np.maximum(y, x / aspect) / slope + z)) / self.zoom
        focus = middle @ axes
        eye = focus + far * back
        return tuple(eye.tolist()), tuple(focus.tolist()), up
