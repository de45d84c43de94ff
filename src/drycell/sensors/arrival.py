"""Arrivals: when bodies that ride, or may come at no more than a speed, are within reach; in columns."""

import numpy as np
from numpy.typing import NDArray

from drycell.base import Array
from drycell.sensors.cover import Reach
from drycell.world import SECOND, Linear, LiveBody, Ticks


def arrivals(
    offsets: Array, velocities: Array, reaches: Array, starts: Ticks | int, ends: Ticks | int, t: int
) -> tuple[Array, NDArray[np.bool_]]:
    """When points that ride come within reach, in ticks (infinite if never), and which of them are so at ``t``.

    A point within reach arrives when it begins to move: what stands there arrives no more.
    """
    squares = np.einsum("ij,ij->i", velocities, velocities)
    towards = -np.einsum("ij,ij->i", offsets, velocities)
    beyond = np.einsum("ij,ij->i", offsets, offsets) - reaches * reaches
    root = towards * towards - squares * beyond
    met = beyond <= 0.0
    comes = (towards > 0.0) & (root > 0.0) & ~met
    begins = np.maximum(starts, t)
    # c / (b + √(b² − a c)) is (b − √…) / a without the cancellation.
    wait = np.floor(
        np.divide(beyond, towards + np.sqrt(np.maximum(root, 0.0)), where=comes, out=np.zeros_like(root)) / SECOND
    )
    comes &= wait <= ends - begins
    comes |= met & (squares > 0.0) & (ends > begins)
    times: Array = np.where(comes, begins + wait, np.inf)
    return times, met


def near_arrivals(
    places: Array, radii: Array, rides: tuple[Array, Ticks, Ticks], t: int, reach: Reach
) -> tuple[Array, NDArray[np.bool_]]:
    """The same for balls, one a row, against the many balls of a reach: when each comes to the first of them.

    ``rides`` are their velocities, starts and ends.
    """
    velocities, starts, ends = rides
    shape = (len(places), len(reach.radii))
    rows = np.repeat(np.arange(shape[0]), shape[1])
    offsets = (places[:, None, :] - reach.centres[None, :, :]).reshape(-1, 3)
    reaches = (radii[:, None] + reach.radii[None, :]).ravel()
    times, met = arrivals(offsets, velocities[rows], reaches, starts[rows], ends[rows], t)
    return times.reshape(shape).min(axis=1), met.reshape(shape).max(axis=1)


def near_gaps(places: Array, reach: Reach) -> Array:
    """Metres from each of some points to the nearest ball of a reach; negative in it."""
    offsets = places[:, None, :] - reach.centres[None, :, :]
    gaps: Array = (np.sqrt(np.einsum("nkj,nkj->nk", offsets, offsets)) - reach.radii).min(axis=1)
    return gaps


def ride_arrivals(body: LiveBody, ride: Linear, now: int, centres: Array, reaches: Array) -> Array:
    """When a body that has just begun to stand or ride may be in each of some balls: at once, if it is in it now."""
    if body.shape is None:
        return np.full(len(reaches), np.inf)
    centre, radius = body.shape.sphere
    gone = (min(max(now, ride.start), ride.end) - ride.start) * SECOND
    here = np.array(ride.pose.point(centre)) + np.array(ride.velocity) * gone
    velocities = np.broadcast_to(np.array(ride.velocity), centres.shape)
    times, met = arrivals(here - centres, velocities, reaches + radius, ride.start, ride.end, now)
    times[met] = now  # it may not have been there before
    return times


def lengths(vectors: Array) -> Array:
    """The length of each of some vectors."""
    found: Array = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return found


def closings(gaps: Array, speeds: Array | float, t: int) -> Array:
    """When gaps may be closed, in ticks."""
    times: Array = t + np.floor(np.maximum(gaps, 0.0) / speeds / SECOND)
    return times
