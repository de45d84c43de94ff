"""Pre-emptive learning: controllers of mobile robots trained in virtual worlds and carried over to other ones.

Beside the languages; may use all that a cell is made of.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.learn.data import ENDING as ENDING
    from drycell.learn.evaluation import Evaluation as Evaluation, Outing as Outing, evaluate as evaluate
    from drycell.learn.figures import save_curve as save_curve, save_ways as save_ways
    from drycell.learn.film import check_outings as check_outings, save_outings as save_outings
    from drycell.learn.table import table_text as table_text, train_start as train_start
    from drycell.learn.training import Lesson as Lesson, Trained as Trained, Training as Training
    from drycell.learn.weights import load_weights as load_weights, save_weights as save_weights
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
