"""Solids by name: ``box("table", 600*mm, 400*mm, 20*mm)`` and its kin, ready to be added to a cell."""

from collections.abc import Sequence
from pathlib import Path

from drycell.geometry import Box, Capsule, Cone, Cylinder, Prism, Shape, Sphere, load_mesh
from drycell.world import Body


def solid(name: str, shape: Shape, *, material: str = "plastic", hole: bool = False) -> Body:
    """A body of any shape."""
    return Body(name, shape, material=material, hole=hole)


def box(name: str, x: float, y: float, z: float, *, material: str = "plastic", hole: bool = False) -> Body:
    """A box about its middle, with sides along x, y and z."""
    return solid(name, Box(x, y, z), material=material, hole=hole)


def cylinder(name: str, radius: float, length: float, *, material: str = "plastic", hole: bool = False) -> Body:
    """A cylinder about its middle, along z."""
    return solid(name, Cylinder(radius, length), material=material, hole=hole)


def cone(
    name: str,
    radius: float,
    length: float,
    *,
    top_radius: float = 0.0,
    material: str = "plastic",
    hole: bool = False,
) -> Body:
    """A cone or, with a top radius, a frustum, about the middle of its axis along z."""
    return solid(name, Cone(radius, length, top_radius), material=material, hole=hole)


def sphere(name: str, radius: float, *, material: str = "plastic", hole: bool = False) -> Body:
    """A ball about its middle."""
    return solid(name, Sphere(radius), material=material, hole=hole)


def capsule(name: str, radius: float, length: float, *, material: str = "plastic", hole: bool = False) -> Body:
    """A cylinder of that length along z with a half ball on either end."""
    return solid(name, Capsule(radius, length), material=material, hole=hole)


def prism(
    name: str,
    outline: Sequence[tuple[float, float]],
    length: float,
    *,
    material: str = "plastic",
    hole: bool = False,
) -> Body:
    """An outline in the x-y plane, drawn out along z about the middle."""
    return solid(name, Prism(tuple(outline), length), material=material, hole=hole)


def mesh(name: str, file: str | Path, *, units: str, material: str = "plastic", hole: bool = False) -> Body:
    """A closed surface from a file (STL, OBJ, PLY, glTF, STEP); its units are stated, never guessed."""
    return solid(name, load_mesh(file, units), material=material, hole=hole)
