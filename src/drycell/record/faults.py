"""The faults of signals: which were in force, and how often each struck, at any time."""

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from drycell.kernel import Track

FAULT_STATES: Final = ("begins", "ends", "strikes")
"""What a row of the track of faults says: one came into force, is over, or struck a single sample."""


@dataclass(frozen=True, slots=True)
class FaultCount:
    """A fault of a signal: whether it is in force, and how often it struck."""

    fault: str
    active: bool
    times: int


class Faults:
    """Reads the track of one signal's faults as it grows: what was counted once is not counted again."""

    def __init__(self, track: Track[tuple[str, str]]) -> None:
        self._track = track
        self._read = 0
        self._struck: dict[str, array[int]] = {}  # of each fault, when it began or struck
        self._over: dict[str, array[int]] = {}  # when it ended

    def read(self) -> None:
        """Counts what is new."""
        for row in range(self._read - self._track.dropped, len(self._track)):
            t, (fault, state) = self._track.times[row], self._track.values[row]
            struck, over = self._struck.setdefault(fault, array("q")), self._over.setdefault(fault, array("q"))
            if state != "ends":
                struck.append(t)
            if state != "begins":
                over.append(t)  # what strikes a single sample is over at once
        self._read = self._track.rows

    def counts(self, t: int) -> list[FaultCount]:
        """All faults that had struck at a time, in the order in which they first did."""
        found = []
        for fault, struck in self._struck.items():
            times = bisect_right(struck, t)
            if times:
                found.append(FaultCount(fault, times > bisect_right(self._over[fault], t), times))
        return found
