"""A network trained in the virtual world succeeds at once in a real one, where an untrained one fails (L4)."""

from dataclasses import replace
from functools import cache

import pytest

from drycell.base import DrycellError, FieldError
from drycell.kernel import Streams
from drycell.learn import Trained, Training, evaluate
from drycell.learn.calibration import Calibrated, CalibrationSample, estimate, log_use
from drycell.learn.controller import load_setup, setup_figures
from drycell.learn.robot import Mobile
from drycell.learn.transfer import REAL, Transfer, compare_transfer, real_plan, refine

WEIGHTS, WORLD = 1, 5  # seeds


@cache
def trained(figure: int) -> Trained:
    return Training(load_setup(figure), WEIGHTS).run(most=5000)


@cache
def compared(figure: int, world: int = WORLD) -> Transfer:
    setup = load_setup(figure)
    return compare_transfer(setup, trained(figure).network, setup.network(Streams(70 + world).of("weights")), world)


ROOMS = [(figure, world) for figure in (40, 47) for world in (1, 2, 3)]
LONGER = [(figure, world) for figure in setup_figures() for world in range(1, 9) if (figure, world) not in ROOMS]


@pytest.mark.parametrize(
    ("figure", "world"), [*ROOMS, *(pytest.param(*each, marks=pytest.mark.soak) for each in LONGER)]
)
def test_trained_in_the_virtual_world_it_manages_the_real_one_at_once_and_after_refining(
    figure: int, world: int
) -> None:
    """In any real world: refining at the full training rate would spoil the network in one of two worlds."""
    found = compared(figure, world)
    assert found.trained.refinement.steps == found.untrained.refinement.steps == 98
    assert found.trained.before.succeeded
    assert found.trained.after.succeeded
    assert found.trained.refinement.first_error < found.untrained.refinement.first_error
    if load_setup(figure).objective == 1:  # in corridors, driving straight on is tried first
        assert found.trained.refinement.wrong <= found.untrained.refinement.wrong


@pytest.mark.parametrize("figure", [40, *(pytest.param(each, marks=pytest.mark.soak) for each in (42, 47, 48, 49))])
def test_untrained_networks_fail_in_the_real_world_and_few_succeed_after_equally_many_steps(figure: int) -> None:
    found = [compared(figure, world).untrained for world in range(1, 9)]
    assert not any(side.before.succeeded for side in found)
    assert sum(side.after.succeeded for side in found) <= 1


def test_the_table_reports_both_sides() -> None:
    head, virtual, scratch = str(compared(40)).splitlines()
    assert head.split()[0] == "network"
    assert virtual.split()[0] == "trained"
    assert scratch.split()[0] == "untrained"
    assert "98" in virtual.split()


def test_the_real_plan_is_one_that_no_training_or_test_uses() -> None:
    for figure in (40, 42, 47, 48):
        setup = load_setup(figure)
        known = [plan.walls for plan in (*setup.training_plans, *setup.test_plans)]
        assert real_plan(setup).walls not in known


def test_refining_changes_a_copy_and_equal_seeds_refine_identically() -> None:
    setup, network = load_setup(40), trained(40).network
    before = [[list(row) for row in layer] for layer in network.layers]
    one, again = (refine(setup, network, WORLD, 20) for _ in range(2))
    assert network.layers == before != one.network.layers
    assert one.network.layers == again.network.layers


def test_no_steps_are_not_refining() -> None:
    with pytest.raises(FieldError, match="0 refining steps"):
        refine(load_setup(40), trained(40).network, WORLD, 0)


def test_gain_and_offset_of_the_real_sensors_are_found_from_use() -> None:
    setup, real = load_setup(40), replace(REAL, seed=WORLD)
    network = compared(40).trained.refinement.network
    found = estimate(setup, log_use(setup, network, real_plan(setup), real, 3))
    assert set(found) == set(setup.inputs.values())
    for name, each in found.items():
        true = real.noise_of(name, setup.model.sensors(setup.arrangement)[name].model.noise)
        assert each.gain == pytest.approx(true.gain, abs=0.008)
        assert each.offset == pytest.approx(true.offset, abs=0.015)


def test_the_calibrated_model_reads_as_the_real_robot_does() -> None:
    """The refined network, carried back: at the same places the calibrated virtual robot reads as the real one."""
    setup, real, plan = load_setup(40), replace(REAL, seed=WORLD), real_plan(load_setup(40))
    network = compared(40).trained.refinement.network
    model = Calibrated(estimates=estimate(setup, log_use(setup, network, plan, real, 3)))
    names = tuple(setup.inputs.values())
    quiet = replace(real, noise=replace(real.noise, sigma=0.0))
    off = {"virtual": 0.0, "calibrated": 0.0}
    for place in ((2.0, 2.0, 0.0), (3.5, 1.5, 1.5708), (2.5, 3.0, 3.1416), (4.0, 2.4, 0.0)):
        true = Mobile(setup.model, plan, place, variation=quiet).read(names)
        for kind, variation in (("virtual", None), ("calibrated", model)):
            robot = Mobile(setup.model, plan, place, **({} if variation is None else {"variation": variation}))
            off[kind] += sum(abs(float(true[name]) - float(value)) for name, value in robot.read(names).items())
    assert off["calibrated"] < off["virtual"] / 2
    assert evaluate(setup, network, [plan], variation=model).succeeded


def test_samples_that_do_not_belong_together_are_refused() -> None:
    setup = load_setup(40)
    wrong = {
        "sonar1": [
            CalibrationSample(distance, 300.0 * distance) for distance in (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5)
        ]
    }
    with pytest.raises(DrycellError, match="a gain of"):
        estimate(setup, wrong)


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(DrycellError, match="8 samples"):
        estimate(load_setup(40), {"sonar1": [CalibrationSample(1.0, 39.0)]})
