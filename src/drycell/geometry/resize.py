"""Named dimensions of a shape, and a copy of the shape with some of them changed."""

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np

from drycell.base import GeometryError, format_length
from drycell.geometry.compound import Compound
from drycell.geometry.polyhedron import Mesh, Prism
from drycell.geometry.primitives import Primitive
from drycell.geometry.shape import Shape


def dimensions(shape: Shape) -> dict[str, float]:
    """The lengths that describe a shape, in metres: the fields of a primitive, the size of a prism or mesh.

    The parts of a compound are numbered: ``1.radius``, ``2.x``. A radius of 0 is not listed.
    """
    if isinstance(shape, Compound):
        return {
            f"{number}.{name}": value
            for number, (_, part) in enumerate(shape.parts, start=1)
            for name, value in dimensions(part).items()
        }
    if isinstance(shape, Primitive):
        return {item.name: value for item in fields(shape) if (value := float(getattr(shape, item.name))) > 0.0}
    x, y, z = (high - low for low, high in zip(*shape.bounds, strict=True))
    return {"x": x, "y": y, "length": z} if isinstance(shape, Prism) else {"x": x, "y": y, "z": z}


def resized(shape: Shape, changes: Mapping[str, float]) -> Shape:
    """Return a copy of a shape with some dimensions changed; its centre stays in place.

    Args:
        shape: the shape.
        changes: the change of each dimension in metres; negative values shrink it.

    Raises:
        GeometryError: a dimension is unknown or would not be positive.
    """
    known = dimensions(shape)
    for name, change in changes.items():
        if name not in known:
            raise GeometryError(f"resize: the shape has no dimension {name!r}", hint=f"it has {', '.join(known)}")
        if not known[name] + change > 0.0:
            raise GeometryError(
                f"resize: {name} is {format_length(known[name])} and cannot become {format_length(-change)} shorter",
                hint="change it by less than its value",
            )
    if not any(changes.values()):
        return shape
    if isinstance(shape, Compound):
        return Compound(
            tuple(
                (pose, resized(part, _of_part(changes, f"{number}.")))
                for number, (pose, part) in enumerate(shape.parts, start=1)
            )
        )
    if isinstance(shape, Primitive):
        return replace(shape, **{name: known[name] + change for name, change in changes.items()})
    low, high = (np.array(corner) for corner in shape.bounds)
    middle = 0.5 * (low + high)
    scale = np.array([1.0 + changes.get(name, 0.0) / value for name, value in known.items()])
    if isinstance(shape, Prism):
        outline = (np.array(shape.outline) - middle[:2]) * scale[:2] + middle[:2]
        return Prism(tuple((x, y) for x, y in outline.tolist()), shape.length * float(scale[2]))
    vertices, faces = shape.triangles()
    return Mesh((vertices - middle) * scale + middle, faces)


def _of_part(changes: Mapping[str, float], prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): change for name, change in changes.items() if name.startswith(prefix)}
