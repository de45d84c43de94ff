"""Rooms and corridors as an environment: a mobile robot with its inputs as observations and discrete actions."""

import math
from dataclasses import replace
from random import Random
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from drycell.base import FieldError
from drycell.learn.controller import STANDING, LearningSetup, load_setup
from drycell.learn.gym.raster import PATH, RENDER_MODES, ROBOT, WALL, Pixels, Raster, check_render_mode
from drycell.learn.robot import Mobile
from drycell.learn.training import random_place
from drycell.learn.world import EXACT, Corridor, FloorPlan, Place, Variation

Observation = NDArray[np.float32]
STEP: Final = 0.3  # m: a drive of this distance earns 1
_TURN: Final = -0.1  # reward of an action without a drive
_STOPPED: Final = -10.0  # a wall stopped the robot
_ARRIVED: Final = 10.0


class Roaming(gymnasium.Env[Observation, np.int64]):
    """A robot of :class:`LearningSetup` in its training worlds, or in ``plans``.

    Observations are the inputs of its network: readings divided by full scale, and the last action if the setup has
    it. Actions are those of the setup. In rooms, a drive earns 1 and a turn costs 0.1. In corridors, each step along
    the corridor earns 1, minus the offset from the middle (1 at a wall), and the end of the corridor earns 10. A motion
    that a wall stops costs 10 and ends the episode. With a ``variation``, each episode uses a different robot with its
    own gains, offsets and slip.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  Gymnasium declares it so

    def __init__(
        self,
        figure: int = 40,
        plans: list[FloorPlan] | None = None,
        variation: Variation = EXACT,
        most_steps: int = 200,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        if not 1 <= most_steps <= 1_000_000:
            raise FieldError(
                f"cannot make {most_steps} steps per episode: {most_steps} is not between 1 and 1000000",
                hint="200 is usual",
            )
        self.setup: LearningSetup = load_setup(figure)
        self.plans = list(self.setup.training_plans if plans is None else plans)
        if not self.plans:
            raise FieldError("an environment needs worlds", hint="give at least one floor plan")
        self.variation, self.most_steps = variation, most_steps
        self.observation_space = spaces.Box(0.0, 1.0, (len(self.setup.input_names),), np.float32)
        self.action_space = spaces.Discrete(len(self.setup.actions))
        self._names = self.setup.action_names
        self._sensors = tuple(self.setup.inputs.values())
        self.mobile: Mobile | None = None
        self.motion, self.steps, self.sense = STANDING, 0, 1.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Put the robot at a random place in one of the worlds."""
        super().reset(seed=seed)
        stream = Random(int(self.np_random.integers(2**62)))
        plan = self.plans[stream.randrange(len(self.plans))]
        self.sense = stream.choice((1.0, -1.0))
        place = random_place(self.setup, plan, stream, self.sense)
        self.mobile = self._set_down(plan, place, stream)
        self.motion, self.steps = STANDING, 0
        return self._observed(self.mobile), self._info(self.mobile)

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Execute an action."""
        mobile = self.mobile
        if mobile is None:
            raise FieldError("a step before the first reset", hint="call reset()")
        name = self._names[int(action)]
        done = self.setup.actions[name]
        before = self._along(mobile)
        if done.turn:
            mobile.turn(done.turn)
        stopped = bool(done.drive) and mobile.drive(done.drive).stopped
        self.motion = name
        self.steps += 1
        reward, ended = self._judged(mobile, before, bool(done.drive), stopped)
        return self._observed(mobile), reward, ended, not ended and self.steps >= self.most_steps, self._info(mobile)

    def render(self) -> Pixels | None:
        """Draw the world from above: walls, the path, and the robot with its heading. None without a render mode."""
        mobile = self.mobile
        if self.render_mode is None or mobile is None:
            return None
        x, y, heading = mobile.place
        raster = Raster(*mobile.plan.bounds)
        path = [leg.start[:2] for leg in mobile.legs]
        raster.line([*path, (x, y)], PATH)
        for wall in mobile.plan.walls:
            raster.line([wall.start, wall.end], WALL, 3.0)
        radius = mobile.model.radius
        raster.disc((x, y), radius, ROBOT)
        raster.line([(x, y), (x + radius * math.cos(heading), y + radius * math.sin(heading))], (255, 255, 255))
        return raster.pixels

    def _set_down(self, plan: FloorPlan, place: Place, stream: Random) -> Mobile:
        """Return the robot for an episode: the last one, or a new one if there is a variation."""
        mobile = self.mobile
        if mobile is None or not self.variation.none:
            varied = self.variation if self.variation.none else replace(self.variation, seed=stream.getrandbits(62))
            setup = self.setup
            return Mobile(setup.model, plan, place, arrangement=setup.arrangement, variation=varied)
        mobile.put(place, plan)
        mobile.legs.clear()
        mobile.time, mobile.samples, mobile.steps = 0.0, 0, 0
        return mobile

    def _judged(self, mobile: Mobile, before: float, drove: bool, stopped: bool) -> tuple[float, bool]:
        """Return the reward of an action, and whether it ends the episode."""
        if stopped:
            return _STOPPED, True
        plan = mobile.plan
        if not isinstance(plan, Corridor):
            return (1.0 if drove else _TURN), False
        along = self._along(mobile)
        (x, y), heading, width = plan.at(along if self.sense > 0.0 else plan.length - along)
        off = abs((mobile.place[1] - y) * np.cos(heading) - (mobile.place[0] - x) * np.sin(heading))
        reward = (along - before) / STEP - float(off) / (width / 2.0)
        if along >= plan.length - plan.inset / 2.0:
            return reward + _ARRIVED, True
        return (reward + _STOPPED, True) if along <= plan.inset / 2.0 else (reward, False)

    def _along(self, mobile: Mobile) -> float:
        """Return the distance of the robot along its corridor, in the direction of its start."""
        plan = mobile.plan
        if not isinstance(plan, Corridor):
            return 0.0
        along = plan.along((mobile.place[0], mobile.place[1]))
        return along if self.sense > 0.0 else plan.length - along

    def _observed(self, mobile: Mobile) -> Observation:
        read = mobile.read(self._sensors)
        values = {name: float(read[sensor]) for name, sensor in self.setup.inputs.items()}
        return np.array(self.setup.vector(values, self.motion), dtype=np.float32)

    def _info(self, mobile: Mobile) -> dict[str, Any]:
        return {"place": mobile.place, "world": mobile.plan.name, "time": mobile.time}
