"""What is drawn of a device, read from the device itself."""

from collections.abc import Callable
from typing import Any

from drycell.base import FieldError
from drycell.effector import LiveEffector, LivePad, LiveWrist, Station
from drycell.effector.messages import unpack_proximity
from drycell.studio.effector.camera import Json


def view_of(device: Station[Any]) -> Callable[[], Json]:
    """What reads the state of a device for its picture."""
    if isinstance(device, LiveEffector):
        return lambda: _effector(device)
    if isinstance(device, LiveWrist):
        return lambda: {"load": list(device.load())}
    if isinstance(device, LivePad):
        return lambda: {"cells": list(device.pressures())}
    raise FieldError(f"there is no picture of {device.name!r}", hint="run it without --picture")


def _effector(device: LiveEffector) -> Json:
    jaw = device.jaw
    left, right = unpack_proximity(device.detectors.packed)
    # What stands between the jaws is drawn as wide as the fingers see it.
    part = None if left is None or right is None else max(jaw.gap - left - right, 0.0)
    return {
        "gap": jaw.gap,
        "target": jaw.target,
        "force": jaw.force,
        "left": left,
        "right": right,
        "beam": bool(device.detectors.beam.value),
        "queue": device.waiting,
        "moving": bool(jaw.moving.value),
        "part": jaw.gap if jaw.load else part,
        "widest": jaw.opening[1],
    }
