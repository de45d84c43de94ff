"""Lobes: the solid that a directivity cuts from a beam, turned about the axis."""

import math
from functools import lru_cache
from typing import Final

import numpy as np

from drycell.base import Array
from drycell.geometry import Mesh
from drycell.sensors.directivity import Directivity
from drycell.sensors.volume import Beam

_RINGS: Final = 24
_SIDES: Final = 32


@lru_cache(maxsize=256)
def lobe(beam: Beam, pattern: Directivity, share: float) -> Mesh:
    """The points of a beam within the directivity's share of its length: a facetted solid with its apex at the origin.

    It is there to find what a trace-line passes by; lines reach exactly as far as the directivity says.
    """
    angles = [beam.half_angle * (k + 1) / _RINGS for k in range(_RINGS)]
    if pattern.table:
        angles = sorted({*angles, *(angle for angle, _ in pattern.table if 0.0 < angle < beam.half_angle)})
    length = beam.length * share
    rings = [(length * max(pattern.share(angle), 1e-3), angle) for angle in angles]
    vertices: list[tuple[float, float, float]] = [(0.0, 0.0, 0.0), (0.0, 0.0, length * max(pattern.share(0.0), 1e-3))]
    for radius, angle in rings:
        for k in range(_SIDES):
            turn = 2.0 * math.pi * k / _SIDES
            across = radius * math.sin(angle)
            vertices.append((across * math.cos(turn), across * math.sin(turn), radius * math.cos(angle)))
    points: Array = np.array(vertices)
    faces: list[tuple[int, int, int]] = []
    for k in range(_SIDES):
        after = (k + 1) % _SIDES
        faces.append((1, 2 + k, 2 + after))
        for ring in range(len(rings) - 1):
            low, high = 2 + ring * _SIDES, 2 + (ring + 1) * _SIDES
            faces += [(low + k, high + k, high + after), (low + k, high + after, low + after)]
        last = 2 + (len(rings) - 1) * _SIDES
        faces.append((0, last + after, last + k))
    return Mesh(points, np.array(faces, dtype=np.int64))
