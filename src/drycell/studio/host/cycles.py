"""Cycles of a run: what a step of one cycle goes to."""

from collections.abc import Callable

from drycell.base import DrycellError
from drycell.cell import Cell
from drycell.record import FINISHED


def cycle_goal(cell: Cell, shown: int) -> Callable[[], bool] | int:
    """Where the cycle ends that goes on at the instant shown.

    Where parts are kept count of, it ends when one reaches a store or a sink; elsewhere with the next sample of whoever
    samples most often.
    """
    tracks = cell.record.tracks
    if tracks.flow:
        steps = tracks.track("parts")
        before = len(steps)
        return lambda: any(each.step in FINISHED for each in steps[before:])
    sample = cell.kernel.next_sample(shown)
    if sample is None:
        raise DrycellError(
            "this cell has no cycle: no part is stored or taken out, and nothing is sampled",
            hint="step by events or by lines",
        )
    return sample
