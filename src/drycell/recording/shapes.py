"""Shapes as plain data, and back: ``{"kind": "cylinder", "radius": 0.01, "length": 0.05}``.

A mesh is named by the digest of its content; its arrays are kept apart, once for all bodies that have it.
"""

from collections.abc import Callable
from typing import Final

from drycell.errors import RecordingError
from drycell.geometry import Box, Capsule, Compound, Cone, Cylinder, Mesh, Prism, Shape, Sphere
from drycell.geometry.mass import Faces
from drycell.recording.document import Json, Node, number, numbers
from drycell.spatial import Array

MeshArrays = tuple[Array, Faces]  # vertices (n, 3), faces (m, 3)
Meshes = dict[str, MeshArrays]  # by digest

# Those that are a few lengths and nothing else. Exact types: what a subclass adds would be lost.
_LENGTHS: Final[dict[type[Shape], tuple[str, ...]]] = {
    Box: ("x", "y", "z"),
    Cylinder: ("radius", "length"),
    Cone: ("radius", "length", "top_radius"),
    Sphere: ("radius",),
    Capsule: ("radius", "length"),
}
_PLAIN: Final[dict[str, type[Shape]]] = {each.__name__.lower(): each for each in _LENGTHS}


def shape_data(shape: Shape, meshes: Meshes) -> dict[str, Json]:
    """A shape as plain data; the arrays of meshes are put into ``meshes``."""
    kind = type(shape).__name__.lower()
    if type(shape) in _LENGTHS:
        return {"kind": kind, **{name: number(getattr(shape, name)) for name in _LENGTHS[type(shape)]}}
    if type(shape) is Prism:
        return {"kind": kind, "outline": [numbers(point) for point in shape.outline], "length": number(shape.length)}
    if type(shape) is Mesh:
        digest = shape.key.split()[-1]
        meshes[digest] = (shape.vertices, shape.faces)
        return {"kind": kind, "mesh": digest}
    if type(shape) is Compound:
        parts: list[Json] = [
            {"pose": numbers(pose.rows), "shape": shape_data(part, meshes)} for pose, part in shape.parts
        ]
        return {"kind": kind, "parts": parts}
    raise RecordingError(
        f"a shape of type {type(shape).__name__} cannot be written as data",
        hint="make it a Mesh of its triangles, or add it to drycell.recording.shapes",
    )


def shape_from(data: Node | Json, mesh: Callable[[str], MeshArrays]) -> Shape:
    """The shape again; ``mesh`` finds the arrays of a digest."""
    node = data if isinstance(data, Node) else Node(data, "shape")
    kind = node["kind"].text
    if kind in _PLAIN:
        made = _PLAIN[kind]
        return made(*(node[name].number for name in _LENGTHS[made]))
    if kind == "prism":
        outline = tuple((x, y) for x, y in (point.numbers(2) for point in node["outline"]))
        return Prism(outline, node["length"].number)
    if kind == "mesh":
        digest = node["mesh"].text
        solid = Mesh(*mesh(digest))
        if solid.key.split()[-1] != digest:
            raise RecordingError(f"mesh {digest[:12]}… is not what its name says")
        return solid
    if kind == "compound":
        return Compound(tuple((part["pose"].pose, shape_from(part["shape"], mesh)) for part in node["parts"]))
    raise node["kind"].wrong(f"one of {', '.join([*_PLAIN, 'prism', 'mesh', 'compound'])}")
