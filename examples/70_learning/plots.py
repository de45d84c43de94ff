"""Redraw the plots of docs/guides/learning.md.

python examples/70_learning/plots.py [folder]          about a minute
"""

import sys
from pathlib import Path
from random import Random

import numpy as np

from drycell import mm
from drycell.learn import (
    Refinement,
    Training,
    compare_inverse,
    compare_transfer,
    evaluate,
    learn_correction,
    manufactured,
    measured_poses,
    save_curve,
    save_paths,
)
from drycell.learn.controller import load_setup
from drycell.learn.gym import CrossEntropy, SurfaceTreatment
from drycell.pictures import Panel, Series, save_plot
from drycell.robots import load_robot


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    corridors(folder / "curve.png", folder / "ways.svg")
    transfer(folder / "transfer.svg")
    inverse(folder / "inverse.svg")
    surface(folder / "surface.svg")


def corridors(curve: Path, ways: Path) -> None:
    """The learning curve of the Nomad in corridors, and its first path through both unseen ones, before and after."""
    setup = load_setup(42)
    training = Training(setup, 1)
    before = evaluate(setup, training.network).runs
    trained = training.run()
    after = evaluate(setup, trained.network).runs
    save_curve(curve, trained)
    save_paths(ways, setup, after[::4], before[::4])


def transfer(path: Path) -> None:
    """Failed actions while two networks learn in the same real room."""
    setup = load_setup(40)
    found = compare_transfer(setup, Training(setup, 1).run().network, setup.network(Random(7)), 7)
    panel = Panel(
        x_label="learning steps in the real room",
        y_label="failed actions",
        series=[vain(side.refinement, side.name) for side in (found.trained, found.untrained)],
    )
    save_plot(path, [panel], title="Trained in the virtual world, and untrained")


def vain(refinement: Refinement, label: str) -> Series:
    wrong = np.cumsum([step.tried - 1 for step in refinement.learning_steps])
    return Series(list(range(1, len(wrong) + 1)), wrong.tolist(), label, "step")


def inverse(path: Path) -> None:
    """The remaining error of an arm against the number of measured poses."""
    nominal = load_robot("puma560")
    made = manufactured(nominal, seed=1)
    counts = [50, 100, 200, 400, 800]
    found = []
    for count in counts:
        measured = measured_poses(nominal, made, count, seed=2, noise=0.05 * mm)
        found.append(compare_inverse(learn_correction(nominal, measured), made, 200, seed=3))
    series = [
        Series(counts, [each.nominal.median / mm for each in found], "nominal, median", "dashed"),
        Series(counts, [each.corrected.median / mm for each in found], "network, median"),
        Series(counts, [each.corrected.most / mm for each in found], "network, 95 %"),
    ]
    save_plot(path, [Panel(x_label="poses measured", y_label="mm off", series=series)], title="PUMA 560 as made")


def surface(path: Path) -> None:
    """A pass of a trained arm over parts it has not seen."""
    learner = CrossEntropy(SurfaceTreatment, 0, population=32, elite=6, episodes=3)
    list(learner.learn(25))
    env = SurfaceTreatment()
    observed, _ = env.reset(seed=9003)
    ended = False
    while not ended:
        observed, _, ended, _, _ = env.step(learner.policy(observed))
    x, z, flow = (list(column) for column in zip(*env.track, strict=True))
    parts = () if env.row is None else env.row.parts
    shapes = [
        Series(*(list(column) for column in zip(*part.outline, strict=True)), label, colour=1)
        for part, label in zip(parts, ("parts", "", ""), strict=False)
    ]
    panels = [
        Panel(y_label="m", series=[Series(x, z, "gun"), *shapes]),
        Panel(x_label="m along the row", y_label="gun open", series=[Series(x, flow, style="area")]),
    ]
    save_plot(path, panels, title=f"A pass over parts not seen before: {env.treatment}", size=(7.2, 2.2))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "docs" / "images" / "learning")
