"""Response curves: the response of a sensor to a standard target over distance or angle, in an empty world.

They show the behaviour of the model, for comparison with the data sheet.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.base import Pose, mm
from drycell.geometry import Box, Cylinder
from drycell.sensors.evaluation import look
from drycell.sensors.model import SensorModel
from drycell.sensors.reading import Reading
from drycell.world import LiveBody, Material, Scene, World

_BEYOND: Final = 1.2  # fraction of the range: a little beyond it, to show the response there
_STEPS: Final = 240
_ANGLES: Final = 41

# The target of data sheets: no sound absorption, white, mild steel.
_HARD: Final = Material("hard plate", 7850, 0.4, 0.5, True, 0.0, 1e-6, 0.9, (1.0, 1.0, 1.0))


@dataclass(frozen=True)
class ResponseCurve:
    """A curve: the target, distances or angles (m or rad), and the values there; ``nan`` if nothing was detected."""

    target: str
    places: tuple[float, ...]
    found: tuple[float, ...]


@dataclass(frozen=True)
class _Still:
    """A clock that stands still."""

    now: int = 0


def reach(model: SensorModel) -> float:
    """The range for a standard target on the axis, or the stroke of a switch or pad, in metres; 0 for a wrist."""
    if model.type == "force" and not model.volumes:
        return 0.0
    lines = zip(model.probe.lines, model.probe.reaches, strict=True)
    along = [origin[2] + far * direction[2] for (origin, direction), far in lines]
    if along:
        return max(along)
    return max((pose.point((0.0, 0.0, shape.bounds[1][2]))[2] for shape, pose in model.probe.volumes(1.0)), default=0.0)


def extent(model: SensorModel) -> float:
    """The largest distance from its origin at which a sensor detects anything, in metres."""
    centre, radius = model.ball
    return math.hypot(*centre) + radius


def standard_target(model: SensorModel) -> Material:
    """The material for which the range of the data sheet is given."""
    if model.senses in ("metal", "dielectric"):
        return World(_Still()).materials["steel"]
    if model.senses == "light" and model.beam == "diffuse":
        white = (model.reference,) * 3
        return Material("white paper", 800, 0.3, 0.3, False, 0.1, 1e-5, model.reference, white)
    return _HARD


def over_distance(model: SensorModel, material: Material | None = None) -> ResponseCurve:
    """The published value over the distance to a plate that faces the sensor.

    A contact sensor or pad is pushed against the plate; the distance is measured from the base of the pad.
    """
    made_of = material or standard_target(model)
    far = reach(model)
    side = max(far, 100 * mm)
    scene = _scene(made_of, side, side)  # thick enough that a pad does not pass through it
    places = [far * _BEYOND * step / _STEPS for step in range(_STEPS + 1)]
    found = tuple(float(look(model, scene, Pose(0.0, 0.0, -place)).value) for place in places)
    return ResponseCurve(f"{made_of.name}, {side / mm:.0f} × {side / mm:.0f} mm", tuple(places), found)


def over_angle(model: SensorModel, material: Material | None = None) -> ResponseCurve:
    """The largest distance at which a small plate is detected, over its angle off the axis."""
    made_of = material or standard_target(model)
    far = reach(model)
    # A much smaller plate would pass between the trace-lines; a much larger one would widen the beam.
    side = far / (10 if model.probe.lines else 50)
    scene = _scene(made_of, side, side / 20)
    most, around = _widest(model), 1.05 * extent(model)
    angles = [most * (2 * step / (_ANGLES - 1) - 1) for step in range(_ANGLES)]

    def farthest(angle: float) -> float:
        def seen(place: float) -> bool:
            return detects(look(model, scene, Pose.of_rpy(0.0, -angle, 0.0, at=(0.0, 0.0, -place))))

        return _farthest(seen, around)

    found = tuple(farthest(angle) for angle in angles)
    return ResponseCurve(f"{made_of.name}, {side / mm:.3g} × {side / mm:.3g} mm", tuple(angles), found)


def over_force(model: SensorModel) -> ResponseCurve:
    """The published value of a force sensor over the depth to which an attached rod is pressed into a wall."""
    world = World(_Still())
    scene = Scene(world)
    span = model.output.from_[1] if model.output.from_ is not None else 100.0
    deepest = _BEYOND * span / model.stiffness
    length = 50 * mm
    world.add(LiveBody("wall", Box(200 * mm, 200 * mm, 100 * mm), material="steel"), None, Pose(0.0, 0.0, 50 * mm))
    mount = world.add(LiveBody("mount"), None, Pose())
    rod = Cylinder(5 * mm, length)
    world.add(LiveBody("rod", rod, material="steel"), mount, Pose(0.0, 0.0, length / 2))
    places = [deepest * step / 60 for step in range(61)]
    found = []
    for depth in places:
        pose = Pose(0.0, 0.0, depth - length)
        world.place(mount, pose)
        found.append(float(look(model, scene, pose, mount=mount).value))
    return ResponseCurve("a steel rod, 10 mm across, pressed straight into a wall", tuple(places), tuple(found))


def detects(reading: Reading) -> bool:
    """Whether a sensor has detected something, whatever its output format."""
    model = reading.model
    if model.type == "range":
        return reading.quantity is not None
    return bool(reading.seen) if model.beam != "diffuse" else reading.on != model.dark_on


def _scene(material: Material, side: float, thick: float) -> Scene:
    """A world with one plate whose face is at the origin and points to −z."""
    world = World(_Still())
    world.materials.add(material)
    world.add(LiveBody("target", Box(side, side, thick), material=material.name), None, Pose(0.0, 0.0, thick / 2))
    return Scene(world)


def _widest(model: SensorModel) -> float:
    """The largest angle for a beam: one and a half times its half angle, in steps of 5°."""
    opened = [beam.half_angle for volume in model.volumes if (beam := volume.beam) is not None]
    opened += [math.atan2(math.hypot(*direction[:2]), direction[2]) for _, direction in model.probe.lines]
    for shape, _ in model.probe.volumes(1.0):
        low, high = shape.bounds
        if not opened and high[2] > low[2]:
            # Straight beams: the angle of their width at a fifth of their length.
            opened.append(math.atan2(max(high[0], high[1]), (high[2] - low[2]) / 5))
    return math.radians(min(max(5.0 * math.ceil(0.3 * math.degrees(max(opened, default=0.0))), 5.0), 80.0))


def _farthest(seen: Callable[[float], bool], most: float, steps: int = 60) -> float:
    """The largest distance at which something is seen, to 0.01 % of ``most``; ``nan`` if there is none."""
    places: Sequence[float] = [most * step / steps for step in range(steps, 0, -1)]
    last = most
    for place in places:
        if seen(place):
            near, beyond = place, last
            while beyond - near > most * 1e-4:
                middle = (near + beyond) / 2
                near, beyond = (middle, beyond) if seen(middle) else (near, middle)
            return near
        last = place
    return math.nan
