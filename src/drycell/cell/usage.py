"""Usage: how much a machine was used in a run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """How much a machine was used in a run: seconds, as a share of the run, and cycles completed."""

    time: float
    busy: float
    cycles: int
