"""Looking: what a sensor reads of the world at an instant, as a pure function of model, scene, place and time."""

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
    """The share of its reach at which a sensor detects a material: 0 is never, 1 as far as the data sheet says."""
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
    """The share of the sensor's light that a material throws back."""
    if model.light == "infrared":
        return material.reflectivity
    if model.light == "white":
        return sum(material.colour) / 3.0
    return material.colour[("red", "green", "blue").index(model.light)]


def hides(model: "SensorModel") -> bool:
    """Whether bodies hide what is behind them; fields of coils and plates go through what they do not feel."""
    return model.occlusion == "nearest" and model.senses not in ("metal", "dielectric")


def invisible(model: "SensorModel", material: "Material") -> str:
    """Why a material is detected less far than others, for a reader."""
    match model.senses:
        case "sound":
            return f"{material.name} swallows {material.absorption:.0%} of the sound"
        case "light":
            return f"{material.name} throws back {reflectivity(model, material):.0%} of the light"
        case "metal":
            return f"{material.name} is detected less far" if material.metal else f"{material.name} is no metal"
        case _:
            return f"{material.name} is detected less far"


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


def touch(
    model: SensorModel, scene: Scene, pose: Pose, t: int, ignore: Set[LiveBody], mount: LiveBody | None = None
) -> Reading:
    """On while something touches the sensor's volume or, if it has none, the shape of its own body."""
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
    """What a sensor whose frame is at a pose reads at an instant (now, if none is given).

    ``mount`` is the sensor's own body, which force and contact sensors need: what is attached to it is felt, its shape
    is the pad. ``was_on`` is the last reading's ``on``, for hysteresis; None: there was none, and nothing was detected.
    Without ``thorough`` the volume is not searched for what trace-lines miss, which changes no value but leaves
    ``missed`` empty.
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
    return _watch(model, Sounding(model, scene, pose, t, ignored, holds), bool(was_on), thorough)


def _watch(model: SensorModel, sounding: Sounding, was_on: bool, thorough: bool) -> Reading:
    lines = sounding.lines()
    met = [line.body for line in lines if line.body is not None]
    counted = [line.body for line in lines if line.measured is not None and line.body is not None]
    within = sounding.within(counted) if thorough or not lines else ()
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
    """Whether a switch is on: a beam is on while light comes through, everything else while something is there."""
    lit = found if model.beam == "diffuse" else not found
    return lit != model.dark_on


def _found(model: SensorModel, on: bool) -> bool:
    """Whether a switch that is on, or off, has found something."""
    return on == _switch(model, True)
