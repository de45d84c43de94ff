"""Robot descriptions from public packages: at least 95 % of them load, and none ends in a raw error of a library."""

import collections
import random
from pathlib import Path

import pytest

from drycell.base import DrycellError
from drycell.robots import robot_from_file


def described() -> list[Path]:
    """The URDF files of pybullet_data and, if it is installed, of example-robot-data."""
    import pybullet_data

    found = sorted(Path(pybullet_data.getDataPath()).rglob("*.urdf"))
    try:
        import example_robot_data
    except ImportError:
        return found
    return found + sorted(Path(example_robot_data.__file__).parents[4].rglob("example-robot-data/**/*.urdf"))


def failures(files: list[Path]) -> list[tuple[str, str]]:
    """The files that do not load, with the first line of the error. Other errors end the test."""
    failed = []
    for file in files:
        try:
            str(robot_from_file(file))
        except DrycellError as error:
            failed.append((file.name, str(error).splitlines()[0].removeprefix(f"{file}:").strip()))
    return failed


def test_a_sample_of_foreign_robots_loads() -> None:
    small = [file for file in described() if file.stat().st_size < 6000]
    sample = random.Random(19).sample(small, 24)
    assert len(failures(sample)) <= 1


def test_an_arm_with_a_hand_has_a_flange_and_a_gripper() -> None:
    import pybullet_data

    panda = robot_from_file(Path(pybullet_data.getDataPath()) / "franka_panda" / "panda.urdf")
    assert panda.dof == 7
    assert panda.links[panda.flange.link].name == "panda_hand"
    assert panda.gripper is not None
    assert panda.gripper.link_names == ("panda_leftfinger", "panda_rightfinger")


@pytest.mark.soak
def test_95_of_100_foreign_robots_load() -> None:
    files = described()
    failed = failures(files)
    print(f"{len(files) - len(failed)} of {len(files)} foreign robots load")
    for what, count in collections.Counter(text for _, text in failed).most_common():
        print(f"  {count:4d}  {what}")
    assert len(failed) <= 0.05 * len(files)
    others = [file for file in files if "random_urdfs" not in file.parts]  # a thousand of one kind must not hide them
    assert len(failed) <= 0.05 * len(others)
