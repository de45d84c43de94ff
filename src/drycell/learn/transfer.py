"""Transfer: runs a network in a world that differs from its virtual training world, and refines it (thesis, 8.3).

The "real" world has sensors with noise, gain errors and offsets, wheels that slip, walls of another material, and a new
plan. Refining means learning further during use. A trained network and one with random weights are compared after
an equal number of learning steps (table 38).
"""

from dataclasses import dataclass, field, replace
from typing import Final

from drycell.base import FieldError, deg, mm
from drycell.learn.controller import LearningSetup, Network
from drycell.learn.evaluation import Evaluation, evaluate
from drycell.learn.training import TIMES, LearningStep, Training, mean_error
from drycell.learn.world import FloorPlan, Variation, corridor, room
from drycell.sensors import Noise

STEPS: Final = 98  # table 38: one battery charge of the real Nomad
GENTLE: Final = 0.1  # fraction of a setup's rate: at the full rate, one new room overwrites what many others taught
REAL: Final = Variation(
    noise=Noise(sigma=10 * mm), gains=0.03, offsets=15 * mm, slip=0.02, skid=0.01, pull=0.4 * deg, material="concrete"
)


@dataclass(frozen=True)
class Refinement:
    """The result of refining: the network, its learning steps, and the cost."""

    network: Network
    learning_steps: tuple[LearningStep, ...] = field(repr=False)
    robot_time: float  # seconds during which the robot was moving, including reverted trials
    bumps: int  # motions that a wall stopped

    @property
    def steps(self) -> int:
        """Number of learning steps."""
        return len(self.learning_steps)

    @property
    def error(self) -> float:
        """Mean error of the last ten steps."""
        return mean_error(self.learning_steps[-TIMES:])

    @property
    def first_error(self) -> float:
        """Mean error of the first ten steps."""
        return mean_error(self.learning_steps[:TIMES])

    @property
    def wrong(self) -> int:
        """Number of wrong actions tried."""
        return sum(step.tried - 1 for step in self.learning_steps)


@dataclass(frozen=True)
class TransferSide:
    """One network of the comparison: before, during and after refining, in the real world."""

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
    """A trained and an untrained network after an equal number of steps in the real world."""

    trained: TransferSide
    untrained: TransferSide

    def __str__(self) -> str:
        head = "network    at first  steps  minutes  first error   last  wrong  bumps  after"
        return f"{head}\n{self.trained}\n{self.untrained}"


def real_plan(setup: LearningSetup) -> FloorPlan:
    """Return a world that no setup uses for training or tests."""
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
    """Refine a copy of a network in the real world, for ``steps`` steps at ``pace`` times the rate of its setup."""
    if not 1 <= steps <= 100_000:
        raise FieldError(
            f"cannot make {steps} refining steps: {steps} is not between 1 and 100000", hint=f"table 38 has {STEPS}"
        )
    plans = [plan or real_plan(setup)]
    real, rate = replace(variation, seed=seed), pace * setup.rate
    training = Training(setup, seed, network=network, plans=plans, variation=real, rate=rate)
    for _ in range(steps):
        training.step()
    mobile = training.controller.mobile
    bumps = sum(leg.stopped for leg in mobile.legs)
    return Refinement(training.network.copy(), tuple(training.learning_steps), mobile.time, bumps)


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
    """Compare a trained and an untrained network in one real world: evaluate, refine, and evaluate again.

    The trained network is refined at a tenth of its rate, the other at the full rate.
    """
    world, real = plan or real_plan(setup), replace(variation, seed=seed)

    def side(name: str, network: Network, pace: float) -> TransferSide:
        before = evaluate(setup, network, [world], variation=real)
        refined = refine(setup, network, seed, steps, plan=world, variation=real, pace=pace)
        return TransferSide(name, before, refined, evaluate(setup, refined.network, [world], variation=real))

    return Transfer(side("trained", trained, GENTLE), side("untrained", untrained, 1.0))
