"""Control: of all browser tabs that show a run, one holds control; others can ask for it.

The first tab gets it. A tab that asks gets it at once if the holder has been away (page closed or connection lost) for
``PATIENCE`` seconds. Another tab of the same browser gets it without asking as soon as the holder has been away for
longer than a reload takes. Otherwise the holder is asked and has ``PATIENCE`` seconds to refuse. A holder that reloads
its page, or comes back in time, keeps control.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from drycell.studio.api.events import Events
from drycell.studio.server.events import ControlChanged

PATIENCE: Final = 10.0  # seconds a holder has to refuse, and may be away
_RELOAD: Final = 2.0  # seconds that a reload of the page takes at most


@dataclass
class TabPresence:
    """A browser tab. ``tab`` survives a reload of the page; ``browser`` is common to all tabs of a browser."""

    tab: str
    browser: str
    pages: int = 0  # connected pages of this tab: two for a moment during a reload
    left: float = field(default=0.0)  # when the last of them disconnected


class Control:
    """The connected tabs, the one that holds control, and the one that asks for it."""

    def __init__(self, events: Events, clock: Callable[[], float] = time.monotonic) -> None:
        self._events = events
        self._clock = clock
        self._tabs: dict[str, TabPresence] = {}
        self._asked_at = 0.0
        self.holder: str | None = None
        self.asking: str | None = None

    @property
    def watching(self) -> int:
        """The number of connected tabs, including the holder."""
        return sum(seat.pages > 0 for seat in self._tabs.values())

    def join(self, tab: str, browser: str) -> None:
        """A page of this tab is connected."""
        seat = self._tabs.setdefault(tab, TabPresence(tab, browser))
        seat.pages += 1
        if self.holder is None or self._replaces(seat):
            self.holder = tab
        self._emit()

    def leave(self, tab: str) -> None:
        """A page of this tab is no longer connected."""
        seat = self._tabs.get(tab)
        if seat is None or seat.pages == 0:
            return
        seat.pages -= 1
        if seat.pages == 0:
            seat.left = self._clock()
            if tab == self.asking:
                self.asking = None
            if tab != self.holder:
                del self._tabs[tab]
        self._emit()

    def holds(self, tab: str | None) -> bool:
        """Whether this tab holds control. If nobody does, the tab gets it."""
        self.settle()
        if tab is not None and self._vacant() and tab in self._tabs:
            self._hand_to(tab)
        return tab is not None and tab == self.holder

    def take(self, tab: str) -> None:
        """This tab asks for control."""
        seat = self._tabs.get(tab)
        if seat is None or tab == self.holder:
            return
        if self._vacant() or self._replaces(seat):
            self._hand_to(tab)
        elif self.asking is None:
            self.asking, self._asked_at = tab, self._clock()
            self._emit()

    def refuse(self, tab: str) -> None:
        """The holder keeps control."""
        if tab == self.holder and self.asking is not None:
            self.asking = None
            self._emit()

    def hand_over(self, tab: str) -> None:
        """The holder gives control to the tab that asks."""
        if tab == self.holder and self.asking is not None:
            self._hand_to(self.asking)

    def settle(self) -> None:
        """Hand control over if nobody refused in time, or the holder has left. To be called regularly."""
        if self.asking is not None and (self._clock() - self._asked_at >= PATIENCE or self._vacant()):
            self._hand_to(self.asking)
        holder = self._tabs.get(self.holder) if self.holder is not None else None
        if holder is not None and holder.pages == 0 and self._clock() - holder.left >= _RELOAD:
            others = [seat.tab for seat in self._tabs.values() if seat.pages and seat.browser == holder.browser]
            if others:
                self._hand_to(others[-1])

    @property
    def seconds_left(self) -> int:
        """Seconds in which the holder can still refuse."""
        return max(0, round(PATIENCE - (self._clock() - self._asked_at))) if self.asking is not None else 0

    def _vacant(self) -> bool:
        holder = self._tabs.get(self.holder) if self.holder is not None else None
        return holder is None or (holder.pages == 0 and self._clock() - holder.left >= PATIENCE)

    def _replaces(self, seat: TabPresence) -> bool:
        """Whether the holder has left and this tab is of the same browser."""
        holder = self._tabs.get(self.holder) if self.holder is not None else None
        return holder is None or (holder.pages == 0 and holder.browser == seat.browser)

    def _hand_to(self, tab: str) -> None:
        before = self._tabs.get(self.holder) if self.holder is not None else None
        if before is not None and before.pages == 0 and before.tab != tab:
            del self._tabs[before.tab]
        self.holder, self.asking = tab, None
        self._emit()

    def _emit(self) -> None:
        self._events.emit(ControlChanged(self.holder, self.asking, self.watching))
