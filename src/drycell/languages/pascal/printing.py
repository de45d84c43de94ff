"""How WRITE and STR put values into text: as Turbo Pascal does, widths to the left, strings never cut."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from drycell.languages.pascal.fault import Trouble

WIDEST: Final = 255
_HALVES: Final = ROUND_HALF_UP
"""Halves go away from zero (ISO 7185, 6.9.3.4); Python's own formats round them to the even digit."""
_EXACT: Final = Context(400, _HALVES)
"""Holds every digit of a real with 40 decimals."""


def padded(text: str, width: int) -> str:
    """Text in so many columns, at their right end."""
    if width > WIDEST:
        raise Trouble(f"a width of {width}: {WIDEST} columns are the most")
    return text.rjust(width)


def boolean(value: bool) -> str:
    """TRUE or FALSE."""
    return "TRUE" if value else "FALSE"


def real(value: float, width: int = 17) -> str:
    """A real without decimals: a mantissa that fills the width, and an exponent of two digits or more."""
    if not math.isfinite(value):
        return padded("Inf" if value > 0 else "-Inf" if value < 0 else "NaN", width)
    exponent = max(2, len(f"{value:e}".partition("e")[2]) - 1)
    digits = min(max(width - 5 - exponent, 1), 15)
    # A decimal zero would be written with an exponent of its own.
    cut = Context(digits + 1, _HALVES).create_decimal(value) if value else value
    mantissa, _, power = f"{cut: .{digits}e}".partition("e")
    return padded(f"{mantissa}E{power[0]}{power[1:].zfill(2)}", width)


def fixed(value: float, width: int, decimals: int) -> str:
    """A real with so many decimals."""
    if not math.isfinite(value):
        return real(value, width)
    if not 0 <= decimals <= 40:
        raise Trouble(f"{decimals} decimals: 0..40 can be")
    return padded(f"{Decimal(value).quantize(Decimal(1).scaleb(-decimals), context=_EXACT):f}", width)


PRINTERS: Final[dict[str, object]] = {"_pad": padded, "_bool": boolean, "_real": real, "_fixed": fixed}
"""The names by which translated programs know all this."""
