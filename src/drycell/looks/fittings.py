"""Fittings: pieces shared by several looks, such as profiles, feet, bolts and signal lamps."""

import math
from collections.abc import Sequence
from typing import Final

from drycell.looks.channel import Channel, Source
from drycell.looks.look import LookPart, piece, placed
from drycell.looks.solids import Point3, Solid, cylinder, extrude, revolve, sweep

QUARTER: Final = math.pi / 2


def profile(length: float, size: float = 0.045) -> list[LookPart]:
    """An aluminium profile with T-slots, along x about the origin.

    Args:
        length: Its length.
        size: Width and height.
    """
    slot, depth, half = 0.18 * size, 0.16 * size, size / 2
    loop: list[tuple[float, float]] = []
    for right, up in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        a, b = half * right, half * up
        corner = [
            (a - depth * right, slot * up),
            (a, slot * up),
            (a, b),
            (slot * right, b),
            (slot * right, b - depth * up),
        ]
        loop += corner if right * up > 0 else corner[::-1]
    solid = extrude((loop,), length, 0.0006)
    return [piece(solid, "aluminium", (-length / 2, 0.0, 0.0), (QUARTER, 0.0, QUARTER))]


def foot(height: float = 0.065) -> list[LookPart]:
    """A levelling foot that stands on z = 0.

    Args:
        height: Up to the end of its rod.
    """
    pad = revolve(((0, 0), (0.028, 0), (0.026, 0.012), (0.012, 0.022), (0, 0.022)), sides=24)
    return [piece(cylinder(0.006, height, sides=12), "steel"), piece(pad, "rubber")]


def bolt(radius: float = 0.006) -> list[LookPart]:
    """The head of a hexagon bolt on z = 0.

    Args:
        radius: Its radius.
    """
    return [piece(cylinder(radius, 0.7 * radius, 0.0006, 6), "black steel")]


def cable(path: Sequence[Point3], radius: float = 0.0025) -> LookPart:
    """A cable along points.

    Args:
        path: The points.
        radius: Its radius.
    """
    return piece(sweep(path, radius), "cable")


def lamp(solid: Solid, channel: str, at: Sequence[float], rpy: Sequence[float] = (0.0, 0.0, 0.0)) -> LookPart:
    """A lamp that a channel lights.

    Args:
        solid: Its solid.
        channel: The name of the channel.
        at: Its position.
        rpy: Its rotation in radians.
    """
    return piece(solid, "lamp", at, rpy, on=channel)


_LAMPS: Final = {
    "red": ("#561a18", "#ff4b3e"),
    "amber": ("#5a4312", "#ffb62e"),
    "green": ("#1d4a2d", "#2fe06f"),
    "blue": ("#1c3350", "#4aa3ff"),
}


def glow(colour: str, source: Source) -> Channel:
    """A channel that lights a lamp.

    Args:
        colour: ``red``, ``amber``, ``green`` or ``blue``.
        source: Its value: 1 is on.
    """
    off, on = _LAMPS[colour]
    return Channel("glow", source, off=off, on=on)


def stack(radius: float = 0.024, height: float = 0.040) -> list[LookPart]:
    """Lamps of the channels green, amber and red, one on the other, on z = 0.

    Args:
        radius: Radius of the lamps.
        height: Height of each lamp.
    """
    parts: list[LookPart] = []
    gap = 0.15 * height
    for number, name in enumerate(("green", "amber", "red")):
        z = number * (height + gap)
        parts.append(lamp(cylinder(radius, height, 0.002, 28), name, (0.0, 0.0, z)))
        parts.append(piece(cylinder(1.06 * radius, gap, 0.0008, 28), "plastic", (0.0, 0.0, z + height), tint="night"))
    return parts


def legs(length: float, width: float, height: float, bars: bool = True) -> list[LookPart]:
    """Four legs of profile with feet, standing on z = 0.

    Args:
        length: Outer length along x.
        width: Outer width along y.
        height: Up to their tops.
        bars: Whether high legs are joined by bars.
    """
    size = 0.045
    upright = max(height - 0.05, 0.02)
    x, y = length / 2 - size / 2, width / 2 - size / 2
    parts: list[LookPart] = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            at = (sx * x, sy * y, height - upright / 2)
            parts += placed(profile(upright, size), at, (0.0, QUARTER, 0.0))
            parts += placed(foot(min(0.06, height)), (sx * x, sy * y, 0.0))
        if bars and width > 3 * size and height > 0.3:
            for z in (0.22 * height, height - size / 2 - 0.005):
                parts += placed(profile(width - 2 * size, size), (sx * x, 0.0, z), (0.0, 0.0, QUARTER))
    if bars and length > 3 * size and height > 0.3:
        for sy in (-1, 1):
            parts += placed(profile(length - 2 * size, size), (0.0, sy * y, height - size / 2 - 0.005))
    return parts
