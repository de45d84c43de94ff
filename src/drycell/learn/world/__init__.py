"""Floor plans, sensing in the plane, and how a world can differ from the one trained in.

May use drycell's sensors and materials; knows nothing of robots and learning.
"""

from drycell.learn.world.catalogue import Worlds, load_worlds, world_names, worlds_from_file
from drycell.learn.world.corridor import Corridor, corridor
from drycell.learn.world.maze import maze_from_file, read_maze
from drycell.learn.world.plan import FloorPlan, Point, Wall
from drycell.learn.world.room import Room, room
from drycell.learn.world.sensing import Mounted, Place, Sonars
from drycell.learn.world.stopping import GAP, clearance, free_way
from drycell.learn.world.variation import EXACT, Variation
from drycell.learn.world.zone import detects, outline

__all__ = [
    "EXACT",
    "GAP",
    "Corridor",
    "FloorPlan",
    "Mounted",
    "Place",
    "Point",
    "Room",
    "Sonars",
    "Variation",
    "Wall",
    "Worlds",
    "clearance",
    "corridor",
    "detects",
    "free_way",
    "load_worlds",
    "maze_from_file",
    "outline",
    "read_maze",
    "room",
    "world_names",
    "worlds_from_file",
]
