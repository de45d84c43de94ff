"""Links: the moving bodies of a mechanism, and which joints move them how."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drycell.base import IDENTITY, MechanismError, Pose, Vector
from drycell.robots.joint import JointKind

if TYPE_CHECKING:
    from drycell.geometry import Shape

BASE = -1  # the parent of a link that hangs on the base itself


@dataclass(frozen=True, slots=True)
class Drive:
    """How one joint moves one link: about or along ``axis`` by ``ratio`` × joint value + ``offset``.

    Most links have one drive of ratio 1. A mirrored finger has ratio −½; a disembodied hand has six drives.
    """

    joint: int
    kind: JointKind
    axis: Vector = (0.0, 0.0, 1.0)
    ratio: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if abs(math.hypot(*self.axis) - 1.0) > 1e-9:
            raise MechanismError(f"a drive's axis must have length 1, not {math.hypot(*self.axis):.6g}")

    def pose(self, value: float) -> Pose:
        """The displacement it makes at a joint value."""
        amount = self.ratio * value + self.offset
        x, y, z = self.axis
        if self.kind == "prismatic":
            return Pose(x * amount, y * amount, z * amount)
        return turn(self.axis, amount)


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass, centre of mass in the link frame and the inertia tensor about it (xx, yy, zz, xy, xz, yz)."""

    mass: float
    centre: Vector = (0.0, 0.0, 0.0)
    tensor: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid moving part: its frame sits at ``origin`` on the parent link and then moves by its drives, in order."""

    name: str
    parent: int = BASE
    origin: Pose = IDENTITY
    drives: tuple[Drive, ...] = ()
    shape: "Shape | None" = None
    inertia: Inertia | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A named frame fixed on a link (or on the base): the flange, a tool centre point, a fixture."""

    link: int
    pose: Pose = IDENTITY


def turn(axis: Vector, angle: float) -> Pose:
    """A rotation about any unit axis (Rodrigues' formula)."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    k = 1.0 - c
    return Pose.of_rows(
        (
            c + k * x * x, k * x * y - s * z, k * x * z + s * y, 0.0,
            k * x * y + s * z, c + k * y * y, k * y * z - s * x, 0.0,
            k * x * z - s * y, k * y * z + s * x, c + k * z * z, 0.0,
        )
    )  # fmt: skip
