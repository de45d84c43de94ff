"""Plots and films of learning: the error per step, and paths from above (figures 44 to 51)."""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from drycell.base import Pose
from drycell.geometry import Box, Cylinder, Sphere
from drycell.kernel import Kernel
from drycell.learn.controller import LearningSetup
from drycell.learn.evaluation import EvaluationRun
from drycell.learn.robot import MobileLeg
from drycell.learn.training import LEVEL, LearningStep, Trained
from drycell.learn.world import FloorPlan, Point
from drycell.pictures import Camera, Panel, Series, check_film, save_film, save_plot
from drycell.world import LiveBody, Material, Motion, World


def save_curve(path: str | Path, trained: Trained) -> None:
    """Plot the learning curve: all errors, their mean over 50 steps, and the level to reach."""
    steps = [step.number for step in trained.learning_steps]
    errors = [step.error for step in trained.learning_steps]
    series = (
        Series(steps, errors, "error of a step", "dots"),
        Series(steps, running_mean(trained.learning_steps), "mean of the last 50"),
        Series([0, max(steps, default=1)], [LEVEL, LEVEL], f"{LEVEL:.2f}", "dashed"),
    )
    above = 1.4 * max((LEVEL, *errors))  # leaves room for the legend
    panel = Panel(x_label="learning steps", y_label="error |Σδ|", series=series, y_range=(0.0, above))
    setup = trained.setup
    save_plot(path, [panel], title=f"{setup.title} (figure {setup.figure}), seed {trained.seed}")


def running_mean(learning_steps: Sequence[LearningStep], width: int = 50) -> list[float]:
    """Return the mean error of the last ``width`` steps, at every step."""
    errors = [step.error for step in learning_steps]
    return [sum(errors[max(0, k - width) : k]) / min(k, width) for k in range(1, len(errors) + 1)]


def save_paths(
    path: str | Path, setup: LearningSetup, trained: Sequence[EvaluationRun], untrained: Sequence[EvaluationRun]
) -> None:
    """Plot paths through unseen worlds from above, those of a trained robot beside those of an untrained one.

    The robot is drawn to scale at the start and the end of a path, to show collisions.
    """
    panels = [
        _path_panel(run, who, setup.model.radius)
        for pair in zip(trained, untrained, strict=True)
        for run, who in zip(pair, ("trained", "untrained"), strict=True)
    ]
    title = f"{setup.title} (figure {setup.figure}), unseen worlds; green: start, pink: end"
    save_plot(path, panels, title=title, columns=2, size=(6.0, 2.6))


def _path_panel(run: EvaluationRun, who: str, radius: float) -> Panel:
    x, y = zip(*run.path, strict=True)
    ends = (_circle(run.path[0], radius), _circle(run.path[-1], radius))
    return Panel(
        title=f"{who}: {run.name}\n{run.result}",
        x_label="m",
        series=(_walls(run.plan), Series(x, y), *ends),
        equal=True,
    )


def _circle(middle: tuple[float, float], radius: float) -> Series:
    angles = [math.tau * k / 48.0 for k in range(49)]
    x, y = middle
    return Series([x + radius * math.cos(each) for each in angles], [y + radius * math.sin(each) for each in angles])


def _walls(plan: FloorPlan) -> Series:
    """Return all walls of a plan as one series with gaps."""
    x: list[float] = []
    y: list[float] = []
    for wall in plan.walls:
        x += [wall.start[0], wall.end[0], math.nan]
        y += [wall.start[1], wall.end[1], math.nan]
    return Series(x, y)


_COLOURS: Final = {"trained": (0.0, 0.45, 0.70), "untrained": (0.84, 0.37, 0.0)}  # blue and orange, as in the plots
_SECOND: Final = 1_000_000  # ticks
_SIZE: Final = (960, 720)
_HIGH, _THICK = 0.1, 0.04  # m: height and thickness of drawn walls and robots, so low that their sides are not visible
_DOT: Final = 0.05  # m: radius of the dots at the end of each step
_APART: Final = 0.8  # m between two worlds
_LONG: Final = 3.0  # worlds with a larger ratio of length to width are stacked


class PathMotion(Motion):
    """A sequence of legs as a motion of the world, at rest before and after."""

    def __init__(self, legs: Sequence[MobileLeg], shift: Point = (0.0, 0.0)) -> None:
        self._legs, self._shift = tuple(legs), shift
        self._begins = [leg.begin for leg in legs]
        self.start, self.end = 0, _tick(legs[-1])

    def pose(self, t: int) -> Pose:
        time = t / _SECOND
        x, y, heading = self._legs[max(bisect_right(self._begins, time) - 1, 0)].at(time)
        return Pose(x + self._shift[0], y + self._shift[1], 0.0) @ Pose.turn_z(heading)

    def bound(self, t0: int, t1: int) -> tuple[float, float]:
        speed = max((abs(leg.drive) / leg.duration for leg in self._legs if leg.duration), default=0.0)
        turn = max((abs(leg.turn) / leg.duration for leg in self._legs if leg.duration), default=0.0)
        return (0.0, 0.0) if t1 <= self.start or t0 >= self.end else (speed, turn)


def check_run_film(path: str | Path) -> None:
    """Raise an error if a film cannot be made. Call it before training, not after."""
    check_film(path, _SIZE)


def save_run_film(
    path: str | Path,
    setup: LearningSetup,
    trained: Sequence[EvaluationRun],
    untrained: Sequence[EvaluationRun],
    *,
    speed: float = 8.0,
    progress: Callable[[float], None] | None = None,
) -> int:
    """Film runs in pairs, the untrained robot (orange) above the trained one (blue); returns the number of frames."""
    world, end = film_world(setup, trained, untrained)
    return save_film(
        world, path, start=0, end=end, fps=24, speed=speed, size=_SIZE, camera=Camera("top"), progress=progress
    )


def film_world(
    setup: LearningSetup, trained: Sequence[EvaluationRun], untrained: Sequence[EvaluationRun]
) -> tuple[World, int]:
    """Return a world with all runs side by side and the robots' paths as dots, and the tick at the end of the last one.

    The world already contains the whole run: a dot appears when its robot arrives there.
    """
    kernel = Kernel()
    world = World(kernel)
    for name, colour in _COLOURS.items():
        world.materials.add(Material(name, 1200, 0.35, 0.60, False, 0.03, 1e-6, 0.60, colour))
    x = y = 0.0
    end = 0
    for number, (below, above) in enumerate(zip(trained, untrained, strict=True), 1):
        (left, low), (right, high) = below.plan.bounds
        long = right - left > _LONG * (high - low)
        y = y - 2.0 * (high - low + _APART) if long else y
        for kind, run, up in (("trained", below, 0.0), ("untrained", above, high - low + _APART)):
            shift = (x - left, y - low + up)
            _add_run(kernel, world, setup, run, kind, f"{number}/{kind}", shift)
            end = max(end, _tick(run.legs[-1]))
        x = x if long else x + right - left + _APART
    kernel.run(until=end)
    return world, end


def _add_run(
    kernel: Kernel, world: World, setup: LearningSetup, run: EvaluationRun, material: str, name: str, shift: Point
) -> None:
    """Add one run: its walls, the moving robot, and a dot at the end of every drive."""
    model = setup.model
    robot = world.add(
        LiveBody(name, Cylinder(model.radius, _HIGH), material=material), motion=PathMotion(run.legs, shift)
    )
    # A stripe from the middle to the front shows the heading.
    stripe = LiveBody(f"{name}/front", Box(model.radius, 0.05, 0.05), material="rubber")
    world.add(stripe, robot, pose=Pose(model.radius / 2.0, 0.0, _HIGH))
    _add_walls(world, run.plan, name, shift)

    def leave(number: int, leg: MobileLeg) -> None:
        dot = LiveBody(f"{name}/dot{number}", Sphere(_DOT), material=material)
        world.add(dot, pose=Pose(leg.end[0] + shift[0], leg.end[1] + shift[1], 0.0))

    for number, leg in enumerate(run.legs, 1):
        if leg.drive:
            kernel.at(_tick(leg), partial(leave, number, leg))


def _add_walls(world: World, plan: FloorPlan, name: str, shift: Point) -> None:
    for number, wall in enumerate(plan.walls, 1):
        (x, y), (u, v) = wall.start, wall.end
        middle = Pose((x + u) / 2.0 + shift[0], (y + v) / 2.0 + shift[1], _HIGH / 2.0)
        body = LiveBody(f"{name}/wall{number}", Box(wall.length, _THICK, _HIGH), material="concrete")
        world.add(body, pose=middle @ Pose.turn_z(math.atan2(v - y, u - x)))


def _tick(leg: MobileLeg) -> int:
    """Return the first tick after a leg."""
    return math.ceil((leg.begin + leg.duration) * _SECOND)
