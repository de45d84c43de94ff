"""Inverse kinematics: from a pose of the flange to joint values, by the fastest method for its geometry.

Arms and machines of known kinds are solved in closed form, including their singularities (arm.py, machine.py). All
others are solved by Levenberg–Marquardt (numeric.py). Forward kinematics verifies every solution before it is returned.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.robots.inverse.choice import Inverse as Inverse
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
