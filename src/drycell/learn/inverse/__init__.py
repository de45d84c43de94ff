"""A network for the inverse kinematics of an arm as it was made, not as it was drawn (thesis, figure 7).

May use robots; knows nothing of the mobile robots and their worlds.
"""

from drycell.learn.inverse.correction import Correction, Poses, learn_correction, measured_poses
from drycell.learn.inverse.manufacturing import Tolerances, manufactured
from drycell.learn.inverse.regression import Perceptron, fit
from drycell.learn.inverse.report import Comparison, Errors, compare

__all__ = [
    "Comparison",
    "Correction",
    "Errors",
    "Perceptron",
    "Poses",
    "Tolerances",
    "compare",
    "fit",
    "learn_correction",
    "manufactured",
    "measured_poses",
]
