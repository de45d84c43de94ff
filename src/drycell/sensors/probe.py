"""Probe: the volumes and trace-lines of a model made ready for looking."""

import math
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from drycell.base import IDENTITY, FieldError, Pose, format_angle
from drycell.geometry import Ball, Fan, Shape
from drycell.sensors.lobe import lobe
from drycell.sensors.trace_lines import Line, TraceLines

if TYPE_CHECKING:
    from drycell.sensors.model import SensorModel

_GRAZE: Final = 1e-6  # metres: a line that goes no farther touches its volume, as all lines do at the tip of a cone


class Probe:
    """Where a sensor looks: its lines, how far each reaches, and its volumes at any share of their length."""

    def __init__(self, model: "SensorModel") -> None:
        self._model = model
        lines = model.trace_lines
        if lines is None and model.type == "range":
            lines = TraceLines(count=1)  # a range sensor measures along its axis if nothing else is said
        self.lines: tuple[Line, ...] = () if lines is None else lines.drawn()
        self.reaches = tuple(self._reach(number, line, lines) for number, line in enumerate(self.lines) if lines)
        # Switched on, a sensor holds on a little farther than it came on.
        self.hold = 1.0
        whole = max(self.reaches, default=0.0) or max(
            (_height(*volume.reaching()) for volume in model.volumes), default=0.0
        )
        if model.type == "proximity" and model.hysteresis and whole:
            ratio = getattr(model.hysteresis, "dimension", None) == "ratio"
            self.hold = 1.0 + (model.hysteresis if ratio else model.hysteresis / whole)
        self.fan = Fan(self.lines, max(self.reaches) * self.hold) if self.lines else None
        self.volumes = lru_cache(maxsize=256)(self._volumes)

    def _volumes(self, share: float) -> tuple[tuple[Shape, Pose], ...]:
        """The volumes at a share of their length, and where they are seen from the sensor."""
        pattern = self._model.directivity
        if pattern is None:
            return tuple(volume.reaching(share) for volume in self._model.volumes)
        return tuple(
            (lobe(beam, pattern, share), volume.pose)
            for volume in self._model.volumes
            if (beam := volume.beam) is not None
        )

    @cached_property
    def ball(self) -> Ball:
        """A ball that holds all lines and volumes, in the sensor's frame."""
        balls: list[Ball] = []
        for (origin, along), reach in zip(self.lines, self.reaches, strict=True):
            far = [p + reach * self.hold * d for p, d in zip(origin, along, strict=True)]
            balls += [(origin, 0.0), ((far[0], far[1], far[2]), 0.0)]
        for shape, pose in self.volumes(self.hold):
            centre, radius = shape.sphere
            balls.append((pose.point(centre), radius))
        if not balls:
            return (0.0, 0.0, 0.0), 0.0
        lower, upper = (
            [pick(centre[k] + sign * radius for centre, radius in balls) for k in range(3)]
            for pick, sign in ((min, -1.0), (max, 1.0))
        )
        x, y, z = (0.5 * (low + high) for low, high in zip(lower, upper, strict=True))
        return (x, y, z), max(math.dist((x, y, z), centre) + radius for centre, radius in balls)

    def _reach(self, number: int, line: Line, lines: TraceLines) -> float:
        """How far a line reaches: as stated, or to where it leaves the volume; less off the axis."""
        model = self._model
        reach = lines.reach
        if reach is None:
            reach = max(_leaves(line, *volume.reaching()) for volume in model.volumes)
            if reach <= _GRAZE:
                angle = math.atan2(math.hypot(*line[1][:2]), line[1][2])
                raise FieldError(
                    f"trace-line {number + 1} ({format_angle(angle)} off the axis) is not in the sensor's volume",
                    hint="give it a smaller spread, widen the volume, or state its reach",
                )
            if model.directivity is not None and not any(any((*volume.at, *volume.rpy)) for volume in model.volumes):
                # The lobe is round: it goes as far as the beam is long, not to its flat end.
                reach = max(beam.length for volume in model.volumes if (beam := volume.beam) is not None)
        if model.directivity is not None:
            reach *= model.directivity.share(math.atan2(math.hypot(*line[1][:2]), line[1][2]))
        return reach


def _leaves(line: Line, shape: Shape, pose: Pose) -> float:
    """How far along a line its last point in a volume is; 0 if it never is in it."""
    back = pose.inverse() if pose != IDENTITY else IDENTITY
    origin, along = back.point(line[0]), back.direction(line[1])
    centre, radius = shape.sphere
    far = math.dist(origin, centre) + 2.0 * radius
    start = (origin[0] + far * along[0], origin[1] + far * along[1], origin[2] + far * along[2])
    hit = shape.ray(start, (-along[0], -along[1], -along[2]), far)
    return 0.0 if hit is None else max(far - hit.distance, 0.0)


def _height(shape: Shape, pose: Pose) -> float:
    """How far a volume goes along the sensor's z."""
    lower, upper = shape.bounds
    corners = [(x, y, z) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])]
    return max(pose.point(corner)[2] for corner in corners)
