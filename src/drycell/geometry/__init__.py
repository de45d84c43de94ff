"""Shapes and given poses: solids, CSG, mesh files, mass, distance, contact, interference, rays and containment.

Nothing here knows of time or of bodies with names. Lengths are metres; a :class:`Shape` is a frozen value about its own
origin, a :class:`Placed` is one set into the world for query after query.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.geometry.box import Box as Box
    from drycell.geometry.capsule import Capsule as Capsule
    from drycell.geometry.compound import Compound as Compound
    from drycell.geometry.cone import Cone as Cone
    from drycell.geometry.contact import ContactPoint as ContactPoint, contacts as contacts
    from drycell.geometry.containment import contains as contains
    from drycell.geometry.csg import merge as merge
    from drycell.geometry.cylinder import Cylinder as Cylinder
    from drycell.geometry.deviation import Closeness as Closeness, closeness as closeness
    from drycell.geometry.distances import TOUCH as TOUCH, Closest as Closest, closest as closest, distance as distance
    from drycell.geometry.fan import Fan as Fan, Rays as Rays
    from drycell.geometry.gaps import gap as gap, touching as touching
    from drycell.geometry.mass import Faces as Faces, MassProperties as MassProperties
    from drycell.geometry.mesh import Mesh as Mesh
    from drycell.geometry.meshfile import MeshFile as MeshFile, load_mesh as load_mesh, save_mesh as save_mesh
    from drycell.geometry.overlap import Interference as Interference, interference as interference
    from drycell.geometry.placed import Placed as Placed
    from drycell.geometry.posed import PosedShape as PosedShape
    from drycell.geometry.prism import Prism as Prism
    from drycell.geometry.rays import project_to_surface as project_to_surface, ray as ray
    from drycell.geometry.resize import dimensions as dimensions, resized as resized
    from drycell.geometry.rod import Rod as Rod
    from drycell.geometry.shape import (
        Ball as Ball,
        Bounds as Bounds,
        RayHit as RayHit,
        Shape as Shape,
        ShapeModel as ShapeModel,
        SurfacePoint as SurfacePoint,
    )
    from drycell.geometry.simplification import Simplified as Simplified, first_step as first_step, simplify as simplify
    from drycell.geometry.solid import arrays as arrays, solid_of as solid_of
    from drycell.geometry.sphere import Sphere as Sphere
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
