"""Counts and joint angles belong together both ways, and a calibration that says nothing is refused."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from drycell.base import FieldError, FileError, deg
from drycell.cell import Cell
from drycell.robots import Robot, load_robot
from drycell.scorbot import SCORBOT, Calibration, load_calibration

FILE = """\
counts_per_degree:
  - [100, 0, 0, 0, 0]
  - [0, 100, 0, 0, 0]
  - [0, 100, 100, 0, 0]
  - [0, 0, 0, 25, 25]
  - [0, 0, 0, 25, -25]
home: [0 deg, 0 deg, 0 deg, 0 deg, 0 deg]
tolerance: 4
"""


def test_home_is_169_mm_in_front_of_the_base_and_504_mm_above_it() -> None:
    assert SCORBOT.counts(SCORBOT.home) == (0, 0, 0, 0, 0)
    tool = Cell("arm").add("arm", Robot("scorbot-er3", gripper="two-finger")).tool
    x, y, z = (load_robot("scorbot-er3").forward(SCORBOT.home) @ tool).position
    assert (x, y, z) == pytest.approx((0.1693, 0.0, 0.5043), abs=1e-4)


@given(st.lists(st.integers(-20_000, 20_000), min_size=5, max_size=5))
def test_counts_come_back_from_the_angles_they_are(counts: list[int]) -> None:
    assert SCORBOT.counts(SCORBOT.joints(counts)) == tuple(counts)


def test_motors_may_act_on_several_joints(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(FILE)
    made = load_calibration(path)
    assert made.tolerance == 4
    assert made.counts((0, 10 * deg, 0, 2 * deg, 4 * deg)) == (0, 1000, 1000, 150, -50)
    assert made.joints((0, 1000, 1000, 150, -50)) == pytest.approx((0, 10 * deg, 0, 2 * deg, 4 * deg))


def test_impossible_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FieldError, match="for 2 axes, home for 1"):
        Calibration((1.0, 2.0), (0.0,))
    with pytest.raises(FieldError, match="is singular"):
        Calibration(((1.0, 1.0), (1.0, 1.0)), (0.0, 0.0))
    path = tmp_path / "arm.yaml"
    path.write_text("counts_per_degree: [1, 2]\nhome: [45, 90 deg]\nspeed: 3\n")
    with pytest.raises(FileError) as caught:
        load_calibration(path)
    assert "arm.yaml:2:8: home[0]: " in str(caught.value)
    assert "arm.yaml:3:1: speed: there is no such field" in str(caught.value)
