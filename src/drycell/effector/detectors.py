"""What the fingers see: how far it is to something before each of them, and whether the beam between them is broken.

Each detector looks from its finger to the other, however far that is at the instant; what is beyond it is not seen.
"""

import math
from dataclasses import replace
from typing import Any, Final

from drycell.base import Pose, mm, ms
from drycell.cell import Cell
from drycell.effector.jaw import Jaw
from drycell.effector.messages import pack_proximity
from drycell.kernel import Signal
from drycell.sensors import LiveSensor, Output, Reading, SensorModel, TraceLines, load_sensor
from drycell.world import LiveBody

_NOTHING: Final = 1.0  # metres: what a detector publishes that sees nothing
_EVERY: Final = 5 * ms  # from sample to sample of a distance, while a move ends by it
_TIP: Final = 5 * mm  # how much nearer to the finger tips the beam is than the tool centre point


class FingerSensor(LiveSensor[Any]):
    """A sensor on one finger that looks as far as the other."""

    def __init__(self, cell: Cell, name: str, model: SensorModel, body: LiveBody, jaw: Jaw) -> None:
        self._jaw = jaw
        ignored = [each.name for each in (jaw.palm, *jaw.fingers)]
        super().__init__(cell, name, model, body, ignore=ignored, active=model.type != "range")
        cell.kernel.signals[name] = self

    def look(self, t: int | None = None) -> Reading:
        """What it would read now, or at an instant of the run."""
        reading = super().look(t)
        if reading.distance is not None and reading.distance > self._jaw.gap_at(t):
            return Reading(self.model, self.initial, on=False)
        return reading

    def take(self) -> None:
        """Publish what is seen now, if it takes no samples by itself."""
        if not self.active:
            self.set(self.look().value, self.name)

    def seen(self) -> Any:
        """The value now: that of the last sample or, while it takes none, what it would be; changes nothing."""
        return self.peek() if self.active or self.filter is not None else self.look().value


class Detectors:
    """The proximity detectors of both fingers, NAME.left and NAME.right, and the cross-fire beam, NAME.beam.

    The beam is a signal that anybody may wait for. The distances are looked at when they are asked for, and sampled
    only while a move ends by them.
    """

    def __init__(self, cell: Cell, jaw: Jaw, near: float) -> None:
        reach = jaw.opening[1]
        beam = replace(load_sensor("finger-beam"), trace_lines=TraceLines(count=1, reach=reach))
        sight = SensorModel(
            type="range",
            senses="light",
            trace_lines=TraceLines(count=1, reach=reach),
            every=_EVERY,
            quantum=0.1 * mm,
            output=Output(default=_NOTHING, unit="m"),
        )
        made: dict[str, FingerSensor] = {}
        for name, finger, model, ahead in (("left", 0, sight, 0.0), ("right", 1, sight, 0.0), ("beam", 0, beam, _TIP)):
            # A finger's frame is at its inner face; finger 1 is at +x and looks along −x, finger 2 the other way.
            look_along = Pose.turn_y(-math.pi / 2 if finger == 0 else math.pi / 2)
            place = Pose(0.0, jaw.tcp.y, jaw.tcp.z + ahead) @ look_along
            called = f"{jaw.name}.{name}"
            body = cell.world.add(LiveBody(called), jaw.fingers[finger], place)
            made[name] = FingerSensor(cell, called, model, body, jaw)
        self.sensors: dict[str, FingerSensor] = made
        """All three, by left, right and beam."""
        self.left: Signal[float] = made["left"]
        self.right: Signal[float] = made["right"]
        self.beam: Signal[bool] = made["beam"]
        self.left.quiet = self.right.quiet = True  # they change all the time: status tells them to those who ask
        self.near = near
        """How near something has to be to end a move that ends by proximity."""

    @property
    def distances(self) -> tuple[float | None, float | None]:
        """How far it is to something before the left and the right finger; None: nothing is between them."""
        left, right = (self.sensors[side].seen() for side in ("left", "right"))
        return None if left >= _NOTHING else left, None if right >= _NOTHING else right

    @property
    def packed(self) -> float:
        """Both in one real: tenths of a millimetre, 1000 · left + right, 999 for nothing."""
        return pack_proximity(*self.distances)

    @property
    def near_now(self) -> bool:
        """Whether something is near one of the fingers."""
        return min(each for each in (*self.distances, _NOTHING) if each is not None) <= self.near

    def take(self) -> None:
        """Publish the distances of now."""
        for side in ("left", "right"):
            self.sensors[side].take()

    def sample(self, on: bool) -> None:
        """Take samples of the distances, or no longer."""
        self.take()
        for side in ("left", "right"):
            if on:
                self.sensors[side].activate()
            else:
                self.sensors[side].deactivate()
