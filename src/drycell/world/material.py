"""Materials: the properties of bodies that weight, friction, impact and sensors depend on.

Values are typical and rounded. Replace them if a cell depends on them (`Materials.add`).

Sources. Density: CRC Handbook of Chemistry and Physics, "Density of various solids". Friction of metals and glass, dry,
sliding on mild steel: Marks' Standard Handbook for Mechanical Engineers, table 3.2.1. Sound absorption at 1 kHz:
Vorländer, Auralization, annex. Restitution, roughness as delivered, reflectivity near 850 nm, and the friction of
soft or porous materials are estimates in the middle of the usual range.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from drycell.base import UnknownName, WorldError, um

_MAGNETIC: Final = ("cast iron", "steel")
Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Material:
    """A material, in SI units. Fractions are 0…1; the colour is red, green, blue in 0…1."""

    name: str
    density: float  # kg/m³
    friction: float  # sliding on steel, dry
    restitution: float  # rebound speed over impact speed
    metal: bool  # whether inductive sensors detect it
    absorption: float  # fraction of the sound energy
    roughness: float  # m, Ra
    reflectivity: float  # fraction of light reflected diffusely
    colour: Colour

    @property
    def magnetic(self) -> bool:
        """Whether magnets hold it: steel and cast iron, but not stainless steel, which mostly is austenitic."""
        return self.name in _MAGNETIC

    def __post_init__(self) -> None:
        if self.density <= 0.0:
            raise WorldError(f"material {self.name!r}: density must be above 0 kg/m³, not {self.density:g}")
        for what in ("friction", "roughness"):
            if getattr(self, what) < 0.0:
                raise WorldError(f"material {self.name!r}: {what} must be 0 or more, not {getattr(self, what):g}")
        fractions = {"restitution": self.restitution, "absorption": self.absorption, "reflectivity": self.reflectivity}
        for what, fraction in (*fractions.items(), *(("colour", each) for each in self.colour)):
            if not 0.0 <= fraction <= 1.0:
                raise WorldError(f"material {self.name!r}: {what} must be in 0…1, not {fraction:g}")


#                     density  µ     e     metal  sound  roughness  light  colour
LIBRARY: Final = (
    Material("aluminium", 2700, 0.47, 0.60, True, 0.02, 1.6 * um, 0.75, (0.78, 0.79, 0.80)),
    Material("beech", 720, 0.40, 0.50, False, 0.07, 6.3 * um, 0.55, (0.80, 0.62, 0.42)),
    Material("brass", 8500, 0.44, 0.55, True, 0.02, 1.6 * um, 0.65, (0.80, 0.65, 0.30)),
    Material("cardboard", 690, 0.35, 0.30, False, 0.10, 10.0 * um, 0.60, (0.72, 0.58, 0.42)),
    Material("cast iron", 7200, 0.23, 0.55, True, 0.02, 12.5 * um, 0.25, (0.32, 0.33, 0.35)),
    Material("concrete", 2300, 0.45, 0.50, False, 0.02, 50.0 * um, 0.35, (0.62, 0.62, 0.60)),
    Material("copper", 8960, 0.36, 0.50, True, 0.02, 1.6 * um, 0.70, (0.72, 0.45, 0.30)),
    Material("foam", 30, 0.60, 0.20, False, 0.75, 200.0 * um, 0.70, (0.90, 0.88, 0.70)),
    Material("glass", 2500, 0.55, 0.70, False, 0.03, 0.02 * um, 0.08, (0.75, 0.88, 0.88)),
    Material("paint", 1400, 0.30, 0.40, False, 0.02, 1.0 * um, 0.50, (0.90, 0.55, 0.10)),
    Material("plastic", 1200, 0.35, 0.60, False, 0.03, 0.8 * um, 0.60, (0.70, 0.72, 0.75)),
    Material("rubber", 1150, 0.80, 0.70, False, 0.05, 3.2 * um, 0.05, (0.12, 0.12, 0.13)),
    Material("stainless steel", 7900, 0.40, 0.60, True, 0.02, 0.8 * um, 0.60, (0.68, 0.69, 0.70)),
    Material("steel", 7850, 0.42, 0.60, True, 0.02, 1.6 * um, 0.50, (0.55, 0.57, 0.60)),
)


class Materials:
    """The materials of a cell by name: the library's and the cell's own."""

    def __init__(self, materials: Iterable[Material] = LIBRARY) -> None:
        self._known = {material.name: material for material in materials}

    def __getitem__(self, name: str) -> Material:
        if name not in self._known:
            raise UnknownName("material", name, self._known)
        return self._known[name]

    def add(self, material: Material) -> Material:
        """Add a material, or replace the material with its name for this cell."""
        self._known[material.name] = material
        return material

    def check(self, name: str) -> None:
        """Raise UnknownName for an unknown name."""
        self[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    @property
    def names(self) -> list[str]:
        """All names, in alphabetical order."""
        return sorted(self._known)
