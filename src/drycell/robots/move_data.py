"""Motion data of one move: what a program asks of it besides a target and a speed."""

import math
from dataclasses import dataclass

from drycell.base import MotionError


@dataclass(frozen=True, slots=True)
class MoveData:
    """The acceleration and the duration of one move. What is None follows from the controller and the joints.

    ``speeds`` and ``accelerations`` are limits of a joint move, one for each joint, none above the joint's own.
    ``acceleration`` is that of the TCP on a line or an arc, in m/s². With a ``time`` in seconds, the move takes exactly
    that long: its speed follows from it.
    """

    speeds: tuple[float, ...] | None = None
    accelerations: tuple[float, ...] | None = None
    acceleration: float | None = None
    time: float | None = None


NO_DATA = MoveData()


def too_short(name: str, time: float, least: float, cause: str) -> MotionError:
    """The error for a move that cannot be made in the time it is given."""
    enough = math.ceil(least * 1000.0 - 1e-6) / 1000.0
    return MotionError(
        f"{name} cannot make this move in {time:.3f} s: {cause} needs at least {least:.6f} s",
        hint=f"give time={enough:.3f} or more, or a higher acceleration",
    )
