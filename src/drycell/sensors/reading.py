"""Readings: what a sensor found at an instant, with all that led to it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from drycell.base import Vector
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
        from drycell.sensors.why import told

        return told(self)

    @property
    def body(self) -> LiveBody | None:
        """What it measured: the body on the line that counted, or the first it saw."""
        for line in self.lines:
            if line.measured is not None and line.measured == self.distance:
                return line.body
        return self.seen[0] if self.on and self.seen else None
