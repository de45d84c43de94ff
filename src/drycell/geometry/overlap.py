"""Interference: the volume two bodies share."""

from dataclasses import dataclass

import numpy as np

from drycell.base import Vector
from drycell.geometry import mass, solid
from drycell.geometry.placed import Placed


@dataclass(frozen=True)
class Interference:
    """The shared volume in m³ and its centre; without any, the centre is half way between the bodies' balls."""

    volume: float
    centre: Vector


def interference(a: Placed, b: Placed, deviation: float | None = 1e-4) -> Interference:
    """The exact intersection of two solids; round shapes are faceted within the deviation (0.1 mm) first."""
    common = solid.solid_of(a.shape, deviation) ^ solid.placed(
        solid.solid_of(b.shape, deviation), a.pose.inverse() @ b.pose
    )
    if common.is_empty() or common.volume() <= 0.0:
        x, y, z = (0.5 * (np.array(a.ball[0]) + np.array(b.ball[0]))).tolist()
        return Interference(0.0, (x, y, z))
    found = mass.of_triangles(*solid.arrays(common))
    return Interference(found.volume, a.pose.point(found.centre))
