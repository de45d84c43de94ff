"""How the controllers of makers move their arms by default: laws, synchronisation, speeds and accelerations.

Only what a maker publishes is here. The arms of all other makers get the settings of the standard controller, which is
an assumption.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drycell.base import mm
from drycell.robots.path_controllers import StandardController

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


_PUBLISHED: Final = {
    "KUKA": "KUKA System Software manual: synchronous PTP, in which all axes start and stop together and the leading "
    "axis is the one that takes longest",
    "ABB": "RAPID reference manual: all axes reach the destination at the same time; a zone covers at most half of a "
    "move; the optional argument T gives the time of a move instead of its speed",
}


@dataclass(frozen=True)
class MakerMotion:
    """The usual controller of an arm, and what a source says about it."""

    controller: StandardController
    source: str


def usual_motion(mechanism: "Mechanism") -> MakerMotion:
    """How an arm moves if the cell does not give it a controller.

    >>> from drycell.robots import load_robot
    >>> usual_motion(load_robot("ur5e")).controller.law
    'trapezoidal'
    """
    maker = "" if mechanism.data is None else mechanism.data.maker
    if maker == "Universal Robots":
        return MakerMotion(
            StandardController(
                law="trapezoidal",
                synchronisation="phases",
                joint_speed=1.05,
                joint_acceleration=1.4,
                linear_speed=250 * mm,
                linear_acceleration=1.2,
            ),
            "URScript manual: movej is linear in joint space, with 1.4 rad/s² and 1.05 rad/s of the leading axis, "
            "movel has 1.2 m/s² and 0.25 m/s, if a program gives none; user manual: speeds are trapezoids. How fast "
            "the tool turns on a line is not published: standard",
        )
    if maker in _PUBLISHED:
        return MakerMotion(
            StandardController(), f"{_PUBLISHED[maker]}. Law, accelerations on lines: not published, standard"
        )
    return MakerMotion(StandardController(), "not published: the standard controller, an assumption")
