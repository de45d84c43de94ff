"""Readings: what a sensor found at an instant, with all that led to it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drycell.base import Vector, format_length
from drycell.sensors.output import Value
from drycell.world import LiveBody

if TYPE_CHECKING:
    from drycell.sensors.model import SensorModel


@dataclass(frozen=True, slots=True)
class LineReading:
    """What one trace-line found: the true distance along it, the angle to the surface's normal (0…90°), the body.

    ``measured`` is what counts, distortion included; None, with the reason in ``lost``, if the line returns nothing.
    """

    distance: float | None = None
    angle: float | None = None
    body: LiveBody | None = None
    measured: float | None = None
    lost: str | None = "meets nothing"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sensor found at an instant, before noise, faults and delay.

    ``quantity`` is what its output is made of: a distance or a force, None when nothing is detected. ``on`` is whether
    it detects (or has passed its limit), for the hysteresis of the next look. ``seen`` are the bodies in its volume
    and on its lines that it can detect, ``missed`` those of them in the volume that no trace-line met.
    """

    model: "SensorModel"
    value: Value
    on: bool
    quantity: float | None = None
    distance: float | None = None
    lines: tuple[LineReading, ...] = ()
    seen: tuple[LiveBody, ...] = ()
    missed: tuple[LiveBody, ...] = ()
    force: Vector | None = None
    torque: Vector | None = None

    @property
    def why(self) -> str:
        """In a sentence or two: what was found, and why the rest was not."""

        return describe(self)

    @property
    def body(self) -> LiveBody | None:
        """What it measured: the body on the line that counted, or the first it saw."""
        for line in self.lines:
            if line.measured is not None and line.measured == self.distance:
                return line.body
        return self.seen[0] if self.on and self.seen else None


def describe(reading: "Reading") -> str:
    """What was found, and why the rest was not."""
    model = reading.model
    if model.type == "force":
        return _force(reading)
    sentences = [_found(reading)]
    lost = [(number, line) for number, line in enumerate(reading.lines, 1) if line.body is not None and line.lost]
    for number, line in lost:
        name = line.body.name if line.body is not None else ""
        at = "" if line.distance is None else f" at {format_length(line.distance)}"
        sentences.append(f"trace-line {number} meets {name!r}{at}, but {line.lost}")
    if reading.missed:
        are, them = ("is", "it") if len(reading.missed) == 1 else ("are", "them")
        names = _names(body.name for body in reading.missed)
        sentences.append(f"{names} {are} in the volume, but no trace-line meets {them}")
    return "; ".join(sentences)


def _found(reading: "Reading") -> str:
    model, body = reading.model, reading.body
    if model.beam != "diffuse":
        return (
            f"the beam is interrupted by {_names(each.name for each in reading.seen)}"
            if reading.seen
            else "the beam is free"
        )
    if reading.distance is not None and body is not None:
        return f"{body.name!r} is {format_length(reading.distance)} away"
    if model.type == "contact":
        return f"touched by {_names(each.name for each in reading.seen)}" if reading.seen else "nothing touches it"
    if reading.on and not reading.lines:
        return f"{_names(body.name for body in reading.seen)} {'is' if len(reading.seen) == 1 else 'are'} in the volume"
    return "nothing is detected"


def _force(reading: "Reading") -> str:
    fx, fy, fz = reading.force or (0.0, 0.0, 0.0)
    what = f"force {fx:.3f}, {fy:.3f}, {fz:.3f} N"
    if not reading.seen:
        return f"{what}; nothing presses on what hangs on it"
    return f"{what}, from {_names(body.name for body in reading.seen)}"


def _names(names: Iterable[str]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
