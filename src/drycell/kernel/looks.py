"""Looks: what other threads have read of a run by its own thread, without leaving a trace in it."""

from collections import deque
from collections.abc import Callable
from typing import Protocol

from drycell.kernel.clock import FOREVER


class Looked(Protocol):
    """What looking at a run must leave as it was."""

    looks: deque[Callable[[], object]]
    budget: int
    writes: int
    footprint: dict[str, bool] | None


def serve_looks(kernel: Looked) -> None:
    """Let those look who have asked so far; whoever asks meanwhile must not keep the run from going on."""
    for _ in range(len(kernel.looks)):
        action = kernel.looks.popleft()
        # Looking leaves no footprint, and is no busy wait of whoever is at work.
        footprint, budget, writes = kernel.footprint, kernel.budget, kernel.writes
        kernel.footprint, kernel.budget = None, FOREVER
        try:
            action()
        finally:
            kernel.footprint, kernel.budget, kernel.writes = footprint, budget, writes
