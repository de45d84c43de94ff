"""The controller of figure 36 (planner, instincts, network, multiplexer and teacher), and setups as data.

The package may use the robots and worlds of learning.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.learn.controller.controller import (
        ActionTrial as ActionTrial,
        BehaviourController as BehaviourController,
        goal_first as goal_first,
        is_correct as is_correct,
        least_bad as least_bad,
        strongest_first as strongest_first,
    )
    from drycell.learn.controller.instincts import (
        Instincts as Instincts,
        load_rules as load_rules,
    )
    from drycell.learn.controller.network import Network as Network
    from drycell.learn.controller.setup import (
        STANDING as STANDING,
        LearningSetup as LearningSetup,
        find_setup as find_setup,
        find_setups as find_setups,
        load_setup as load_setup,
        setup_figures as setup_figures,
        setup_from_file as setup_from_file,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
