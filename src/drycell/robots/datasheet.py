"""Data sheets: what is known about a robot besides its mechanism, and the rules that replace what is not published.

The rules are fits to the published figures of the arms in the library. A single arm can be off by a factor of 1.5, so
everything they produce is marked as estimated.
"""

from dataclasses import dataclass
from typing import Final

from drycell.base import deg

EXTERNAL_AXIS: Final = "external axis"
WRIST: Final = 3
"""The number of the first joint of the wrist, counted from 0."""
_SOFTEST: Final = 0.1  # the longest time, in s, that a joint takes to build up its acceleration


@dataclass(frozen=True)
class DataSheet:
    """The figures of a robot as its maker states them, in SI units."""

    maker: str
    title: str
    category: str = ""
    """What it is: "cobot", "small", "medium", "large", "SCARA", "external axis", …"""
    payload: float | None = None
    """Maximum load on the flange, including the tool, in kg."""
    reach: float | None = None
    """Distance from the first axis to the wrist's centre (or the flange, as the maker defines it), in metres."""
    repeatability: float | None = None
    """Repeatability in metres."""
    mass: float | None = None
    """Mass of the arm in kg."""
    recalled: tuple[str, ...] = ()
    """Figures from general knowledge, without a source."""
    missing: tuple[tuple[str, str], ...] = ()
    """What is not known or was rejected, and why."""
    outline: str = ""
    """Where its solids come from: "own", "generic", or the name of the robot whose solids it uses."""

    @property
    def external_axis(self) -> bool:
        """Whether it carries robots or workpieces: a track, a turntable, a positioner, a gantry."""
        return self.category == EXTERNAL_AXIS


def estimated_speed(category: str, reach: float, payload: float, joint: int) -> float:
    """The usual top speed of a revolute joint in rad/s.

    A power of reach and payload, fitted to the 142 arms of the library whose speeds are published: one for cobots and
    one for other arms, each for the first three joints and for the wrist.
    """
    wrist = joint >= WRIST
    if "cobot" in category:
        factor, length, load = (135.0, -0.46, 0.20) if wrist else (100.0, -0.50, 0.16)
    else:
        factor, length, load = (1050.0, 0.17, -0.36) if wrist else (360.0, -0.40, -0.14)
    return float(round(factor * reach**length * payload**load)) * deg


def estimated_acceleration(speed: float, reach: float, payload: float, joint: int) -> float:
    """The usual acceleration of a joint, per s².

    The first joint reaches its speed in 0.21 s · (reach / m)^0.22 · (payload / kg)^0.25: a fit to the published
    accelerations of 24 arms by KUKA and Kawasaki. The next two joints get the same time (their published figures are
    for the worst direction of gravity), those of the wrist half of it.
    """
    run_up = 0.21 * reach**0.22 * payload**0.25 * (0.5 if joint >= WRIST else 1.0)
    return float(f"{speed / run_up:.3g}")


def estimated_jerk(speed: float, acceleration: float) -> float:
    """The usual jerk of a joint, per s³: no maker states one.

    The acceleration builds up in a third of the time in which the joint reaches its speed, or in 0.1 s if that is less.
    """
    return acceleration / min(speed / acceleration / 3.0, _SOFTEST)
