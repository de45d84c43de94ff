"""Mobile robots: their data, how they move between walls and read their sensors, and their own commands.

May use the worlds of learning; knows nothing of controllers.
"""

from drycell.learn.robot.commands import Frank2Commands, NomadCommands
from drycell.learn.robot.mobile import Leg, Mobile
from drycell.learn.robot.model import MobileModel, load_mobile, mobile_from_file, mobile_names

__all__ = [
    "Frank2Commands",
    "Leg",
    "Mobile",
    "MobileModel",
    "NomadCommands",
    "load_mobile",
    "mobile_from_file",
    "mobile_names",
]
