"""Frames: the pose of every body at an instant, packed into the few bytes that the view in the browser reads."""

import struct
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.looks import Channel, look_of
from drycell.record import Record
from drycell.world import ALWAYS, FOREVER, LinkMotion, LiveBody, Motion, Rest, World

Span = tuple[int, int]
"""A time interval in ticks: from, including, until, excluding. Empty if both are equal."""

_HEAD: Final = struct.Struct("<dQII")
_INITIAL_ROWS: Final = 64


class BodyNumbering:
    """Numbers for all bodies that were ever in a world, in the order of their arrival.

    A number never changes within a ``scene``; no two numberings of a studio have the same scene. ``version`` grows when
    a body is added or gets another shape.
    """

    def __init__(
        self, world: World, bodies: Iterable[LiveBody] | None = None, *, scene: int = 0, version: int = 0
    ) -> None:
        self.world = world
        self.scene = scene
        self.bodies: list[LiveBody] = []
        self.version = version + 1
        self.channels: list[tuple[LiveBody, Channel]] = []
        """The channels of the looks of all bodies, in the order in which frames carry them."""
        self._numbers: dict[LiveBody, int] = {}
        self._shapes: list[object] = []
        for body in world.bodies.values() if bodies is None else bodies:
            self._add(body)
        world.subscribe(self._changed)

    def number(self, body: LiveBody) -> int:
        """The number of a body."""
        return self._numbers[body]

    def _add(self, body: LiveBody) -> None:
        self._numbers[body] = len(self.bodies)
        self.bodies.append(body)
        self._shapes.append(body.shape)
        look = look_of(body) if body.look is not None else None  # a plain look has no channels
        if look is not None:
            self.channels += [(body, each) for each in look.channels.values()]

    def _changed(self, body: LiveBody) -> None:
        number = self._numbers.get(body)
        if number is None:
            self._add(body)
            self.version += 1
        elif self._shapes[number] is not body.shape:
            self._shapes[number] = body.shape
            self.version += 1


class FrameMaker:
    """Makes frames. Poses of bodies that have not moved since the last frame are reused."""

    def __init__(self, numbering: BodyNumbering, record: Record | None = None) -> None:
        """``record`` gives the values of channels; without one they are 0."""
        self._numbering, self._record = numbering, record
        self._rows = np.full((_INITIAL_ROWS, 7), np.nan, np.float32)
        self._versions: list[int] = []
        self._spans: list[Span] = []  # the interval in which a row is valid, as long as the body's version is the same

    def at(self, t: int) -> bytes:
        """The frame of an instant: seconds, scene, version, count; then position and quaternion (wxyz) of each body,
        and then the value of each channel, in the order described in :mod:`drycell.looks.packing`."""
        bodies, count = self._numbering.bodies, len(self._numbering.bodies)
        self._grow(count)
        versions, spans = self._versions, self._spans
        stale = [
            number
            for number, body in enumerate(bodies)
            if body.version != versions[number] or not spans[number][0] <= t < spans[number][1]
        ]
        if stale:
            self._update(stale, t)
        head = _HEAD.pack(t / 1e6, self._numbering.scene, self._numbering.version, count)
        return head + self._rows[:count].tobytes() + self._channels(t)

    def _channels(self, t: int) -> bytes:
        values = np.zeros(len(self._numbering.channels), "<f4")
        for place, (body, channel) in enumerate(self._numbering.channels):
            if not body.exists(t):
                values[place] = np.nan
            elif self._record is not None:
                values[place] = channel.source.at(self._record, body.name, t)
        return values.tobytes()

    def _update(self, stale: list[int], t: int) -> None:
        bodies, world = self._numbering.bodies, self._numbering.world
        present: list[int] = []
        rows: list[tuple[float, ...]] = []
        known: dict[LiveBody, Span] = {}
        for number in stale:
            body = bodies[number]
            self._versions[number] = body.version
            self._spans[number] = rest_span(body, t, known)
            if body.exists(t):
                present.append(number)
                rows.append(world.pose(body, t).rows)
            else:
                self._rows[number] = np.nan
        if present:
            self._rows[present] = wire_poses(np.array(rows))

    def _grow(self, count: int) -> None:
        for _ in range(len(self._versions), count):
            self._versions.append(-1)
            self._spans.append((0, 0))
        if count > len(self._rows):
            grown = np.full((2 * count, 7), np.nan, np.float32)
            grown[: len(self._rows)] = self._rows
            self._rows = grown


def rest_span(body: LiveBody, t: int, known: dict[LiveBody, Span]) -> Span:
    """The interval around an instant in which a body is at rest, or absent; empty if it moves.

    Valid as long as the body's ``version`` stays the same.

    Args:
        body: The body.
        t: The instant, in ticks.
        known: Spans found so far at this instant. Carriers are shared by many bodies.
    """
    found = known.get(body)
    if found is None:
        found = known[body] = _rest_span(body, t, known)
    return found


def _rest_span(body: LiveBody, t: int, known: dict[LiveBody, Span]) -> Span:
    if t < body.born:
        return (ALWAYS, body.born)
    if t >= body.gone:
        return (body.gone, FOREVER)
    starts = body.history.times
    place = max(bisect_right(starts, t) - 1, 0)
    segment = body.history[place]
    since = max(segment.start if place else ALWAYS, body.born)
    until = min(starts[place + 1] if place + 1 < len(starts) else FOREVER, body.gone)
    first, last = _still(segment.motion, t)
    since, until = max(since, first), min(until, last)
    if since < until and segment.parent is not None:
        first, last = rest_span(segment.parent, t, known)
        since, until = max(since, first), min(until, last)
    return (since, until) if since < until else (0, 0)


def _still(motion: Motion, t: int) -> Span:
    """The interval around an instant in which a motion is at rest."""
    if isinstance(motion, LinkMotion):
        trajectory = motion.linkage.trajectory(t)
        return (trajectory.end, motion.linkage.next_start(t)) if t >= trajectory.end else (0, 0)
    if isinstance(motion, Rest):
        return (ALWAYS, FOREVER)
    if t < motion.start:
        return (ALWAYS, motion.start)
    return (motion.end, FOREVER) if t >= motion.end else (0, 0)


def wire_poses(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Convert poses to the form of a frame.

    Args:
        rows: The 12 numbers of each pose, (n, 12): rotation matrix and position, row by row.

    Returns:
        x, y, z, qw, qx, qy, qz of each pose, (n, 7).
    """
    a, b, c, x, d, e, f, y, g, h, i, z = rows.T
    # Each quaternion is computed from its largest component, where rounding loses least.
    squares = np.stack((1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i), axis=1)
    largest = squares.argmax(axis=1)
    top = squares[np.arange(len(rows)), largest]
    parts = np.stack(
        (
            np.stack((top, h - f, c - g, d - b), axis=1),
            np.stack((h - f, top, b + d, c + g), axis=1),
            np.stack((c - g, b + d, top, f + h), axis=1),
            np.stack((d - b, c + g, f + h, top), axis=1),
        ),
        axis=1,
    )[np.arange(len(rows)), largest]
    quaternions = parts / (2.0 * np.sqrt(top))[:, None]
    return np.concatenate((np.stack((x, y, z), axis=1), quaternions), axis=1).astype(np.float32)
