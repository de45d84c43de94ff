"""Joints and links, the parts of a mechanism. A joint has limits; one or more joints drive a link."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from drycell.base import IDENTITY, MechanismError, Pose, Vector, deg, mm

if TYPE_CHECKING:
    from drycell.geometry import Shape


JointKind = Literal["revolute", "prismatic"]

# A joint value may pass its limit by this much (1 nrad, 1 nm), which is rounding.
LIMIT_TOLERANCE: Final = 1e-9

# A turn longer than this (1 µrad less than half a turn) is as long in the other direction. Rounding must not choose.
HALF_TURN: Final = math.pi - 1e-6


@dataclass(frozen=True, slots=True)
class Joint:
    """One degree of freedom with its limits: radians if revolute, metres if prismatic, per second (², ³)."""

    name: str
    kind: JointKind
    lower: float
    upper: float
    speed: float
    acceleration: float
    jerk: float
    estimated: bool = field(default=False, compare=False)
    """Whether the acceleration is an estimate, because no source states it: a move may command a higher one."""

    def __post_init__(self) -> None:
        if self.kind not in ("revolute", "prismatic"):
            raise MechanismError(
                f"joint {self.name!r} is of kind {self.kind!r}", hint="write 'revolute' or 'prismatic'"
            )
        endless = self.kind == "revolute" and self.lower == -math.inf and self.upper == math.inf
        if not endless and not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise MechanismError(f"joint {self.name!r} has limits {self.lower}..{self.upper}, which are not numbers")
        if not self.lower < self.upper:
            raise MechanismError(
                f"joint {self.name!r} has its lower limit {self.show(self.lower)} at or above its upper "
                f"limit {self.show(self.upper)}"
            )
        for what, value in (("speed", self.speed), ("acceleration", self.acceleration), ("jerk", self.jerk)):
            if not (value > 0 and (math.isfinite(value) or what == "jerk")):
                raise MechanismError(f"joint {self.name!r} has a {what} limit of {value:g}, which must be positive")

    @property
    def revolute(self) -> bool:
        """Whether it turns; otherwise it slides."""
        return self.kind == "revolute"

    @property
    def unit(self) -> str:
        """The unit in which messages show its value: ``deg`` or ``mm``."""
        return "deg" if self.kind == "revolute" else "mm"

    def number(self, value: float) -> str:
        """Format a value of this joint in degrees or millimetres, without the unit."""
        return f"{value / deg:.1f}" if self.kind == "revolute" else f"{value / mm:.1f}"

    def show(self, value: float) -> str:
        """Format a value of this joint with its unit: ``-130.0 deg``, ``12.5 mm``."""
        return f"{self.number(value)} {self.unit}"

    @property
    def range(self) -> str:
        """The limits with their unit: ``-130.0..130.0 deg``, or ``endless``."""
        if math.isinf(self.upper):
            return "endless"
        return f"{self.number(self.lower)}..{self.number(self.upper)} {self.unit}"

    def allows(self, value: float) -> bool:
        """Whether a value is within the limits, with a tolerance for rounding."""
        return self.lower - LIMIT_TOLERANCE <= value <= self.upper + LIMIT_TOLERANCE

    def excess(self, value: float) -> float:
        """How far a value is past the nearer limit; 0 if it is within the limits."""
        return max(self.lower - value, value - self.upper, 0.0)


BASE = -1  # the parent of a link that is attached to the base itself


@dataclass(frozen=True, slots=True)
class Drive:
    """How one joint moves one link: about or along ``axis`` by ``ratio`` × joint value + ``offset``.

    Most links have one drive of ratio 1. A mirrored finger has ratio −½; a free-flying hand has six drives.
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
        """The displacement of the link at a joint value."""
        amount = self.ratio * value + self.offset
        x, y, z = self.axis
        if self.kind == "prismatic":
            return Pose(x * amount, y * amount, z * amount)
        return turn(self.axis, amount)


@dataclass(frozen=True, slots=True)
class Inertia:
    """The mass of a link in kg, its centre of mass, and its moments there in kg m² (xx, xy, xz, yy, yz, zz)."""

    mass: float
    centre: Pose = IDENTITY
    """The centre of mass in the frame of the link, with the axes that the moments are about."""
    moments: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid moving part: its frame is at ``origin`` on the parent link, then its drives move it, in order.

    ``deviation`` is how far the surface of the real link protrudes from the shape, at most, in metres.
    """

    name: str
    parent: int = BASE
    origin: Pose = IDENTITY
    drives: tuple[Drive, ...] = ()
    shape: "Shape | None" = None
    deviation: float = 0.0
    inertia: Inertia | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A named frame fixed on a link (or on the base): the flange, a TCP, a fixture."""

    link: int
    pose: Pose = IDENTITY


def turn(axis: Vector, angle: float) -> Pose:
    """A rotation about a unit axis (Rodrigues' formula)."""
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


def turn_near(angle: float, near: float, middle: float = math.inf) -> float:
    """An angle plus the whole turns that bring it nearest to another angle.

    Half a turn away, within 1 µrad, there are two such angles. Returns the one nearer to ``middle``; if both are
    equally near, or no middle is given, the greater one.
    """
    difference = angle - near
    if -HALF_TURN < difference < HALF_TURN:
        return angle
    angle -= math.tau * round(difference / math.tau)  # the same bits for every near angle
    difference = angle - near
    if -HALF_TURN < difference < HALF_TURN:
        return angle
    low, high = sorted((angle, angle - math.copysign(math.tau, difference)))
    return low if abs(low - middle) < abs(high - middle) - 1e-6 else high


def nearest_turn(angle: float, near: float, lower: float, upper: float) -> float | None:
    """An angle plus the whole turns that bring it within limits and nearest to another angle.

    Half a turn away, the angle nearer to the middle of the range is preferred, then the greater one (see
    :func:`turn_near`). Returns None if no turn is within the limits.
    """
    angle = turn_near(angle, near, 0.5 * (lower + upper) if upper < math.inf else math.inf)
    if lower <= angle <= upper:
        return angle
    if angle > upper + LIMIT_TOLERANCE:
        angle -= math.tau * math.ceil((angle - upper - LIMIT_TOLERANCE) / math.tau)
    elif angle < lower - LIMIT_TOLERANCE:
        angle += math.tau * math.ceil((lower - LIMIT_TOLERANCE - angle) / math.tau)
    return angle if lower - LIMIT_TOLERANCE <= angle <= upper + LIMIT_TOLERANCE else None
