"""Volumes: the space a sensor watches, one shape or several, shortened for what is harder to detect."""

import math
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from drycell.base import Pose, Quantity, Size
from drycell.geometry import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Mesh,
    MeshFile,
    PosedShape,
    Prism,
    Shape,
    ShapeModel,
    Sphere,
)

HalfAngle = Annotated[float, Quantity("angle", above=0.0, below=math.pi / 2)]


class Beam(
    ShapeModel,
    kind="beam",
    kw_only=False,
    icon="wb_incandescent",
    example={"length": "300 mm", "half_angle": "8 deg"},
):
    """A beam that widens along z from a point: a cone with its tip at the origin."""

    length: Size
    """Length along z."""
    half_angle: HalfAngle
    """Half its opening angle."""

    def solid(self, folder: Path) -> Shape:
        """The cone, with its tip at the origin."""
        return Compound((self.placed(folder),))

    def placed(self, folder: Path) -> tuple[Pose, Shape]:
        """The cone, and where its middle is."""
        shape, pose = _reaching(self, 1.0)
        return pose, shape


class Volume(PosedShape, kw_only=False):
    """A part of space. The lower end of its shape is at the sensor's origin, unless ``at`` and ``rpy`` move it.

    A mesh and a rod have a place of their own, which counts.
    """

    def reaching(self, share: float = 1.0) -> tuple[Shape, Pose]:
        """The volume as a solid and its pose seen from the sensor, drawn out to a share of its length.

        A beam or cone keeps its angle and a cylinder, box or prism its width; a ball keeps its foot; a capsule keeps
        its ends if it can; anything else is drawn together along z.
        """
        shape, pose = _reaching(self.shape, share)
        return shape, self.pose @ pose

    @property
    def beam(self) -> Beam | None:
        """Its shape, if that is a widening beam."""
        return self.shape if isinstance(self.shape, Beam) else None

    def located(self, folder: Path) -> "Volume":
        """The same with an absolute name of its mesh file, which is relative to a folder so far."""
        if not isinstance(self.shape, MeshFile):
            return self
        return self.changed(shape=self.shape.changed(file=str((folder / self.shape.file).absolute())))


@lru_cache(maxsize=1024)
def _reaching(shape: ShapeModel, share: float) -> tuple[Shape, Pose]:
    """The solid about its middle, and where its middle is."""
    match shape:
        case Beam():
            length = shape.length * share
            return Cone(0.0, length, length * math.tan(shape.half_angle)), _above(length / 2)
        case Cylinder():
            length = shape.length * share
            return Cylinder(shape.radius, length), _above(length / 2)
        case Box():
            return Box(shape.x, shape.y, shape.z * share), _above(shape.z * share / 2)
        case Sphere():
            radius = shape.radius * share
            return Sphere(radius), _above(radius)
        case Capsule():
            whole = (shape.length + 2 * shape.radius) * share
            radius = min(shape.radius, whole / 2 * (1.0 - 1e-9))
            return Capsule(radius, whole - 2 * radius), _above(whole / 2)
        case Cone():
            length = shape.length * share
            top = shape.radius + (shape.top_radius - shape.radius) * share
            return Cone(shape.radius, length, max(top, 0.0)), _above(length / 2)
        case Prism():
            length = shape.length * share
            return Prism(shape.outline, length), _above(length / 2)
    pose, whole_shape = shape.placed(Path())
    if share == 1.0:
        return whole_shape, pose
    vertices, faces = whole_shape.triangles()
    placed = vertices @ pose.rotation.T + pose.translation
    return Mesh(placed * (1.0, 1.0, share), faces), Pose()


def _above(height: float) -> Pose:
    return Pose(0.0, 0.0, height)
