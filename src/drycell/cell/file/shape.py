"""Shapes as a cell file writes them: one kind each, sizes in metres."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Final, Literal

from drycell.fields import FileName, Length, Quantity, Several, Size

STRICT: Final[Mapping[str, object]] = {"extra": "forbid"}

BoxSize = Annotated[tuple[Size, Size, Size], Several(3, "[600 mm, 400 mm, 20 mm]")]
NoLess = Annotated[float, Quantity("length", least=0.0)]
Corner = Annotated[tuple[Length, Length], Several(2, "[30 mm, 0 mm]")]


@dataclass(frozen=True, kw_only=True, slots=True)
class CylinderSpec:
    """A cylinder about its middle, along z."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    radius: Size
    length: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class ConeSpec:
    """A cone, or a frustum with a top radius, about the middle of its axis along z. One of the radii may be 0."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    radius: NoLess
    length: Size
    top_radius: NoLess = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class SphereSpec:
    """A ball about its middle."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    radius: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class CapsuleSpec:
    """A cylinder of this length along z, with a half ball on either end."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    radius: Size
    length: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class PrismSpec:
    """An outline in the x-y plane, drawn out along z about the middle."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    outline: tuple[Corner, ...]
    length: Size


@dataclass(frozen=True, kw_only=True, slots=True)
class MeshSpec:
    """A closed surface from a file; its units are stated, never guessed. STEP files state their own: ``file``."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    file: FileName
    units: Literal["m", "mm", "cm", "um", "in", "file"]


Solid = tuple[float, float, float] | CylinderSpec | ConeSpec | SphereSpec | CapsuleSpec | PrismSpec | MeshSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class ShapeSpec:
    """A shape: exactly one of these kinds."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = STRICT
    box: BoxSize | None = None
    cylinder: CylinderSpec | None = None
    cone: ConeSpec | None = None
    sphere: SphereSpec | None = None
    capsule: CapsuleSpec | None = None
    prism: PrismSpec | None = None
    mesh: MeshSpec | None = None

    @classmethod
    def known(cls) -> list[str]:
        """All kinds there are."""
        return [field.name for field in fields(cls)]

    @property
    def kinds(self) -> list[str]:
        """The kinds that were given: one, when all is well."""
        return [name for name in self.known() if getattr(self, name) is not None]

    @property
    def solid(self) -> Solid:
        """What was given: three sizes for a box, otherwise the description of its kind."""
        found: Solid = getattr(self, self.kinds[0])
        return found
