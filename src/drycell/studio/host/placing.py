"""A place for a new thing: on its carrier, and clear of what is there already."""

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from drycell.base import Pose
from drycell.cell import Cell

if TYPE_CHECKING:
    from drycell.world import LiveBody, World

MARGIN: Final = 0.02  # metres between the boxes around things
_STEP: Final = 0.05
_REACH: Final = 3.0  # how far it is moved at most

Boxes = NDArray[np.float64]  # lower and upper corners in the world: shape (bodies, 2, 3)


def clear_shift(cell: Cell, root: "LiveBody") -> tuple[float, float]:
    """How far to move a thing in x and y of its carrier, in metres, so that it is clear of all others.

    The boxes around bodies are compared, which is quick and leaves room. The thing stays on its carrier. It is not
    moved if it is clear already, or if there is no clear place.

    Args:
        cell: The cell with the thing, before its run.
        root: The body that the thing consists of, or to which its other bodies are attached.
    """
    world = cell.world
    solid = [body for body in world.bodies.values() if body.shape is not None]
    own = [body for body in solid if _chain(body, root)]
    carrier = root.parent
    # What the carrier is attached to is under it: the table of a tray.
    others = [body for body in solid if body not in own and not (carrier is not None and _chain(carrier, body))]
    if not own or not others:
        return 0.0, 0.0
    mine, theirs = _boxes(world, own), _boxes(world, others)
    frame = Pose() if carrier is None else world.pose(carrier, world.now)
    most = round(_REACH / _STEP)
    steps = np.arange(-most, most + 1) * _STEP
    x, y = (each.ravel() for each in np.meshgrid(steps, steps))
    order = np.argsort(np.hypot(x, y), kind="stable")
    shifts = np.column_stack([x[order], y[order], np.zeros(len(order))])
    if carrier is not None and carrier.shape is not None:
        shifts = shifts[_stays_on(world, carrier, root, shifts)]
    turned = shifts @ np.asarray(frame.matrix)[:3, :3].T
    for shift, way in zip(shifts, turned, strict=True):
        low, high = mine[:, None, 0] + way, mine[:, None, 1] + way
        apart = (low > theirs[None, :, 1] + MARGIN) | (high < theirs[None, :, 0] - MARGIN)
        if apart.any(axis=2).all():
            return round(float(shift[0]), 6), round(float(shift[1]), 6)
    return 0.0, 0.0


def _chain(body: "LiveBody | None", root: "LiveBody") -> bool:
    """Whether a body is another one, or is attached to it."""
    while body is not None and body is not root:
        body = body.parent
    return body is root


def _boxes(world: "World", bodies: "list[LiveBody]") -> Boxes:
    return np.array([_box(body, world.pose(body, world.now)) for body in bodies])


def _box(body: "LiveBody", pose: Pose) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The box around a body with edges along the axes of a frame, in which it has a pose."""
    assert body.shape is not None
    low, high = body.shape.bounds
    corners = np.array([(*corner, 1.0) for corner in product(*zip(low, high, strict=True))])
    there = corners @ np.asarray(pose.matrix).T
    return there[:, :3].min(axis=0), there[:, :3].max(axis=0)


def _stays_on(world: "World", carrier: "LiveBody", root: "LiveBody", shifts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which shifts leave the thing on its carrier: its whole foot, or its origin if the foot is larger."""
    assert carrier.shape is not None
    place = world.pose(carrier, world.now).inverse() @ world.pose(root, world.now)
    under, over = (np.asarray(each, dtype=float)[:2] for each in carrier.shape.bounds)
    low = high = np.asarray(place.position, dtype=float)[:2]
    if root.shape is not None:
        foot = [each[:2] for each in _box(root, place)]
        for axis in range(2):
            if foot[1][axis] - foot[0][axis] > over[axis] - under[axis]:
                foot[0][axis] = foot[1][axis] = low[axis]
        low, high = foot
    return np.asarray(((low + shifts[:, :2] >= under - 1e-9) & (high + shifts[:, :2] <= over + 1e-9)).all(axis=1))
