"""Shapes and given poses: solids, CSG, mesh files, mass, distance, contact, interference, rays and containment.

Nothing here knows of time or of bodies with names. Lengths are metres; a :class:`Shape` is a frozen value about its own
origin, a :class:`Placed` is one set into the world for query after query.
"""

from drycell.geometry.box import Box
from drycell.geometry.capsule import Capsule
from drycell.geometry.closeness import Closeness, closeness
from drycell.geometry.compound import Compound
from drycell.geometry.cone import Cone
from drycell.geometry.contact import ContactPoint, contacts
from drycell.geometry.containment import contains
from drycell.geometry.csg import merge
from drycell.geometry.cylinder import Cylinder
from drycell.geometry.distance import TOUCH, Closest, closest, distance
from drycell.geometry.fan import Fan, Rays
from drycell.geometry.gap import gap, touching
from drycell.geometry.interference import Interference, interference
from drycell.geometry.mass import MassProperties
from drycell.geometry.mesh import Mesh
from drycell.geometry.meshfile import MeshFile, load_mesh, save_mesh
from drycell.geometry.placed import Placed
from drycell.geometry.posed import PosedShape
from drycell.geometry.prism import Prism
from drycell.geometry.ray import project_to_surface, ray
from drycell.geometry.resize import dimensions, resized
from drycell.geometry.rod import Rod
from drycell.geometry.shape import RayHit, Shape, ShapeModel, SurfacePoint
from drycell.geometry.simplify import Simplified, first_step, simplify
from drycell.geometry.sphere import Sphere

__all__ = [
    "TOUCH",
    "Box",
    "Capsule",
    "Closeness",
    "Closest",
    "Compound",
    "Cone",
    "ContactPoint",
    "Cylinder",
    "Fan",
    "Interference",
    "MassProperties",
    "Mesh",
    "MeshFile",
    "Placed",
    "PosedShape",
    "Prism",
    "RayHit",
    "Rays",
    "Rod",
    "Shape",
    "ShapeModel",
    "Simplified",
    "Sphere",
    "SurfacePoint",
    "closeness",
    "closest",
    "contacts",
    "contains",
    "dimensions",
    "distance",
    "first_step",
    "gap",
    "interference",
    "load_mesh",
    "merge",
    "project_to_surface",
    "ray",
    "resized",
    "save_mesh",
    "simplify",
    "touching",
]
