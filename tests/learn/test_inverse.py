"""A network beside nominal inverse kinematics beats it on an arm with manufacturing errors (thesis, figure 7)."""

from functools import cache

import numpy as np
import pytest

from drycell.base import DrycellError, FieldError, deg, mm
from drycell.learn.inverse import (
    Comparison,
    Correction,
    Tolerances,
    compare_inverse,
    fit,
    learn_correction,
    manufactured,
    measured_poses,
)
from drycell.robots import Mechanism, load_robot

SPECIMEN, MEASURED, JUDGED = 7, 1, 2  # seeds


@cache
def learnt(robot: str) -> tuple[Mechanism, Correction, Comparison]:
    nominal = load_robot(robot)
    real = manufactured(nominal, SPECIMEN)
    correction = learn_correction(nominal, measured_poses(nominal, real, 400, MEASURED, noise=0.05 * mm), rounds=200)
    return real, correction, compare_inverse(correction, real, 200, JUDGED)


@pytest.mark.parametrize("robot", ["puma560", "ur5-like", "irb2000-like"])
def test_the_network_beats_the_nominal_solution_on_poses_not_trained(robot: str) -> None:
    found = learnt(robot)[2]
    assert found.nominal.median > 1 * mm
    assert found.corrected.median < found.nominal.median / 5
    assert found.corrected.most < found.nominal.most / 4
    assert found.corrected.median_angle < found.nominal.median_angle / 4
    assert found.corrected.most_angle < found.nominal.most_angle / 3


def test_it_is_the_arm_as_made_that_gets_there() -> None:
    """By hand, for one pose: forward kinematics of the specimen, which the network has never been shown."""
    real, correction, found = learnt("puma560")
    nominal = correction.nominal
    pose = nominal.forward(nominal.home)
    by_nominal = real.forward(nominal.inverse(pose).joints)
    by_network = real.forward(correction.inverse(pose))
    off = [float(np.linalg.norm(each.translation - pose.translation)) for each in (by_nominal, by_network)]
    assert off[1] < off[0] / 3
    assert off[0] < 2 * found.nominal.most


def test_an_arm_without_errors_needs_no_correction() -> None:
    nominal = load_robot("puma560")
    exact = manufactured(nominal, SPECIMEN, Tolerances(length=0.0, angle=0.0))
    found = measured_poses(nominal, exact, 30, MEASURED)
    correction = learn_correction(nominal, found, nodes=4, rounds=50)
    assert float(np.abs(correction.miss(nominal.home)).max()) < 1e-12


def test_specimens_differ_by_their_seed_and_by_nothing_else() -> None:
    nominal = load_robot("ur5-like")
    one, again, other = (manufactured(nominal, seed) for seed in (1, 1, 2))
    assert one.forward(nominal.home) == again.forward(nominal.home) != other.forward(nominal.home)
    assert one.joints == nominal.joints
    assert [link.shape for link in one.links] == [link.shape for link in nominal.links]


def test_equal_seeds_give_identical_networks() -> None:
    stream = np.random.default_rng(0)
    inputs, wanted = stream.normal(size=(300, 5)), stream.normal(size=(300, 2))
    one, again, other = (fit(inputs, wanted, nodes=8, seed=seed, rounds=30) for seed in (4, 4, 5))
    assert (one.hidden == again.hidden).all()
    assert (one.output == again.output).all()
    assert (one.hidden != other.hidden).any()


def test_more_poses_than_a_piece_give_the_gradient_of_all_of_them() -> None:
    """Many rows are processed in pieces; the network still learns a function that it can represent."""
    stream = np.random.default_rng(1)
    inputs = stream.uniform(-1.0, 1.0, (40000, 2))
    wanted = np.tanh(inputs @ np.array([[0.7], [-0.4]]))
    found = fit(inputs, wanted, nodes=6, seed=0, decay=0.0, rounds=60)
    assert float(np.abs(found(inputs) - wanted).max()) < 0.01


def test_tolerances_that_are_not_manufacturing_errors_are_refused() -> None:
    with pytest.raises(FieldError, match=r"0\.1 m"):
        Tolerances(length=500.0, angle=0.1 * deg)


def test_too_few_poses_are_refused_with_how_many_are_wanted() -> None:
    nominal = load_robot("puma560")
    few = measured_poses(nominal, nominal, 5, MEASURED)
    with pytest.raises(DrycellError, match="5 measured poses") as refused:
        learn_correction(nominal, few)
    assert "at least 24" in str(refused.value)


def test_an_arm_that_cannot_take_any_pose_is_refused() -> None:
    arm = load_robot("scorbot-er3")
    with pytest.raises(DrycellError, match="5 of its 5 joints are revolute"):
        measured_poses(arm, arm, 3, MEASURED)


def test_an_arm_that_is_singular_all_round_is_refused() -> None:
    arm = load_robot("puma560")  # in the middle of its range the wrist is straight
    with pytest.raises(DrycellError, match="only 0 of 300 poses of puma560 are away from singularities"):
        measured_poses(arm, arm, 3, MEASURED, share=0.001)
