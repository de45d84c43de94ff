"""Shapes of cell files: from what a file says to the solid, and back."""

from pathlib import Path

from drycell.cell.file import (
    CapsuleSpec,
    CellFile,
    ConeSpec,
    CylinderSpec,
    MeshSpec,
    PrismSpec,
    ShapeSpec,
    SphereSpec,
)
from drycell.datafile import FieldPath
from drycell.geometry import Box, Capsule, Cone, Cylinder, Prism, Shape, Sphere, load_mesh, save_mesh


def shape_from(spec: ShapeSpec, cell_file: CellFile, path: FieldPath) -> Shape:
    """The shape that an entry of a cell file, at ``path``, describes under ``shape``."""
    given = spec.solid
    if isinstance(given, CylinderSpec):
        return Cylinder(given.radius, given.length)
    if isinstance(given, ConeSpec):
        return Cone(given.radius, given.length, given.top_radius)
    if isinstance(given, SphereSpec):
        return Sphere(given.radius)
    if isinstance(given, CapsuleSpec):
        return Capsule(given.radius, given.length)
    if isinstance(given, PrismSpec):
        return Prism(given.outline, given.length)
    if isinstance(given, MeshSpec):
        return load_mesh(cell_file.locate(given.file, *path, "shape", "mesh", "file"), units=given.units)
    return Box(*given)


def shape_spec(shape: Shape, name: str, folder: Path) -> ShapeSpec:
    """A shape as an entry of a cell file in a folder; what is no primitive becomes a mesh file there."""
    if isinstance(shape, Box):
        return ShapeSpec(box=(shape.x, shape.y, shape.z))
    if isinstance(shape, Cylinder):
        return ShapeSpec(cylinder=CylinderSpec(radius=shape.radius, length=shape.length))
    if isinstance(shape, Cone):
        return ShapeSpec(cone=ConeSpec(radius=shape.radius, length=shape.length, top_radius=shape.top_radius))
    if isinstance(shape, Sphere):
        return ShapeSpec(sphere=SphereSpec(radius=shape.radius))
    if isinstance(shape, Capsule):
        return ShapeSpec(capsule=CapsuleSpec(radius=shape.radius, length=shape.length))
    if isinstance(shape, Prism):
        return ShapeSpec(prism=PrismSpec(outline=shape.outline, length=shape.length))
    file = f"{name.replace('/', '-')}.ply"
    save_mesh(shape, folder / file, units="m")
    return ShapeSpec(mesh=MeshSpec(file=file, units="m"))
