"""From a fault to its effect on one signal: whether it fits what the signal holds, and what it comes to there."""

from typing import Any

from drycell.errors import FieldError
from drycell.kernel import Signal, ticks
from drycell.sensors.fault import STEP, Fault, Value
from drycell.sensors.faults.effects import Delayed, Drifting, Effect, Exchanged, Held, Inverted, Raised, Replaced
from drycell.sensors.model import SensorModel
from drycell.sensors.response import switched

AnySignal = Signal[Any]


def sampling_period(signal: AnySignal) -> float | None:
    """The period of a sensor, in seconds; None for a signal that is not sampled."""
    model = _model(signal)
    return None if model is None else model.every


def effect_of(fault: Fault, signal: AnySignal) -> Effect:
    """What a fault does to a signal, which must hold values that this can be done to."""
    kind = fault.kind
    if kind in ("stuck_on", "stuck_off"):
        return Replaced(_level(signal, kind == "stuck_on", kind))
    if kind == "drift":
        _check_number(signal, kind)
        step = None if sampling_period(signal) else ticks(STEP if fault.every is None else fault.every)
        return Drifting(fault.per_second or 0.0, step)
    if kind == "late":
        return Delayed(ticks(fault.by or 0.0))
    if kind == "swapped":
        return Exchanged()
    if fault.value is not None:
        return Replaced(signal.accepted(fault.value))
    if kind == "stuck":
        return Held()
    if kind == "dropout":
        return Replaced(signal.initial)  # of a sensor: what it publishes as long as it detects nothing
    return _spike(fault, signal)


def check_alike(signal: AnySignal, other: AnySignal) -> None:
    """Refuse to swap a signal with itself or with one that holds values of another type."""
    if signal is other:
        raise FieldError(f"signal '{signal.name}' cannot be swapped with itself", hint="name another signal")
    if signal.value_type is not other.value_type:
        one, two = signal.value_type.__name__, other.value_type.__name__
        raise FieldError(
            f"'{signal.name}', which holds {one}, cannot be swapped with '{other.name}', which holds {two}",
            hint="swap two signals of one type",
        )


def _spike(fault: Fault, signal: AnySignal) -> Effect:
    if fault.size is not None:
        _check_number(signal, "spike with a size")
        return Raised(fault.size)
    if signal.value_type is bool:
        return Inverted()
    example = "'value', such as 'none'" if signal.value_type is str else "'size', such as 5"
    raise FieldError(
        f"a spike on '{signal.name}', which holds {signal.value_type.__name__}, needs a size or a value",
        hint=f"give its {example}",
    )


def _check_number(signal: AnySignal, what: str) -> None:
    if signal.value_type not in (int, float):
        raise FieldError(
            f"a {what} needs a number, but '{signal.name}' holds {signal.value_type.__name__}",
            hint="use stuck, dropout, late or swapped, or a spike without a size",
        )


def _level(signal: AnySignal, on: bool, kind: str) -> Value:
    """What a signal that is either on or off holds then."""
    if signal.value_type is bool:
        return on
    model = _model(signal)
    if model is not None and _is_switch(model):
        return switched(model, on)
    raise FieldError(
        f"'{kind}' needs a signal that is on or off, but '{signal.name}' holds {signal.value_type.__name__}",
        hint=f"use 'stuck' with a value, such as {signal.peek()!r}",
    )


def _is_switch(model: SensorModel) -> bool:
    limited = model.output.below is not None or model.output.above is not None
    return limited or model.kind == "boolean" or model.type in ("proximity", "contact")


def _model(signal: AnySignal) -> SensorModel | None:
    model = getattr(signal, "model", None)
    return model if isinstance(model, SensorModel) else None
