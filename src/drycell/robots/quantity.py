"""Quantities of joints in files: degrees for what turns, millimetres for what slides, told apart by their units."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from drycell.errors import UnitError
from drycell.units import DIMENSIONS, parse, with_article

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


@dataclass(frozen=True, slots=True)
class Amount:
    """A value in SI, and whether it was written for a joint that turns."""

    value: float
    turns: bool


@dataclass(frozen=True, slots=True)
class Either:
    """Reads one of two dimensions, such as ``90 deg`` or ``150 mm``."""

    turning: str
    sliding: str

    def read(self, written: object) -> Amount:
        """The value of what stands in a file."""
        text = str(written)
        for dimension, turns in ((self.turning, True), (self.sliding, False)):
            try:
                return Amount(parse(text, dimension), turns)
            except UnitError:
                continue
        examples = f"write {DIMENSIONS[self.turning][1]!r} or {DIMENSIONS[self.sliding][1]!r}"
        one, other = with_article(self.turning), with_article(self.sliding)
        raise UnitError(f"{text[:40]!r} is neither {one} nor {other}", hint=examples)

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(self.read)


Place = Annotated[Amount, Either("angle", "length")]
Rate = Annotated[Amount, Either("angular speed", "speed")]
Gain = Annotated[Amount, Either("angular acceleration", "acceleration")]
Jolt = Annotated[Amount, Either("angular jerk", "jerk")]
