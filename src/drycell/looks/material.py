"""Finishes and colours: how the materials of looks reflect light.

These are materials for the eye. The materials of :mod:`drycell.world`, which sensors and weights depend on, are shown
as one of these with a colour of their own (:func:`shown_as`).
"""

from dataclasses import dataclass
from typing import Final

from drycell.base import UnknownName


@dataclass(frozen=True, slots=True)
class LookMaterial:
    """How a material looks. ``metal``, ``rough`` and ``edge`` are 0…1.

    ``pattern`` names the pattern that the drawing adds: ``plain``, ``belt``, ``wood``, ``glass``, ``mesh``, ``lamp`` or
    ``screen``. ``edge`` is how strongly feature edges show.
    """

    colour: str
    metal: float
    rough: float
    pattern: str
    edge: float


FINISHES: Final[dict[str, LookMaterial]] = {
    "steel": LookMaterial("#bfc4c9", 0.85, 0.34, "plain", 0.55),
    "black steel": LookMaterial("#4a4e53", 0.9, 0.42, "plain", 0.5),
    "aluminium": LookMaterial("#d3d7da", 0.55, 0.44, "plain", 0.5),
    "anodised": LookMaterial("#959da5", 0.6, 0.5, "plain", 0.5),
    "brass": LookMaterial("#c39a55", 0.9, 0.42, "plain", 0.5),
    "cast iron": LookMaterial("#6d7276", 0.6, 0.6, "plain", 0.45),
    "paint": LookMaterial("#dfe3e6", 0.0, 0.34, "plain", 0.45),
    "powder coat": LookMaterial("#5c666f", 0.0, 0.66, "plain", 0.45),
    "plastic": LookMaterial("#3a3f45", 0.0, 0.5, "plain", 0.4),
    "rubber": LookMaterial("#2a2c2f", 0.0, 0.86, "plain", 0.35),
    "cable": LookMaterial("#3a3d40", 0.0, 0.7, "plain", 0.0),
    "label": LookMaterial("#e8e6df", 0.0, 0.7, "plain", 0.4),
    "belt": LookMaterial("#3b4046", 0.0, 0.78, "belt", 0.5),
    "wood": LookMaterial("#d2ab78", 0.0, 0.6, "wood", 0.4),
    "cardboard": LookMaterial("#c39a6b", 0.0, 0.9, "plain", 0.4),
    "concrete": LookMaterial("#b9b9b4", 0.0, 0.9, "plain", 0.3),
    "glass": LookMaterial("#a8c4d2", 0.0, 0.06, "glass", 0.3),
    "mesh": LookMaterial("#2b2f33", 0.2, 0.6, "mesh", 0.0),
    "lens": LookMaterial("#7c1d1d", 0.0, 0.12, "plain", 0.3),
    "lamp": LookMaterial("#9aa2a8", 0.0, 0.3, "lamp", 0.3),
    "screen": LookMaterial("#173042", 0.0, 0.2, "screen", 0.3),
}
"""The materials of looks, by name."""

EXEMPT: Final = ("cable", "label")
"""Materials of parts that may stick out of the shape of their body."""

INKS: Final[dict[str, str]] = {
    "white": "#dfe2e4",
    "light": "#c6ccd1",
    "grey": "#8b949c",
    "slate": "#56616b",
    "dark": "#33393f",
    "night": "#24282c",
    "blue": "#2f6fb2",
    "teal": "#2a8c94",
    "orange": "#e86f22",
    "yellow": "#f2b91d",
    "red": "#c8352b",
    "green": "#3a9b5c",
    "sand": "#d8c7a6",
}
"""Colours of products by name: few, and none of them pure."""


def look_material(name: str) -> LookMaterial:
    """Return a material of looks.

    Args:
        name: Its name.

    Raises:
        UnknownName: There is no such material.
    """
    found = FINISHES.get(name)
    if found is None:
        raise UnknownName("material of looks", name, FINISHES)
    return found


def ink(colour: str) -> str:
    """Return a colour as ``#rrggbb``.

    Args:
        colour: A name such as ``orange``, or ``#rrggbb``.

    Raises:
        UnknownName: It is neither.
    """
    if len(colour) == 7 and colour[0] == "#" and all(c in "0123456789abcdefABCDEF" for c in colour[1:]):
        return colour.lower()
    if colour not in INKS:
        raise UnknownName("colour", colour, INKS)
    return INKS[colour]


def rgb(colour: str) -> tuple[int, int, int]:
    """Return a colour ``#rrggbb`` as red, green and blue of 0…255."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def painted(red: float, green: float, blue: float) -> str:
    """Return a colour of a description as paint: pure black, white and red do not exist on machines.

    Args:
        red: 0…1.
        green: 0…1.
        blue: 0…1.
    """
    levels = [0.085 + 0.84 * min(max(each, 0.0), 1.0) for each in (red, green, blue)]
    grey = sum(levels) / 3
    return "#" + "".join(f"{round(255 * (grey + 0.88 * (each - grey))):02x}" for each in levels)


_SHOWN: Final = {
    "aluminium": "aluminium",
    "beech": "wood",
    "brass": "brass",
    "bronze": "brass",
    "cardboard": "cardboard",
    "cast iron": "cast iron",
    "concrete": "concrete",
    "copper": "brass",
    "glass": "glass",
    "oak": "wood",
    "pine": "wood",
    "plywood": "wood",
    "rubber": "rubber",
    "stainless steel": "steel",
    "steel": "steel",
    "titanium": "anodised",
    "wood": "wood",
}
_OWN_COLOUR: Final = frozenset({"aluminium", "cardboard", "cast iron", "glass", "rubber", "steel", "wood"})


def shown_as(name: str, colour: tuple[float, float, float], metal: bool) -> tuple[str, str | None]:
    """Return how a material of the world is shown: a material of looks, and a tint if it has a colour of its own.

    Args:
        name: Its name.
        colour: Its colour, red, green and blue of 0…1.
        metal: Whether it is a metal.
    """
    found = _SHOWN.get(name)
    if found is None:
        return ("anodised" if metal else "plastic"), painted(*colour)
    return found, None if found in _OWN_COLOUR else painted(*colour)
