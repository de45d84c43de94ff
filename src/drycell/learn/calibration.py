"""Calibration: estimate the gain and offset of real sensors, and use them in the virtual model.

While the robot is in use, its position is measured occasionally. At each position the virtual model gives the distance
to the walls, and the real sensor gives a reading. The gain and offset of each sensor are fitted to these pairs. The
virtual model then produces the readings of the real robot.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from drycell.base import DrycellError, deg, mm
from drycell.learn.controller import BehaviourController, LearningSetup, Network
from drycell.learn.robot import Mobile
from drycell.learn.training import random_place
from drycell.learn.world import FloorPlan, Sonars, Variation
from drycell.sensors import Noise, SensorModel

_STEPS: Final = 6  # between two measured places
_LEAST: Final = 8  # minimum number of samples for an estimate


@dataclass(frozen=True, slots=True)
class Estimate:
    """Fitted gain and offset (in metres) of one sensor, and the number of samples."""

    gain: float
    offset: float
    samples: int


@dataclass(frozen=True, kw_only=True)
class Calibrated(Variation):
    """The virtual model with estimated gains and offsets of its sensors, for training and evaluation."""

    estimates: Mapping[str, Estimate]

    def noise_of(self, sensor: str, own: Noise) -> Noise:
        """Return the noise of a sensor with its estimated gain and offset."""
        found = self.estimates.get(sensor)
        return own if found is None else replace(own, gain=found.gain, offset=found.offset)


@dataclass(frozen=True, slots=True)
class CalibrationSample:
    """The distance at a place according to the virtual model, in metres, and the published reading."""

    distance: float
    value: float


def log_use(
    setup: LearningSetup,
    network: Network,
    plan: FloorPlan,
    variation: Variation,
    seed: int,
    places: int = 60,
    *,
    place_error: float = 5 * mm,
    heading_error: float = 0.5 * deg,
) -> dict[str, list[CalibrationSample]]:
    """Collect samples of a network's sensors at measured positions in the real world. A sensor gives no sample where
    the virtual model has nothing within its range, or a wall closer than its minimum range.

    Args:
        setup: the setup of the network.
        network: the network that drives the robot.
        plan: the world.
        variation: how the world and the robot differ from the virtual model.
        seed: seed of the places.
        places: number of places.
        place_error: standard deviation of the measured position, in metres.
        heading_error: standard deviation of the measured heading, in radians.

    Returns:
        The samples by the names of the sensors.
    """
    stream = Random(f"{seed}/calibration")
    real = Mobile(
        setup.model,
        plan,
        random_place(setup, plan, stream),
        arrangement=setup.arrangement,
        variation=variation,
    )
    controller = BehaviourController(setup, network.copy(), real)
    sensors = tuple(setup.inputs.values())
    nominal = setup.model.sensors(setup.arrangement)
    twin = Sonars([nominal[name] for name in sensors])
    found: dict[str, list[CalibrationSample]] = {name: [] for name in sensors}
    for _ in range(places):
        real.put(random_place(setup, plan, stream))
        controller.set_going()
        for _ in range(stream.randrange(_STEPS)):
            controller.act()
        x, y, heading = real.place
        measured = (
            stream.gauss(x, place_error),
            stream.gauss(y, place_error),
            stream.gauss(heading, heading_error),
        )
        published = real.read(sensors)
        for name, distance in zip(sensors, twin.distances(real.plan, measured), strict=True):
            model = nominal[name].model
            if distance is not None and distance > model.nearest + 0.05:
                found[name].append(CalibrationSample(distance, float(published[name])))
    return found


def estimate(setup: LearningSetup, samples: Mapping[str, Sequence[CalibrationSample]]) -> dict[str, Estimate]:
    """Estimate the gain and offset of each sensor with enough samples, by robust least squares."""
    sensors = setup.model.sensors(setup.arrangement)
    found = {name: _fitted(name, sensors[name].model, each) for name, each in samples.items() if len(each) >= _LEAST}
    if not found:
        raise DrycellError(
            f"no sensor has {_LEAST} samples to estimate its gain and offset",
            hint="measure more positions with walls within range",
        )
    return found


def _fitted(name: str, model: SensorModel, samples: Sequence[CalibrationSample]) -> Estimate:
    from scipy.optimize import least_squares

    scale = model.output.scale(model.dimension)

    def off(guess: Sequence[float]) -> list[float]:
        """Return the differences between published values and those for a gain and an offset."""
        gain, offset = guess
        expected = (model.output.transferred(gain * each.distance + offset) for each in samples)
        return [(0.0 if one is None else one / scale) - each.value for one, each in zip(expected, samples, strict=True)]

    spread = sorted(abs(each) for each in off((1.0, 0.0)))[len(samples) // 2]
    found = least_squares(off, (1.0, 0.0), loss="soft_l1", f_scale=max(spread, 1e-6), x_scale=(0.01, 0.01))
    gain, offset = map(float, found.x)
    if not (math.isfinite(gain) and 0.5 < gain < 2.0):
        raise DrycellError(
            f"the samples of {name!r} give a gain of {gain:g}", hint="check that the readings belong to the places"
        )
    return Estimate(gain, offset, len(samples))
