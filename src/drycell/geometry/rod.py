"""Rod: a capsule from one point to another, the quickest way to draw an arm."""

from pathlib import Path

from drycell.base import InvalidThing, Pose, Position, Problem, Size, align_z
from drycell.geometry.capsule import Capsule
from drycell.geometry.compound import Compound
from drycell.geometry.shape import Shape, ShapeModel


class Rod(ShapeModel, kind="rod", kw_only=False):
    """A round bar with rounded ends between two points of the frame it is described in."""

    radius: Size
    """Radius."""
    start: Position
    """Centre of one end."""
    end: Position
    """Centre of the other end."""

    def solid(self, folder: Path) -> Shape:
        """The capsule, set between the two points."""
        return Compound((self.placed(folder),))

    def placed(self, folder: Path) -> tuple[Pose, Shape]:
        """The capsule, and where it is."""
        along = [b - a for a, b in zip(self.start, self.end, strict=True)]
        length = sum(v * v for v in along) ** 0.5
        if length == 0.0:
            raise InvalidThing(Rod, [Problem(("rod",), "starts where it ends", "use a sphere")])
        middle = [(a + b) / 2.0 for a, b in zip(self.start, self.end, strict=True)]
        return align_z(along, middle), Capsule(self.radius, length)
