"""Floor plans, sensing in the plane, and how a world can differ from the training world.

The package may use drycell's sensors and materials. It knows nothing about robots or learning.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.learn.world.catalogue import (
        Worlds as Worlds,
        load_worlds as load_worlds,
    )
    from drycell.learn.world.floor_plans import (
        GAP as GAP,
        Corridor as Corridor,
        FloorPlan as FloorPlan,
        Point as Point,
        RoomPlan as RoomPlan,
        WallSegment as WallSegment,
        clearance as clearance,
        corridor as corridor,
        free_distance as free_distance,
        room as room,
    )
    from drycell.learn.world.mazes import Maze as Maze, maze as maze, maze_from_file as maze_from_file
    from drycell.learn.world.sensing import (
        Mounted as Mounted,
        Place as Place,
        Sonars as Sonars,
        detects as detects,
        outline as outline,
    )
    from drycell.learn.world.variation import EXACT as EXACT, Variation as Variation
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
