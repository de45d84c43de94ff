"""End conditions of a move: gap or force reached, beam broken, something near, time over; the first one ends it."""

from collections.abc import Callable
from typing import Final

from drycell.effector.detectors import Detectors
from drycell.effector.messages.table import AT_BEAM, AT_FORCE, AT_GAP, AT_PROXIMITY, AT_TIME
from drycell.kernel import Timer

POSITION: Final = 0
RATE: Final = 1
RATCHET: Final = 2
FORCE: Final = 3
AT_REST: Final = 0
"""No condition: that the drive has come to rest."""

_USUAL: Final = {POSITION: AT_GAP, RATE: AT_FORCE, RATCHET: AT_GAP | AT_FORCE, FORCE: AT_GAP | AT_FORCE}
After = Callable[[int, Callable[[], None]], Timer]


def ends_of(kind: int, ends: int, time: float) -> int:
    """The conditions that end a move: those it names, or what its kind has by itself, and its time if it has one."""
    return (ends or _USUAL[kind]) | (AT_TIME if time > 0.0 else 0)


class EndConditions:
    """Watches for the conditions of one move; calls ``ended(which)`` once, with the one that came first."""

    def __init__(self, ends: int, ended: Callable[[int], None], detectors: Detectors, after: After) -> None:
        self.ends = ends
        self._ended, self._after, self._detectors = ended, after, detectors
        self._timers: dict[int, Timer] = {}
        self._unsubscribe: list[Callable[[], None]] = []

    def watch(self, time_over: int | None) -> None:
        """Begin to watch; what holds already ends the move at once. ``time_over`` is the instant of that condition."""
        seen = self._detectors
        if self.ends & AT_BEAM:
            self._unsubscribe.append(seen.beam.subscribe(lambda _: self._look()))
        if self.ends & AT_PROXIMITY:
            seen.sample(True)
            self._unsubscribe.append(lambda: seen.sample(False))
            self._unsubscribe += [each.subscribe(lambda _: self._look()) for each in (seen.left, seen.right)]
        if self.ends & AT_TIME and time_over is not None:
            self.expect(AT_TIME, time_over)
        self._look()

    def expect(self, which: int, when: int | None) -> None:
        """A condition will hold at an instant, as things move now; None: it will not."""
        if self.ends & which:
            self.ask(which, when, lambda: self.end(which))

    def ask(self, which: int, when: int | None, action: Callable[[], None]) -> None:
        """Have something done at an instant, in place of what was to be done about it; not once the move is over."""
        timer = self._timers.pop(which, None)
        if timer is not None:
            timer.cancel()
        if when is not None:
            self._timers[which] = self._after(when, action)

    def end(self, which: int) -> None:
        """A condition holds: the move is over."""
        self.stop()
        self._ended(which)

    def stop(self) -> None:
        """Watch no more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        for each in self._unsubscribe:
            each()
        self._unsubscribe.clear()

    def _look(self) -> None:
        if self.ends & AT_BEAM and self._detectors.beam.peek():
            self.end(AT_BEAM)
        elif self.ends & AT_PROXIMITY and self._detectors.near_now:
            self.end(AT_PROXIMITY)
