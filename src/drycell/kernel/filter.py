"""What may stand between the writers of a signal and its readers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from drycell.kernel.condition import AnySignal


class Filter(Protocol):
    """Stands between those who write a signal and those who read it: the faults of a sensor, for example."""

    truth: Any
    """What was written last."""

    def write(self, value: Any) -> Any:
        """Take what is written; what it gives back is published."""

    def sample(self, number: int, time: int) -> None:
        """Say, before a sampled value is written, which sample it is and when it was taken (in ticks)."""

    def next_sample(self, after: int) -> int | None:
        """The number of the next sample that must be taken and written although nothing has changed; None: none."""

    def reach(self) -> Iterable[AnySignal]:
        """The other signals that change when this one is written."""
