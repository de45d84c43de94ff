"""The multiplexer: which output is tried first and which next; when all have been tried it starts over."""

from collections.abc import Sequence
from typing import Final

ROUNDS: Final = 2  # how often all are tried before the robot counts as trapped


def by_strength(outputs: Sequence[float]) -> list[int]:
    """The numbers of the outputs, the strongest first; of equal ones, the first."""
    return sorted(range(len(outputs)), key=lambda number: (-outputs[number], number))


def goal_first(outputs: Sequence[float]) -> list[int]:
    """The same, but for the planner's goal (the first output), which comes before all.

    For rules that hold a difference: where going straight on does, no turn is right. By strength alone, any habit that
    lessens the difference is confirmed, and robots learn to turn on and on (docs/decisions/0013).
    """
    return sorted(range(len(outputs)), key=lambda number: (number != 0, -outputs[number], number))
