"""Covers: balls that together hold all that a sensor can see. What stays out of them cannot change a reading."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from drycell.base import Array, Pose, Vector
from drycell.geometry import TOUCH, Ball, Cone, Cylinder, Shape
from drycell.sensors.model import SensorModel
from drycell.sensors.trace_lines import Line

_SLICES: Final = 32  # at most, of a slender beam


class Reach(NamedTuple):
    """Where a sensor sees, in the world: one ball that holds it all, and many that hold it closely."""

    centre: Vector
    radius: float
    centres: Array
    radii: Array


class Cover:
    """Balls in the frame of a sensor, or of anything that moves as one."""

    def __init__(self, balls: Sequence[Ball]) -> None:
        self._centres: Array = np.array([centre for centre, _ in balls]).reshape(-1, 3)
        self._radii: Array = np.array([radius for _, radius in balls])
        lower, upper = (
            (pick(self._centres + sign * self._radii[:, None], axis=0) if len(balls) else np.zeros(3))
            for pick, sign in ((np.min, -1.0), (np.max, 1.0))
        )
        x, y, z = (0.5 * (lower + upper)).tolist()
        self._centre: Vector = (x, y, z)
        self._radius = max((math.dist(centre, self._centre) + radius for centre, radius in balls), default=0.0)
        self._known: tuple[Pose, Reach] | None = None

    @property
    def swing(self) -> float:
        """How far the middle of any of them is from the frame's origin, at most."""
        return float(np.sqrt(np.square(self._centres).sum(axis=1)).max(initial=0.0))

    def at(self, pose: Pose) -> Reach:
        """The balls with the frame at a pose; of a frame that stands they are worked out once."""
        if self._known is None or self._known[0] != pose:
            centres = np.einsum("ij,nj->ni", pose.rotation, self._centres) + pose.translation
            self._known = (pose, Reach(pose.point(self._centre), self._radius, centres, self._radii))
        return self._known[1]


def cover_of(model: SensorModel, shape: Shape | None) -> Cover:
    """The cover of a sensor that looks or is touched, pads included; ``shape`` is that of its own body."""
    probe = model.probe
    balls = [
        (pose.point(centre), radius) for volume, pose in probe.volumes(probe.hold) for centre, radius in _sliced(volume)
    ]
    # A line may begin before its volume, pass from one to another, or have a reach of its own.
    lines = [(line, reach * probe.hold) for line, reach in zip(probe.lines, probe.reaches, strict=True)]
    balls += _along([each for each in lines if not _holds(balls, *each)])
    if model.type == "contact" and not model.volumes and shape is not None:
        balls += shape.spheres()
    return Cover(balls)


def _sliced(shape: Shape) -> Iterable[Ball]:
    """Balls round a volume: of a beam, round slices of it."""
    if isinstance(shape, Cylinder):
        low = high = shape.radius
    elif isinstance(shape, Cone):
        low, high = shape.radius, shape.top_radius
    else:
        return shape.spheres()
    return _slices(low, high, shape.length)


def _slices(low: float, high: float, length: float) -> Iterator[Ball]:
    count = min(_SLICES, math.ceil(2.0 * length / (low + high)))
    step = length / count
    for k in range(count):
        widest = max(low + (high - low) * end / count for end in (k, k + 1))
        yield (0.0, 0.0, (k + 0.5) * step - length / 2), math.hypot(widest, step / 2)


def _holds(balls: Iterable[Ball], line: Line, reach: float) -> bool:
    """Whether balls together hold all of a line."""
    pieces = sorted(piece for piece in (_piece(ball, line) for ball in balls) if piece is not None)
    held = 0.0
    for begins, ends in pieces:
        if begins > held + TOUCH:
            break
        held = max(held, ends)
    return held >= reach - TOUCH


def _piece(ball: Ball, line: Line) -> tuple[float, float] | None:
    """From where to where along a line a ball holds it; None if nowhere."""
    (origin, along), (centre, radius) = line, ball
    offset = [c - o for c, o in zip(centre, origin, strict=True)]
    middle = sum(a * b for a, b in zip(offset, along, strict=True))
    square = radius * radius - (sum(each * each for each in offset) - middle * middle)
    return None if square < 0.0 else (middle - math.sqrt(square), middle + math.sqrt(square))


def _along(lines: Sequence[tuple[Line, float]]) -> Iterator[Ball]:
    """Balls along each of some lines; the more lines there are, the fewer balls each has."""
    count = max(_SLICES // max(len(lines), 1), 4)
    for ((x, y, z), (u, v, w)), reach in lines:
        for k in range(count):
            far = (k + 0.5) * reach / count
            yield (x + far * u, y + far * v, z + far * w), 0.5 * reach / count
