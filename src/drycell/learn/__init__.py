"""Pre-emptive learning: train the controllers of mobile robots in virtual worlds, and transfer them to others.

The package may use everything up to the languages.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.learn.agv import Agv as Agv, Driver as Driver
    from drycell.learn.calibration import estimate as estimate, log_use as log_use
    from drycell.learn.data import ENDING as ENDING
    from drycell.learn.evaluation import Evaluation as Evaluation, EvaluationRun as EvaluationRun, evaluate as evaluate
    from drycell.learn.inverse import (
        compare_inverse as compare_inverse,
        learn_correction as learn_correction,
        manufactured as manufactured,
        measured_poses as measured_poses,
    )
    from drycell.learn.pictures import (
        check_run_film as check_run_film,
        save_curve as save_curve,
        save_paths as save_paths,
        save_run_film as save_run_film,
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
