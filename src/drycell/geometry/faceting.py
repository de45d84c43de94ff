"""Facets for round shapes: how many, and what they deviate by.

Vertices lie on the true surface, so a faceted solid never reaches outside the true one, and a faceted hole is never
wider than the true hole: a collision with the wall of a hole is not missed. The *deviation* is the largest gap between
the facets and the true surface.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from drycell.base import Array, GeometryError, format_length
from drycell.geometry.mass import Faces

COARSE: Final = 24  # segments of a circle when no deviation is asked for: they deviate by 0.86 % of the radius
FINEST: Final = 720


def segments(radius: float, deviation: float | None) -> int:
    """Segments of a full circle within a deviation: a multiple of four, so that the extents along x and y are exact."""
    if deviation is None:
        return COARSE
    if not deviation > 0:
        raise GeometryError(
            f"faceting: deviation is {format_length(deviation)}, must be more than 0",
            hint="0.1*mm suits most parts; leave it out for coarse facets",
        )
    if deviation >= radius:
        return 8
    quarters = math.ceil(math.pi / (4.0 * math.acos(1.0 - deviation / radius)))
    return min(FINEST, max(8, 4 * quarters))


def deviation_of(radius: float, count: int) -> float:
    """The gap between a circle and its inscribed polygon of ``count`` sides."""
    return radius * (1.0 - math.cos(math.pi / count))


def revolve(profile: Sequence[tuple[float, float]], count: int) -> tuple[Array, Faces]:
    """The closed surface swept about z by a profile of (radius, z) from bottom to top; open ends get flat caps."""
    angles = 2.0 * np.pi * np.arange(count) / count
    cosines, sines = np.cos(angles), np.sin(angles)
    for k in range(4):  # the quarter points exactly, or a box round the shape is off by rounding
        cosines[k * count // 4], sines[k * count // 4] = ((1, 0), (0, 1), (-1, 0), (0, -1))[k]
    vertices: list[Array] = []
    faces: list[tuple[int, int, int]] = []
    rings: list[list[int]] = []
    start = 0
    for radius, z in profile:
        wide = radius > 0.0
        ring = np.stack((radius * cosines, radius * sines, np.full(count, z)), axis=1) if wide else [[0.0, 0.0, z]]
        vertices.append(np.asarray(ring))
        rings.append([start + k for k in range(count)] if wide else [start] * count)
        start += count if wide else 1
    for low, high in pairwise(rings):
        for k in range(count):
            n = (k + 1) % count
            if low[k] != low[n]:
                faces.append((low[k], low[n], high[n]))
            if high[k] != high[n]:
                faces.append((low[k], high[n], high[k]))
    if rings[0][0] != rings[0][1]:
        faces += [(a, c, b) for a, b, c in _lid(rings[0])]
    if rings[-1][0] != rings[-1][1]:
        faces += _lid(rings[-1])
    return np.concatenate(vertices), np.array(faces, dtype=np.int64)


def _lid(ring: list[int]) -> list[tuple[int, int, int]]:
    """Triangles over a ring, cutting every other corner off until three are left: no corner has many edges."""
    faces = []
    while len(ring) > 3:
        faces += [(ring[k], ring[k + 1], ring[(k + 2) % len(ring)]) for k in range(0, len(ring) - 1, 2)]
        ring = ring[::2]
    return [*faces, (ring[0], ring[1], ring[2])] if len(ring) == 3 else faces


def ball_profile(radius: float, count: int, lift: float) -> list[tuple[float, float]]:
    """The profile of a ball, cut at its equator and pulled apart by ``lift`` up and down (a capsule)."""
    steps = count // 4
    lower = [
        (radius * math.sin(math.pi * k / (2 * steps)), -lift - radius * math.cos(math.pi * k / (2 * steps)))
        for k in range(1, steps)
    ]
    equator = [(radius, -lift)] if lift == 0.0 else [(radius, -lift), (radius, lift)]
    upper = [(rho, -z) for rho, z in reversed(lower)]
    return [(0.0, -lift - radius), *lower, *equator, *upper, (0.0, lift + radius)]
