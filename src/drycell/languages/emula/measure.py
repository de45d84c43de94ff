"""Units of EMULA's language: inches and degrees as in the paper, unless the program says otherwise."""

from dataclasses import dataclass
from typing import Final

from drycell.base import UnknownName, deg, inch, m, mm, rad

LENGTHS: Final = {"inch": inch, "in": inch, "mm": mm, "cm": 10 * mm, "m": m}
ANGLES: Final = {"deg": deg, "rad": rad}


@dataclass(frozen=True, slots=True)
class Measure:
    """In which units a program gives lengths and angles, and as how much of SI."""

    length_name: str = "inch"
    angle_name: str = "deg"

    @property
    def length(self) -> float:
        """One length of the program in metres."""
        return LENGTHS[self.length_name]

    @property
    def angle(self) -> float:
        """One angle of the program in radians."""
        return ANGLES[self.angle_name]

    def with_unit(self, name: str) -> "Measure":
        """The same with another unit, of lengths or of angles as its name says."""
        folded = name.lower()
        if folded in LENGTHS:
            return Measure(folded, self.angle_name)
        if folded in ANGLES:
            return Measure(self.length_name, folded)
        raise UnknownName("unit", name, [*LENGTHS, *ANGLES])

    def __str__(self) -> str:
        return f"lengths in {self.length_name}, angles in {self.angle_name}"
