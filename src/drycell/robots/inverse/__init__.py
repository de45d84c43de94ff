"""Inverse kinematics: from a pose of the flange to joint values, by the quickest way the mechanism's geometry allows.

Arms and machines of known kinds are solved in closed form, including their singularities (arm.py, machine.py). The
rest is solved by Levenberg–Marquardt (numeric.py). Nothing leaves this package that forward kinematics has
not verified.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.robots.inverse.choice import Inverse as Inverse
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
