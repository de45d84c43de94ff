"""The scripts of examples/70_learning run and print what they say they do."""

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from drycell.learn import Training, load_weights
from drycell.learn.controller import load_setup

FOLDER = Path(__file__).parents[2] / "examples" / "70_learning"


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    def run(script: str, *arguments: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", [script, *arguments])
        runpy.run_path(str(FOLDER / script), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    return run


def test_training_ends_in_rooms_that_were_not_seen(printed: Callable[..., list[str]]) -> None:
    said = printed("train/train.py")
    assert said[0] == "untrained: 0 of 4 runs succeeded"
    assert said[1].endswith("True")
    assert all("completed the lap in" in line for line in said[2:])
    assert len(said) == 6


def test_the_vehicles_weights_are_what_training_makes_today() -> None:
    setup = load_setup(40)
    stored = load_weights(FOLDER / "agv" / "weights.txt", setup)
    made = Training(setup, seed=1).run().network
    for ours, theirs in zip(made.layers[0], stored.layers[0], strict=True):
        assert ours == pytest.approx(theirs, rel=1e-6)


def test_transfer_prints_both_sides_and_what_the_sensors_are_like(printed: Callable[..., list[str]]) -> None:
    said = printed("transfer/transfer.py")
    assert said[1].split()[:3] == ["trained", "2/2", "98"]
    assert said[2].split()[:3] == ["untrained", "0/2", "98"]
    assert said[1].split()[-1] == "2/2"
    assert [line.split()[0] for line in said[4:]] == ["sonar1", "sonar5", "sonar13"]


def test_an_arm_learns_to_coat_parts_that_vary(printed: Callable[..., list[str]]) -> None:
    blind, by_hand, *generations, trained = printed("gym/surface.py", "2")
    assert blind.startswith("blind")
    assert by_hand.startswith("by hand")
    assert [line.split(":")[0] for line in generations] == ["generation  1", "generation  2"]
    assert trained.startswith("trained")


@pytest.mark.soak
def test_a_trained_arm_covers_more_with_less_than_a_blind_one(printed: Callable[..., list[str]]) -> None:
    said = printed("gym/surface.py")
    (covered, used), (better, less) = ((float(w[1][:-1]), float(w[5])) for w in (said[0].split(), said[-1].split()))
    assert better > 90.0 > 80.0 > covered
    assert less < 0.75 * used


@pytest.mark.soak
def test_the_network_for_inverse_kinematics_is_printed_beside_the_nominal_one(
    printed: Callable[..., list[str]],
) -> None:
    said = printed("inverse/inverse.py")
    medians = [float(line.split()[2]) for line in said if line.startswith("  ")]
    assert len(medians) == 6
    for nominal, network in zip(medians[::2], medians[1::2], strict=True):
        assert network < nominal / 5


def test_the_example_for_stable_baselines_says_what_it_needs_when_that_is_absent(
    printed: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    said = printed("gym/sb3.py")
    assert said[0].startswith("Stable-Baselines3 is not installed")
    assert said[-1].startswith("  pip install stable-baselines3")
