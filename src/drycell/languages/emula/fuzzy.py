"""Fuzzy objects: bodies with random boundaries for sensors, redrawn on request.

The model itself does not change: collision checks, pictures and gravity use the nominal shape, and sensor functions use
the random one. Each side of a body's bounding box moves by at most its tolerance, uniformly distributed. Shapes other
than boxes are stretched with their bounding box.
"""

import math
from dataclasses import dataclass
from random import Random

import numpy as np

from drycell.base import IDENTITY, Pose, ProgramError, Vector
from drycell.geometry import Box, Mesh, Shape
from drycell.world import LiveBody


@dataclass(slots=True)
class _Fuzz:
    tolerance: Vector
    nominal: Shape
    shape: Shape
    offset: Pose


class FuzzyObjects:
    """The tolerances of bodies, and their current boundaries."""

    def __init__(self) -> None:
        self._fuzz: dict[LiveBody, _Fuzz] = {}

    def declare(self, body: LiveBody, tolerance: Vector) -> None:
        """Give a body tolerances along its own x, y, z, in metres in each direction; (0, 0, 0) makes it exact again.

        The body keeps its nominal shape until it is redrawn for the first time.
        """
        if body.shape is None:
            raise ProgramError(f"{body.name!r} has no shape, so its boundaries cannot be fuzzy")
        lower, upper = body.shape.bounds
        for axis, low, high, allowed in zip("xyz", lower, upper, tolerance, strict=True):
            if not 0.0 <= allowed < (high - low) / 2:
                raise ProgramError(
                    f"the tolerance of {body.name!r} along {axis} is {allowed * 1e3:.3f} mm, "
                    f"but must be at least 0 and below half its size, {(high - low) / 2 * 1e3:.3f} mm",
                )
        self._fuzz.pop(body, None)
        if any(tolerance):
            self._fuzz[body] = _Fuzz(tolerance, body.shape, body.shape, IDENTITY)

    def __bool__(self) -> bool:
        return bool(self._fuzz)

    @property
    def bodies(self) -> list[LiveBody]:
        """All fuzzy bodies, in the order in which they were declared."""
        return list(self._fuzz)

    def redraw(self, body: LiveBody, stream: Random) -> tuple[Vector, Vector]:
        """Draw new boundaries of a body, and return its bounds in its own frame."""
        fuzz = self._fuzz.get(body)
        if fuzz is None:
            raise ProgramError(f"{body.name!r} is not fuzzy", hint="give it tolerances first")
        if body.shape is not None:
            fuzz.nominal = body.shape  # it may have been merged since
        old_lower, old_upper = fuzz.nominal.bounds
        lower = _shifted(old_lower, fuzz.tolerance, stream)
        upper = _shifted(old_upper, fuzz.tolerance, stream)
        size = [b - a for a, b in zip(lower, upper, strict=True)]
        if isinstance(fuzz.nominal, Box):
            fuzz.shape = Box(*size)
            fuzz.offset = Pose(*((a + b) / 2 for a, b in zip(lower, upper, strict=True)))
        else:
            vertices, faces = fuzz.nominal.triangles()
            scale = np.array(size) / (np.array(old_upper) - np.array(old_lower))
            fuzz.shape = Mesh((vertices - np.array(old_lower)) * scale + np.array(lower), faces)
        return lower, upper

    def shape(self, body: LiveBody) -> Shape | None:
        """The shape that sensors see."""
        fuzz = self._fuzz.get(body)
        return body.shape if fuzz is None or fuzz.nominal is not body.shape else fuzz.shape

    def offset(self, body: LiveBody) -> Pose:
        """The pose of that shape in the frame of the body."""
        fuzz = self._fuzz.get(body)
        return IDENTITY if fuzz is None or fuzz.nominal is not body.shape else fuzz.offset

    def reach(self, body: LiveBody) -> float:
        """An upper bound on how much further that shape reaches from the body's origin than the nominal one."""
        fuzz = self._fuzz.get(body)
        return 0.0 if fuzz is None else math.hypot(*fuzz.tolerance)


def _shifted(corner: Vector, tolerance: Vector, stream: Random) -> Vector:
    x, y, z = (value + stream.uniform(-allowed, allowed) for value, allowed in zip(corner, tolerance, strict=True))
    return (x, y, z)
