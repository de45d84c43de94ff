"""Posed shape: a shape with a place of its own, as links of robots and volumes of sensors are made of."""

from pathlib import Path
from typing import Annotated

from drycell.base import IDENTITY, Inline, Pose, Position, Rpy, Thing
from drycell.geometry.shape import Shape, ShapeModel


class PosedShape(Thing, kw_only=False):
    """A shape and where its own frame is: ``{box: [40 mm, 40 mm, 10 mm], at: [0, 0, 5 mm]}``."""

    shape: Annotated[ShapeModel, Inline(ShapeModel)]
    """The shape, by its kind."""
    at: Position = (0.0, 0.0, 0.0)
    """Position of the shape's frame."""
    rpy: Rpy = (0.0, 0.0, 0.0)
    """Rotation of the shape's frame: roll, pitch and yaw about fixed axes."""

    @property
    def pose(self) -> Pose:
        """Position and rotation as one."""
        return Pose.of_rpy(*self.rpy, at=self.at)

    def placed(self, folder: Path) -> tuple[Pose, Shape]:
        """The solid and its pose; files it names are relative to a folder."""
        local, shape = self.shape.placed(folder)
        return self.pose if local is IDENTITY else self.pose @ local, shape
