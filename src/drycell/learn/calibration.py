"""Calibration: what a refined network's use in the real world tells of its sensors, carried back to the virtual model.

While the robot is in use its place is measured now and then. At each such place the virtual model says how far the
walls are, the real sensor what it read; gain and offset are those that fit best, sensor by sensor. With them the
virtual model reads as the real robot does, so that the refined network meets in it what it was refined for.
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

_STEPS: Final = 6  # between two places that are measured
_LEAST: Final = 8  # samples of a sensor, or nothing is said of it


@dataclass(frozen=True, slots=True)
class Estimate:
    """Gain and offset of one sensor as they fit best, in metres, from so many samples."""

    gain: float
    offset: float
    samples: int


@dataclass(frozen=True, kw_only=True)
class Calibrated(Variation):
    """The virtual model with gains and offsets of its sensors as they were found; to train and to evaluate in."""

    estimates: Mapping[str, Estimate]

    def noise_of(self, sensor: str, own: Noise) -> Noise:
        """A sensor's noise here: its own, with the gain and the offset it was found to have."""
        found = self.estimates.get(sensor)
        return own if found is None else replace(own, gain=found.gain, offset=found.offset)


@dataclass(frozen=True, slots=True)
class CalibrationSample:
    """What a sensor should have read at a place by the virtual model (metres), and what it published."""

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
    """Samples of every sensor a network is fed by, from use in the real world at places that were measured, by name.

    ``place_error`` and ``heading_error`` are the standard deviations of that measurement. Where the virtual model has
    nothing in reach, or a wall nearer than the sensor can tell, there is no sample.
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
    """Gain and offset of the sensors with samples enough, by robust least squares: a few strange echoes do no harm."""
    sensors = setup.model.sensors(setup.arrangement)
    found = {name: _fitted(name, sensors[name].model, each) for name, each in samples.items() if len(each) >= _LEAST}
    if not found:
        raise DrycellError(
            f"no sensor has {_LEAST} samples to tell its gain and offset from",
            hint="measure more places, and such as have walls in reach",
        )
    return found


def _fitted(name: str, model: SensorModel, samples: Sequence[CalibrationSample]) -> Estimate:
    from scipy.optimize import least_squares

    scale = model.output.scale(model.dimension)

    def off(guess: Sequence[float]) -> list[float]:
        """How far published values are from those that a gain and an offset give."""
        gain, offset = guess
        expected = (model.output.transferred(gain * each.distance + offset) for each in samples)
        return [(0.0 if one is None else one / scale) - each.value for one, each in zip(expected, samples, strict=True)]

    spread = sorted(abs(each) for each in off((1.0, 0.0)))[len(samples) // 2]
    found = least_squares(off, (1.0, 0.0), loss="soft_l1", f_scale=max(spread, 1e-6), x_scale=(0.01, 0.01))
    gain, offset = map(float, found.x)
    if not (math.isfinite(gain) and 0.5 < gain < 2.0):
        raise DrycellError(
            f"the samples of {name!r} give a gain of {gain:g}", hint="places or readings do not belong together"
        )
    return Estimate(gain, offset, len(samples))
