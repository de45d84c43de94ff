"""Data sheets of grippers and other tools: what is known about them, and the rules that replace what is not published.

The rules produce estimates. Files whose figures come from them say so under ``missing``.
"""

import math
from dataclasses import dataclass
from typing import Final

_RUN_UP: Final = 0.1  # the time, in s, in which the fingers of a gripper reach their speed, if nothing is published
_SOFTEST: Final = 3.0  # the acceleration builds up in the run-up divided by this
_GRAVITY: Final = 9.81

Range = tuple[float, float]


@dataclass(frozen=True)
class ToolSheet:
    """The figures of a gripper or another tool as its maker states them, in SI units."""

    kind: str
    """``gripper``, ``vacuum``, ``magnet``, ``torch``, ``dispenser``, ``probe`` or ``other``."""
    title: str
    maker: str = ""
    category: str = ""
    """What it is, in the maker's words: "parallel two-finger", "vacuum, one cup", …"""
    mass: float | None = None
    """Its mass in kg."""
    payload: float | None = None
    """The maximum mass of a part, in kg."""
    stroke: float | None = None
    """The difference between the widest and the smallest gap between its jaws, in metres."""
    speed: Range | None = None
    """The lowest and the highest closing speed: the rate at which the gap changes, in m/s."""
    force: Range | None = None
    """The lowest and the highest force, in N."""
    closing_time: float | None = None
    """The time in which it closes, in s, if the maker states that instead of a speed."""
    vacuum: float | None = None
    """The vacuum in its cups, in Pa below the pressure of the air."""
    evacuation: float | None = None
    """The time in which that vacuum builds up when a cup has met a part, in s."""
    suction: float | None = None
    """The force of its cups at that vacuum, or of its magnet, in N."""
    recalled: tuple[str, ...] = ()
    """Figures from general knowledge, without a source."""
    missing: tuple[tuple[str, str], ...] = ()
    """What is not known or was rejected, and why."""
    solids: str = "own"
    """``fitted`` to the real surface, ``generic`` (a plain outline), or ``own``."""

    @property
    def limit(self) -> float | None:
        """The maximum mass it may hold, in kg: its payload or, if none is stated, what its suction bears at rest."""
        if self.payload is not None or self.suction is None:
            return self.payload
        return self.suction / _GRAVITY


def suction_force(diameters: tuple[float, ...], vacuum: float) -> float:
    """The force of vacuum cups in N.

    Args:
        diameters: The effective diameters of the cups, in metres.
        vacuum: The vacuum in Pa.
    """
    return sum(math.pi / 4.0 * diameter**2 for diameter in diameters) * vacuum


def finger_limits(stroke: float, speed: float | None, closing_time: float | None) -> tuple[float, float, float]:
    """The speed (m/s), acceleration and jerk of a gap whose maker states a closing speed or a closing time.

    The acceleration is never published. With a speed, it is reached in 0.1 s. With a closing time, the speed is reached
    in a quarter of it. In both cases the acceleration builds up in a third of the time to full speed.

    Args:
        stroke: The difference between the widest and the smallest gap, in metres.
        speed: The closing speed in m/s.
        closing_time: The time in which the gripper closes, in s, if no speed is stated.
    """
    if speed is None and closing_time is not None:
        run_up = closing_time / 4.0
        speed = stroke / (closing_time - run_up * (1.0 + 1.0 / _SOFTEST))
    else:
        run_up = _RUN_UP
    assert speed is not None
    acceleration = speed / run_up
    return speed, acceleration, acceleration * _SOFTEST / run_up
