"""Rooms: rectangles to be walked round along their walls, clockwise or counter-clockwise (control objective I)."""

from dataclasses import dataclass

from drycell.base import FieldError
from drycell.learn.world.plan import PLASTER, FloorPlan, closed


@dataclass(frozen=True)
class Room(FloorPlan):
    """A rectangular room; its lower left corner is the origin, its length lies along x."""

    length: float = 0.0
    width: float = 0.0


def room(name: str, length: float, width: float, material: str = PLASTER) -> Room:
    """A room of this length and width."""
    if not (0.1 <= length <= 1000.0 and 0.1 <= width <= 1000.0):
        raise FieldError(
            f"the room {name!r} is {length:g} m by {width:g} m, 0.1 to 1000 m can be", hint="lengths are in metres"
        )
    corners = [(0.0, 0.0), (length, 0.0), (length, width), (0.0, width)]
    return Room(name, closed(corners, material), length, width)
