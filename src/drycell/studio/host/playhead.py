"""The playhead: which instant is on the screen, be it the present, one that was sought, or the past being played."""

import time
from collections.abc import Callable


class Playhead:
    """Follows the end of what is known until told otherwise. ``end`` tells that instant, in ticks.

    Any thread may ask; the cell's thread alone tells it what to do.
    """

    def __init__(self, end: Callable[[], int], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._end = end
        self._clock = clock
        self._held: int | None = None
        self._played: tuple[float, int, float] | None = None  # since when, from where, times real time

    @property
    def follows(self) -> bool:
        """Whether it shows the end of what is known."""
        return self._held is None and self._played is None

    @property
    def factor(self) -> float | None:
        """How fast the past is played; None while it is not."""
        played = self._played
        return None if played is None else played[2]

    @property
    def shown(self) -> int:
        """The instant on the screen."""
        played, held, end = self._played, self._held, self._end()
        if played is not None:
            since, start, factor = played
            return max(0, min(end, start + round((self._clock() - since) * factor * 1e6)))
        return end if held is None else min(held, end)

    def seek(self, t: int) -> None:
        """Shows an instant of the past; goes on playing from there if it was."""
        factor = self.factor
        self._held = max(0, min(t, self._end()))
        self._played = None
        if factor is not None:
            self.play(factor)

    def play(self, factor: float) -> None:
        """Lets the past pass from what is shown on: so many seconds a second, backwards if negative."""
        self._played = (self._clock(), self.shown, factor)
        self._held = None

    def hold(self) -> None:
        """Stays at what is shown."""
        self._held, self._played = self.shown, None

    def follow(self) -> None:
        """Shows the end of what is known, as it goes on."""
        self._held = self._played = None

    def advance(self) -> None:
        """Stops playing where there is nothing more to play: at the end it follows, at the beginning it stays."""
        factor = self.factor
        if factor is not None:
            shown = self.shown
            if factor > 0 and shown >= self._end():
                self.follow()
            elif factor < 0 and shown <= 0:
                self._held, self._played = 0, None
