"""Plots and films of learning: the error over the steps, and ways through worlds seen from above (figures 44 to 51)."""

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
from drycell.learn.evaluation import Outing
from drycell.learn.robot import MobileLeg
from drycell.learn.training import LEVEL, LearningStep, Trained
from drycell.learn.world import FloorPlan, Point
from drycell.pictures import Camera, Panel, Series, check_film, save_film, save_plot
from drycell.world import LiveBody, Material, Motion, World


def save_curve(path: str | Path, trained: Trained) -> None:
    """Writes the learning curve: every error, their mean over 50 steps, and the level to reach."""
    steps = [lesson.number for lesson in trained.lessons]
    errors = [lesson.error for lesson in trained.lessons]
    series = (
        Series(steps, errors, "error of a step", "dots"),
        Series(steps, running_mean(trained.lessons), "mean of the last 50"),
        Series([0, max(steps, default=1)], [LEVEL, LEVEL], f"{LEVEL:.2f}", "dashed"),
    )
    above = 1.4 * max((LEVEL, *errors))  # leaves room for the legend
    panel = Panel(x_label="learning steps", y_label="error |Σδ|", series=series, y_range=(0.0, above))
    setup = trained.setup
    save_plot(path, [panel], title=f"{setup.title} (figure {setup.figure}), seed {trained.seed}")


def running_mean(lessons: Sequence[LearningStep], width: int = 50) -> list[float]:
    """The mean error of the last steps, at every step."""
    errors = [lesson.error for lesson in lessons]
    return [sum(errors[max(0, k - width) : k]) / min(k, width) for k in range(1, len(errors) + 1)]


def save_ways(path: str | Path, setup: LearningSetup, trained: Sequence[Outing], untrained: Sequence[Outing]) -> None:
    """Writes ways through unseen worlds from above, a trained robot's beside an untrained one's.

    Where a way begins and ends the robot is drawn as large as it is, so that what it ran into can be seen.
    """
    panels = [
        _way(outing, who, setup.model.radius)
        for pair in zip(trained, untrained, strict=True)
        for outing, who in zip(pair, ("trained", "untrained"), strict=True)
    ]
    title = f"{setup.title} (figure {setup.figure}), unseen worlds; green: start, pink: end"
    save_plot(path, panels, title=title, columns=2, size=(6.0, 2.6))


def _way(outing: Outing, who: str, radius: float) -> Panel:
    x, y = zip(*outing.path, strict=True)
    ends = (_circle(outing.path[0], radius), _circle(outing.path[-1], radius))
    return Panel(
        title=f"{who}: {outing.name}\n{outing.result}",
        x_label="m",
        series=(_walls(outing.plan), Series(x, y), *ends),
        equal=True,
    )


def _circle(middle: tuple[float, float], radius: float) -> Series:
    angles = [math.tau * k / 48.0 for k in range(49)]
    x, y = middle
    return Series([x + radius * math.cos(each) for each in angles], [y + radius * math.sin(each) for each in angles])


def _walls(plan: FloorPlan) -> Series:
    """All walls of a plan as one series with gaps."""
    x: list[float] = []
    y: list[float] = []
    for wall in plan.walls:
        x += [wall.start[0], wall.end[0], math.nan]
        y += [wall.start[1], wall.end[1], math.nan]
    return Series(x, y)


_COLOURS: Final = {"trained": (0.0, 0.45, 0.70), "untrained": (0.84, 0.37, 0.0)}  # blue and orange, as in the plots
_SECOND: Final = 1_000_000  # ticks
_SIZE: Final = (960, 720)
_HIGH, _THICK = 0.1, 0.04  # m: walls and robots as they are drawn, low, so that no side of them is seen
_DOT: Final = 0.05  # m: radius of the dots that a robot leaves where a step of it ended
_APART: Final = 0.8  # m between two worlds
_LONG: Final = 3.0  # worlds so many times longer than wide are put one above the other


class Way(Motion):
    """Legs one after the other as a motion of the world: exact at every instant, at rest before and after."""

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


def check_outings(path: str | Path) -> None:
    """Says at once if a film could not be made: before a training, not after it."""
    check_film(path, _SIZE)


def save_outings(
    path: str | Path,
    setup: LearningSetup,
    trained: Sequence[Outing],
    untrained: Sequence[Outing],
    *,
    speed: float = 8.0,
    progress: Callable[[float], None] | None = None,
) -> int:
    """Films outings two by two, the untrained robot (orange) above the trained one (blue); returns how many frames."""
    world, end = staged(setup, trained, untrained)
    return save_film(
        world, path, start=0, end=end, fps=24, speed=speed, size=_SIZE, camera=Camera("top"), progress=progress
    )


def staged(setup: LearningSetup, trained: Sequence[Outing], untrained: Sequence[Outing]) -> tuple[World, int]:
    """All outings in one world beside one another, with every robot's way as dots, and the tick at which all are over.

    It has run: what a robot leaves behind is there from the instant it was there.
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
        for kind, outing, up in (("trained", below, 0.0), ("untrained", above, high - low + _APART)):
            shift = (x - left, y - low + up)
            _stage(kernel, world, setup, outing, kind, f"{number}/{kind}", shift)
            end = max(end, _tick(outing.legs[-1]))
        x = x if long else x + right - left + _APART
    kernel.run(until=end)
    return world, end


def _stage(
    kernel: Kernel, world: World, setup: LearningSetup, outing: Outing, material: str, name: str, shift: Point
) -> None:
    """One outing: its walls, the robot on its way, and a dot for the end of every drive, when it gets there."""
    model = setup.model
    robot = world.add(LiveBody(name, Cylinder(model.radius, _HIGH), material=material), motion=Way(outing.legs, shift))
    # A stripe from the middle to the front shows the heading.
    stripe = LiveBody(f"{name}/front", Box(model.radius, 0.05, 0.05), material="rubber")
    world.add(stripe, robot, pose=Pose(model.radius / 2.0, 0.0, _HIGH))
    _wall_in(world, outing.plan, name, shift)

    def leave(number: int, leg: MobileLeg) -> None:
        dot = LiveBody(f"{name}/dot{number}", Sphere(_DOT), material=material)
        world.add(dot, pose=Pose(leg.end[0] + shift[0], leg.end[1] + shift[1], 0.0))

    for number, leg in enumerate(outing.legs, 1):
        if leg.drive:
            kernel.at(_tick(leg), partial(leave, number, leg))


def _wall_in(world: World, plan: FloorPlan, name: str, shift: Point) -> None:
    for number, wall in enumerate(plan.walls, 1):
        (x, y), (u, v) = wall.start, wall.end
        middle = Pose((x + u) / 2.0 + shift[0], (y + v) / 2.0 + shift[1], _HIGH / 2.0)
        body = LiveBody(f"{name}/wall{number}", Box(wall.length, _THICK, _HIGH), material="concrete")
        world.add(body, pose=middle @ Pose.turn_z(math.atan2(v - y, u - x)))


def _tick(leg: MobileLeg) -> int:
    """The first tick at which a leg is over."""
    return math.ceil((leg.begin + leg.duration) * _SECOND)
