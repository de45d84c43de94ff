"""How messages get from one end to the other in real time: at once, or late, twice or never when disturbed."""

import time
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from threading import Lock

from drycell.effector.messages import Disturbance
from drycell.effector.messages.disturbance import PROMPT, Way
from drycell.effector.messages.traffic import Event

Tell = Callable[[Event, str], None]


class Carrier:
    """Has messages arrive as a disturbance wants it. Late ones wait here until ``carry_out`` is called."""

    def __init__(self, disturbance: Disturbance, wake: Callable[[], None]) -> None:
        self.disturbance = disturbance
        self._wake = wake
        self._numbers: dict[Way, count[int]] = {"command": count(), "reply": count()}
        self._turns = count()
        self._later: list[tuple[float, int, Callable[[], object]]] = []
        self._lock = Lock()

    def carry(self, way: Way, arrive: Callable[[], object], tell: Tell) -> None:
        """Have a message arrive: once, twice or never; ``tell`` is told when it is not once and at once."""
        delays = self.disturbance.arrivals(way, next(self._numbers[way])) if self.disturbance else PROMPT
        if not delays:
            tell("lost", "")
        for copy, delay in enumerate(delays):
            if copy:
                tell("doubled", "")
            if delay <= 0:
                arrive()
                continue
            tell("late", f"{delay:.6f} s")
            with self._lock:
                heappush(self._later, (time.monotonic() + delay, next(self._turns), arrive))
            self._wake()

    def patience(self, longest: float) -> float:
        """Seconds until the next late message is due, or the longest time."""
        with self._lock:
            due = self._later[0][0] - time.monotonic() if self._later else longest
        return min(max(due, 0.0), longest)

    def carry_out(self, now: float) -> None:
        """Have all messages arrive that are due."""
        while self._later:
            with self._lock:
                if not self._later or self._later[0][0] > now:
                    return
                _, _, arrive = heappop(self._later)
            arrive()
