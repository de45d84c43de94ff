"""Inverse kinematics through the public ``inverse()`` against the bare EAIK call on the same poses.

drycell chooses the nearest solution or the required configuration, within limits and turns, and verifies it by forward
kinematics; EAIK returns all solutions. Both run alternately in one process, and the best round of each counts.
"""

import gc
import random
from time import perf_counter
from typing import Final

import numpy as np

_POSES: Final = 200
_ROUNDS: Final = 500
_STEP: Final = 0.1  # rad: maximum distance of each joint from the pose before
_ROBOT: Final = "puma560"


def ik_vs_eaik() -> float:
    """The time of one solution of a PUMA 560 over that of the bare call; half of the poses require a configuration."""
    from eaik.IK_DH import DhRobot

    from drycell.robots import load_robot

    robot = load_robot(_ROBOT)
    stream = random.Random(1)
    poses, nears, choices = [], [], []
    for number in range(_POSES):
        joints = [stream.uniform(joint.lower, joint.upper) for joint in robot.joints]
        near = [
            min(max(value + stream.uniform(-_STEP, _STEP), joint.lower), joint.upper)
            for value, joint in zip(joints, robot.joints, strict=True)
        ]
        pose = robot.forward(joints)
        poses.append(pose)
        nears.append(near)
        choices.append(robot.inverse(pose, near).configuration if number % 2 else None)
    half = np.pi / 2
    bare = DhRobot(  # the table of library/puma560.yaml
        np.array((half, 0.0, -half, half, -half, 0.0)),
        np.array((0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0)),
        np.array((0.6718, 0.0, 0.15005, 0.4318, 0.0, 0.05625)),
    )
    matrices = [pose.matrix for pose in poses]
    ours = theirs = float("inf")
    gc.collect()
    for _ in range(_ROUNDS):
        start = perf_counter()
        for pose, near, choice in zip(poses, nears, choices, strict=True):
            robot.inverse(pose, near, choice)
        middle = perf_counter()
        for matrix in matrices:
            _ = bare.IK(matrix).Q  # read the solutions, as a caller would
        end = perf_counter()
        ours, theirs = min(ours, middle - start), min(theirs, end - middle)
    return ours / theirs
