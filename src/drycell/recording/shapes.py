"""Conversion of shapes to plain data and back: ``{"kind": "cylinder", "radius": 0.01, "length": 0.05}``.

A shape of any kind, built in or custom, is stored as its fields. A mesh is identified by the digest of its content;
its arrays are stored separately, once for all bodies that use it.
"""

from collections.abc import Callable, Iterator
from typing import Any, cast

from drycell.base import (
    Array,
    DrycellError,
    Many,
    OneOf,
    Quantity,
    RecordingError,
    Several,
    Type,
    fields_of,
    known_kinds,
)
from drycell.geometry import Compound, Faces, Mesh, Shape
from drycell.recording.container import DocumentNode, Json, json_number, json_numbers

MeshArrays = tuple[Array, Faces]  # vertices (n, 3), faces (m, 3)
Meshes = dict[str, MeshArrays]  # by digest


def shape_data(shape: Shape, meshes: Meshes) -> dict[str, Json]:
    """Return a shape as plain data; the arrays of meshes are added to ``meshes``."""
    if type(shape) is Mesh:
        digest = shape.key.split()[-1]
        meshes[digest] = (shape.vertices, shape.faces)
        return {"kind": "mesh", "mesh": digest}
    if type(shape) is Compound:
        parts: list[Json] = [
            {"pose": json_numbers(pose.rows), "shape": shape_data(part, meshes)} for pose, part in shape.parts
        ]
        return {"kind": "compound", "parts": parts}
    if not shape.meta.kind:  # for example a subclass without a kind of its own, whose extra fields would be lost
        raise RecordingError(
            f"a shape of type {type(shape).__name__} cannot be written as data",
            hint="give its class a kind, or make it a Mesh of its triangles",
        )
    fields = {each.name: _data(getattr(shape, each.name), meshes) for each in fields_of(type(shape))}
    return {"kind": shape.meta.kind, **fields}


def _data(value: Any, meshes: Meshes) -> Json:
    """The exact value of a field as plain data."""
    if isinstance(value, float):
        return json_number(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, tuple | list):
        return [_data(each, meshes) for each in value]
    if isinstance(value, Shape):
        return shape_data(value, meshes)
    raise RecordingError(
        f"a value of type {type(value).__name__} in a shape cannot be written as data",
        hint="use only numbers, texts, shapes, or tuples of these as fields",
    )


def shape_from(data: DocumentNode | Json, mesh: Callable[[str], MeshArrays]) -> Shape:
    """Create a shape from plain data; ``mesh`` returns the arrays for a digest."""
    node = data if isinstance(data, DocumentNode) else DocumentNode(data, "shape")
    kind = node["kind"].text
    if kind == "mesh":
        digest = node["mesh"].text
        solid = Mesh(*mesh(digest))
        if solid.key.split()[-1] != digest:
            raise RecordingError(f"mesh {digest[:12]}… does not match its checksum")
        return solid
    if kind == "compound":
        return Compound(tuple((part["pose"].pose, shape_from(part["shape"], mesh)) for part in node["parts"]))
    cls = _class(node["kind"])
    return cls(**{each.name: _value(each.type, node[each.name], mesh) for each in fields_of(cls)})


def _value(kind: Type, node: DocumentNode, mesh: Callable[[str], MeshArrays]) -> Any:
    """Create the value of a field from its data."""
    if node.empty:
        return None
    if isinstance(kind, Quantity):
        return node.number
    if isinstance(kind, Many):
        return tuple(_value(kind.inner, each, mesh) for each in node)
    if isinstance(kind, Several):
        given = list(node)
        if len(given) != len(kind.items):
            raise node.wrong(f"{len(kind.items)} values")
        return tuple(_value(inner, each, mesh) for inner, each in zip(kind.items, given, strict=True))
    if isinstance(kind, OneOf):
        return shape_from(node, mesh)
    try:
        return kind.check(node.value)
    except DrycellError as error:
        raise RecordingError(f"{node.way!r}: {error.what}", hint=error.hint) from error


def _class(node: DocumentNode) -> type[Shape]:
    """The class of a kind: built in, from a plug-in, or from a Python file that was imported or used before."""
    kind, base = node.text, cast(Any, Shape)  # mypy objects to the abstract class
    for plug_ins in (False, True):  # loading plug-ins takes longer
        if found := known_kinds(plug_ins=plug_ins).under(base).get(kind):
            return cast(type[Shape], found)
    for cls in _below(base):
        if cls.meta.kind == kind:
            return cls
    known = ", ".join([*known_kinds().under(base), "mesh", "compound"])
    raise RecordingError(
        f"{node.way!r} is {kind!r}, expected one of {known}",
        hint="if it is a custom kind, first import the Python file that defines it, or install it as a plug-in",
    )


def _below(cls: type[Shape]) -> Iterator[type[Shape]]:
    """All subclasses, the latest first: a file that was changed and executed again defines its classes twice."""
    for each in reversed(cls.__subclasses__()):
        yield each
        yield from _below(each)
