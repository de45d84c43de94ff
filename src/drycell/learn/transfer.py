"""Transfer: a network trained in the virtual world put to use in one that differs, and refined there (thesis, 8.3).

The "real" world has sensors with noise and with gains and offsets of their own, wheels that slip, walls of another
material, and a plan that was not trained in. Refining is learning that goes on during use. Compared is what the same
number of learning steps makes of a trained network and of one with random weights (table 38).
"""

from dataclasses import dataclass, field, replace
from typing import Final

from drycell.base import FieldError, deg, mm
from drycell.learn.controller import LearningSetup, Network
from drycell.learn.evaluation import Evaluation, evaluate
from drycell.learn.training import TIMES, LearningStep, Training, mean_error
from drycell.learn.world import FloorPlan, Variation, corridor, room
from drycell.sensors import Noise

STEPS: Final = 98  # table 38: what one battery of the real Nomad was good for
GENTLE: Final = 0.1  # of a setup's rate: at the whole of it, what is new in one room spoils what was learnt in many
REAL: Final = Variation(
    noise=Noise(sigma=10 * mm), gains=0.03, offsets=15 * mm, slip=0.02, skid=0.01, pull=0.4 * deg, material="concrete"
)


@dataclass(frozen=True)
class Refinement:
    """Learning that went on during use: the network after it, and what it cost."""

    network: Network
    lessons: tuple[LearningStep, ...] = field(repr=False)
    robot_time: float  # s the robot was under way, trials that were taken back included
    bumps: int  # motions that a wall stopped

    @property
    def steps(self) -> int:
        """How many learning steps were made."""
        return len(self.lessons)

    @property
    def error(self) -> float:
        """The mean error of the last ten steps."""
        return mean_error(self.lessons[-TIMES:])

    @property
    def first_error(self) -> float:
        """The mean error of the first ten steps: how it was before refining had done much."""
        return mean_error(self.lessons[:TIMES])

    @property
    def wrong(self) -> int:
        """How many actions were tried in vain."""
        return sum(lesson.tried - 1 for lesson in self.lessons)


@dataclass(frozen=True)
class Side:
    """One side of the comparison: before refining, the refining itself, and after it, all in the real world."""

    name: str
    before: Evaluation
    refinement: Refinement
    after: Evaluation

    def __str__(self) -> str:
        done = self.refinement
        return (
            f"{self.name:<10} {self.before.share:>8} {done.steps:>6} {done.robot_time / 60.0:>8.1f} "
            f"{done.first_error:>12.3f} {done.error:>6.3f} {done.wrong:>6} {done.bumps:>6} {self.after.share:>6}"
        )


@dataclass(frozen=True)
class Transfer:
    """Trained in the virtual world against untrained, at equal numbers of steps in the real one."""

    trained: Side
    untrained: Side

    def __str__(self) -> str:
        head = "network    at first  steps  minutes  first error   last  wrong  bumps  after"
        return f"{head}\n{self.trained}\n{self.untrained}"


def real_plan(setup: LearningSetup) -> FloorPlan:
    """A plan that no setup is trained in or tested with."""
    if setup.objective == 1:
        return room("real room", 5.7, 4.4) if setup.robot == "nomad" else room("real room", 3.3, 2.7)
    stations = [(0.0, 0.0, 2.5), (6.0, 0.0, 2.5), (10.0, -1.3, 2.9), (14.0, -1.3, 2.9), (15.5, -1.3, 2.4)]
    return corridor("real corridor", [*stations, (22.0, -1.3, 2.4)])


def refine(
    setup: LearningSetup,
    network: Network,
    seed: int,
    steps: int = STEPS,
    *,
    plan: FloorPlan | None = None,
    variation: Variation = REAL,
    pace: float = GENTLE,
) -> Refinement:
    """Lets a copy of a network go on learning in the real world, for a number of steps and at ``pace`` times the rate
    of its setup."""
    if not 1 <= steps <= 100_000:
        raise FieldError(f"{steps} steps of refining, 1 to 100000 can be", hint=f"table 38 has {STEPS}")
    plans = [plan or real_plan(setup)]
    real, rate = replace(variation, seed=seed), pace * setup.rate
    training = Training(setup, seed, network=network, plans=plans, variation=real, rate=rate)
    for _ in range(steps):
        training.step()
    mobile = training.controller.mobile
    bumps = sum(leg.stopped for leg in mobile.legs)
    return Refinement(training.network.copy(), tuple(training.lessons), mobile.time, bumps)


def compare_transfer(
    setup: LearningSetup,
    trained: Network,
    untrained: Network,
    seed: int,
    steps: int = STEPS,
    *,
    plan: FloorPlan | None = None,
    variation: Variation = REAL,
) -> Transfer:
    """Both networks in the same real world: judged as they come, refined for equal steps, and judged again.

    The trained one is refined gently; the other learns at the whole rate, as it would be trained.
    """
    world, real = plan or real_plan(setup), replace(variation, seed=seed)

    def side(name: str, network: Network, pace: float) -> Side:
        before = evaluate(setup, network, [world], variation=real)
        refined = refine(setup, network, seed, steps, plan=world, variation=real, pace=pace)
        return Side(name, before, refined, evaluate(setup, refined.network, [world], variation=real))

    return Transfer(side("trained", trained, GENTLE), side("untrained", untrained, 1.0))
