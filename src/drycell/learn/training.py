"""Training: a network learns in world after world until its error is low ten times in a row."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from drycell.base import FieldError
from drycell.kernel import Streams
from drycell.learn.controller import BehaviourController, LearningSetup, Network
from drycell.learn.evaluation import evaluation_run, starts
from drycell.learn.robot import Mobile
from drycell.learn.world import EXACT, Corridor, FloorPlan, Place, RoomPlan, Variation, clearance

LEVEL: Final = 0.10  # the error to reach (thesis, section 8.2)
TIMES: Final = 10  # in a row
LEG: Final = 50  # learning steps before the direction is reversed
MOST_STEPS: Final = 20_000
# Start offsets from which a robot must traverse its training corridors; the test has fewer.
_OFFS: Final = (0.0, 0.2, 0.4, 0.6)


@dataclass(frozen=True, slots=True)
class LearningStep:
    """One learning step: its number, the error before the update, the world, and the action that was correct."""

    number: int
    error: float
    world: str
    violated: str
    action: str
    tried: int


def mean_error(learning_steps: Sequence[LearningStep]) -> float:
    """Return the mean error of learning steps; NaN if there are none."""
    return sum(step.error for step in learning_steps) / len(learning_steps) if learning_steps else math.nan


@dataclass(frozen=True)
class Trained:
    """The result of training: the network, all learning steps, and the time it took."""

    setup: LearningSetup
    seed: int
    network: Network
    learning_steps: tuple[LearningStep, ...] = field(repr=False)
    reached: bool  # whether the error was low ten times in a row and every world was mastered
    robot_time: float  # seconds during which the robot was moving
    processor_time: float  # seconds of one core

    @property
    def steps(self) -> int:
        """Number of learning steps."""
        return len(self.learning_steps)

    @property
    def error(self) -> float:
        """The mean error of the last ten learning steps."""
        return mean_error(self.learning_steps[-TIMES:])


class Training:
    """Trains a network. ``step`` makes one learning step; ``run`` trains until the goal is reached.

    Every 50 steps the robot is turned round, because a robot that moves only in one direction unlearns the other.

    Args:
        setup: what to learn, with which robot.
        seed: seed of the weights and of the places.
        network: the network to start with; by default one with random weights. A copy of it is trained.
        plans: the worlds to train in; by default those of the setup.
        variation: how the worlds and the robot differ from the exact model.
        rate: learning rate; by default that of the setup.

    >>> from drycell.learn.controller import load_setup
    >>> training = Training(load_setup(40), seed=1)
    >>> training.step().number
    1
    """

    def __init__(
        self,
        setup: LearningSetup,
        seed: int,
        *,
        network: Network | None = None,
        plans: Sequence[FloorPlan] | None = None,
        variation: Variation = EXACT,
        rate: float | None = None,
    ) -> None:
        self.setup, self.seed, self.variation = setup, seed, variation
        self._rate = rate
        streams = Streams(seed)
        self.network = setup.network(streams.of("weights")) if network is None else network.copy()
        self.plans = list(setup.training_plans if plans is None else plans)
        if not self.plans:
            raise FieldError("training needs at least one world", hint="give at least one floor plan")
        self._places = streams.of("places")
        self.world = 0
        self._visited: set[int] = set()
        self.learning_steps: list[LearningStep] = []
        self.running = 0
        self._last_failure: tuple[str, str, float] | None = None
        self._sense = 1.0  # direction along a corridor
        start = random_place(setup, self.plans[0], self._places, self._sense)
        mobile = Mobile(setup.model, self.plans[0], start, arrangement=setup.arrangement, variation=variation)
        self.controller = BehaviourController(setup, self.network, mobile)

    @property
    def plan(self) -> FloorPlan:
        """The world the robot is in."""
        return self.plans[self.world]

    def step(self) -> LearningStep:
        """Run the robot until it has made one learning step."""
        while True:
            done = self.controller.learn(self._rate)
            if done.taught is not None:
                break
            if done.stopped or done.action is None or self._outside():
                self._set_down()
        step = LearningStep(
            len(self.learning_steps) + 1,
            done.taught.error,
            self.plan.name,
            done.violated or "",
            done.action or "",
            done.tried,
        )
        self.learning_steps.append(step)
        self.running = self.running + 1 if step.error <= LEVEL else 0
        if self._outside():
            self._set_down()
        if step.number % LEG == 0:
            self._reverse()
        return step

    def run(self, progress: Callable[[LearningStep], None] | None = None, most: int = MOST_STEPS) -> Trained:
        """Train until the error is low ten times in a row and every world is mastered, for at most ``most`` steps."""
        began = time.process_time()
        reached = False
        while len(self.learning_steps) < most and not reached:
            step = self.step()
            if progress is not None:
                progress(step)
            if self.running >= TIMES and len(self._visited) == len(self.plans):
                reached = self._masters(self.plans)
                if not reached:
                    self.running = 0  # ten more before the next check
            if step.number % (2 * LEG) == 0 and not reached:
                self._change()
        mobile = self.controller.mobile
        took = time.process_time() - began
        return Trained(self.setup, self.seed, self.network, tuple(self.learning_steps), reached, mobile.time, took)

    def _masters(self, plans: Sequence[FloorPlan]) -> bool:
        """Whether the robot succeeds in the training worlds without learning. All runs must succeed. To save time, the
        run that failed last comes first.
        """
        cases = [(plan, way, off) for plan in plans for way, off in starts(plan, _OFFS)]
        for plan, way, off in sorted(cases, key=lambda case: (case[0].name, *case[1:]) != self._last_failure):
            if not evaluation_run(self.setup, self.network, plan, way, off, self.variation).succeeded:
                self._last_failure = (plan.name, way, off)
                return False
        return True

    def _change(self) -> None:
        """Move to the next world if this one is mastered. The first follows the last."""
        if self._masters([self.plan]):
            self._visited.add(self.world)
            self.world = (self.world + 1) % len(self.plans)
            self._set_down()

    def _reverse(self) -> None:
        """Turn the robot round."""
        self._sense = -self._sense
        mobile = self.controller.mobile
        mobile.turn(math.pi)
        self.controller.stand()

    def _set_down(self) -> None:
        mobile = self.controller.mobile
        mobile.put(random_place(self.setup, self.plan, self._places, self._sense), self.plan)
        self.controller.stand()

    def _outside(self) -> bool:
        """Whether the robot is at an end of a corridor."""
        plan = self.plan
        if not isinstance(plan, Corridor):
            return False
        along = plan.along(self.controller.mobile.place[:2])
        return not plan.inset / 2.0 <= along <= plan.length - plan.inset / 2.0


def random_place(setup: LearningSetup, plan: FloorPlan, stream: Random, sense: float = 1.0) -> Place:
    """Draw a place to start from: anywhere in a room, parallel to a wall; off the middle in a corridor (8.2.2)."""
    radius = setup.model.radius
    for _ in range(1000):
        if isinstance(plan, Corridor):
            (x, y), heading, width = plan.at(stream.uniform(plan.inset, plan.length - plan.inset))
            heading += 0.0 if sense > 0.0 else math.pi
            off = stream.choice((-1.0, 1.0)) * stream.uniform(0.3, 0.9) * (width / 2.0 - radius)
            place = (x - off * math.sin(heading), y + off * math.cos(heading), heading)
        elif isinstance(plan, RoomPlan):
            x, y = stream.uniform(0.0, plan.length), stream.uniform(0.0, plan.width)
            place = (x, y, stream.randrange(4) * math.pi / 2.0)
        else:
            (left, low), (right, high) = plan.bounds
            place = (stream.uniform(left, right), stream.uniform(low, high), stream.randrange(4) * math.pi / 2.0)
        if clearance(plan, place[0], place[1]) > radius + 0.01:
            return place
    raise FieldError(
        f"no free place for {setup.model.robot} in {plan.name!r}",
        hint="its walls are too close together for the robot's radius",
    )
