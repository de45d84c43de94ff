"""Evaluation: the reading of a sensor at an instant, as a pure function of model, scene, pose and time."""

import math
from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING, Final

from drycell.base import Pose, Vector, WorldError, format_angle, format_length
from drycell.geometry import TOUCH
from drycell.sensors.force import feel
from drycell.sensors.model import SensorModel
from drycell.sensors.output import respond
from drycell.sensors.reading import LineReading, Reading
from drycell.world import Hit, LiveBody, Material, Scene

if TYPE_CHECKING:
    from drycell.sensors.model import SensorModel
    from drycell.world import Material


# Reduction factors as the data sheets of inductive sensors print them, in the middle of the usual range.
METALS: Final = {
    "steel": 1.0,
    "cast iron": 1.0,
    "stainless steel": 0.75,
    "brass": 0.45,
    "aluminium": 0.4,
    "copper": 0.35,
}
OTHER_METAL: Final = 0.4

# Correction factors of capacitive sensors by permittivity, in the middle of the usual range.
DIELECTRICS: Final = {
    "glass": 0.6,
    "concrete": 0.6,
    "rubber": 0.4,
    "beech": 0.4,
    "plastic": 0.4,
    "cardboard": 0.3,
    "foam": 0.1,
}
OTHER_DIELECTRIC: Final = 0.5


def visibility(model: "SensorModel", material: "Material") -> float:
    """The fraction of its range at which a sensor detects a material: 0 is never, 1 is the range of the data sheet."""
    if material.name in model.factors:
        return model.factors[material.name]
    match model.senses:
        case "sound":
            return math.sqrt(1.0 - material.absorption)
        case "light":
            if model.beam != "diffuse":
                return 1.0
            return min(1.0, math.sqrt(reflectivity(model, material) / model.reference))
        case "metal":
            return METALS.get(material.name, OTHER_METAL) if material.metal else 0.0
        case "dielectric":
            return 1.0 if material.metal else DIELECTRICS.get(material.name, OTHER_DIELECTRIC)
        case _:
            return 1.0


def reflectivity(model: "SensorModel", material: "Material") -> float:
    """The fraction of the sensor's light that a material reflects."""
    if model.light == "infrared":
        return material.reflectivity
    if model.light == "white":
        return sum(material.colour) / 3.0
    return material.colour[("red", "green", "blue").index(model.light)]


def hides(model: "SensorModel") -> bool:
    """Whether bodies hide others behind them. Inductive and capacitive fields pass through undetected bodies."""
    return model.occlusion == "nearest" and model.senses not in ("metal", "dielectric")


def invisible(model: "SensorModel", material: "Material") -> str:
    """The reason why a material is detected at a shorter range than others."""
    match model.senses:
        case "sound":
            return f"{material.name} absorbs {material.absorption:.0%} of the sound"
        case "light":
            return f"{material.name} reflects {reflectivity(model, material):.0%} of the light"
        case "metal":
            return f"{material.name} reduces the range" if material.metal else f"{material.name} is not a metal"
        case _:
            return f"{material.name} reduces the range"


_EDGE: Final = 1e-9  # radians: an angle at the limit counts, despite rounding
_NOTHING: Final = LineReading()


class SensorQuery:
    """A sensor at a pose and an instant. ``holds`` is whether it detected something in its last reading."""

    def __init__(
        self, model: SensorModel, scene: Scene, pose: Pose, t: int, ignore: Set[LiveBody], holds: bool = False
    ) -> None:
        self._model, self._scene, self._pose, self._t, self._ignore = model, scene, pose, t, ignore
        self._probe = model.probe
        self._fraction = self._probe.hold if holds else 1.0

    def lines(self) -> tuple[LineReading, ...]:
        """The result of each trace-line."""
        fan, fans = self._probe.fan, self._scene.fans
        if fan is None:
            return ()
        lines, fraction = zip(fan.lines, self._probe.reaches, strict=True), self._fraction
        if hides(self._model):
            firsts = fans.cast(fan, self._pose, self._t, self._ignore)
            return tuple(
                [
                    _NOTHING if hit is None else self._line([hit], direction, reach * fraction)
                    for hit, ((_, direction), reach) in zip(firsts, lines, strict=True)
                ]
            )
        along = fans.cast_each(fan, self._pose, self._t, self._ignore)
        return tuple(
            [
                self._line(hits, direction, reach * fraction)
                for hits, ((_, direction), reach) in zip(along, lines, strict=True)
            ]
        )

    def within(self, known: Sequence[LiveBody] = ()) -> tuple[LiveBody, ...]:
        """The detectable bodies in the volume, except those already known."""
        found: dict[LiveBody, None] = {}
        ignore = {*self._ignore, *known} if known else self._ignore
        for number, (shape, place) in enumerate(self._probe.volumes(self._fraction)):
            for touch in self._scene.inside(shape, self._pose @ place, self._t, ignore=ignore):
                fraction = visibility(self._model, self._material(touch.body))
                if fraction == 1.0 or (fraction > 0.0 and self._reaches(number, fraction, touch.body)):
                    found[touch.body] = None
        return tuple(found)

    def _reaches(self, number: int, fraction: float, body: LiveBody) -> bool:
        """Whether a volume still contains a body when it is shortened because of the body's material."""
        shape, place = self._probe.volumes(self._fraction * fraction)[number]
        found = self._scene.inside(shape, self._pose @ place, self._t, ignore=self._ignore)
        return any(touch.body is body for touch in found)

    def _line(self, hits: list[Hit], direction: Vector, reach: float) -> LineReading:
        """The nearest hit that counts or, if there is none, the nearest hit. The direction is in the sensor's frame."""
        along = self._pose.direction(direction)
        found = [self._met(hit, along, reach) for hit in hits if hit.distance <= reach + TOUCH]
        found.sort(key=lambda line: line.distance or 0.0)
        return next((line for line in found if line.measured is not None), found[0] if found else _NOTHING)

    def _met(self, hit: Hit, direction: Vector, reach: float) -> LineReading:
        """The result of a hit."""
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
                lost = f"the angle is {format_angle(angle)}, and it reflects below {format_angle(model.reflects_below)}"
        if at < model.nearest:
            measured = max(measured, model.nearest)
            if lost is None and model.blind == "default":
                lost = f"the sensor is blind below {format_length(model.nearest)}"
        return LineReading(at, angle, hit.body, None if lost else measured, lost)

    def _too_far(self, material: Material, at: float, reach: float) -> str | None:
        fraction = visibility(self._model, material)
        if at <= fraction * reach + TOUCH and fraction > 0.0:
            return None
        reason = invisible(self._model, material)
        return reason if fraction == 0.0 else f"{reason} and is only detected up to {format_length(fraction * reach)}"

    def _material(self, body: LiveBody) -> Material:
        return self._scene.world.materials[body.material]


def incidence(normal: Vector, direction: Vector) -> float:
    """The angle between a line and a surface's normal, folded to 0…90° (equation 5), accurate even near 0 and 90°."""
    (a, b, c), (u, v, w) = normal, direction
    x, y, z = b * w - c * v, c * u - a * w, a * v - b * u
    return math.atan2(math.sqrt(x * x + y * y + z * z), abs(a * u + b * v + c * w))


def _late(model: SensorModel, material: Material, angle: float) -> float | None:
    """The error of the distance from an oblique echo; None if there is no echo.

    Rayleigh: a surface rougher than λ/(8 cos α) scatters, and some sound returns at any angle. Within the distortion
    band, the echo from a smooth surface gets weaker, crosses the receiver's threshold later, and is lost at the end of
    the band: the reading grows linearly, by ``distorts_by`` at the far end.
    """
    if model.wavelength is not None and material.roughness * 8.0 * math.cos(angle) > model.wavelength:
        return 0.0
    near, far = model.reflects_below, model.distorts_to
    if near is None or far is None or angle > far + _EDGE:
        return None
    return model.distorts_by * (angle - near) / (far - near)


def touch(
    model: SensorModel, scene: Scene, pose: Pose, t: int, ignore: Set[LiveBody], mount: LiveBody | None = None
) -> Reading:
    """The reading of a contact sensor: on while something touches its volume or, without a volume, its own body."""
    seen: dict[LiveBody, None] = {}
    for shape, place in model.probe.volumes(1.0):
        for found in scene.inside(shape, pose @ place, t, ignore=ignore):
            seen[found.body] = None
    if not model.volumes:
        if mount is None or mount.shape is None:
            raise WorldError(
                f"contact sensor {model.name!r} has neither a volume nor a body that could be touched",
                hint="give it a volume, such as {box: [20 mm, 20 mm, 1 mm]}",
            )
        seen = {found.body: None for found in scene.touching(mount, t, ignore=ignore)}
    answer = respond(model, None, bool(seen))
    return Reading(model, answer.value, answer.on, seen=tuple(seen))


def look(
    model: SensorModel,
    scene: Scene,
    pose: Pose,
    t: int | None = None,
    ignore: Iterable[LiveBody] = (),
    *,
    mount: LiveBody | None = None,
    was_on: bool | None = None,
    thorough: bool = True,
) -> Reading:
    """The reading of a sensor at a pose.

    Args:
        model: the sensor.
        scene: the scene.
        pose: the pose of the sensor's frame in the world.
        t: the instant in ticks; by default now.
        ignore: bodies that the sensor does not see.
        mount: the sensor's own body, which force and contact sensors need.
        was_on: ``on`` of the last reading, for hysteresis; None if this is the first.
        thorough: whether to search the volume for bodies that no trace-line hits. Without it ``missed`` is empty.
    """
    t = scene.world.now if t is None else t
    ignored = ignore if isinstance(ignore, Set) else frozenset(ignore)
    if mount is not None and mount not in ignored:
        ignored = ignored | {mount}
    if model.type == "force":
        return feel(model, scene, pose, t, ignored, mount, bool(was_on))
    if model.type == "contact":
        return touch(model, scene, pose, t, ignored, mount)
    holds = was_on is not None and _found(model, was_on)
    return _watch(model, SensorQuery(model, scene, pose, t, ignored, holds), bool(was_on), thorough)


def _watch(model: SensorModel, query: SensorQuery, was_on: bool, thorough: bool) -> Reading:
    lines = query.lines()
    met = [line.body for line in lines if line.body is not None]
    counted = [line.body for line in lines if line.measured is not None and line.body is not None]
    within = query.within(counted) if thorough or not lines else ()
    seen = tuple(dict.fromkeys((*counted, *within)))
    missed = tuple(body for body in within if body not in met) if lines else ()
    distance = min((line.measured for line in lines if line.measured is not None), default=None)
    if model.type == "range":
        answer = respond(model, distance, distance is not None, was_on)
        return Reading(model, answer.value, answer.on, distance, distance, lines, seen, missed)
    found = bool(counted) if lines else bool(seen)
    answer = respond(model, None, _switch(model, found))
    return Reading(model, answer.value, answer.on, None, distance, lines, seen, missed)


def _switch(model: SensorModel, found: bool) -> bool:
    """Whether a switch is on: a beam while light is received, any other switch while something is detected."""
    lit = found if model.beam == "diffuse" else not found
    return lit != model.dark_on


def _found(model: SensorModel, on: bool) -> bool:
    """Whether a switch in this state has detected something."""
    return on == _switch(model, True)
