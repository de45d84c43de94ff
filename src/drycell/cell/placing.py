"""Placing bodies: laying one on top of another without computing heights by hand."""

from collections.abc import Sequence

from drycell.errors import KernelError, WorldError
from drycell.spatial import Pose
from drycell.world import Body

Place = Pose | Sequence[float]


def place_of(given: Place) -> Pose:
    """A pose as it is, or a position (x, y) or (x, y, z) as a pose without a turn."""
    if isinstance(given, Pose):
        return given
    if len(given) not in (2, 3):
        raise KernelError(f"a place is a Pose or two or three lengths, not {given!r}")
    return Pose(*given)


def laid_on(body: Body, support: Body, at: Pose) -> Pose:
    """The pose, seen from ``support``, of a body that lies on its top; ``at`` is seen from the middle of that top.

    Top and bottom are those of the bounding boxes in the bodies' own frames.
    """
    if body.shape is None:
        raise WorldError(f"{body.name!r} has no shape, so it cannot lie on anything", hint="place it with `at` alone")
    return top_of(support) @ at @ Pose(0.0, 0.0, -body.shape.bounds[0][2])


def top_of(support: Body) -> Pose:
    """The middle of a body's top, seen from the body."""
    if support.shape is None:
        raise WorldError(f"{support.name!r} has no shape, so nothing can stand on it", hint="place it with `at` alone")
    lower, upper = support.shape.bounds
    return Pose((lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, upper[2])
