"""Evaluation: runs a network in worlds that it was not trained in, without retries and without learning."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from drycell.base import FieldError, mm
from drycell.learn.controller import BehaviourController, LearningSetup, Network
from drycell.learn.robot import Mobile, MobileLeg
from drycell.learn.world import EXACT, Corridor, FloorPlan, Maze, Place, RoomPlan, Variation

MARGIN: Final = 0.5  # m: free distance to the wall at the start of a run in a room
OFF: Final = 0.6  # offset from the middle at the start of a run in a corridor, as a fraction of the free space
_MOST_TURNS: Final = 12  # actions without a drive before the robot counts as trapped


@dataclass(frozen=True)
class EvaluationRun:
    """One run in one world: its start, whether it succeeded, and its path as legs."""

    plan: FloorPlan
    way: str  # "clockwise", "counter-clockwise", "there", "back", "to the goal", "to the start"
    off: float  # offset from the middle of a corridor at the start, as a fraction of the free space; left is positive
    succeeded: bool
    reason: str
    steps: int
    legs: tuple[MobileLeg, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """The run, for example ``corridor A, there, from the left``."""
        side = "" if not self.off else ", from the left" if self.off > 0.0 else ", from the right"
        return f"{self.plan.name}, {self.way}{side}"

    @property
    def result(self) -> str:
        """The result, for example ``traversed in 58 steps, 160 mm off the middle``."""
        text = f"{self.reason} {'in' if self.succeeded else 'after'} {self.steps} steps"
        off = self.off_middle if self.succeeded else None
        return text if off is None else f"{text}, {off / mm:.0f} mm off the middle"

    @property
    def off_middle(self) -> float | None:
        """Mean distance from the middle of a corridor in the second half of the steps, in metres; None in a room."""
        if not isinstance(self.plan, Corridor):
            return None
        half = self.path[len(self.path) // 2 :]
        return sum(math.dist(place, self.plan.at(self.plan.along(place))[0]) for place in half) / len(half)

    @property
    def path(self) -> list[tuple[float, float]]:
        """The positions of the robot from start to end."""
        return [(self.legs[0].start[0], self.legs[0].start[1]), *((leg.end[0], leg.end[1]) for leg in self.legs)]

    def __str__(self) -> str:
        return f"{self.name}: {self.result}"


@dataclass(frozen=True)
class Evaluation:
    """All runs of a network. The network generalises if all of them succeed."""

    runs: tuple[EvaluationRun, ...]

    @property
    def succeeded(self) -> bool:
        """Whether all runs succeeded."""
        return all(each.succeeded for each in self.runs)

    @property
    def failures(self) -> list[EvaluationRun]:
        """The runs that failed."""
        return [each for each in self.runs if not each.succeeded]

    @property
    def share(self) -> str:
        """Successful runs out of all runs, for example ``3/4``."""
        return f"{len(self.runs) - len(self.failures)}/{len(self.runs)}"


def evaluate(
    setup: LearningSetup, network: Network, plans: Sequence[FloorPlan] | None = None, *, variation: Variation = EXACT
) -> Evaluation:
    """Run a network in worlds, without learning.

    Args:
        setup: the setup of the network.
        network: the network. A copy of it runs.
        plans: the worlds; by default the setup's test worlds, which training does not see.
        variation: how the worlds and the robot differ from the trained ones.

    Returns:
        The runs: both directions in a room, in a corridor from both ends and both sides, and in a maze between S and G.
    """
    chosen = setup.test_plans if plans is None else plans
    return Evaluation(tuple(each for plan in chosen for each in evaluation_runs(setup, network, plan, variation)))


def evaluation_runs(
    setup: LearningSetup,
    network: Network,
    plan: FloorPlan,
    variation: Variation = EXACT,
    offs: Sequence[float] = (OFF,),
) -> Iterator[EvaluationRun]:
    """Yield the runs of a network in one world. ``offs`` are the offsets from the middle of a corridor."""
    for way, off in starts(plan, offs):
        yield evaluation_run(setup, network, plan, way, off, variation)


def starts(plan: FloorPlan, offs: Sequence[float] = (OFF,)) -> list[tuple[str, float]]:
    """Return the directions in a world, each with the offset from the middle at its start."""
    if isinstance(plan, RoomPlan):
        return [("counter-clockwise", 0.0), ("clockwise", 0.0)]
    if isinstance(plan, Corridor):
        return [(way, side * off) for way in ("there", "back") for off in offs for side in (1.0, -1.0)]
    if isinstance(plan, Maze) and plan.route:
        return [("to the goal", 0.0), ("to the start", 0.0)]
    raise _unknown(plan)


def evaluation_run(
    setup: LearningSetup, network: Network, plan: FloorPlan, way: str, off: float = OFF, variation: Variation = EXACT
) -> EvaluationRun:
    """Run a network once in a room, a corridor or a maze."""
    if isinstance(plan, RoomPlan):
        return circle_room(setup, network, plan, way, variation)
    if isinstance(plan, Corridor):
        return traverse(setup, network, plan, way, off, variation)
    if isinstance(plan, Maze) and plan.route:
        return find_way(setup, network, plan, way, variation)
    raise _unknown(plan)


def circle_room(
    setup: LearningSetup, network: Network, plan: RoomPlan, way: str = "counter-clockwise", variation: Variation = EXACT
) -> EvaluationRun:
    """Follow the walls of a room for one lap, starting at the middle of the lower wall."""
    off = setup.model.radius + MARGIN
    heading = 0.0 if way == "counter-clockwise" else math.pi
    controller = _controller(setup, network, plan, (plan.length / 2.0, off, heading), variation)
    mobile, sense = controller.mobile, 1.0 if way == "counter-clockwise" else -1.0
    angle, last, idle, steps = 0.0, _bearing(plan, mobile.place), 0, 0
    most = 4 * math.ceil(2.0 * (plan.length + plan.width) / 0.3)
    while steps < most:
        before = mobile.place
        step = controller.act()
        steps += 1
        now = _bearing(plan, mobile.place)
        angle += math.remainder(now - last, math.tau)
        last = now
        idle = idle + 1 if mobile.place[:2] == before[:2] else 0
        if step.stopped:
            return _run(controller, plan, way, 0.0, steps, "ran into a wall")
        if sense * angle >= math.tau:
            return _run(controller, plan, way, 0.0, steps, "", "completed the lap")
        if idle >= _MOST_TURNS:
            return _run(controller, plan, way, 0.0, steps, "turned on the spot")
        if sense * angle <= -math.pi:
            return _run(controller, plan, way, 0.0, steps, "went the other way")
    return _run(controller, plan, way, 0.0, steps, "did not complete the lap")


def traverse(
    setup: LearningSetup,
    network: Network,
    plan: Corridor,
    way: str = "there",
    off: float = OFF,
    variation: Variation = EXACT,
) -> EvaluationRun:
    """Traverse a corridor from one end to the other.

    ``off`` is the offset from the middle at the start, as a fraction of the free space on one side; left is positive.
    """
    there = way == "there"
    (x, y), heading, width = plan.at(plan.inset if there else plan.length - plan.inset)
    heading += 0.0 if there else math.pi
    aside = off * (width / 2.0 - setup.model.radius)
    start = (x - aside * math.sin(heading), y + aside * math.cos(heading), heading)
    controller = _controller(setup, network, plan, start, variation)
    mobile, idle, steps = controller.mobile, 0, 0
    goal = plan.length - plan.inset
    most = 6 * math.ceil(plan.length / 0.3)
    while steps < most:
        before = mobile.place
        step = controller.act()
        steps += 1
        idle = idle + 1 if mobile.place[:2] == before[:2] else 0
        along = plan.along(mobile.place[:2])
        along = along if there else plan.length - along
        if step.stopped:
            return _run(controller, plan, way, off, steps, "ran into a wall")
        if along >= goal:
            return _run(controller, plan, way, off, steps, "", "traversed")
        if along < plan.inset / 2.0:
            return _run(controller, plan, way, off, steps, "went out backwards")
        if idle >= _MOST_TURNS:
            return _run(controller, plan, way, off, steps, "turned on the spot")
    return _run(controller, plan, way, off, steps, "did not get through")


def find_way(
    setup: LearningSetup, network: Network, plan: Maze, way: str = "to the goal", variation: Variation = EXACT
) -> EvaluationRun:
    """Go from the start of a maze to its goal, or back. It succeeds in the square of the goal."""
    route = plan.route if way == "to the goal" else plan.route[::-1]
    (x, y), (u, v) = route[0], route[min(1, len(route) - 1)]
    controller = _controller(setup, network, plan, (x, y, math.atan2(v - y, u - x)), variation)
    mobile, idle, steps = controller.mobile, 0, 0
    side = math.dist(route[0], route[1]) if len(route) > 1 else 0.0
    most = 4 * math.ceil(2.0 * sum(wall.length for wall in plan.walls) / 0.3)
    while steps < most:
        before = mobile.place
        step = controller.act()
        steps += 1
        idle = idle + 1 if mobile.place[:2] == before[:2] else 0
        if step.stopped:
            return _run(controller, plan, way, 0.0, steps, "ran into a wall")
        if max(abs(a - b) for a, b in zip(mobile.place[:2], route[-1], strict=True)) <= side / 2.0:
            return _run(controller, plan, way, 0.0, steps, "", "arrived")
        if idle >= _MOST_TURNS:
            return _run(controller, plan, way, 0.0, steps, "turned on the spot")
    return _run(controller, plan, way, 0.0, steps, "did not arrive")


def _unknown(plan: FloorPlan) -> FieldError:
    what = f"{plan.name!r} has no run: it is not a room, a corridor or a maze with S and G"
    return FieldError(what, hint="create it with room(), corridor() or maze(), and draw S and G in a maze")


def _controller(
    setup: LearningSetup, network: Network, plan: FloorPlan, start: Place, variation: Variation
) -> BehaviourController:
    mobile = Mobile(setup.model, plan, start, arrangement=setup.arrangement, variation=variation)
    controller = BehaviourController(setup, network.copy(), mobile)
    controller.set_going()
    return controller


def _bearing(plan: RoomPlan, place: Place) -> float:
    return math.atan2(place[1] - plan.width / 2.0, place[0] - plan.length / 2.0)


def _run(
    controller: BehaviourController, plan: FloorPlan, way: str, off: float, steps: int, wrong: str, well: str = ""
) -> EvaluationRun:
    return EvaluationRun(plan, way, off, not wrong, wrong or well, steps, tuple(controller.mobile.legs))
