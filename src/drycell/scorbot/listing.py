"""What a controller lists: counts of its encoders, and its inputs."""

import re
from collections.abc import Sequence
from typing import Final

INPUTS: Final = 16
_AXIS: Final = re.compile(r"(?<![\w.])([1-9])\s*:\s*([+-]?\d{1,9})(?![\w.])")
_RANGE: Final = re.compile(r"^(\d{1,2})\s*->\s*(\d{1,2})\s*:?(.*)$")


def listed_counts(lines: Sequence[str], axes: int) -> tuple[int, ...] | None:
    """The counts of the axes from the lines of LISTPV: ``1:   2441  2:  2153 …``; None if one is missing."""
    found: dict[int, int] = {}
    for line in lines:
        for axis, count in _AXIS.findall(line):
            if int(axis) in found:
                return None
            found[int(axis)] = int(count)
    wanted = range(1, axes + 1)
    return tuple(found[axis] for axis in wanted) if all(axis in found for axis in wanted) else None


def listed_inputs(lines: Sequence[str]) -> tuple[bool, ...] | None:
    """The inputs from the lines of SHOW DIN: ``1 -> 16:`` and as many noughts and ones; None if they do not come so."""
    for place, line in enumerate(lines):
        match = _RANGE.match(line)
        if match is None:
            continue
        first, last = int(match[1]), int(match[2])
        signs = match[3].split() or (lines[place + 1].split() if place + 1 < len(lines) else [])
        if len(signs) == 1:  # some print them without blanks
            signs = list(signs[0])
        if first == 1 and len(signs) == last <= INPUTS and all(sign in ("0", "1") for sign in signs):
            return tuple(sign == "1" for sign in signs)
    return None
