"""Soundings: one look along a sensor's trace-lines and into its volume."""

import math
from collections.abc import Sequence, Set
from typing import Final

from drycell.base import Pose, Vector, format_angle, format_length
from drycell.geometry import TOUCH
from drycell.sensors.line_of_sight import hides, invisible, visibility
from drycell.sensors.model import SensorModel
from drycell.sensors.reading import LineReading
from drycell.world import Hit, LiveBody, Material, Scene

_EDGE: Final = 1e-9  # radians: an angle on the very limit counts, whatever the last bit says
_NOTHING: Final = LineReading()


class Sounding:
    """A sensor at a place and an instant, looking. ``holds`` is whether it detected something at its last look."""

    def __init__(
        self, model: SensorModel, scene: Scene, pose: Pose, t: int, ignore: Set[LiveBody], holds: bool = False
    ) -> None:
        self._model, self._scene, self._pose, self._t, self._ignore = model, scene, pose, t, ignore
        self._probe = model.probe
        self._share = self._probe.hold if holds else 1.0

    def lines(self) -> tuple[LineReading, ...]:
        """What each trace-line found."""
        fan, fans = self._probe.fan, self._scene.fans
        if fan is None:
            return ()
        lines, share = zip(fan.lines, self._probe.reaches, strict=True), self._share
        if hides(self._model):
            firsts = fans.cast(fan, self._pose, self._t, self._ignore)
            return tuple(
                [
                    _NOTHING if hit is None else self._line([hit], direction, reach * share)
                    for hit, ((_, direction), reach) in zip(firsts, lines, strict=True)
                ]
            )
        along = fans.cast_each(fan, self._pose, self._t, self._ignore)
        return tuple(
            [
                self._line(hits, direction, reach * share)
                for hits, ((_, direction), reach) in zip(along, lines, strict=True)
            ]
        )

    def within(self, known: Sequence[LiveBody] = ()) -> tuple[LiveBody, ...]:
        """The bodies in the volume that the sensor can detect there, but for those known to be detected."""
        found: dict[LiveBody, None] = {}
        ignore = {*self._ignore, *known} if known else self._ignore
        for number, (shape, place) in enumerate(self._probe.volumes(self._share)):
            for touch in self._scene.inside(shape, self._pose @ place, self._t, ignore=ignore):
                share = visibility(self._model, self._material(touch.body))
                if share == 1.0 or (share > 0.0 and self._reaches(number, share, touch.body)):
                    found[touch.body] = None
        return tuple(found)

    def _reaches(self, number: int, share: float, body: LiveBody) -> bool:
        """Whether a volume reaches a body when it is shortened by what the body is made of."""
        shape, place = self._probe.volumes(self._share * share)[number]
        found = self._scene.inside(shape, self._pose @ place, self._t, ignore=self._ignore)
        return any(touch.body is body for touch in found)

    def _line(self, hits: list[Hit], direction: Vector, reach: float) -> LineReading:
        """The nearest hit that counts or, if none does, the nearest. The direction is the sensor's."""
        along = self._pose.direction(direction)
        found = [self._met(hit, along, reach) for hit in hits if hit.distance <= reach + TOUCH]
        found.sort(key=lambda line: line.distance or 0.0)
        return next((line for line in found if line.measured is not None), found[0] if found else _NOTHING)

    def _met(self, hit: Hit, direction: Vector, reach: float) -> LineReading:
        """What becomes of a hit."""
        model, at = self._model, hit.distance
        angle = incidence(hit.normal, direction)
        if model.beam != "diffuse":
            return LineReading(at, angle, hit.body, at, None)
        material = self._material(hit.body)
        measured, lost = at, self._too_far(material, at, reach)
        if lost is None and model.reflects_below is not None and angle > model.reflects_below + _EDGE:
            late = _late(model, material, angle)
            measured += late or 0.0
            if late is None:
                lost = f"at {format_angle(angle)}, while it reflects below {format_angle(model.reflects_below)}"
        if at < model.nearest:
            measured = max(measured, model.nearest)
            if lost is None and model.blind == "default":
                lost = f"nearer than {format_length(model.nearest)} it is blind"
        return LineReading(at, angle, hit.body, None if lost else measured, lost)

    def _too_far(self, material: Material, at: float, reach: float) -> str | None:
        share = visibility(self._model, material)
        if at <= share * reach + TOUCH and share > 0.0:
            return None
        reason = invisible(self._model, material)
        return reason if share == 0.0 else f"{reason}, and is detected to {format_length(share * reach)} only"

    def _material(self, body: LiveBody) -> Material:
        return self._scene.world.materials[body.material]


def incidence(normal: Vector, direction: Vector) -> float:
    """The angle between a line and a surface's normal, folded to 0…90°: equation 5, exact near 0 and 90°, too."""
    (a, b, c), (u, v, w) = normal, direction
    x, y, z = b * w - c * v, c * u - a * w, a * v - b * u
    return math.atan2(math.sqrt(x * x + y * y + z * z), abs(a * u + b * v + c * w))


def _late(model: SensorModel, material: Material, angle: float) -> float | None:
    """How much too long an oblique echo is read; None if there is none.

    Rayleigh: a surface rougher than λ/(8 cos α) scatters, and some of it comes back at any angle. From a smooth one the
    echo gets weaker through the band of distortion, passes the receiver's threshold later and later, and is lost at
    its end: the reading is lengthened in proportion, by ``distorts_by`` at the far end.
    """
    if model.wavelength is not None and material.roughness * 8.0 * math.cos(angle) > model.wavelength:
        return 0.0
    near, far = model.reflects_below, model.distorts_to
    if near is None or far is None or angle > far + _EDGE:
        return None
    return model.distorts_by * (angle - near) / (far - near)
