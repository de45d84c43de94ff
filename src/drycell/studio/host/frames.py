"""Frames: where every body is at an instant, as the few bytes that the page's view takes."""

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from drycell.studio.host.bodies import BodyNumbering
from drycell.studio.host.standing import standing
from drycell.world import LiveBody

_HEAD: Final = struct.Struct("<dII")
_FIRST_ROOM: Final = 64


class FrameMaker:
    """Makes frames of a cast. What has not moved since the last frame is not looked at again."""

    def __init__(self, cast: BodyNumbering) -> None:
        self._numbering = cast
        self._rows = np.full((_FIRST_ROOM, 7), np.nan, np.float32)
        self._versions: list[int] = []
        self._spans: list[tuple[int, int]] = []  # from when until when a row holds, as long as the version is the same

    def at(self, t: int) -> bytes:
        """The frame of an instant: seconds, version and count, then position and quaternion (wxyz) of each body."""
        bodies, count = self._numbering.bodies, len(self._numbering.bodies)
        self._make_room(count)
        versions, spans = self._versions, self._spans
        stale = [
            number
            for number, body in enumerate(bodies)
            if body.version != versions[number] or not spans[number][0] <= t < spans[number][1]
        ]
        if stale:
            self._place(stale, t)
        return _HEAD.pack(t / 1e6, self._numbering.version, count) + self._rows[:count].tobytes()

    def _place(self, stale: list[int], t: int) -> None:
        bodies, world = self._numbering.bodies, self._numbering.world
        moved: list[int] = []
        rows: list[tuple[float, ...]] = []
        known: dict[LiveBody, tuple[int, int]] = {}
        for number in stale:
            body = bodies[number]
            self._versions[number] = body.version
            self._spans[number] = standing(body, t, known)
            if body.exists(t):
                moved.append(number)
                rows.append(world.pose(body, t).rows)
            else:
                self._rows[number] = np.nan
        if moved:
            self._rows[moved] = wire_poses(np.array(rows))

    def _make_room(self, count: int) -> None:
        for _ in range(len(self._versions), count):
            self._versions.append(-1)
            self._spans.append((0, 0))
        if count > len(self._rows):
            grown = np.full((2 * count, 7), np.nan, np.float32)
            grown[: len(self._rows)] = self._rows
            self._rows = grown


def wire_poses(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Poses as the wire has them: x, y, z, qw, qx, qy, qz (n, 7), of the twelve numbers of each (n, 12)."""
    a, b, c, x, d, e, f, y, g, h, i, z = rows.T
    # Each quaternion is taken from its greatest component, where nothing is lost to rounding.
    squares = np.stack((1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i), axis=1)
    greatest = squares.argmax(axis=1)
    top = squares[np.arange(len(rows)), greatest]
    parts = np.stack(
        (
            np.stack((top, h - f, c - g, d - b), axis=1),
            np.stack((h - f, top, b + d, c + g), axis=1),
            np.stack((c - g, b + d, top, f + h), axis=1),
            np.stack((d - b, c + g, f + h, top), axis=1),
        ),
        axis=1,
    )[np.arange(len(rows)), greatest]
    quaternions = parts / (2.0 * np.sqrt(top))[:, None]
    return np.concatenate((np.stack((x, y, z), axis=1), quaternions), axis=1).astype(np.float32)
