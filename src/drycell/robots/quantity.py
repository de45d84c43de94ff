"""Quantities of joints: angles for what turns, lengths for what slides; the unit says which."""

from typing import Annotated

from drycell.base import Amount, Measure

JointValue = Annotated[float, Measure(("angle", "length"))]
JointSpeed = Annotated[float, Measure(("angular speed", "speed"))]
JointAcceleration = Annotated[float, Measure(("angular acceleration", "acceleration"))]
JointJerk = Annotated[float, Measure(("angular jerk", "jerk"))]


def turns(value: float) -> bool | None:
    """Whether a value was written for a joint that turns; None if it has no unit that says so."""
    dimension = value.dimension if isinstance(value, Amount) else None
    return None if dimension is None else dimension.startswith("ang")
