"""A network for the inverse kinematics of an arm as it was made, not as it was drawn (thesis, figure 7).

May use robots; knows nothing of the mobile robots and their worlds.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.learn.inverse.correction import (
        Correction as Correction,
        Poses as Poses,
        learn_correction as learn_correction,
        measured_poses as measured_poses,
    )
    from drycell.learn.inverse.manufacturing import Tolerances as Tolerances, manufactured as manufactured
    from drycell.learn.inverse.regression import Perceptron as Perceptron, fit as fit
    from drycell.learn.inverse.report import Comparison as Comparison, Errors as Errors, compare as compare
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
