"""Surface treatment (thesis, figure 52): an arm carries a spray gun along parts that vary, guided by ultrasound.

It goes straight on at an even speed; what is chosen in every sensor period is how much higher or lower the gun goes and
how far it is open. Measured are how much of the surface is covered, and the coating used.
"""

import math
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from drycell.base import Array, FieldError, Pose, deg, mm
from drycell.learn.gym.part import Hanger, Row
from drycell.learn.world import Mounted, Sonars
from drycell.robots import load_robot
from drycell.sensors import Noise, disturbed, load_sensor

Observation = NDArray[np.float32]
Action = NDArray[np.float32]
STANDOFF: Final = 200 * mm  # at which one pass gives the film wanted
SAFE: Final = 400 * mm  # above the parts as drawn: where a pass begins
SPEED: Final = 0.1  # m/s
HALF_ANGLE: Final = math.tan(15 * deg)  # of the jet
FILM: Final = 0.8  # of the film wanted: what counts as covered
RUNS: Final = 2.5  # of it: what runs off
_NEAR: Final = 60 * mm  # the gun stops before it touches
_CLIMB: Final = 30 * mm  # the most a step goes up or down
THICKNESS: Final = 50e-6  # m: the film wanted
_FLOW: Final = 1.25 * SPEED  # films times metres a second, fully open: a pass at the standoff gives 1.25 films
_LITRES: Final = 1000.0 * THICKNESS  # of one film on a square metre
_SCALE: Final = 200 * mm  # what is observed is divided by this
# Where along a step the gun is looked at: closer together than the jet is wide, as long as it is not too near.
_SPOTS: Final = np.array((0.125, 0.375, 0.625, 0.875))
_SENSORS: Final = {"ahead": 120 * mm, "here": 0.0, "behind": -120 * mm}


@dataclass(frozen=True, slots=True)
class Treatment:
    """What came of a pass: the share of the surface covered well, and the coating used, in litres a metre of breadth.

    ``needed`` is what would just cover it if nothing went beside.
    """

    covered: float
    runs: float
    used: float
    needed: float

    def __str__(self) -> str:
        return f"{self.covered:.1%} covered, {self.used / self.needed:.2f} × the coating that is needed"


class SurfaceTreatment(gymnasium.Env[Observation, Action]):
    """A gun over a row of parts. Observed: by three sensors (ahead, here, behind) whether a part is there and how
    much farther than the standoff it is, and the gun's height above the standoff; 1 is 200 mm.

    The action is two numbers from -1 to 1: up or down (30 mm at most), and how far the gun is open (-1: shut). The
    film on the parts earns 10 when it is complete, what runs off costs; coating costs 2 for as much as is needed at
    least. Coming nearer than 60 mm to a part costs 5 and ends the episode.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  Gymnasium declares it so

    def __init__(
        self,
        hanger: Hanger | None = None,
        sensor: str = "honeywell-942",
        sigma: float = 2 * mm,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise FieldError(f"surface treatment has no render mode {render_mode!r}", hint="plot env.unwrapped.track")
        self.render_mode = None
        self.hanger = hanger or Hanger()
        model = load_sensor(sensor)
        model = replace(model, noise=Noise(sigma=sigma))
        self.period = model.every
        self._sonars = Sonars([Mounted(name, model, ahead, 0.0, -90 * deg) for name, ahead in _SENSORS.items()])
        self.observation_space = spaces.Box(-1.0, 1.0, (2 * len(_SENSORS) + 1,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.row: Row | None = None
        self.film: Array = np.zeros(0)
        self.x = self.z = self.used = 0.0
        self.time, self._seed, self._sample, self._earned = 0.0, 0, 0, 0.0
        self.track: list[tuple[float, float, float]] = []  # x, height and opening of the gun

    @property
    def treatment(self) -> Treatment:
        """What has been done so far."""
        if self.row is None:
            return Treatment(0.0, 0.0, 0.0, 0.0)
        runs = self.film > RUNS
        covered = (self.film >= FILM) & ~runs
        return Treatment(float(covered.mean()), float(runs.mean()), self.used, self.row.length * _LITRES)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Hangs other parts and brings the gun to the beginning, high enough for any."""
        super().reset(seed=seed)
        self._seed = int(self.np_random.integers(2**62))
        self.row = Row(self.hanger.hang(Random(self._seed)))
        self.film = np.zeros(len(self.row.strips))
        self.x, self.z, self.used, self.time, self._sample = 0.0, SAFE, 0.0, 0.0, 0
        self._earned = 0.0
        self.track = [(self.x, self.z, 0.0)]
        return self._observed(self.row), self._info()

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Goes on for one sensor period."""
        if self.row is None:
            raise FieldError("a step before the first reset", hint="call reset()")
        climb, opening = (_unit(float(each)) for each in action)
        flow = (opening + 1.0) / 2.0
        low, before = self.z, self._earned
        x, way = self.x, SPEED * self.period
        self.x, self.z = x + way, low + climb * _CLIMB
        self.time += self.period
        if flow > 0.0:
            self._spray(self.row, x + _SPOTS * way, low + _SPOTS * (self.z - low), flow * self.period / len(_SPOTS))
        self.track.append((self.x, self.z, flow))
        used = flow * self.period * _FLOW
        self.used += used * _LITRES
        self._earned = self._done()
        reward = 10.0 * (self._earned - before) - 2.0 * used / self.row.length
        near = self._gap(self.row) < _NEAR
        ended = near or self.x >= self.hanger.row
        return self._observed(self.row), reward - (5.0 if near else 0.0), ended, False, self._info()

    def joints(self, robot: str = "irb2000-like") -> list[tuple[float, ...]]:
        """The pass so far as joints of an arm that carries the gun pointing down; raises OutOfReach if it cannot."""
        arm = load_robot(robot)
        down = Pose.turn_x(math.pi)
        found: list[tuple[float, ...]] = []
        near = arm.home
        for x, z, _ in self.track:
            near = arm.inverse(Pose(0.9, x - self.hanger.row / 2.0, 0.8 + z) @ down, near).joints
            found.append(near)
        return found

    def _done(self) -> float:
        """How much of the film wanted is on the parts; what is too much counts against it."""
        return float((np.minimum(self.film, 1.0) - np.maximum(self.film - RUNS, 0.0)).mean())

    def _spray(self, row: Row, x: Array, z: Array, amount: float) -> None:
        """Coating falls on the strips within the jet; no more of it than is used.

        Beyond the standoff some goes beside the parts. Nearer, they are as broad as ever, so that nothing is gained.
        """
        high = z[:, None] - row.strips[:, 1]
        reach = high * HALF_ANGLE  # below 0, and so hit by nothing, for strips above the gun
        hit = np.abs(row.strips[:, 0] - x[:, None]) <= reach
        share = STANDOFF / np.maximum(high, STANDOFF)
        self.film += np.where(hit, amount * _FLOW * share / 2.0 / np.maximum(reach, 1e-9), 0.0).sum(axis=0)

    def _gap(self, row: Row) -> float:
        """How far the gun is from the nearest strip."""
        return float(np.hypot(row.strips[:, 0] - self.x, row.strips[:, 1] - self.z).min())

    def _observed(self, row: Row) -> Observation:
        self._sample += 1
        found: list[float] = []
        distances = self._sonars.distances(row.plan, (self.x, self.z, 0.0))
        for mounted, distance in zip(self._sonars.mounted, distances, strict=True):
            read = disturbed(mounted.model, distance, self._seed, mounted.name, self._sample)
            found += [0.0, 0.0] if read is None else [1.0, _unit((read - STANDOFF) / _SCALE)]
        return np.array([*found, _unit((self.z - STANDOFF) / _SCALE)], dtype=np.float32)

    def _info(self) -> dict[str, Any]:
        done = self.treatment
        return {"covered": done.covered, "used": done.used, "needed": done.needed, "time": self.time}


def _unit(value: float) -> float:
    return min(max(value, -1.0), 1.0)
