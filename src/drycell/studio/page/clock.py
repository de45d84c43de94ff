"""Cell time as the page writes it."""

from typing import Final

TICKS: Final = 1_000_000  # a second


def clock_text(ticks: int, digits: int = 3) -> str:
    """``1:02:04.200``: hours and minutes only where there are some."""
    unit = TICKS // 10**digits
    whole, rest = divmod(ticks // unit, 10**digits)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest:0{digits}d}" if digits else ""
    if hours:
        return f"{hours}:{minutes:02d}:{seconds:02d}{fraction}"
    return f"{minutes}:{seconds:02d}{fraction}"


def factor_text(factor: float | None) -> str:
    """``0.25 ×``, or ``max`` for as fast as possible."""
    return "max" if factor is None else f"{factor:g} ×"
