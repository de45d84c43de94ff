"""Footprints: how much room a part takes on a belt, by its true shape in its pose."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from drycell.base import Pose, Rows
from drycell.geometry import Compound, Shape
from drycell.world import LiveBody, World

ABREAST: Final = 1e-9  # metres: parts that overlap sideways by no more pass each other


@dataclass(frozen=True, slots=True)
class Footprint:
    """How far a part reaches from its origin along the belt (``rear``…``front``) and across it (``right``…``left``).

    ``centre`` is where along the belt it is balanced, ``bottom`` how far below its origin it ends.
    """

    rear: float
    front: float
    right: float
    left: float
    bottom: float = 0.0
    centre: float = 0.0

    @property
    def middle(self) -> float:
        """Half way between its ends."""
        return 0.5 * (self.rear + self.front)

    def shifted(self, x: float, y: float) -> "Footprint":
        """Seen from elsewhere."""
        return Footprint(self.rear + x, self.front + x, self.right + y, self.left + y, self.bottom, self.centre + x)

    def beside(self, other: "Footprint") -> bool:
        """Whether two, seen from one place, pass each other."""
        return self.right >= other.left - ABREAST or other.right >= self.left - ABREAST

    def overlaps(self, other: "Footprint") -> bool:
        """Whether two, seen from one place, take the same room."""
        return not self.beside(other) and self.rear < other.front and other.rear < self.front

    def covers(self, other: "Footprint") -> bool:
        """Whether all that is in the way of the other is in the way of this one."""
        return self.right <= other.right and self.left >= other.left


POINT: Final = Footprint(0.0, 0.0, 0.0, 0.0)


def footprint_of(shape: Shape, turn: Pose) -> Footprint:
    """The room a shape takes that is turned on the belt as a pose says; where the pose is does not matter."""
    a, b, c, _, d, e, f, _, g, h, i, _ = turn.rows
    return _turned(shape, (a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0))


@lru_cache(maxsize=4096)
def _turned(shape: Shape, rows: Rows) -> Footprint:
    pose = Pose.of_rows(rows)
    (rear, right, bottom), (front, left, _) = Compound(((pose, shape),)).bounds
    return Footprint(rear, front, right, left, bottom, pose.point(shape.centre_of_mass)[0])


def measured(world: World, belt: LiveBody, part: LiveBody) -> Footprint:
    """The room a part and all that lies on it take on a belt, about the part's own place across the belt."""
    local = world.relative(belt, part)
    own = POINT if part.shape is None else footprint_of(part.shape, local)
    found = own.shifted(0.0, local.y)
    for each in world.subtree(part):
        if each is not part and each.shape is not None and not each.hole:
            seen = world.relative(belt, each)
            more = footprint_of(each.shape, seen).shifted(seen.x - local.x, seen.y)
            found = Footprint(
                min(found.rear, more.rear),
                max(found.front, more.front),
                min(found.right, more.right),
                max(found.left, more.left),
                found.bottom,
                found.centre,
            )
    return found
