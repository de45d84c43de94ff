"""A thing to be done once at a given time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from drycell.kernel.strand import Entry, Event

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.scheduler import Scheduler


class Timer(Event):
    """Done once at ``time`` unless cancelled before. Cancelled ones stay in the queue until it is tidied."""

    __slots__ = ("_action", "_kernel", "alive", "made", "owner", "serial", "time", "turn", "writes")

    def __init__(
        self,
        kernel: Scheduler,
        time: int,
        action: Callable[[], object],
        owner: str,
        writes: Sequence[AnySignal] | None,
        at_level: int,
    ) -> None:
        self._kernel = kernel
        self.turn = (at_level, 0)
        self._action = action
        self.time = time
        self.owner = owner
        self.writes = None if writes is None else tuple(writes)
        self.alive = True
        self.made = kernel.step
        self.serial = 0  # told apart by number only for a chooser
        if writes is None:
            kernel.unknown_writers += 1

    def fire(self, time: int) -> Entry | None:
        if self.alive:
            kernel = self._kernel
            kernel.now = time
            kernel.actor = self
            self._gone()
            self._action()
        else:
            self._kernel.cancelled_timers -= 1
        return None

    def is_live(self) -> bool:
        return self.alive

    def identity(self) -> tuple[str, int, int]:
        return self.owner, self.serial, self.made

    def cancel(self) -> None:
        """Let it not happen. Cancelling twice, or after it happened, changes nothing."""
        if self.alive:
            self._gone()
            self._kernel.timer_cancelled(self)

    def _gone(self) -> None:
        self.alive = False
        if self.writes is None:
            self._kernel.unknown_writers -= 1
        self._kernel.recheck = self._kernel.watching
