"""Joints: what a motor turns or shifts, within which limits, and how fast."""

import math
from dataclasses import dataclass
from typing import Final, Literal

from drycell.base import MechanismError, deg, mm

JointKind = Literal["revolute", "prismatic"]

# A joint may pass its limit by this much through rounding (1 nrad, 1 nm) before it counts as past it.
LIMIT_TOLERANCE: Final = 1e-9


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

    def __post_init__(self) -> None:
        if self.kind not in ("revolute", "prismatic"):
            raise MechanismError(
                f"joint {self.name!r} is of kind {self.kind!r}", hint="write 'revolute' or 'prismatic'"
            )
        endless = self.kind == "revolute" and self.lower == -math.inf and self.upper == math.inf
        if not endless and not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise MechanismError(f"joint {self.name!r} has limits {self.lower}..{self.upper}, which are no numbers")
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
        """Whether it turns; otherwise it shifts."""
        return self.kind == "revolute"

    @property
    def unit(self) -> str:
        """The unit people read its value in."""
        return "deg" if self.kind == "revolute" else "mm"

    def number(self, value: float) -> str:
        """A value of this joint as people read it, without the unit: degrees or millimetres."""
        return f"{value / deg:.1f}" if self.kind == "revolute" else f"{value / mm:.1f}"

    def show(self, value: float) -> str:
        """A value of this joint as people read it: ``-130.0 deg``, ``12.5 mm``."""
        return f"{self.number(value)} {self.unit}"

    @property
    def range(self) -> str:
        """Its limits as people read them: ``-130.0..130.0 deg``."""
        return f"{self.number(self.lower)}..{self.number(self.upper)} {self.unit}"

    def allows(self, value: float) -> bool:
        """Whether a value is within the limits, but for rounding."""
        return self.lower - LIMIT_TOLERANCE <= value <= self.upper + LIMIT_TOLERANCE

    def excess(self, value: float) -> float:
        """How far a value is past the nearer limit; 0 within them."""
        return max(self.lower - value, value - self.upper, 0.0)
