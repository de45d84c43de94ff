"""Arms and cells for the tests of motion."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from drycell.base import IDENTITY, Pose
from drycell.kernel import Kernel, Outcome
from drycell.robots import (
    Arm,
    DHRow,
    Drive,
    Joint,
    Link,
    LiveRobot,
    Mark,
    Mechanism,
    MotionController,
    mechanism_from_dh,
)
from drycell.world import World


def _six_axis() -> Mechanism:
    """A 6R arm with the dimensions of a UR5 and round limits: π rad/s, 8 rad/s², 60 rad/s³."""
    names = ("waist", "shoulder", "elbow", "wrist1", "wrist2", "wrist3")
    joints = [Joint(name, "revolute", -2 * math.pi, 2 * math.pi, math.pi, 8.0, 60.0) for name in names]
    rows = [
        DHRow(alpha=math.pi / 2, d=0.089159),
        DHRow(a=-0.425),
        DHRow(a=-0.39225),
        DHRow(alpha=math.pi / 2, d=0.10915),
        DHRow(alpha=-math.pi / 2, d=0.09465),
        DHRow(d=0.0823),
    ]
    return mechanism_from_dh("six axes", joints, rows, home=(0.0, -1.2, 1.2, -1.5, -1.57, 0.0))


def _gantry() -> Mechanism:
    """Three slides of 2 m along x, y, z: 1 m/s, 2 m/s², 20 m/s³ each."""
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    joints = tuple(Joint(name, "prismatic", -1.0, 1.0, 1.0, 2.0, 20.0) for name in "xyz")
    links = tuple(
        Link(f"slide_{joint.name}", k - 1, drives=(Drive(k, "prismatic", axes[k]),)) for k, joint in enumerate(joints)
    )
    return Mechanism("gantry", joints, links, Mark(2))


@pytest.fixture(scope="session")
def six_axis() -> Mechanism:
    return _six_axis()


@pytest.fixture(scope="session")
def gantry() -> Mechanism:
    return _gantry()


@pytest.fixture(scope="session")
def arm(six_axis: Mechanism) -> Arm:
    """The 6R arm with a tool of 100 mm."""
    return Arm("arm", six_axis, Pose(0.0, 0.0, 0.1))


@dataclass
class Scene:
    """An empty cell, robots in it, and a run of some programs."""

    kernel: Kernel = field(default_factory=lambda: Kernel(seed=7))

    def __post_init__(self) -> None:
        self.world = World(self.kernel)

    def robot(
        self, mechanism: Mechanism, name: str = "arm", controller: MotionController | None = None, at: Pose = IDENTITY
    ) -> LiveRobot:
        tool = Pose(0.0, 0.0, 0.1) if mechanism.dof == 6 else IDENTITY
        return LiveRobot(self.kernel, self.world, name, mechanism, controller=controller, at=at, tool=tool)

    def run(self, *programs: Callable[[], object]) -> Outcome:
        for program in programs:
            self.kernel.spawn(program)
        return self.kernel.run()


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def new_scene() -> type[Scene]:
    """For tests that compare several runs."""
    return Scene
