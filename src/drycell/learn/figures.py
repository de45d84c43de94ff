"""Plots of learning: the error over the steps, and ways through worlds seen from above (figures 44, 45, 50, 51)."""

import math
from collections.abc import Sequence
from pathlib import Path

from drycell.learn.controller import Setup
from drycell.learn.evaluation import Outing
from drycell.learn.training import LEVEL, Lesson, Trained
from drycell.learn.world import FloorPlan
from drycell.pictures import Panel, Series, save_plot


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


def running_mean(lessons: Sequence[Lesson], width: int = 50) -> list[float]:
    """The mean error of the last steps, at every step."""
    errors = [lesson.error for lesson in lessons]
    return [sum(errors[max(0, k - width) : k]) / min(k, width) for k in range(1, len(errors) + 1)]


def save_ways(path: str | Path, setup: Setup, trained: Sequence[Outing], untrained: Sequence[Outing]) -> None:
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
