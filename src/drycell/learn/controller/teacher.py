"""The teacher: which action was right for a violation, and the target that follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from drycell.learn.controller.instincts import Instinct, Values


@dataclass(frozen=True, slots=True)
class Trial:
    """An action that was tried against a violation: what the inputs read and how the robot moved after it."""

    action: int
    values: Values
    motion: str
    stopped: bool  # by a wall


def is_right(violated: Instinct, before: Values, trial: Trial, lessens_to: float = 1.0) -> bool:
    """Whether an action stopped the violation or made a difference smaller than that share of what it was.

    The thesis (8.2.2.2) says smaller than it was: a share of 1.
    """
    if trial.stopped:
        return False
    if not violated.violated(trial.values, trial.motion):
        return True
    return bool(violated.difference) and abs(violated.off(trial.values)) < lessens_to * abs(violated.off(before))


def least_bad(violated: Instinct, trials: Sequence[Trial]) -> int | None:
    """When no action was right: the one that left the smallest difference, the first tried if they are equal.

    A robot that heads away from the middle by more than one turn gets farther from it whatever it does, so that the
    thesis' rule alone would never teach it to turn back.
    """
    free = [trial for trial in trials if not trial.stopped]
    if not violated.difference or not free:
        return None
    return min(free, key=lambda trial: abs(violated.off(trial.values))).action


def target(action: int, actions: int) -> list[float]:
    """The outputs wanted: 1 for the right action, 0 for the others."""
    return [1.0 if number == action else 0.0 for number in range(actions)]
