"""Fuzzy objects: bodies whose boundaries sensors see elsewhere, redrawn at random whenever the user asks.

The model itself stays as it is: collision checks, pictures and gravity go by the nominal shape, sensor functions by the
redrawn one. Each of the six sides of a body's bounding box moves by its tolerance at most, evenly distributed; what is
no box is stretched with it.
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
    """Tolerances of bodies, and where their boundaries are at present."""

    def __init__(self) -> None:
        self._fuzz: dict[LiveBody, _Fuzz] = {}

    def declare(self, body: LiveBody, tolerance: Vector) -> None:
        """Gives a body tolerances along its own x, y, z, in metres each way; (0, 0, 0) makes it exact again.

        It stays nominal until it is redrawn for the first time.
        """
        if body.shape is None:
            raise ProgramError(f"{body.name!r} has no shape, so its boundaries cannot be fuzzy")
        lower, upper = body.shape.bounds
        for axis, low, high, allowed in zip("xyz", lower, upper, tolerance, strict=True):
            if not 0.0 <= allowed < (high - low) / 2:
                raise ProgramError(
                    f"the tolerance of {body.name!r} along {axis} must be 0 ≤ {allowed * 1e3:.3f} mm < "
                    f"{(high - low) / 2 * 1e3:.3f} mm, half its size",
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
        """Draws a body's boundaries anew and returns its new bounds in its own frame."""
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
        """The shape sensors see."""
        fuzz = self._fuzz.get(body)
        return body.shape if fuzz is None or fuzz.nominal is not body.shape else fuzz.shape

    def offset(self, body: LiveBody) -> Pose:
        """Where that shape is, seen from the body."""
        fuzz = self._fuzz.get(body)
        return IDENTITY if fuzz is None or fuzz.nominal is not body.shape else fuzz.offset

    def reach(self, body: LiveBody) -> float:
        """At most how much farther from the body's origin that shape reaches than the nominal one."""
        fuzz = self._fuzz.get(body)
        return 0.0 if fuzz is None else math.hypot(*fuzz.tolerance)


def _shifted(corner: Vector, tolerance: Vector, stream: Random) -> Vector:
    x, y, z = (value + stream.uniform(-allowed, allowed) for value, allowed in zip(corner, tolerance, strict=True))
    return (x, y, z)
