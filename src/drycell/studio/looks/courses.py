"""Courses: where tools and bodies have been, as points of a path and as exposures of one picture."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from drycell.base import Array, Pose
from drycell.world import LiveBody, World

MOST_POINTS: Final = 2000
MOST_COPIES: Final = 20_000


def path(world: World, body: LiveBody, offset: Pose, t0: int, t1: int, points: int = MOST_POINTS) -> Array:
    """Points (n, 3) of a frame on a body from instant to instant, evenly in time; those where it rests are left out."""
    t0 = max(t0, body.born, 0)
    t1 = min(t1, body.gone - 1)
    if t1 < t0:
        return np.empty((0, 3))
    count = max(2, min(points, MOST_POINTS, t1 - t0 + 1))
    times = np.unique(np.linspace(t0, t1, count).round().astype(np.int64))
    rotations, positions = world.batch(body, times)
    found = positions + rotations @ np.asarray(offset.position)
    step = np.linalg.norm(np.diff(found, axis=0), axis=1)
    moved = np.concatenate(([True], step > 1e-6))
    moved[:-1] |= moved[1:]  # the last point of a rest is where the next move begins
    moved[-1] = True
    course: Array = found[moved]
    return course


def exposures(
    world: World, bodies: Iterable[LiveBody], t0: int, t1: int, count: int
) -> list[tuple[int, dict[LiveBody, Pose]]]:
    """Where bodies were at evenly spread instants, ends included; who is not in the cell then is left out."""
    wanted = list(bodies)
    times = [round(t0 + (t1 - t0) * k / max(count - 1, 1)) for k in range(count)]
    return [(t, {body: world.pose(body, t) for body in wanted if body.exists(t)}) for t in times]


def below(bodies: Sequence[LiveBody], name: str) -> list[LiveBody]:
    """All bodies that a name stands for: its own, and those named below it."""
    return [body for body in bodies if body.name == name or body.name.startswith(name + "/")]
