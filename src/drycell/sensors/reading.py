"""Readings: the result of a sensor at an instant, with its explanation."""

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
    """The result of a trace-line: the true distance, the angle to the surface normal (0…90°) and the body.

    ``measured`` is the distance with distortion; None, with the reason in ``lost``, if the line measures nothing.
    """

    distance: float | None = None
    angle: float | None = None
    body: LiveBody | None = None
    measured: float | None = None
    lost: str | None = "hits nothing"


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a sensor at an instant, before noise, faults and delay.

    ``quantity`` is the measured distance or force, None if nothing is detected. ``on`` is whether it detects something
    (or is within its limits), for the hysteresis of the next reading. ``seen`` are the detected bodies in its volume
    and on its lines, ``missed`` those in the volume that no trace-line hits.
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
        """An explanation in a sentence or two: what was detected, and why other bodies were not."""
        return describe(self)

    @property
    def body(self) -> LiveBody | None:
        """The measured body: the one on the line that counts, or the first detected one."""
        for line in self.lines:
            if line.measured is not None and line.measured == self.distance:
                return line.body
        return self.seen[0] if self.on and self.seen else None


def describe(reading: "Reading") -> str:
    """Explain what was detected, and why other bodies were not."""
    model = reading.model
    if model.type == "force":
        return _force(reading)
    sentences = [_found(reading)]
    lost = [(number, line) for number, line in enumerate(reading.lines, 1) if line.body is not None and line.lost]
    for number, line in lost:
        name = line.body.name if line.body is not None else ""
        at = "" if line.distance is None else f" at {format_length(line.distance)}"
        sentences.append(f"trace-line {number} hits {name!r}{at}, but {line.lost}")
    if reading.missed:
        are, them = ("is", "it") if len(reading.missed) == 1 else ("are", "them")
        names = _names(body.name for body in reading.missed)
        sentences.append(f"{names} {are} in the volume, but no trace-line hits {them}")
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
        return f"{what}; nothing presses on the bodies attached to it"
    return f"{what}, from {_names(body.name for body in reading.seen)}"


def _names(names: Iterable[str]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
