"""Shared by the tests of the world: a clock that is set by hand, and a small six-axis arm."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from drycell.base import Pose
from drycell.world import JointTrajectory, Linkage, LiveBody, World


class HandClock:
    """A present that tests set themselves."""

    def __init__(self) -> None:
        self.now = 0


class SmallArm:
    """Six revolute axes in a row, by Denavit-Hartenberg rows (a, alpha, d): UR5-like when scale is 1."""

    rows = (
        (0.0, math.pi / 2, 0.089),
        (-0.425, 0.0, 0.0),
        (-0.392, 0.0, 0.0),
        (0.0, math.pi / 2, 0.109),
        (0.0, -math.pi / 2, 0.095),
        (0.0, 0.0, 0.082),
    )
    dof = 6
    link_names = tuple(f"link{i}" for i in range(1, 7))

    def __init__(self, scale: float = 1.0) -> None:
        self._fixed = [Pose(a * scale, 0.0, d * scale) @ Pose.turn_x(alpha) for a, alpha, d in self.rows]
        self._lengths = [math.hypot(a, d) * scale for a, _, d in self.rows]

    def link_poses(self, joints: Sequence[float]) -> list[Pose]:
        poses, pose = [], Pose()
        for angle, fixed in zip(joints, self._fixed, strict=True):
            pose = pose @ Pose.turn_z(angle) @ fixed
            poses.append(pose)
        return poses

    def link_positions(self, joints):
        n = len(joints)
        positions, rotations = np.empty((n, 6, 3)), np.empty((n, 6, 3, 3))
        R, p = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3))
        for k, fixed in enumerate(self._fixed):
            turn = np.zeros((n, 3, 3))
            turn[:, 0, 0] = turn[:, 1, 1] = np.cos(joints[:, k])
            turn[:, 1, 0] = np.sin(joints[:, k])
            turn[:, 0, 1] = -turn[:, 1, 0]
            turn[:, 2, 2] = 1.0
            R = R @ turn
            p = p + R @ fixed.translation
            R = R @ fixed.rotation
            positions[:, k], rotations[:, k] = p, R
        return positions, rotations

    def levers(self):
        return np.array([[sum(self._lengths[k : i + 1]) if i >= k else 0.0 for i in range(6)] for k in range(6)])

    def turns(self):
        return np.triu(np.ones((6, 6)))

    def between(self, one, other):
        low = min(one, other)
        both = np.array([k <= low for k in range(6)])[:, None]  # joints that move the two together
        pick = [one, other]
        return np.where(both, 0.0, self.levers()[:, pick]), np.where(both, 0.0, self.turns()[:, pick])


def ease(start: int, a: Sequence[float], b: Sequence[float], seconds: float) -> JointTrajectory:
    """From joints to joints along 3s² − 2s³, at rest at both ends."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    coefficients = np.zeros((1, 4, len(a)))
    coefficients[0, 0] = a
    coefficients[0, 2] = 3 * (b - a) / seconds**2
    coefficients[0, 3] = -2 * (b - a) / seconds**3
    return JointTrajectory(start, np.array([0.0, seconds]), coefficients)


def stand_arm(world: World, name: str = "arm", pose: Pose | None = None, shapes=None, scale: float = 1.0) -> Linkage:
    """An arm with a base body, standing in the world; ``shapes`` is one a link."""
    base = world.add(LiveBody(name), None, pose or Pose())
    kinematics = SmallArm(scale)
    links = [LiveBody(f"{name}/{each}", shapes[i] if shapes else None) for i, each in enumerate(kinematics.link_names)]
    linkage = Linkage(world, name, kinematics, base, links, [0.0, -1.2, 1.2, -1.5, -1.57, 0.0])
    world.add_linkage(linkage)
    return linkage


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def world(clock: HandClock) -> World:
    return World(clock)


@pytest.fixture(scope="session")
def make_world():
    """A function that makes a fresh clock and world, for property tests."""

    def make() -> tuple[HandClock, World]:
        clock = HandClock()
        return clock, World(clock)

    return make


@pytest.fixture(scope="session")
def arm_kit():
    """The functions ``ease`` and ``stand_arm``."""

    class Kit:
        pass

    Kit.ease, Kit.stand = staticmethod(ease), staticmethod(stand_arm)
    return Kit
