"""Training: a network learns in worlds that change, until its error is low ten times running."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from drycell.base import FieldError
from drycell.kernel import Streams
from drycell.learn.controller import BehaviourController, LearningSetup, Network
from drycell.learn.evaluation import outing, ways
from drycell.learn.robot import Mobile
from drycell.learn.world import EXACT, Corridor, FloorPlan, Place, RoomPlan, Variation, clearance

LEVEL: Final = 0.10  # the error to reach (thesis, section 8.2)
TIMES: Final = 10  # running
LEG: Final = 50  # learning steps before the direction is reversed
MOST_STEPS: Final = 20_000
# From where a robot must manage a corridor it trains in: from more places than it is tested from.
_OFFS: Final = (0.0, 0.2, 0.4, 0.6)


@dataclass(frozen=True, slots=True)
class LearningStep:
    """One learning step: its number, the error before the network was adjusted, and where it was made."""

    number: int
    error: float
    world: str
    violated: str
    action: str
    tried: int


def mean_error(lessons: Sequence[LearningStep]) -> float:
    """The mean error of learning steps; not a number if there are none."""
    return sum(lesson.error for lesson in lessons) / len(lessons) if lessons else math.nan


@dataclass(frozen=True)
class Trained:
    """What came of a training: the network, every learning step, and how long it took."""

    setup: LearningSetup
    seed: int
    network: Network
    lessons: tuple[LearningStep, ...] = field(repr=False)
    reached: bool  # the error level ten times running, and every world managed
    robot_time: float  # seconds the robot was under way
    processor_time: float  # seconds of one core it took here

    @property
    def steps(self) -> int:
        """How many learning steps it took."""
        return len(self.lessons)

    @property
    def error(self) -> float:
        """The mean error of the last ten learning steps."""
        return mean_error(self.lessons[-TIMES:])


class Training:
    """A robot that learns. ``step`` makes one learning step; ``run`` goes on until the goal is reached.

    Every 50 steps the robot is turned round: one that only ever goes one way unlearns the other.
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
            raise FieldError("a training without worlds", hint="give at least one floor plan")
        self._places = streams.of("places")
        self.world = 0
        self._visited: set[int] = set()
        self.lessons: list[LearningStep] = []
        self.running = 0
        self._doubtful: tuple[str, str, float] | None = None
        self._sense = 1.0  # which way along a corridor
        start = random_place(setup, self.plans[0], self._places, self._sense)
        mobile = Mobile(setup.model, self.plans[0], start, arrangement=setup.arrangement, variation=variation)
        self.controller = BehaviourController(setup, self.network, mobile)

    @property
    def plan(self) -> FloorPlan:
        """The world the robot is in."""
        return self.plans[self.world]

    def step(self) -> LearningStep:
        """Lets the robot go until it has learnt something once."""
        while True:
            done = self.controller.learn(self._rate)
            if done.taught is not None:
                break
            if done.stopped or done.action is None or self._outside():
                self._set_down()
        lesson = LearningStep(
            len(self.lessons) + 1, done.taught.error, self.plan.name, done.violated or "", done.action or "", done.tried
        )
        self.lessons.append(lesson)
        self.running = self.running + 1 if lesson.error <= LEVEL else 0
        if self._outside():
            self._set_down()
        if lesson.number % LEG == 0:
            self._reverse()
        return lesson

    def run(self, progress: Callable[[LearningStep], None] | None = None, most: int = MOST_STEPS) -> Trained:
        """Learns until the error is low ten times running and every world is managed, or the steps are spent."""
        began = time.process_time()
        reached = False
        while len(self.lessons) < most and not reached:
            lesson = self.step()
            if progress is not None:
                progress(lesson)
            if self.running >= TIMES and len(self._visited) == len(self.plans):
                reached = self._manages(self.plans)
                if not reached:
                    self.running = 0  # ten more before it is looked at again
            if lesson.number % (2 * LEG) == 0 and not reached:
                self._change()
        mobile = self.controller.mobile
        took = time.process_time() - began
        return Trained(self.setup, self.seed, self.network, tuple(self.lessons), reached, mobile.time, took)

    def _manages(self, plans: Sequence[FloorPlan]) -> bool:
        """Whether the robot, looked at while it learns nothing, performs adequately in worlds it trains in.

        All must go well, in whatever order they are looked at: where it went wrong last comes first, which saves time.
        """
        cases = [(plan, way, off) for plan in plans for way, off in ways(plan, _OFFS)]
        for plan, way, off in sorted(cases, key=lambda case: (case[0].name, *case[1:]) != self._doubtful):
            if not outing(self.setup, self.network, plan, way, off, self.variation).succeeded:
                self._doubtful = (plan.name, way, off)
                return False
        return True

    def _change(self) -> None:
        """Moves on to the next world once this one is managed; back to the first after the last."""
        if self._manages([self.plan]):
            self._visited.add(self.world)
            self.world = (self.world + 1) % len(self.plans)
            self._set_down()

    def _reverse(self) -> None:
        """Turns the robot round where it stands."""
        self._sense = -self._sense
        mobile = self.controller.mobile
        mobile.turn(math.pi)
        self.controller.stand()

    def _set_down(self) -> None:
        mobile = self.controller.mobile
        mobile.put(random_place(self.setup, self.plan, self._places, self._sense), self.plan)
        self.controller.stand()

    def _outside(self) -> bool:
        """Whether the robot has come to the end of a corridor."""
        plan = self.plan
        if not isinstance(plan, Corridor):
            return False
        along = plan.along(self.controller.mobile.place[:2])
        return not plan.inset / 2.0 <= along <= plan.length - plan.inset / 2.0


def random_place(setup: LearningSetup, plan: FloorPlan, stream: Random, sense: float = 1.0) -> Place:
    """Where a training begins: anywhere in a room, aligned with a wall; in a corridor, not in its middle (8.2.2)."""
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
        f"no free place for {setup.model.robot} in {plan.name!r}", hint="its walls are too close for the robot's radius"
    )
