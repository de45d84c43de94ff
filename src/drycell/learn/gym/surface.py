"""Adaptive surface treatment (figure 52): a spray gun coats a row of hanging panels that differ from the drawing."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from drycell.base import Array, FieldError, Pose, deg, mm
from drycell.learn.gym.raster import DONE, PATH, RENDER_MODES, ROBOT, WALL, Pixels, Raster, check_render_mode
from drycell.learn.world import FloorPlan, Mounted, Point, Sonars
from drycell.learn.world.floor_plans import chain
from drycell.robots import load_robot
from drycell.sensors import Noise, disturbed, load_sensor

_PIECES: Final = 8  # number of straight pieces of a bowed panel
_METAL: Final = "steel"
CELL: Final = 10 * mm  # width of the strips of the surface


@dataclass(frozen=True)
class Part:
    """A panel in section (x along the row, z up): start, length, height of its middle, tilt and bow."""

    start: float
    length: float
    height: float
    tilt: float
    bow: float

    @cached_property
    def outline(self) -> tuple[Point, ...]:
        """The points of the surface."""
        cosine, sine = math.cos(self.tilt), math.sin(self.tilt)
        points: list[Point] = []
        for k in range(_PIECES + 1):
            u = (k / _PIECES - 0.5) * self.length
            w = self.bow * (1.0 - (2.0 * u / self.length) ** 2)
            points.append((self.start + self.length / 2.0 + cosine * u - sine * w, self.height + sine * u + cosine * w))
        return tuple(points)

    @cached_property
    def strips(self) -> Array:
        """The middles of the strips of the surface, as an array (n, 2)."""
        corners = np.array(self.outline)
        count = max(round(self.length / CELL), 1)
        far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
        at = (np.arange(count) + 0.5) / count * far[-1]
        found: Array = np.stack([np.interp(at, far, corners[:, 0]), np.interp(at, far, corners[:, 1])], axis=1)
        return found


@dataclass(frozen=True, kw_only=True)
class Hanger:
    """The row: the number of parts, their nominal dimensions, and the uniform tolerance of each dimension."""

    parts: int = 2
    length: float = 700 * mm
    gap: float = 300 * mm
    lead: float = 200 * mm  # before the first and after the last part
    shift: float = 90 * mm
    stretch: float = 150 * mm
    drop: float = 100 * mm
    tilt: float = 6 * deg
    bow: float = 40 * mm

    def __post_init__(self) -> None:
        free = min(self.gap / 2.0, self.lead) - self.shift - self.stretch / 2.0
        if self.parts < 1 or self.length <= self.stretch or free <= -self.shift:
            raise FieldError(
                f"{self.parts} parts of {self.length:g} m with gaps of {self.gap:g} m have too large tolerances",
                hint="give at least one part that is longer than its tolerance, and wider gaps",
            )

    @property
    def row(self) -> float:
        """Length of the row as drawn, including the space before and after it."""
        return 2.0 * self.lead + self.parts * self.length + (self.parts - 1) * self.gap

    def hang(self, stream: Random) -> tuple[Part, ...]:
        """Create a random row of parts."""
        found: list[Part] = []
        for number in range(self.parts):
            length = self.length + stream.uniform(-1.0, 1.0) * self.stretch
            middle = self.lead + number * (self.length + self.gap) + self.length / 2.0
            middle += stream.uniform(-1.0, 1.0) * min(self.shift, self.gap / 2.0)
            found.append(
                Part(
                    middle - length / 2.0,
                    length,
                    stream.uniform(-1.0, 1.0) * self.drop,
                    stream.uniform(-1.0, 1.0) * self.tilt,
                    stream.uniform(-1.0, 1.0) * self.bow,
                )
            )
        return tuple(found)


@dataclass(frozen=True)
class PartRow:
    """A row of parts, as walls for sensors and as strips for the coating."""

    parts: tuple[Part, ...]
    plan: FloorPlan = field(init=False)
    strips: Array = field(init=False)
    length: float = field(init=False)  # of the surface

    def __post_init__(self) -> None:
        walls = [wall for part in self.parts for wall in chain(part.outline, _METAL)]
        object.__setattr__(self, "plan", FloorPlan("row of parts", tuple(walls)))
        object.__setattr__(self, "length", math.fsum(wall.length for wall in walls))
        object.__setattr__(self, "strips", np.concatenate([part.strips for part in self.parts]))


Observation = NDArray[np.float32]
Action = NDArray[np.float32]
STANDOFF: Final = 200 * mm  # distance at which one pass gives the target film
SAFE: Final = 400 * mm  # height of the start of a pass above the nominal parts
SPEED: Final = 0.1  # m/s
HALF_ANGLE: Final = math.tan(15 * deg)  # of the jet
FILM: Final = 0.8  # fraction of the target film above which the surface counts as covered
RUNS: Final = 2.5  # fraction of the target film above which coating runs off
_NEAR: Final = 60 * mm  # minimum distance of the gun from a part
_CLIMB: Final = 30 * mm  # maximum change of height per step
THICKNESS: Final = 50e-6  # m: the target film
_FLOW: Final = 1.25 * SPEED  # films × metres per second, fully open: a pass at the standoff gives 1.25 films
_LITRES: Final = 1000.0 * THICKNESS  # litres of one film per square metre
_SCALE: Final = 200 * mm  # observations are divided by this
# Points of a step at which the jet is computed: closer together than the width of the jet, unless the gun is very near.
_SPOTS: Final = np.array((0.125, 0.375, 0.625, 0.875))
_SENSORS: Final = {"ahead": 120 * mm, "here": 0.0, "behind": -120 * mm}


@dataclass(frozen=True, slots=True)
class Treatment:
    """The result of a pass: covered fraction of the surface, and coating used in litres per metre of width.

    ``needed`` is the coating that would just cover the surface without loss.
    """

    covered: float
    runs: float
    used: float
    needed: float

    def __str__(self) -> str:
        return f"{self.covered:.1%} covered, {self.used / self.needed:.2f} × the coating that is needed"


class SurfaceTreatment(gymnasium.Env[Observation, Action]):
    """A gun over a row of parts.

    Observations: for each of three sensors (ahead, here, behind) whether a part is there and how far beyond the
    standoff it is, and the height of the gun above the standoff. 1 is 200 mm.

    Actions: two numbers from -1 to 1, the change of height (30 mm at most) and the opening of the gun (-1 is closed).

    Rewards: a complete film earns 10, and coating that runs off costs. The minimum amount of coating costs 2. A
    distance below 60 mm to a part costs 5 and ends the episode.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  Gymnasium declares it so

    def __init__(
        self,
        hanger: Hanger | None = None,
        sensor: str = "honeywell-942",
        sigma: float = 2 * mm,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self.hanger = hanger or Hanger()
        model = load_sensor(sensor)
        model = replace(model, noise=Noise(sigma=sigma))
        self.period = model.every
        self._sonars = Sonars([Mounted(name, model, ahead, 0.0, -90 * deg) for name, ahead in _SENSORS.items()])
        self.observation_space = spaces.Box(-1.0, 1.0, (2 * len(_SENSORS) + 1,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.row: PartRow | None = None
        self.film: Array = np.zeros(0)
        self.x = self.z = self.used = 0.0
        self.time, self._seed, self._sample, self._earned = 0.0, 0, 0, 0.0
        self.track: list[tuple[float, float, float]] = []  # x, height and opening of the gun

    @property
    def treatment(self) -> Treatment:
        """The result so far."""
        if self.row is None:
            return Treatment(0.0, 0.0, 0.0, 0.0)
        runs = self.film > RUNS
        covered = (self.film >= FILM) & ~runs
        return Treatment(float(covered.mean()), float(runs.mean()), self.used, self.row.length * _LITRES)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Draw a new row of parts and move the gun to its start, at a safe height."""
        super().reset(seed=seed)
        self._seed = int(self.np_random.integers(2**62))
        self.row = PartRow(self.hanger.hang(Random(self._seed)))
        self.film = np.zeros(len(self.row.strips))
        self.x, self.z, self.used, self.time, self._sample = 0.0, SAFE, 0.0, 0.0, 0
        self._earned = 0.0
        self.track = [(self.x, self.z, 0.0)]
        return self._observed(self.row), self._info()

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Move for one sensor period."""
        if self.row is None:
            raise FieldError("a step before the first reset", hint="call reset()")
        climb, opening = (_unit(float(each)) for each in action)
        flow = (opening + 1.0) / 2.0
        low, before = self.z, self._earned
        x, advance = self.x, SPEED * self.period
        self.x, self.z = x + advance, low + climb * _CLIMB
        self.time += self.period
        if flow > 0.0:
            self._spray(self.row, x + _SPOTS * advance, low + _SPOTS * (self.z - low), flow * self.period / len(_SPOTS))
        self.track.append((self.x, self.z, flow))
        used = flow * self.period * _FLOW
        self.used += used * _LITRES
        self._earned = self._done()
        reward = 10.0 * (self._earned - before) - 2.0 * used / self.row.length
        near = self._gap(self.row) < _NEAR
        ended = near or self.x >= self.hanger.row
        return self._observed(self.row), reward - (5.0 if near else 0.0), ended, False, self._info()

    def render(self) -> Pixels | None:
        """Draw the row from the side: the parts, green where they are covered, and the path of the gun."""
        if self.render_mode is None or self.row is None:
            return None
        raster = Raster((0.0, -SAFE), (self.hanger.row, 2.0 * SAFE))
        for part in self.row.parts:
            raster.line(part.outline, WALL, 3.0)
        for (x, z), film in zip(self.row.strips.tolist(), self.film.tolist(), strict=True):
            if FILM <= film <= RUNS:
                raster.disc((x, z), CELL / 2.0, DONE)
        raster.line([(x, z) for x, z, _ in self.track], PATH)
        raster.disc((self.x, self.z), 2.0 * CELL, ROBOT)
        return raster.pixels

    def joints(self, robot: str = "irb2000-like") -> list[tuple[float, ...]]:
        """Return the current pass as joint values of an arm that points the gun down. Raises OutOfReach."""
        arm = load_robot(robot)
        down = Pose.turn_x(math.pi)
        found: list[tuple[float, ...]] = []
        near = arm.home
        for x, z, _ in self.track:
            near = arm.inverse(Pose(0.9, x - self.hanger.row / 2.0, 0.8 + z) @ down, near).joints
            found.append(near)
        return found

    def _done(self) -> float:
        """Return the fraction of the target film on the parts, minus the excess."""
        return float((np.minimum(self.film, 1.0) - np.maximum(self.film - RUNS, 0.0)).mean())

    def _spray(self, row: PartRow, x: Array, z: Array, amount: float) -> None:
        """Add coating to the strips within the jet, at most the amount used.

        Beyond the standoff, some of the coating misses the parts; a smaller distance does not help.
        """
        high = z[:, None] - row.strips[:, 1]
        reach = high * HALF_ANGLE  # negative for strips above the gun, which are not hit
        hit = np.abs(row.strips[:, 0] - x[:, None]) <= reach
        share = STANDOFF / np.maximum(high, STANDOFF)
        self.film += np.where(hit, amount * _FLOW * share / 2.0 / np.maximum(reach, 1e-9), 0.0).sum(axis=0)

    def _gap(self, row: PartRow) -> float:
        """Return the distance of the gun from the nearest strip."""
        return float(np.hypot(row.strips[:, 0] - self.x, row.strips[:, 1] - self.z).min())

    def _observed(self, row: PartRow) -> Observation:
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
