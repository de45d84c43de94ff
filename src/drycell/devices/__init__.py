"""Devices: small state machines with named signals and motions. A gripper; a robot that handles parts with one.

May use everything below: kernel, geometry, world, robots, handling, sensors.
"""

from drycell.devices.gripper import Gripper
from drycell.devices.handling_robot import HandlingRobot

__all__ = ["Gripper", "HandlingRobot"]
