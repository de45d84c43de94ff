"""Plain looks: what a body without a look of its own looks like, made from its shape with bevels and round edges."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from drycell.base import IDENTITY, Pose
from drycell.geometry import Box, Capsule, Compound, Cone, Cylinder, Shape, Sphere, Taper
from drycell.looks.look import Look, LookPart
from drycell.looks.material import shown_as
from drycell.looks.solids import Section, Solid, box, circle, facets, loft, revolve

if TYPE_CHECKING:
    from drycell.world import LiveBody

OWN: Final = Solid("own", ())
"""Stands for the shape of the body in a look that only gives it a material and a colour."""
_BEVEL: Final = 0.002  # metres
_ARC: Final = 5  # points of a quarter circle of a capsule
_POINTS: Final = 24  # of a section of a loft
_FEW_POINTS: Final = 12  # of a section that is smaller than ...
_SMALL: Final = 0.022  # metres


def look_of(body: "LiveBody") -> Look | None:
    """Return what a body looks like: its own look, or a plain one made from its shape. None if nothing is drawn.

    Args:
        body: A body that is in a world.
    """
    if body.hole or body.world is None:
        return None
    own = None if body.look is None else body.look()
    if own is not None:
        return _with_shape(own, body.shape)
    if body.shape is None:
        return None
    material = body.world.materials[body.material]
    return plain_look(body.shape, *shown_as(material.name, material.colour, material.metal))


@lru_cache(maxsize=1024)
def plain_look(shape: Shape, material: str, tint: str | None = None) -> Look:
    """Return a plain look of a shape.

    Args:
        shape: The shape.
        material: A material of looks.
        tint: Its colour, ``#rrggbb``; by default that of the material.
    """
    return Look(tuple(LookPart(solid, pose, material, tint) for pose, solid in plain_solids(shape)))


def _with_shape(look: Look, shape: Shape | None) -> Look:
    """The look with the solids of the shape in place of parts that stand for it."""
    if all(part.solid != OWN for part in look.parts):
        return look
    return _filled(look.key, look, shape)


_KNOWN: dict[tuple[str, Shape | None], Look] = {}


def _filled(key: str, look: Look, shape: Shape | None) -> Look:
    found = _KNOWN.get((key, shape))
    if found is None:
        parts: list[LookPart] = []
        for part in look.parts:
            if part.solid != OWN:
                parts.append(part)
            elif shape is not None:
                parts += [
                    LookPart(solid, part.pose @ pose, part.material, part.tint, part.channel, part.shade)
                    for pose, solid in plain_solids(shape)
                ]
        found = _KNOWN[key, shape] = Look(tuple(parts), look.channels)
    return found


def plain_solids(shape: Shape, pose: Pose = IDENTITY) -> Iterator[tuple[Pose, Solid]]:
    """Yield solids that show a shape, each with its pose.

    Tapers that continue each other are one loft. Shapes without a form of their own are shown with their facets.

    Args:
        shape: The shape.
        pose: The pose of the shape.
    """
    if isinstance(shape, Compound):
        run: list[Taper] = []
        where = IDENTITY
        for local, each in shape.parts:
            if run and not (isinstance(each, Taper) and local == where and _continues(run[-1], each)):
                yield pose @ where, _lofted(run)
                run = []
            if isinstance(each, Taper):
                run.append(each)
                where = local
            else:
                yield from plain_solids(each, pose @ local)
        if run:
            yield pose @ where, _lofted(run)
    elif isinstance(shape, Taper):
        yield pose, _lofted([shape])
    elif isinstance(shape, Box):
        yield pose, box(shape.x, shape.y, shape.z, min(_BEVEL, 0.2 * min(shape.x, shape.y, shape.z)))
    elif isinstance(shape, Cylinder):
        half, bevel = shape.length / 2, min(_BEVEL, 0.2 * shape.radius, 0.2 * shape.length)
        corners = ((0.0, -half), (shape.radius, -half), (shape.radius, half), (0.0, half))
        yield pose, revolve(corners, bevel, 48)
    elif isinstance(shape, Cone):
        half = shape.length / 2
        corners = ((0.0, -half), (shape.radius, -half), (shape.top_radius, half), (0.0, half))
        yield pose, revolve([each for k, each in enumerate(corners) if k in (0, 3) or each[0] > 0.0], 0.0005, 48)
    elif isinstance(shape, Sphere):
        yield pose, revolve(_capsule(shape.radius, 0.0), sides=48, sharp=9.0)
    elif isinstance(shape, Capsule):
        yield pose, revolve(_capsule(shape.radius, shape.length / 2), sides=48, sharp=9.0)
    else:
        yield pose, facets(shape)


def _continues(before: Taper, after: Taper) -> bool:
    return before.axis == after.axis and before.high == after.low


def _lofted(run: list[Taper]) -> Solid:
    sections: list[Section] = [run[0].low, *(each.high for each in run)]
    few = max(max(a, b) for _, _, _, a, b, _ in sections) < _SMALL
    return loft(sections, run[0].axis, _FEW_POINTS if few else _POINTS)


def _capsule(radius: float, half: float) -> list[tuple[float, float]]:
    arc = circle(radius, 4 * 2 * _ARC)
    lower = [(x, y - half) for x, y in arc[-2 * _ARC :]]
    upper = [(x, y + half) for x, y in arc[: 2 * _ARC + 1]]
    lower[0], upper[-1] = (0.0, -radius - half), (0.0, radius + half)
    return [*lower, *upper]
