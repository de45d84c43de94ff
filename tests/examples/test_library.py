"""The cycle times of the library are those of the moves that the example describes."""

import importlib.util
import math
from itertools import pairwise
from pathlib import Path

import pytest

from drycell import Cell, Robot, mm
from drycell.robots import load_robot

FOLDER = Path(__file__).parents[2] / "examples" / "02_library"


@pytest.fixture(scope="module")
def library():
    spec = importlib.util.spec_from_file_location("library_example", FOLDER / "cell.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def alone(travel: float, speed: float, acceleration: float, jerk: float) -> float:
    """The duration of a jerk-limited move, from rest to rest."""
    if travel >= speed * (speed / acceleration + acceleration / jerk):
        return travel / speed + speed / acceleration + acceleration / jerk
    if travel >= 2 * acceleration**3 / jerk**2:  # the speed is not reached
        rise = acceleration / jerk
        return rise + math.sqrt(rise * rise + 4 * travel / acceleration)
    return 4 * (travel / 2 / jerk) ** (1 / 3)


@pytest.mark.parametrize("name", ["gp25", "kr10-r1100-2", "irb120"])
def test_the_cycle_takes_less_than_its_moves_one_by_one_and_more_than_the_longest(library, name: str) -> None:
    arm = load_robot(name)
    pick, place = library.task(arm)
    assert math.dist(pick.position, place.position) == pytest.approx(305 * mm, abs=1e-9)
    joints = [arm.inverse(pick, near=arm.home).joints]
    for pose in (pick.moved(0, 0, 25 * mm), place.moved(0, 0, 25 * mm), place):
        joints.append(arm.inverse(pose, near=joints[-1]).joints)
    legs = []
    for here, there in pairwise(joints):
        shares = [abs(b - a) for a, b in zip(here, there, strict=True)]
        far = max(shares)
        limits = [
            min(
                getattr(joint, what) * far / share
                for joint, share in zip(arm.joints, shares, strict=True)
                if share > 1e-9
            )
            for what in ("speed", "acceleration", "jerk")
        ]
        legs.append(alone(far, *limits))
    cell, times = Cell(), {}
    live = cell.add(name, Robot(name))
    cell.program(lambda: library.cycle(live, times), name="cycle")
    cell.run()
    assert 2 * max(legs) < times[name] < 2 * sum(legs)
    row = next(line for line in (FOLDER / "expected.txt").read_text().splitlines() if line.startswith(f"{name} "))
    assert f"{times[name]:.2f} s" in row


def test_every_arm_of_a_maker_is_in_the_table() -> None:
    from drycell.robots import robot_heads

    table = (FOLDER / "expected.txt").read_text().split("\n\n")[0].splitlines()[1:]
    assert sorted(line.split()[0] for line in table) == sorted(n for n, head in robot_heads().items() if head.maker)
