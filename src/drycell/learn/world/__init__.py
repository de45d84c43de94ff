"""Floor plans, sensing in the plane, and how a world can differ from the one trained in.

May use drycell's sensors and materials; knows nothing of robots and learning.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.learn.world.catalogue import (
        Worlds as Worlds,
        load_worlds as load_worlds,
        world_names as world_names,
        worlds_from_file as worlds_from_file,
    )
    from drycell.learn.world.corridors import Corridor as Corridor, corridor as corridor
    from drycell.learn.world.maze import maze_from_file as maze_from_file, read_maze as read_maze
    from drycell.learn.world.plan import FloorPlan as FloorPlan, Point as Point, Wall as Wall
    from drycell.learn.world.rooms import Room as Room, room as room
    from drycell.learn.world.sensing import Mounted as Mounted, Place as Place, Sonars as Sonars
    from drycell.learn.world.stopping import GAP as GAP, clearance as clearance, free_way as free_way
    from drycell.learn.world.variation import EXACT as EXACT, Variation as Variation
    from drycell.learn.world.zone import detects as detects, outline as outline
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
