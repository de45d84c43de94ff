"""A program that waits: registered with the signals of its conditions until one holds or the time is out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drycell.kernel.condition import Change, Condition
from drycell.kernel.timer import Timer

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal
    from drycell.kernel.strand import Strand


class Waiter:
    """One wait of one program. ``outcome`` is the index of the condition that came true, None after a time-out."""

    __slots__ = ("conditions", "outcome", "signals", "strand", "timed", "timer")

    def __init__(
        self,
        strand: Strand,
        conditions: tuple[Condition, ...],
        signals: tuple[AnySignal, ...],
    ) -> None:
        self.strand = strand
        self.conditions = conditions
        self.signals = signals
        self.outcome: int | None = None
        self.timer: Timer | None = None
        self.timed = False

    @property
    def text(self) -> str:
        """What is waited for, as a report says it."""
        return " or ".join(condition.text for condition in self.conditions)

    def look(self, change: Change) -> None:
        """Look at a change of one of the signals, and wake the program if that is what it waits for."""
        kernel = self.strand.process.kernel
        if kernel.footprint is not None:
            self.note_reads()
        for index, condition in enumerate(self.conditions):
            if condition.evaluate(change):
                self.outcome = index
                self.finish()
                kernel.wake(self.strand)
                return

    def time_out(self) -> None:
        """Wake the program without any of its conditions."""
        kernel = self.strand.process.kernel
        if kernel.footprint is not None:
            self.note_reads()
        self.timer = None
        self.finish()
        kernel.wake(self.strand)

    def finish(self) -> None:
        """Stop waiting: leave the signals, cancel the timer."""
        for signal in self.signals:
            del signal.waiters[self]
        process = self.strand.process
        self.strand.waiter = None
        if self.timer is not None:
            self.timer.cancel()
        if not self.timed and not process.daemon:
            process.kernel.unstick()

    def note_reads(self) -> None:
        """Footprint: looking at a wait, waking from it and timing out of it all read every signal of it."""
        kernel = self.strand.process.kernel
        for signal in self.signals:
            kernel.note_read(signal.name)
