"""Petri nets: plain, timed and coloured. They can be played, explored, drawn, read from files, and run on the clock of
a cell.

The package does not use the search over event orders. docs/guides/nets.md shows how to use it.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.nets.analysis import analyse as analyse
    from drycell.nets.clocked import ClockedNet as ClockedNet
    from drycell.nets.coloured import ColouredNet as ColouredNet
    from drycell.nets.invariants import (
        place_invariants as place_invariants,
        transition_invariants as transition_invariants,
    )
    from drycell.nets.net import Net as Net, NetError as NetError, play as play
    from drycell.nets.picture import net_picture as net_picture, save_picture_of_net as save_picture_of_net
    from drycell.nets.pnml import load_net as load_net, parse_net as parse_net
    from drycell.nets.state_graph import explore as explore
    from drycell.nets.supervisor import Supervisor as Supervisor
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
