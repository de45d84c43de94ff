"""Pre-emptive learning: controllers of mobile robots trained in virtual worlds and carried over to other ones.

Beside the languages; may use all that a cell is made of.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.learn.agv import Agv as Agv, Driver as Driver
    from drycell.learn.calibration import estimate as estimate, log_use as log_use
    from drycell.learn.data import ENDING as ENDING
    from drycell.learn.evaluation import Evaluation as Evaluation, Outing as Outing, evaluate as evaluate
    from drycell.learn.pictures import (
        check_outings as check_outings,
        save_curve as save_curve,
        save_outings as save_outings,
        save_ways as save_ways,
    )
    from drycell.learn.tables import table_text as table_text, train_start as train_start
    from drycell.learn.training import LearningStep as LearningStep, Trained as Trained, Training as Training
    from drycell.learn.transfer import (
        REAL as REAL,
        Refinement as Refinement,
        compare_transfer as compare_transfer,
        real_plan as real_plan,
    )
    from drycell.learn.weights import load_weights as load_weights, save_weights as save_weights
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
