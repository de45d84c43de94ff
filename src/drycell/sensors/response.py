"""Response: from a measured quantity to the published value, with noise, quantisation, limits and hysteresis."""

import math
from typing import TYPE_CHECKING, NamedTuple

from drycell.base import Amount
from drycell.sensors.output import Value

if TYPE_CHECKING:
    from drycell.sensors.model import SensorModel
    from drycell.sensors.reading import Reading


class Answer(NamedTuple):
    """What is published, and whether the sensor is on (for the hysteresis of the next sample)."""

    value: Value
    on: bool


def respond(model: "SensorModel", quantity: float | None, detects: bool, was_on: bool = False) -> Answer:
    """What a sensor publishes for a quantity it has measured (None: nothing), or for whether it detects something."""
    output = model.output
    if model.type in ("proximity", "contact"):
        return Answer(switched(model, detects), detects)
    if model.limited:
        on = quantity is not None and _within(model, quantity, was_on)
        return Answer(switched(model, on), on)
    if model.kind == "boolean":
        return Answer(switched(model, quantity is not None), quantity is not None)
    number = None if quantity is None else output.transferred(quantity)
    if number is None:
        return Answer(nothing(model), False)
    return Answer(output.formatted(number / output.scale(model.dimension), model.kind), True)


def sampled(model: "SensorModel", reading: "Reading", seed: int, name: str, index: int, was_on: bool = False) -> Answer:
    """What a sensor of this name publishes of a reading at its sample of this number: noise and steps included."""
    return respond(model, disturbed(model, reading.quantity, seed, name, index), reading.on, was_on)


def disturbed(model: "SensorModel", quantity: float | None, seed: int, name: str, index: int) -> float | None:
    """The quantity a sensor finds at a sample: disturbed by noise, then in whole steps of its quantum."""
    if quantity is None:
        return None
    found = model.noise.disturbed(quantity, seed, name, index)
    if model.quantum:
        found = math.copysign(math.floor(abs(found) / model.quantum + 0.5) * model.quantum, found)
    return max(found, 0.0) if model.type == "range" else found


def switched(model: "SensorModel", on: bool) -> Value:
    """The published value of a switch: the output's own values for on and off, or true and false in its format."""
    output = model.output
    off = output.off if output.off is not None else output.default
    chosen = output.on if on else off
    if chosen is None or isinstance(chosen, str):
        chosen = on
    if model.kind == "boolean" and isinstance(output.on, float):
        return float(chosen)  # one signal holds both: 5.0 and 0 are reals
    return _number(model, chosen)


def nothing(model: "SensorModel") -> Value:
    """What is published when nothing is detected: the default as it stands, or what the full reach would give."""
    output = model.output
    if output.default is not None and not isinstance(output.default, str):
        return _number(model, output.default)
    far = max(model.probe.reaches, default=0.0) if model.type == "range" else 0.0
    number = output.transferred(far)
    return output.formatted((number or 0.0) / output.scale(model.dimension), model.kind)


def _number(model: "SensorModel", value: bool | int | float) -> Value:
    """A value written by the author: kept as it is, only a whole number becomes a real one for a real output."""
    if model.kind == "boolean":
        return value
    return int(value) if model.kind == "integer" and float(value).is_integer() else float(value)


def _within(model: "SensorModel", quantity: float, was_on: bool) -> bool:
    """Whether a quantity is within the limits, which are wider by the hysteresis for one that was."""
    output, wider = model.output, model.hysteresis if was_on else 0.0
    ratio = isinstance(model.hysteresis, Amount) and model.hysteresis.dimension == "ratio"
    low = -math.inf if output.above is None else output.above - (wider * abs(output.above) if ratio else wider)
    high = math.inf if output.below is None else output.below + (wider * abs(output.below) if ratio else wider)
    return low <= quantity <= high
