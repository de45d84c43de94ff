"""Shapes and given poses: solids, CSG, mesh files, mass, distance, contact, interference, rays and containment.

Nothing here knows of time or of bodies with names. Lengths are metres; a :class:`Shape` is a frozen value about its own
origin, a :class:`Placed` is one set into the world for query after query.
"""

from drycell.geometry.box import Box
from drycell.geometry.capsule import Capsule
from drycell.geometry.compound import Compound
from drycell.geometry.cone import Cone
from drycell.geometry.containment import contains
from drycell.geometry.cylinder import Cylinder
from drycell.geometry.distance import TOUCH, Closest, closest, distance, touching
from drycell.geometry.mass import MassProperties
from drycell.geometry.placed import Placed
from drycell.geometry.shape import RayHit, Shape, SurfacePoint
from drycell.geometry.sphere import Sphere

__all__ = [
    "TOUCH",
    "Box",
    "Capsule",
    "Closest",
    "Compound",
    "Cone",
    "Cylinder",
    "MassProperties",
    "Placed",
    "RayHit",
    "Shape",
    "Sphere",
    "SurfacePoint",
    "closest",
    "contains",
    "distance",
    "touching",
]
