"""What programs print: the last of it, however much there is."""

from typing import Final

from nicegui import ui

from drycell.studio.api.events import ConsoleText
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import HostReplaced

_PERIOD: Final = 0.3  # seconds between two drawings
_MOST: Final = 20_000  # characters on the page


class OutputPanel:
    """The text, its end in sight unless one has scrolled up. ``heading`` has a dot while there is something unseen."""

    def __init__(self, tab: BrowserTab, heading: ui.tab) -> None:
        self._tab, self._heading = tab, heading
        self._text = self._drawn = ""
        self._in_front = False
        with ui.element("div").classes("drycell-output"):  # drawn from its end, where it stays
            self._label = ui.label().mark("output")
        tab.on(ConsoleText, lambda told: self._add(told.text))
        tab.on(HostReplaced, lambda _: self._fetch())
        ui.timer(_PERIOD, self._draw)
        ui.timer(0.0, self._fetch, once=True)

    def show(self, in_front: bool) -> None:
        """Whether the tab is in front."""
        self._in_front = in_front
        if in_front:
            self._heading.props(remove="alert")

    async def _fetch(self) -> None:
        """Another stage, or a new page: what was printed before."""
        self._text = (await self._tab.ask(self._tab.host.debugging.printed()) or "")[-_MOST:]

    def _add(self, text: str) -> None:
        self._text = (self._text + text)[-_MOST:]

    def _draw(self) -> None:
        if self._text == self._drawn:
            return
        self._drawn = self._text
        self._label.text = self._text if len(self._text) < _MOST else self._text.partition("\n")[2]
        self._heading.props("alert=primary") if self._text and not self._in_front else self._heading.props(
            remove="alert"
        )
