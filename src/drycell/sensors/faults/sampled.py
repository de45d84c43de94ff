"""Signals that are sampled: those of sensors."""

from typing import Any

from drycell.kernel import Signal
from drycell.sensors.model import SensorModel


def model_of(signal: Signal[Any]) -> SensorModel | None:
    """The model of the sensor that a signal is; None for any other signal."""
    model = getattr(signal, "model", None)
    return model if isinstance(model, SensorModel) else None


def sampling_period(signal: Signal[Any]) -> float | None:
    """The period of a sensor, in seconds; None for a signal that is not sampled."""
    model = model_of(signal)
    return None if model is None else model.every
