"""The controller of figure 36: planner, instincts, network, multiplexer and teacher; setups as data.

May use the robots and worlds of learning.
"""

from drycell.learn.controller.controller import Controller, Step
from drycell.learn.controller.instincts import Instinct, Instincts, load_rules, rules_from_file, rules_names
from drycell.learn.controller.multiplexer import by_strength, goal_first
from drycell.learn.controller.network import Network, Taught
from drycell.learn.controller.setup import (
    STANDING,
    Action,
    Setup,
    find_setup,
    find_setups,
    load_setup,
    setup_figures,
    setup_from_file,
)
from drycell.learn.controller.teacher import Trial, is_right, least_bad, target

__all__ = [
    "STANDING",
    "Action",
    "Controller",
    "Instinct",
    "Instincts",
    "Network",
    "Setup",
    "Step",
    "Taught",
    "Trial",
    "by_strength",
    "find_setup",
    "find_setups",
    "goal_first",
    "is_right",
    "least_bad",
    "load_rules",
    "load_setup",
    "rules_from_file",
    "rules_names",
    "setup_figures",
    "setup_from_file",
    "target",
]
