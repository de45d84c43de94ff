"""Films of runs: robots are at their recorded positions, with their paths behind them; worlds do not overlap."""

from random import Random

import pytest

from drycell.learn import EvaluationRun, evaluate
from drycell.learn.controller import load_setup
from drycell.learn.pictures import film_world
from drycell.learn.tables import TABLE_37
from drycell.learn.weights import read_weights
from drycell.world import World


def test_robots_go_their_ways_and_leave_dots_behind() -> None:
    setup = load_setup(40)
    trained = evaluate(setup, read_weights(TABLE_37, setup)).runs[::2]
    untrained = evaluate(setup, setup.network(Random(1))).runs[::2]
    world, end = film_world(setup, trained, untrained)
    robot, ends = world.body("1/trained"), [leg.end for leg in trained[0].legs]
    for leg in (trained[0].legs[0], trained[0].legs[-1]):
        pose = world.pose(robot, round((leg.begin + leg.duration) * 1e6))
        assert (pose.x, pose.y) == pytest.approx(leg.end[:2], abs=1e-5)
    assert end >= (trained[0].legs[-1].begin + trained[0].legs[-1].duration) * 1e6
    dots = [body for name, body in world.bodies.items() if name.startswith("1/trained/dot")]
    assert len(dots) == sum(leg.drive != 0.0 for leg in trained[0].legs)
    assert not dots[-1].exists(dots[-1].born - 1)
    assert (world.pose(dots[-1]).x, world.pose(dots[-1]).y) in [pytest.approx(each[:2]) for each in ends]


@pytest.mark.parametrize("figure", [40, 42])
def test_no_world_covers_another(figure: int) -> None:
    setup = load_setup(figure)
    runs: tuple[EvaluationRun, ...] = evaluate(setup, setup.network(Random(2))).runs
    first = {run.plan.name: run for run in runs}
    world, _ = film_world(setup, list(first.values()), list(first.values()))
    boxes = [_box(world, f"{number}/{kind}/wall") for number in (1, 2) for kind in ("trained", "untrained")]
    for k, (left, low, right, high) in enumerate(boxes):
        for other in boxes[k + 1 :]:
            assert right < other[0] or other[2] < left or high < other[1] or other[3] < low


def _box(world: World, walls: str) -> tuple[float, float, float, float]:
    middles = [world.pose(body) for name, body in world.bodies.items() if name.startswith(walls)]
    xs, ys = [each.x for each in middles], [each.y for each in middles]
    return min(xs), min(ys), max(xs), max(ys)
