"""Shapes at given poses: solids, CSG, mesh files, mass, distance, contact, interference, rays and containment.

The package knows nothing about time or named bodies. Lengths are in metres. A :class:`Shape` is a frozen value in its
own frame; a :class:`Placed` is a shape at a pose, for repeated queries.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.geometry import checks as checks
    from drycell.geometry.clear_circle import clear_radius as clear_radius
    from drycell.geometry.compound import Compound as Compound, Rod as Rod
    from drycell.geometry.csg import (
        Interference as Interference,
        interference as interference,
        merge as merge,
        shared_volume as shared_volume,
    )
    from drycell.geometry.hausdorff import closeness as closeness
    from drycell.geometry.loft import Loft as Loft, Taper as Taper
    from drycell.geometry.mass import Faces as Faces
    from drycell.geometry.meshfile import MeshFile as MeshFile, load_mesh as load_mesh, save_mesh as save_mesh
    from drycell.geometry.outline import (
        Polygon as Polygon,
        convex_outline as convex_outline,
        inside_outline as inside_outline,
        minkowski_sum as minkowski_sum,
        nearest_on_outline as nearest_on_outline,
        outline_area as outline_area,
    )
    from drycell.geometry.placed import Placed as Placed
    from drycell.geometry.polyhedron import Mesh as Mesh, Prism as Prism
    from drycell.geometry.primitives import (
        TOUCH as TOUCH,
        Box as Box,
        Capsule as Capsule,
        Cone as Cone,
        Cylinder as Cylinder,
        Sphere as Sphere,
    )
    from drycell.geometry.proximity import (
        Closest as Closest,
        ContactPoint as ContactPoint,
        closest as closest,
        contacts as contacts,
        contains as contains,
        distance as distance,
        gap as gap,
        touching as touching,
    )
    from drycell.geometry.raycasting import (
        Fan as Fan,
        project_to_surface as project_to_surface,
        ray as ray,
    )
    from drycell.geometry.region import (
        PlaneRegion as PlaneRegion,
        free_place as free_place,
        level_section as level_section,
    )
    from drycell.geometry.resize import dimensions as dimensions, resized as resized
    from drycell.geometry.resting import (
        StableState as StableState,
        StableStates as StableStates,
        least_turn as least_turn,
        resting_hull as resting_hull,
        stable_states as stable_states,
    )
    from drycell.geometry.shape import (
        Ball as Ball,
        Bounds as Bounds,
        PosedShape as PosedShape,
        RayHit as RayHit,
        Shape as Shape,
        ShapeModel as ShapeModel,
    )
    from drycell.geometry.simplification import Simplified as Simplified, first_step as first_step, simplify as simplify
    from drycell.geometry.solid import arrays as arrays, solid_of as solid_of
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
