"""Who steers: of all browser tabs that look at one run, one holds control, and others may ask for it.

The first tab has it. Another that asks gets it at once when the holder is gone (its page closed or its connection lost)
for longer than ``PATIENCE``; another tab of the same browser gets it by itself as soon as the holder is gone for longer
than a reload takes. Otherwise the holder is told and has ``PATIENCE`` seconds to refuse; silence hands control over. A
holder that reloads its page, or comes back in time, keeps it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from drycell.studio.server.events import ControlChanged, Events

PATIENCE: Final = 10.0  # seconds a holder has to refuse, and may be away
_RELOAD: Final = 2.0  # seconds in which a page that is loaded anew is back


@dataclass
class Seat:
    """One browser tab: ``tab`` outlives a reload of its page, ``browser`` is common to all tabs of a browser."""

    tab: str
    browser: str
    pages: int = 0  # pages of this tab that are connected: two for a moment while one is reloaded
    left: float = field(default=0.0)  # when the last of them went


class Control:
    """The tabs that watch, the one that steers, and the one that asks to."""

    def __init__(self, events: Events, clock: Callable[[], float] = time.monotonic) -> None:
        self._events = events
        self._clock = clock
        self._seats: dict[str, Seat] = {}
        self._asked_at = 0.0
        self.holder: str | None = None
        self.asking: str | None = None

    @property
    def watching(self) -> int:
        """How many tabs look on, the holder included."""
        return sum(seat.pages > 0 for seat in self._seats.values())

    def join(self, tab: str, browser: str) -> None:
        """A page of this tab is connected."""
        seat = self._seats.setdefault(tab, Seat(tab, browser))
        seat.pages += 1
        if self.holder is None or self._replaces(seat):
            self.holder = tab
        self._tell()

    def leave(self, tab: str) -> None:
        """A page of this tab is no longer connected."""
        seat = self._seats.get(tab)
        if seat is None or seat.pages == 0:
            return
        seat.pages -= 1
        if seat.pages == 0:
            seat.left = self._clock()
            if tab == self.asking:
                self.asking = None
            if tab != self.holder:
                del self._seats[tab]
        self._tell()

    def holds(self, tab: str | None) -> bool:
        """Whether this tab may steer. It may, too, when nobody else does: then it steers from now on."""
        self.settle()
        if tab is not None and self._vacant() and tab in self._seats:
            self._hand_to(tab)
        return tab is not None and tab == self.holder

    def take(self, tab: str) -> None:
        """This tab asks to steer."""
        seat = self._seats.get(tab)
        if seat is None or tab == self.holder:
            return
        if self._vacant() or self._replaces(seat):
            self._hand_to(tab)
        elif self.asking is None:
            self.asking, self._asked_at = tab, self._clock()
            self._tell()

    def refuse(self, tab: str) -> None:
        """The holder keeps control."""
        if tab == self.holder and self.asking is not None:
            self.asking = None
            self._tell()

    def hand_over(self, tab: str) -> None:
        """The holder gives control to the one that asks."""
        if tab == self.holder and self.asking is not None:
            self._hand_to(self.asking)

    def settle(self) -> None:
        """Hands control over when nobody refused in time, or the holder has gone. To be called now and then."""
        if self.asking is not None and (self._clock() - self._asked_at >= PATIENCE or self._vacant()):
            self._hand_to(self.asking)
        holder = self._seats.get(self.holder) if self.holder is not None else None
        if holder is not None and holder.pages == 0 and self._clock() - holder.left >= _RELOAD:
            others = [seat.tab for seat in self._seats.values() if seat.pages and seat.browser == holder.browser]
            if others:
                self._hand_to(others[-1])

    @property
    def seconds_left(self) -> int:
        """How long the holder may still refuse."""
        return max(0, round(PATIENCE - (self._clock() - self._asked_at))) if self.asking is not None else 0

    def _vacant(self) -> bool:
        holder = self._seats.get(self.holder) if self.holder is not None else None
        return holder is None or (holder.pages == 0 and self._clock() - holder.left >= PATIENCE)

    def _replaces(self, seat: Seat) -> bool:
        """Whether the holder closed this page and opened another in the same browser."""
        holder = self._seats.get(self.holder) if self.holder is not None else None
        return holder is None or (holder.pages == 0 and holder.browser == seat.browser)

    def _hand_to(self, tab: str) -> None:
        before = self._seats.get(self.holder) if self.holder is not None else None
        if before is not None and before.pages == 0 and before.tab != tab:
            del self._seats[before.tab]
        self.holder, self.asking = tab, None
        self._tell()

    def _tell(self) -> None:
        self._events.tell(ControlChanged(self.holder, self.asking, self.watching))
