"""Stopping: how far a round robot can go between walls before it would touch one, exactly and in closed form."""

import math
from typing import Final

import numpy as np

from drycell.learn.world.plan import FloorPlan

GAP: Final = 0.001  # m: a robot that is stopped stands this far in front of the wall, at any angle


def free_way(plan: FloorPlan, x: float, y: float, heading: float, length: float, radius: float) -> float:
    """How far a disc can move along a heading, up to a length, keeping :data:`GAP` from every wall.

    The disc's centre may come no nearer to a wall than its radius and the gap, so the walls are thickened by that and
    the way of the centre is cut at the first one: at a face, or at the round end of a wall. Moving away is always
    possible, however near the wall is.
    """
    dx, dy = math.cos(heading), math.sin(heading)
    ax, ay, ex, ey = plan.columns
    around = radius + GAP
    ux, uy, size = plan.directions
    rx, ry = x - ax, y - ay
    # Seen from the wall: how far along it, how far off it (made positive), and how quickly both change.
    along, off = rx * ux + ry * uy, rx * uy - ry * ux
    side = np.where(off < 0.0, -1.0, 1.0)
    off = off * side
    v_along, v_off = dx * ux + dy * uy, (dx * uy - dy * ux) * side
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.maximum((around - off) / v_off, 0.0)
        there = along + t * v_along
        face = np.where((v_off < 0.0) & (there >= 0.0) & (there <= size), t, np.inf)
    limit = min(float(face.min()), length)
    for px, py in ((rx, ry), (rx - ex, ry - ey)):
        b, c = px * dx + py * dy, px * px + py * py - around * around
        root = b * b - c
        met = (b < 0.0) & (root >= 0.0)
        if met.any():
            limit = min(limit, float(np.maximum(-b[met] - np.sqrt(root[met]), 0.0).min()))
    return max(limit, 0.0)


def clearance(plan: FloorPlan, x: float, y: float) -> float:
    """How far a point is from the nearest wall."""
    ax, ay, ex, ey = plan.columns
    share = np.clip(((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey), 0.0, 1.0)
    px, py = x - ax - share * ex, y - ay - share * ey
    return math.sqrt(float((px * px + py * py).min()))
