"""The playhead: the time that is shown. It follows the run, is held at a time, or replays the past."""

import time
from collections.abc import Callable


class Playhead:
    """Follows the end of the recorded time until it is moved. ``end`` returns that time in ticks.

    Any thread may read it; only the cell's thread may move it.
    """

    def __init__(self, end: Callable[[], int], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._end = end
        self._clock = clock
        self._held: int | None = None
        self._played: tuple[float, int, float] | None = (
            None  # wall time and cell time of the start, multiple of real time
        )

    @property
    def follows(self) -> bool:
        """Whether it follows the end of the recorded time."""
        return self._held is None and self._played is None

    @property
    def factor(self) -> float | None:
        """The speed of the replay; None if there is none."""
        played = self._played
        return None if played is None else played[2]

    @property
    def shown(self) -> int:
        """The time that is shown, in ticks."""
        played, held, end = self._played, self._held, self._end()
        if played is not None:
            since, start, factor = played
            return max(0, min(end, start + round((self._clock() - since) * factor * 1e6)))
        return end if held is None else min(held, end)

    def seek(self, t: int) -> None:
        """Show a time in the past. A replay continues from there."""
        factor = self.factor
        self._held = max(0, min(t, self._end()))
        self._played = None
        if factor is not None:
            self.play(factor)

    def play(self, factor: float) -> None:
        """Replay from the time that is shown, at a multiple of real time; backwards if negative."""
        self._played = (self._clock(), self.shown, factor)
        self._held = None

    def hold(self) -> None:
        """Stay at the time that is shown."""
        self._held, self._played = self.shown, None

    def follow(self) -> None:
        """Follow the end of the recorded time."""
        self._held = self._played = None

    def advance(self) -> None:
        """End the replay when it reaches the end, which it then follows, or the beginning, where it stays."""
        factor = self.factor
        if factor is not None:
            shown = self.shown
            if factor > 0 and shown >= self._end():
                self.follow()
            elif factor < 0 and shown <= 0:
                self._held, self._played = 0, None
