"""Petri nets: plain, timed and coloured; played, explored, drawn, read and written, and held against runs of cells.

Knows nothing of the search of event orders beside it. docs/guides/nets.md tells how they are used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.nets.analysis import Analysis as Analysis, analyse as analyse
    from drycell.nets.clocked import ClockedNet as ClockedNet
    from drycell.nets.coloured import ColouredNet as ColouredNet, Firing as Firing
    from drycell.nets.conformance import Conformance as Conformance, conform as conform
    from drycell.nets.derived import derive as derive
    from drycell.nets.errors import NetError as NetError
    from drycell.nets.events import Event as Event, events_of as events_of
    from drycell.nets.game import Game as Game, play as play
    from drycell.nets.graph import StateGraph as StateGraph, told as told
    from drycell.nets.invariants import (
        place_invariants as place_invariants,
        transition_invariants as transition_invariants,
    )
    from drycell.nets.karp_miller import (
        OMEGA as OMEGA,
        Coverability as Coverability,
        Growth as Growth,
        coverability as coverability,
    )
    from drycell.nets.lookahead import Lookahead as Lookahead
    from drycell.nets.net import Net as Net, Place as Place, Transition as Transition
    from drycell.nets.picture import net_picture as net_picture, save_picture_of_net as save_picture_of_net
    from drycell.nets.pnml import (
        load_net as load_net,
        net_text as net_text,
        parse_net as parse_net,
        save_net as save_net,
    )
    from drycell.nets.reach import explore as explore, explore_game as explore_game
    from drycell.nets.supervisor import Supervisor as Supervisor
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
