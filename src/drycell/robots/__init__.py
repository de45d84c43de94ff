"""Robots: mechanisms with their kinematics, the library of robots that come with drycell, how they move and grip.

May use units, errors, spatial, kernel, geometry, world and cell; knows nothing of sensors or devices.
"""

from drycell.robots.arm import Arm
from drycell.robots.catalogue import load_family, load_robot, robot_from_file, robot_names
from drycell.robots.configuration import Configuration
from drycell.robots.controller import MotionController
from drycell.robots.dh import DHRow, mechanism_from_dh
from drycell.robots.family import Family
from drycell.robots.gripper import Gripper
from drycell.robots.independent_controller import IndependentController
from drycell.robots.joint import Joint
from drycell.robots.link import Drive, Inertia, Link, Mark
from drycell.robots.mechanism import Mechanism
from drycell.robots.move import Move
from drycell.robots.plan import Plan
from drycell.robots.reach import OutOfReach, Reach, Solution
from drycell.robots.robot import LiveRobot, Robot, Tool
from drycell.robots.standard_controller import StandardController
from drycell.robots.stepping_controller import SteppingController
from drycell.robots.target import Place, Spot, above, approach, offset, shifted, turned
from drycell.robots.timelaw import Limits, TimeLaw, time_law

__all__ = [
    "Arm",
    "Configuration",
    "DHRow",
    "Drive",
    "Family",
    "Gripper",
    "IndependentController",
    "Inertia",
    "Joint",
    "Limits",
    "Link",
    "LiveRobot",
    "Mark",
    "Mechanism",
    "MotionController",
    "Move",
    "OutOfReach",
    "Place",
    "Plan",
    "Reach",
    "Robot",
    "Solution",
    "Spot",
    "StandardController",
    "SteppingController",
    "TimeLaw",
    "Tool",
    "above",
    "approach",
    "load_family",
    "load_robot",
    "mechanism_from_dh",
    "offset",
    "robot_from_file",
    "robot_names",
    "shifted",
    "time_law",
    "turned",
]
