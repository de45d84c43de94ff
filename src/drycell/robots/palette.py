"""The colours of robots: the paint of each maker, for base, arm and wrist."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from drycell.base import Vector
from drycell.looks import OWN, Look, Solid, box, ink, piece


class RobotColours(NamedTuple):
    """The colours of a robot. The links between base and wrist alternate between ``arm`` and ``joint``."""

    base: str
    arm: str
    joint: str
    wrist: str
    """The last link, which carries the flange."""


_PLAIN: Final = RobotColours("slate", "light", "grey", "dark")
_MAKERS: Final = {
    "ABB": RobotColours("#d8d6d0", "#e4e2dc", "#d4d2cc", "dark"),
    "AUBO": RobotColours("white", "white", "#e2884a", "slate"),
    "Comau": RobotColours("dark", "#c23a2e", "#b23328", "slate"),
    "DENSO": RobotColours("#d5d8da", "white", "#c9ced3", "slate"),
    "Dobot": RobotColours("light", "white", "#cfd6dc", "slate"),
    "Doosan Robotics": RobotColours("white", "white", "#cfd4d8", "slate"),
    "Elite Robots": RobotColours("white", "white", "#7f9fbe", "slate"),
    "FANUC": RobotColours("#3c4146", "#eeb71f", "#e0aa18", "dark"),
    "Franka Robotics": RobotColours("white", "#e6e6e4", "#d3d5d6", "dark"),
    "JAKA": RobotColours("white", "white", "#c6cdd3", "slate"),
    "KUKA": RobotColours("night", "#e5691f", "#da6019", "dark"),
    "Kawasaki": RobotColours("#c9ccce", "#e3e4e2", "#d3d6d6", "slate"),
    "Kinova": RobotColours("dark", "#aeb5bb", "#454b51", "dark"),
    "Mitsubishi Electric": RobotColours("#cdd1d4", "#e0e2e2", "#cfd3d5", "slate"),
    "Stäubli": RobotColours("#c8ccce", "#e0e1dd", "#d0d2cf", "slate"),
    "Techman": RobotColours("dark", "#e2e4e6", "#4b5258", "dark"),
    "UFACTORY": RobotColours("white", "white", "#cfd4d8", "slate"),
    "Universal Robots": RobotColours("#9aa2a9", "#bdc4ca", "#aeb6bd", "#7b838a"),
    "Yaskawa Motoman": RobotColours("#3b4046", "#2f6cae", "#2a629f", "dark"),
    "igus": RobotColours("dark", "#e9e6e1", "#e07a2c", "dark"),
}
_OWN: Final = {"scorbot-er3": RobotColours("dark", "#dc6a2c", "#d0601f", "#33393f")}


def palette_of(name: str, maker: str) -> RobotColours:
    """Return the colours of a robot.

    Args:
        name: Its name in the library.
        maker: Its maker.
    """
    return _OWN.get(name) or _MAKERS.get(maker, _PLAIN)


_JOINING: Final = {
    # The forearm's box ends short of the wrist, so that the hand swings free; it is drawn up to the wrist.
    "scorbot-er3": {3: (box(0.060, 0.050, 0.050, 0.008), (0.169, 0.0, 0.0))},
}


def link_looks(name: str, maker: str, links: int) -> Sequence[Callable[[], Look]]:
    """Return functions that make the looks of base and links: their own shapes in the colours of the robot.

    Args:
        name: The name of the robot in the library.
        maker: Its maker.
        links: The number of links.
    """
    palette = palette_of(name, maker)
    middle = [(palette.arm, palette.joint)[number % 2] for number in range(max(links - 1, 0))]
    colours = [palette.base, *middle, *([palette.wrist] if links else [])]
    joining = _JOINING.get(name, {})
    return [partial(_painted, ink(colour), joining.get(number)) for number, colour in enumerate(colours)]


def _painted(colour: str, joining: tuple[Solid, Vector] | None) -> Look:
    painted = Look((piece(OWN, "paint", tint=colour),))
    return painted if joining is None else painted.add(joining[0], "paint", joining[1], tint=colour)
