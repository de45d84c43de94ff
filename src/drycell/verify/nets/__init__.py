"""Petri nets: plain, timed and coloured; played, explored, drawn, read and written, and held against runs of cells.

Knows nothing of the search of event orders beside it. docs/guides/nets.md tells how they are used.
"""

from drycell.verify.nets.analysis import Analysis, analyse
from drycell.verify.nets.clocked import ClockedNet
from drycell.verify.nets.coloured import ColouredNet, Firing
from drycell.verify.nets.conformance import Conformance, conform
from drycell.verify.nets.coverability import OMEGA, Coverability, Growth, coverability
from drycell.verify.nets.derived import derive
from drycell.verify.nets.errors import NetError
from drycell.verify.nets.events import Event, events_of
from drycell.verify.nets.game import Game, play
from drycell.verify.nets.graph import StateGraph
from drycell.verify.nets.invariants import place_invariants, transition_invariants
from drycell.verify.nets.lookahead import Lookahead
from drycell.verify.nets.net import Net, Place, Transition
from drycell.verify.nets.picture import net_picture, save_picture_of_net
from drycell.verify.nets.pnml import load_net, net_text, parse_net, save_net
from drycell.verify.nets.reach import explore, explore_game
from drycell.verify.nets.supervisor import Supervisor

__all__ = [
    "OMEGA",
    "Analysis",
    "ClockedNet",
    "ColouredNet",
    "Conformance",
    "Coverability",
    "Event",
    "Firing",
    "Game",
    "Growth",
    "Lookahead",
    "Net",
    "NetError",
    "Place",
    "StateGraph",
    "Supervisor",
    "Transition",
    "analyse",
    "conform",
    "coverability",
    "derive",
    "events_of",
    "explore",
    "explore_game",
    "load_net",
    "net_picture",
    "net_text",
    "parse_net",
    "place_invariants",
    "play",
    "save_net",
    "save_picture_of_net",
    "transition_invariants",
]
