"""Robots: mechanisms with their kinematics, the library of robots that come with drycell, and how they move.

May use units, errors, spatial, kernel, geometry and world; knows nothing of sensors, devices or cells.
"""

from drycell.robots.dh import DHRow, mechanism_from_dh
from drycell.robots.joint import Joint
from drycell.robots.link import Drive, Inertia, Link, Mark
from drycell.robots.mechanism import Mechanism

__all__ = [
    "DHRow",
    "Drive",
    "Inertia",
    "Joint",
    "Link",
    "Mark",
    "Mechanism",
    "mechanism_from_dh",
]
