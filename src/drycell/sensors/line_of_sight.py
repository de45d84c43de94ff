"""Visibility: how far a sensor still detects a material, as a share of the reach its data sheet states.

One law for each principle:

- anything: every body, at full reach.
- sound: an echo's amplitude falls as sqrt(1 - α)/r (α: the share of energy swallowed), so reach × sqrt(1 - α).
- light, diffuse: what comes back falls as ρ/r² (ρ: reflectivity), so reach × sqrt(ρ/ρ_ref), at most 1. ρ is the
  material's reflectivity for infrared light, its colour's channel for red, green or blue, their mean for white.
- light, through or reflector: whatever is in the beam interrupts it; the material does not matter.
- metal: nothing but metals, × a reduction factor (steel 1; the data sheet's, or a typical one).
- dielectric: metals and water-like bodies at full reach, others × a factor (typical ones here; 0.5 if unknown).
"""

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from drycell.sensors.model import SensorModel
    from drycell.world import Material

# Reduction factors as the data sheets of inductive sensors print them, in the middle of the usual range.
METALS: Final = {
    "steel": 1.0,
    "cast iron": 1.0,
    "stainless steel": 0.75,
    "brass": 0.45,
    "aluminium": 0.4,
    "copper": 0.35,
}
OTHER_METAL: Final = 0.4

# Correction factors of capacitive sensors by permittivity, in the middle of the usual range.
DIELECTRICS: Final = {
    "glass": 0.6,
    "concrete": 0.6,
    "rubber": 0.4,
    "beech": 0.4,
    "plastic": 0.4,
    "cardboard": 0.3,
    "foam": 0.1,
}
OTHER_DIELECTRIC: Final = 0.5


def visibility(model: "SensorModel", material: "Material") -> float:
    """The share of its reach at which a sensor detects a material: 0 is never, 1 as far as the data sheet says."""
    if material.name in model.factors:
        return model.factors[material.name]
    match model.senses:
        case "sound":
            return math.sqrt(1.0 - material.absorption)
        case "light":
            if model.beam != "diffuse":
                return 1.0
            return min(1.0, math.sqrt(reflectivity(model, material) / model.reference))
        case "metal":
            return METALS.get(material.name, OTHER_METAL) if material.metal else 0.0
        case "dielectric":
            return 1.0 if material.metal else DIELECTRICS.get(material.name, OTHER_DIELECTRIC)
        case _:
            return 1.0


def reflectivity(model: "SensorModel", material: "Material") -> float:
    """The share of the sensor's light that a material throws back."""
    if model.light == "infrared":
        return material.reflectivity
    if model.light == "white":
        return sum(material.colour) / 3.0
    return material.colour[("red", "green", "blue").index(model.light)]


def hides(model: "SensorModel") -> bool:
    """Whether bodies hide what is behind them; fields of coils and plates go through what they do not feel."""
    return model.occlusion == "nearest" and model.senses not in ("metal", "dielectric")


def invisible(model: "SensorModel", material: "Material") -> str:
    """Why a material is detected less far than others, for a reader."""
    match model.senses:
        case "sound":
            return f"{material.name} swallows {material.absorption:.0%} of the sound"
        case "light":
            return f"{material.name} throws back {reflectivity(model, material):.0%} of the light"
        case "metal":
            return f"{material.name} is detected less far" if material.metal else f"{material.name} is no metal"
        case _:
            return f"{material.name} is detected less far"
