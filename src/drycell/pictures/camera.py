"""Cameras: from where a picture is taken."""

import math
from dataclasses import dataclass
from typing import Final

from drycell.errors import UnknownName
from drycell.spatial import Vector

# Direction from the scene's middle to the eye, and which way is up in the picture.
VIEWS: Final[dict[str, tuple[Vector, Vector]]] = {
    "iso": ((0.75, -1.0, 0.55), (0.0, 0.0, 1.0)),
    "front": ((0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
    "back": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "left": ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "right": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "top": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
}


@dataclass(frozen=True, slots=True)
class Camera:
    """A view by name, moved in by ``zoom``."""

    view: str = "iso"
    zoom: float = 1.0

    def __post_init__(self) -> None:
        if self.view not in VIEWS:
            raise UnknownName("view", self.view, VIEWS)

    def placed(self, middle: Vector, radius: float) -> tuple[Vector, Vector, Vector]:
        """Eye, focus and up of a camera that sees a ball whole, as the renderer wants them."""
        direction, up = VIEWS[self.view]
        # A ball of that radius just fits 30° of view; cells are flatter than balls, so one can stand nearer.
        far = 0.8 * radius / math.sin(math.radians(15.0)) / self.zoom / math.hypot(*direction)
        x, y, z = (m + far * d for m, d in zip(middle, direction, strict=True))
        return (x, y, z), middle, up
