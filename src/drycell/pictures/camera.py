"""Cameras: the position and direction from which a picture is taken."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from drycell.base import Array, DrycellError, UnknownName, Vector

VIEW_ANGLE: Final = 30.0  # degrees: the vertical field of view
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
    """A named view that shows everything, or zooms in by ``zoom`` on a point (by default the middle)."""

    view: str = "iso"
    zoom: float = 1.0
    focus: Vector | None = None

    def __post_init__(self) -> None:
        if self.view not in VIEWS:
            raise UnknownName("view", self.view, VIEWS)
        if not 0.0 < self.zoom < math.inf:
            raise DrycellError(f"a camera cannot zoom by {self.zoom:g}", hint="use more than 0; 1 shows everything")
        if self.focus is not None and not all(abs(v) <= _FARTHEST for v in self.focus):
            place = ", ".join(f"{v:g}" for v in self.focus)
            raise DrycellError(f"a camera cannot look at ({place}) m", hint=f"keep within {_FARTHEST:g} m")

    def framing(self, points: Array, aspect: float) -> tuple[Vector, Vector, Vector]:
        """Return eye, focus and up of a camera that just fits all points into a picture with this aspect ratio (width /
        height)."""
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

    def pixel(self, points: Array, size: tuple[int, int]) -> float:
        """Return the width in metres that a pixel covers at the nearest of the points that this camera frames."""
        eye, focus, _ = self.framing(points, size[0] / size[1])
        back = np.subtract(eye, focus)
        back /= np.linalg.norm(back)
        nearest = max(float(np.min((np.array(eye) - points) @ back)), 0.0)
        return 2 * nearest * math.tan(math.radians(VIEW_ANGLE / 2)) / size[1]


_FARTHER: Final = 1.8  # times the distance of a plain camera; a longer lens keeps upright lines nearly upright
_BORDER: Final = 0.05  # fraction of the page left free on every side


@dataclass(frozen=True, eq=False)
class Projection:
    """The projection of points to a page, in pixels with y downwards, with their nearness.

    The third coordinate grows towards the eye. In perspective it is 1 / distance: straight lines stay straight and
    planes stay flat (the projective map of computer graphics), so hidden lines are computed on the page as in a
    parallel projection.
    """

    eye: Array  # in perspective; in parallel projection, the direction towards it
    axes: Array  # right, up and back, in rows
    scale: float
    middle: tuple[float, float]
    parallel: bool

    @classmethod
    def framing(cls, camera: Camera, points: Array, size: tuple[int, int], parallel: bool) -> "Projection":
        """Return the projection that fits all points, or the camera's zoomed view, to the page."""
        width, height = size
        near, focus, up = replace(camera, zoom=1.0).framing(points, width / height)
        back = np.subtract(near, focus)
        eye = focus + _FARTHER * back
        back /= np.linalg.norm(back)
        right = np.cross(up, back)
        right /= np.linalg.norm(right)
        axes = np.stack((right, np.cross(back, right), back))
        plain = cls(back if parallel else eye, axes, 1.0, (0.0, 0.0), parallel)
        places = plain.points(points)[:, :2]
        low, high = places.min(axis=0), places.max(axis=0)
        room = (1.0 - 2 * _BORDER) * np.array(size)
        scale = float(np.min(room / np.maximum(high - low, 1e-9))) * camera.zoom
        centre = (low + high) / 2 if camera.focus is None else plain.points(np.array([camera.focus]))[0, :2]
        x, y = (np.array(size) / 2 - scale * centre).tolist()
        return cls(plain.eye, axes, scale, (x, y), parallel)

    def points(self, points: Array) -> Array:
        """Return positions on the page and nearness, (n, 3)."""
        seen = points @ self.axes.T if self.parallel else (points - self.eye) @ self.axes.T
        if self.parallel:
            near = self.scale * seen[:, 2]
            x, y = self.scale * seen[:, 0], -self.scale * seen[:, 1]
        else:
            near = -1.0 / seen[:, 2]
            x, y = self.scale * seen[:, 0] * near, -self.scale * seen[:, 1] * near
        return np.stack((x + self.middle[0], y + self.middle[1], near), axis=1)

    def facing(self, normals: Array, points: Array) -> Array:
        """Return how directly planes with these normals face the eye, from -1 to 1."""
        if self.parallel:
            along: Array = np.dot(normals, self.eye)
            return along
        towards = self.eye - points
        towards /= np.linalg.norm(towards, axis=1)[:, None]
        turned: Array = np.einsum("ij,ij->i", normals, towards)
        return turned

    def pixel(self, point: Array) -> float:
        """Return the width of a pixel in metres at a point."""
        if self.parallel:
            return 1.0 / self.scale
        return float((self.eye - point) @ self.axes[2]) / self.scale

    def nearer(self, near: Array, pixels: float) -> Array:
        """Return the nearness of a point some pixels in front of a given nearness."""
        return near + pixels if self.parallel else near * (1.0 + pixels / self.scale)
