"""Petri nets: plain, timed and coloured; played, explored, drawn, read and written, and held against runs of cells.

Knows nothing of the search of event orders beside it. docs/guides/nets.md tells how they are used.
"""

from drycell.verify.nets.analysis import Analysis, analyse
from drycell.verify.nets.coloured import ColouredNet, Firing
from drycell.verify.nets.coverability import OMEGA, Coverability, Growth, coverability
from drycell.verify.nets.errors import NetError
from drycell.verify.nets.game import Game, play
from drycell.verify.nets.graph import StateGraph
from drycell.verify.nets.invariants import place_invariants, transition_invariants
from drycell.verify.nets.net import Net, Place, Transition
from drycell.verify.nets.reach import explore, explore_game

__all__ = [
    "OMEGA",
    "Analysis",
    "ColouredNet",
    "Coverability",
    "Firing",
    "Game",
    "Growth",
    "Net",
    "NetError",
    "Place",
    "StateGraph",
    "Transition",
    "analyse",
    "coverability",
    "explore",
    "explore_game",
    "place_invariants",
    "play",
    "transition_invariants",
]
