"""Conversion of shapes to and from manifold3d, which computes exact booleans."""

from typing import TYPE_CHECKING

import numpy as np

from drycell.base import Array, GeometryError, Pose
from drycell.geometry import mass, triangles
from drycell.geometry.mass import Faces
from drycell.geometry.shape import Shape

if TYPE_CHECKING:
    import manifold3d


def manifold(vertices: Array, faces: Faces, name: str) -> "manifold3d.Manifold":
    """Convert a closed triangle surface. Raises GeometryError with the number of open edges if it is not closed."""
    import manifold3d

    made = manifold3d.Manifold(
        manifold3d.Mesh64(np.array(vertices, order="C"), np.array(faces, dtype=np.uint64, order="C"))
    )
    status = made.status()
    if status != manifold3d.Error.NoError or made.is_empty():
        count = triangles.open_edges(faces)
        if count:
            raise GeometryError(
                f"{name} is not a solid: {count} of its edges are open (not shared by two triangles)",
                hint="close the surface in the CAD system, or export it as a solid and not as faces",
            )
        raise GeometryError(
            f"{name} is not a solid: {status.name}", hint="repair the surface, or export it again as a solid"
        )
    lost = abs(mass.of_triangles(vertices, faces).volume - made.volume())
    if lost > 1e-9 * abs(made.volume()):
        raise GeometryError(
            f"{name} is not a valid solid: its volume changes by {lost / abs(made.volume()):.2%} when it is made one",
            hint="its surface intersects or touches itself along an edge; repair it or leave a gap between its parts",
        )
    return made


def solid_of(shape: Shape, deviation: float | None = None) -> "manifold3d.Manifold":
    """The manifold of a shape in its frame, with facets for round surfaces; a compound is the union of its parts."""
    import manifold3d

    from drycell.geometry.compound import Compound

    built = shape.engines.built
    name = f"manifold {deviation!r}"
    if name not in built:
        if isinstance(shape, Compound):
            parts = [placed(solid_of(part, deviation), pose) for pose, part in shape.parts]
            built[name] = manifold3d.Manifold.batch_boolean(parts, manifold3d.OpType.Add)
        else:
            built[name] = manifold(*shape.triangles(deviation), shape.key.split()[0])
    return built[name]


def placed(solid: "manifold3d.Manifold", pose: Pose) -> "manifold3d.Manifold":
    """The solid moved to a pose."""
    return solid.transform(pose.matrix[:3])


def arrays(solid: "manifold3d.Manifold") -> tuple[Array, Faces]:
    """Vertices and faces of a manifold."""
    mesh = solid.to_mesh64()
    return np.array(mesh.vert_properties[:, :3]), np.array(mesh.tri_verts).astype(np.int64)
