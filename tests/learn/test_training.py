"""Training: equal seeds give equal weights, directions and worlds alternate, and the learnt behaviour generalises."""

import math
from statistics import median

import pytest

from drycell.learn import EvaluationRun, Training, evaluate, evaluation, table_text, train_start
from drycell.learn.controller import load_setup, setup_figures
from drycell.learn.tables import TABLES, TrainedStart
from drycell.learn.training import LEVEL, TIMES
from drycell.learn.world import GAP, Corridor, Variation
from drycell.sensors import Noise

STARTS = (1, 2, 3)
MORE = tuple(range(4, 14))


def gap(made: EvaluationRun, radius: float) -> float:
    """Least distance of the robot's hull from a wall, at places along its path."""
    nearest = math.inf
    for leg in made.legs:
        x, y, heading = leg.start
        for k in range(31):
            px, py = x + k / 30 * leg.drive * math.cos(heading), y + k / 30 * leg.drive * math.sin(heading)
            for wall in made.plan.walls:
                (ax, ay), (bx, by) = wall.start, wall.end
                share = ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
                share = min(max(share, 0.0), 1.0)
                nearest = min(nearest, math.hypot(ax + share * (bx - ax) - px, ay + share * (by - ay) - py))
    return nearest - radius


def ran_into_walls(start: TrainedStart) -> list[EvaluationRun]:
    return [run for run in start.before.failures if run.reason == "ran into a wall"]


@pytest.mark.parametrize("figure", setup_figures())
def test_three_of_three_random_starts_generalise_and_untrained_ones_fail(figure: int) -> None:
    setup = load_setup(figure)
    for seed in STARTS:
        start = train_start(setup, seed)
        trained = start.trained
        assert trained.reached
        assert [step.error <= LEVEL for step in trained.learning_steps[-TIMES:]] == [True] * TIMES
        assert start.generalises, [str(run) for run in start.after.failures]
        assert min(gap(run, setup.model.radius) for run in start.after.runs) > GAP
        assert not start.before.succeeded
        assert all(abs(gap(run, setup.model.radius) - GAP) < 1e-6 for run in ran_into_walls(start))
        assert {step.world for step in trained.learning_steps} == {plan.name for plan in setup.training_plans}


@pytest.mark.parametrize("figure", [42, 48, 49])
def test_a_trained_robot_comes_nearer_to_the_middle_of_most_corridors_than_it_began(figure: int) -> None:
    """Most, not all: one run of Frank2 in a hundred stays as far off the middle as it began (decision 13)."""
    setup = load_setup(figure)
    runs = evaluate(setup, Training(setup, 1).run().network).runs
    shares = []
    for run in runs:
        begun = run.path[0]
        assert isinstance(run.plan, Corridor)
        assert run.off_middle is not None
        shares.append(run.off_middle / math.dist(begun, run.plan.at(run.plan.along(begun))[0]))
    assert median(shares) < 0.5
    assert sum(share < 1.0 for share in shares) >= len(shares) - 1


@pytest.mark.parametrize("seed", [201, 202])
def test_frank2_stays_within_200_mm_of_the_middle_of_corridors(seed: int) -> None:
    """Seeds that the setup was not chosen with. With 0.75 for its ``lessens_to`` both are 440 mm off and more."""
    setup = load_setup(48)
    off = [run.off_middle for run in evaluate(setup, Training(setup, seed).run().network).runs if run.succeeded]
    assert len(off) == 8
    assert median(each for each in off if each is not None) < 0.2


@pytest.mark.soak
@pytest.mark.parametrize("figure", setup_figures())
def test_nine_of_ten_more_random_starts_generalise_each_in_under_a_minute(figure: int) -> None:
    setup = load_setup(figure)
    starts = [train_start(setup, seed) for seed in MORE]
    print(table_text(setup, starts))
    assert sum(start.generalises and start.trained.reached for start in starts) >= 9
    assert not any(start.before.succeeded for start in starts)
    assert max(start.trained.processor_time for start in starts) < 60.0


@pytest.mark.parametrize("figure", setup_figures())
def test_equal_seeds_give_identical_weights(figure: int) -> None:
    first, again, other = (Training(load_setup(figure), seed).run(most=120) for seed in (5, 5, 6))
    assert first.network.layers == again.network.layers
    assert first.learning_steps == again.learning_steps
    assert first.network.layers != other.network.layers


@pytest.mark.parametrize("figure", [40, 42])
def test_the_direction_is_reversed_every_fifty_steps(figure: int) -> None:
    training = Training(load_setup(figure), 1)
    turns: list[int] = []

    turn = training.controller.mobile.turn

    def watched(angle: float):  # type: ignore[no-untyped-def]
        if angle == math.pi:
            turns.append(len(training.learning_steps))
        return turn(angle)

    training.controller.mobile.turn = watched  # type: ignore[method-assign]
    training.run(most=210)
    assert turns == [50, 100, 150, 200]


def test_learning_continues_in_one_world_until_it_is_mastered() -> None:
    trained = Training(load_setup(40), 1).run()
    worlds = [step.world for step in trained.learning_steps]
    changes = [k for k in range(1, len(worlds)) if worlds[k] != worlds[k - 1]]
    assert worlds[0] == "first room"
    assert all(k % 100 == 0 for k in changes)


def test_a_training_in_a_world_that_differs_is_looked_at_in_that_world(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Variation] = []

    def watched(*arguments):  # type: ignore[no-untyped-def]
        seen.append(arguments[-1])
        return evaluation.evaluation_run(*arguments)

    monkeypatch.setattr("drycell.learn.training.evaluation_run", watched)
    worn = Variation(noise=Noise(gain=1.05), slip=0.01)
    Training(load_setup(47), 1, variation=worn).run(most=150)
    assert seen
    assert all(each == worn for each in seen)


def test_a_training_that_does_not_converge_says_so() -> None:
    trained = Training(load_setup(42), 1).run(most=20)
    assert not trained.reached
    assert trained.steps == 20


def test_the_table_stands_beside_the_thesis() -> None:
    setup = load_setup(40)
    start = train_start(setup, 3)
    text = table_text(setup, [start, TrainedStart(start.trained, start.after, start.before)])
    assert "thesis, table 30" in text
    assert "967 steps, 16 h, 0.08" in text
    assert "0/4, 4/4 generalises" in text
    assert "4/4, 0/4 FAILS" in text
    assert text.endswith("1 of 2 generalise; before training 1 of 2")
    assert set(TABLES) == {40, 42, 49}
