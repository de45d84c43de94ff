"""What a sensor's description must hold: fields that need each other, and fields that make no sense together."""

import math
import typing
from collections.abc import Iterator
from typing import TYPE_CHECKING

from drycell.datafile import field_types, marks
from drycell.errors import FieldError, did_you_mean
from drycell.fields import Measure, Quantity
from drycell.units import format_angle

if TYPE_CHECKING:
    from drycell.sensors.model import SensorModel

Wrong = tuple[str, str]  # what, hint


def check(model: "SensorModel") -> None:
    """Raises FieldError for the first rule that is broken."""
    for what, hint in (*_values(model), *_looking(model), *_detecting(model), *_publishing(model)):
        raise FieldError(what, hint=hint)
    if model.type in ("range", "proximity") and not any(volume.mesh for volume in model.volumes):
        _ = model.probe  # a line that leaves its volume at once is told now, unless a file must be read for it
    if model.type in ("range", "force") and model.kind != "boolean" and not _limited(model):
        model.output.scale(model.dimension)


def _values(model: "SensorModel") -> Iterator[Wrong]:
    """What a file's reader has checked already, and Python has not."""
    described: type = type(model)
    for name, kind in field_types(described).items():
        value = getattr(model, name)
        words = typing.get_args(kind)
        if typing.get_origin(kind) is typing.Literal and value not in words:
            yield f"{name} is {value!r}, must be one of {', '.join(words)}", did_you_mean(str(value), words)
        for mark in marks(kind) if isinstance(value, int | float) else ():
            if isinstance(mark, Quantity | Measure) and not (value > mark.above and mark.least <= value < math.inf):
                limit = f"above {mark.above:g}" if mark.above > -math.inf else f"finite and at least {mark.least:g}"
                yield f"{name} is {value:g}, must be {limit}", "numbers are SI: write 250*mm, 90*deg, 20*ms"


def _limited(model: "SensorModel") -> bool:
    return model.output.below is not None or model.output.above is not None


def _looking(model: "SensorModel") -> Iterator[Wrong]:
    lines, kind = model.trace_lines, model.type
    if kind in ("range", "proximity"):
        if not model.volumes and lines is None:
            yield f"a {kind} sensor looks nowhere", "give it a volume, or trace_lines with a reach"
        if not model.volumes and lines is not None and lines.reach is None:
            yield "trace-lines without a volume need a reach", "write trace_lines: {count: 1, reach: 500 mm}"
    if kind in ("contact", "force") and lines is not None:
        yield f"a {kind} sensor has no trace-lines", "leave 'trace_lines' out"
    if kind == "force" and model.volumes and model.weighs:
        yield "a pad (a force sensor with a volume) carries nothing that could weigh", "leave 'weighs' out"
    cones = all(volume.cone is not None for volume in model.volumes)
    if model.directivity is not None and model.volumes and not cones:
        yield "a directivity goes with a cone", "write volume: {cone: {length: 2 m, half_angle: 30 deg}}"


def _detecting(model: "SensorModel") -> Iterator[Wrong]:
    if model.distorts_to is not None:
        near = model.reflects_below
        if near is None:
            yield "distorts_to is the far end of a band that has no near end", "give reflects_below, too"
        elif model.distorts_to <= near:
            yield (
                f"the band of distortion goes from {format_angle(near)} to {format_angle(model.distorts_to)}",
                "distorts_to must be the larger of the two",
            )
    if not 0.0 < model.reference <= 1.0:
        yield f"reference is {model.reference:g}, must be above 0 and at most 1", "white paper is 0.9"
    for name, factor in model.factors.items():
        if not 0.0 <= factor <= 1.0:
            yield f"the factor of {name!r} is {factor:g}, must be in 0…1", "steel is 1, what is never detected 0"
    if model.beam != "diffuse" and model.type != "proximity":
        yield f"a {model.beam} beam tells whether it is interrupted, not a {model.type}", "write type: proximity"


def _publishing(model: "SensorModel") -> Iterator[Wrong]:
    output, kind = model.output, model.type
    limits = _limited(model)
    if kind in ("proximity", "contact"):
        if output.transfers or limits:
            yield f"a {kind} sensor measures nothing to transfer or to compare", "give 'on' and 'off', or type: range"
        if model.noise.random or model.noise.offset or model.noise.gain != 1.0 or model.quantum:
            yield f"a {kind} sensor measures nothing that noise could disturb", "use faults, or type: range"
    elif model.kind == "boolean" and output.transfers:
        yield "a boolean output has no transfer function", "give 'below' or 'above', or another kind"
    elif limits and model.kind != "boolean" and (output.on is None or output.off is None):
        yield "a limit makes a switch, which publishes true and false", "write kind: boolean, or give 'on' and 'off'"
    elif limits and output.transfers:
        yield "a limit and a transfer function exclude each other", "keep one of them"
    elif kind == "force" and model.hysteresis and not limits:
        yield "a hysteresis needs a limit", "give 'below' or 'above' in output"
