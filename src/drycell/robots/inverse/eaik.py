"""EAIK: the closed form of one to six revolute axes at the speed of C++.

What it returns is to be taken only as far as forward kinematics bears it out: there are rows that are least-squares
fits of poses out of reach, and rows that are plainly wrong (within 1e-7 rad of the wrist singularity).
"""

from itertools import pairwise

import numpy as np

from drycell.base import Array, Pose
from drycell.robots.inverse.screws import Screws


class Eaik:
    """EAIK's robot for axes that are all revolute."""

    def __init__(self, screws: Screws) -> None:
        from eaik.pybindings.EAIK import Robot

        points = [np.zeros(3), *screws.points, screws.flange.translation]
        offsets = np.stack([b - a for a, b in pairwise(points)], axis=1)
        robot = Robot(np.stack(screws.axes, axis=1), offsets, screws.flange.rotation, [], True)
        self.known: bool = robot.has_known_decomposition()
        self.solve = robot.calculate_IK

    def rows(self, pose: Pose) -> Array:
        """(n, dof): what EAIK takes for solutions, angles in −π…π. Unverified."""
        rows: Array = self.solve(pose.matrix).Q
        return rows
