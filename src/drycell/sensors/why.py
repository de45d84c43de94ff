"""Why: a reading told in a sentence or two."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from drycell.base import format_length

if TYPE_CHECKING:
    from drycell.sensors.reading import Reading


def told(reading: "Reading") -> str:
    """What was found, and why the rest was not."""
    model = reading.model
    if model.type == "force":
        return _force(reading)
    sentences = [_found(reading)]
    lost = [(number, line) for number, line in enumerate(reading.lines, 1) if line.body is not None and line.lost]
    for number, line in lost:
        name = line.body.name if line.body is not None else ""
        at = "" if line.distance is None else f" at {format_length(line.distance)}"
        sentences.append(f"trace-line {number} meets {name!r}{at}, but {line.lost}")
    if reading.missed:
        are, them = ("is", "it") if len(reading.missed) == 1 else ("are", "them")
        names = _names(body.name for body in reading.missed)
        sentences.append(f"{names} {are} in the volume, but no trace-line meets {them}")
    return "; ".join(sentences)


def _found(reading: "Reading") -> str:
    model, body = reading.model, reading.body
    if model.beam != "diffuse":
        return (
            f"the beam is interrupted by {_names(each.name for each in reading.seen)}"
            if reading.seen
            else "the beam is free"
        )
    if reading.distance is not None and body is not None:
        return f"{body.name!r} is {format_length(reading.distance)} away"
    if model.type == "contact":
        return f"touched by {_names(each.name for each in reading.seen)}" if reading.seen else "nothing touches it"
    if reading.on and not reading.lines:
        return f"{_names(body.name for body in reading.seen)} {'is' if len(reading.seen) == 1 else 'are'} in the volume"
    return "nothing is detected"


def _force(reading: "Reading") -> str:
    fx, fy, fz = reading.force or (0.0, 0.0, 0.0)
    what = f"force {fx:.3f}, {fy:.3f}, {fz:.3f} N"
    if not reading.seen:
        return f"{what}; nothing presses on what hangs on it"
    return f"{what}, from {_names(body.name for body in reading.seen)}"


def _names(names: Iterable[str]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
