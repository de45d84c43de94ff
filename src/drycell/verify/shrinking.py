"""Shrinking: from the choices of a run that shows a fault to the fewest that still show it.

A choice of 0 is the usual order, the first option, the lower limit. Choices are set to 0, first in long stretches,
then one by one, as long as the fault stays (Zeller's delta debugging).
"""

from collections.abc import Callable, Sequence

from drycell.verify.trial import Trial

Again = Callable[[Sequence[int]], Trial | None]
"""Runs once more with other choices; the run if it shows the same fault."""


def shrunk(trial: Trial, again: Again, tries: int) -> tuple[Trial, int]:
    """The run with the fewest unusual choices found in so many tries, and how many were made."""
    best, made = trial, 0
    size = max(1, len(_unusual(best)))
    while size:
        place, lessened = 0, False
        while place < len(_unusual(best)) and made < tries:
            unusual = _unusual(best)
            cut = set(unusual[place : place + size])
            made += 1
            shorter = again([0 if index in cut else choice for index, choice in enumerate(best.choices)])
            if shorter is not None and len(_unusual(shorter)) < len(unusual):
                best, lessened = shorter, True
            else:
                place += size
        if made >= tries:
            break
        if not lessened:
            size //= 2
        size = min(size, len(_unusual(best)))
    return best, made


def _unusual(trial: Trial) -> list[int]:
    return [index for index, choice in enumerate(trial.choices) if choice]
