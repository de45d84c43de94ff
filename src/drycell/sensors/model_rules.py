"""What a sensor's description must hold: fields that need each other, and fields that make no sense together."""

import math
import typing
from collections.abc import Iterator
from dataclasses import is_dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from drycell.datafile import element, field_types, marks
from drycell.errors import FieldError, did_you_mean
from drycell.fields import Measure, Quantity
from drycell.units import format_angle

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from drycell.sensors.model import SensorModel

Wrong = tuple[str, str]  # what, hint
_SI: Final = "numbers are SI: write 250*mm, 90*deg, 20*ms"
_TICK: Final = 1e-6  # seconds: the clock knows no shorter time


def check(model: "SensorModel") -> None:
    """Raises FieldError for the first rule that is broken."""
    for what, hint in chain(_values(model), _looking(model), _detecting(model), _publishing(model)):
        raise FieldError(what, hint=hint)
    if model.type in ("range", "proximity") and not any(volume.mesh for volume in model.volumes):
        _ = model.probe  # a line that leaves its volume at once is told now, unless a file must be read for it
    if model.type in ("range", "force") and model.kind != "boolean" and not _limited(model):
        model.output.scale(model.dimension)


def _values(described: "DataclassInstance", place: str = "") -> Iterator[Wrong]:
    """What a file's reader has checked already, and Python has not: of a model, and of all that it is made of."""
    for name, kind in field_types(type(described)).items():
        value = getattr(described, name)
        words = typing.get_args(kind)
        if typing.get_origin(kind) is typing.Literal and value not in words:
            yield f"{name} is {value!r}, must be one of {', '.join(words)}", did_you_mean(str(value), words)
        yield from _value(f"{place}{name.removesuffix('_')}", kind, value)


def _value(place: str, kind: object, value: object) -> Iterator[Wrong]:
    limits = [mark for mark in marks(kind) if isinstance(mark, Quantity | Measure)]
    if is_dataclass(value) and not isinstance(value, type):
        yield from _values(value, f"{place}.")
    elif isinstance(value, tuple):
        for number, each in enumerate(value):
            yield from _value(f"{place}[{number}]", element(kind, number), each)
    elif isinstance(value, str) and limits:
        yield f"{place} is the text {value!r}, a number is wanted", _SI
    elif isinstance(value, int | float):
        for mark in limits or [Quantity("ratio")]:
            if not (value > mark.above and mark.least <= value < math.inf and math.isfinite(value)):
                yield f"{place} is {value:g}, must be {_limit(mark, value)}", _SI


def _limit(mark: Quantity | Measure, value: float) -> str:
    if mark.above > -math.inf:
        return f"above {mark.above:g}" if math.isfinite(value) else f"finite and above {mark.above:g}"
    return "finite" if mark.least == -math.inf else f"finite and at least {mark.least:g}"


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
    for name, angle in (("reflects_below", model.reflects_below), ("distorts_to", model.distorts_to)):
        if angle is not None and not 0.0 <= angle <= math.pi / 2:
            yield (
                f"{name} is {format_angle(angle)}, must be 0…90 deg",
                "it is the angle to the surface's normal: 0 is square to it",
            )
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
    if model.every < _TICK:
        yield f"every is {model.every:g} s, but the clock's tick is {_TICK:g} s", "write for example 20 ms"
    yield from _words(model)
    if kind in ("proximity", "contact"):
        if output.transfers or limits:
            yield f"a {kind} sensor measures nothing to transfer or to compare", "give 'on' and 'off', or type: range"
        if model.noise.random or model.noise.offset or model.noise.gain != 1.0 or model.quantum:
            yield f"a {kind} sensor measures nothing that noise could disturb", "use faults, or type: range"
        if kind == "contact" and model.hysteresis:
            yield "a contact sensor has no hysteresis", "what touches, touches: leave it out"
    elif model.kind == "boolean" and output.transfers:
        yield "a boolean output has no transfer function", "give 'below' or 'above', or another kind"
    elif limits and model.kind != "boolean" and (output.on is None or output.off is None):
        yield "a limit makes a switch, which publishes true and false", "write kind: boolean, or give 'on' and 'off'"
    elif limits and output.transfers:
        yield "a limit and a transfer function exclude each other", "keep one of them"
    elif model.hysteresis and not limits:
        yield "a hysteresis needs a limit", "give 'below' or 'above' in output"


def _words(model: "SensorModel") -> Iterator[Wrong]:
    """What a switch says instead of true and false, and what is published for nothing."""
    output = model.output
    off, other = (
        (output.default, "default") if output.off is None and output.default is not None else (output.off, "off")
    )
    for name, value in (("on", output.on), ("off", output.off), ("default", output.default)):
        if model.kind == "integer" and isinstance(value, float) and not value.is_integer():
            yield f"output: {name} is {value:g}, but the output is an integer", "write kind: real, or a whole number"
    if model.kind == "boolean" and _is_number(output.on) != _is_number(off):
        given, missing = (f"on is {output.on}", other) if _is_number(output.on) else (f"{other} is {off}", "on")
        yield f"output: {given}, but {missing} is no number", "give 'on' and 'off', such as 5.0 and 0.0"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
