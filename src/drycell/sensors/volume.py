"""Volumes: the space a sensor watches, written as one shape or several, and shortened for what is harder to detect."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Annotated, ClassVar, Final, Literal

from drycell.errors import FieldError
from drycell.fields import Angle, FileName, Length, Position, Rpy, Several, Size
from drycell.geometry import Box, Capsule, Cone, Cylinder, Mesh, Prism, Shape, Sphere
from drycell.spatial import Pose, Vector

STRICT: Final[Mapping[str, object]] = {"extra": "forbid"}

BoxSize = Annotated[tuple[Size, Size, Size], Several(3, "[40 mm, 40 mm, 300 mm]")]
Corner = Annotated[tuple[Length, Length], Several(2, "[30 mm, 0 mm]")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ConeVolume:
    """A beam that widens from the sensor's origin: how long, and half its opening angle."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    length: Size
    half_angle: Angle

    def __post_init__(self) -> None:
        if not 0.0 < self.half_angle < math.pi / 2:
            raise FieldError(
                f"a cone's half angle is {math.degrees(self.half_angle):g} deg, must be above 0 and below 90 deg",
                hint="write for example half_angle: 8 deg",
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class CylinderVolume:
    """A beam of one width from the sensor's origin."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    radius: Size
    length: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class SphereVolume:
    """A ball that touches the sensor's origin."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    radius: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class CapsuleVolume:
    """A cylinder of this length with a half ball on either end; the lower one touches the sensor's origin."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    radius: Size
    length: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class PrismVolume:
    """An outline in the x-y plane, drawn out along z from the sensor's origin."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    outline: tuple[Corner, ...]
    length: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class MeshVolume:
    """A closed surface from a file, in the sensor's frame; its units are stated, never guessed."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    file: FileName
    units: Literal["m", "mm", "cm", "um", "in", "file"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Volume:
    """A part of space: exactly one of these kinds, from the sensor's origin along z, or moved by ``at`` and ``rpy``."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    cone: ConeVolume | None = None
    cylinder: CylinderVolume | None = None
    box: BoxSize | None = None
    sphere: SphereVolume | None = None
    capsule: CapsuleVolume | None = None
    prism: PrismVolume | None = None
    mesh: MeshVolume | None = None
    at: Position = (0.0, 0.0, 0.0)
    rpy: Rpy = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        kinds = [field.name for field in fields(self) if field.name not in ("at", "rpy")]
        given = [name for name in kinds if getattr(self, name) is not None]
        if len(given) != 1:
            raise FieldError(
                f"a volume is {' and '.join(given) or 'of no kind'}, one kind is wanted",
                hint=f"write one of {', '.join(kinds)}; several volumes are a list",
            )

    @property
    def pose(self) -> Pose:
        """Where the volume's own frame is, seen from the sensor."""
        return Pose.of_rpy(*self.rpy, at=self.at)

    def placed(self, share: float = 1.0) -> tuple[Shape, Pose]:
        """The volume as a shape and its pose seen from the sensor, drawn out to a share of its length.

        A cone keeps its angle and a cylinder, box or prism its width; a ball keeps its foot; a capsule keeps its
        ends if it can; a mesh is drawn together along z.
        """
        shape, middle = _solid(self, share)
        return shape, self.pose @ Pose(*middle)


def cone(length: float, half_angle: float, at: Vector = (0.0, 0.0, 0.0), rpy: Vector = (0.0, 0.0, 0.0)) -> Volume:
    """A beam that widens from the sensor's origin."""
    return Volume(cone=ConeVolume(length=length, half_angle=half_angle), at=at, rpy=rpy)


def cylinder(radius: float, length: float, at: Vector = (0.0, 0.0, 0.0), rpy: Vector = (0.0, 0.0, 0.0)) -> Volume:
    """A beam of one width from the sensor's origin."""
    return Volume(cylinder=CylinderVolume(radius=radius, length=length), at=at, rpy=rpy)


@lru_cache(maxsize=1024)
def _solid(volume: Volume, share: float) -> tuple[Shape, Vector]:
    """The shape about its middle, and where its middle is."""
    if volume.cone is not None:
        length = volume.cone.length * share
        return Cone(0.0, length, length * math.tan(volume.cone.half_angle)), (0.0, 0.0, length / 2)
    if volume.cylinder is not None:
        length = volume.cylinder.length * share
        return Cylinder(volume.cylinder.radius, length), (0.0, 0.0, length / 2)
    if volume.box is not None:
        x, y, z = volume.box
        return Box(x, y, z * share), (0.0, 0.0, z * share / 2)
    if volume.sphere is not None:
        radius = volume.sphere.radius * share
        return Sphere(radius), (0.0, 0.0, radius)
    if volume.capsule is not None:
        whole = (volume.capsule.length + 2 * volume.capsule.radius) * share
        radius = min(volume.capsule.radius, whole / 2 * (1.0 - 1e-9))
        return Capsule(radius, whole - 2 * radius), (0.0, 0.0, whole / 2)
    if volume.prism is not None:
        length = volume.prism.length * share
        return Prism(volume.prism.outline, length), (0.0, 0.0, length / 2)
    return _mesh(volume, share), (0.0, 0.0, 0.0)


def _mesh(volume: Volume, share: float) -> Shape:
    from drycell.geometry import load_mesh

    if volume.mesh is None:
        raise FieldError("this volume is of no kind")
    whole = load_mesh(volume.mesh.file, volume.mesh.units)
    if share == 1.0:
        return whole
    vertices, faces = whole.triangles()
    return Mesh(vertices * (1.0, 1.0, share), faces)
