"""Highlights a collision or near miss in the view: both bodies, the point, and the shortest line between them."""

from typing import TYPE_CHECKING, Literal

from drycell.studio.api.codec import Vector
from drycell.studio.api.transport import HostStatus

if TYPE_CHECKING:
    from drycell.studio.page.tab import BrowserTab


class EncounterHighlight:
    """The highlight of one page. It disappears when another time is shown."""

    def __init__(self, tab: "BrowserTab") -> None:
        self._tab = tab
        self._t: int | None = None  # the time for which bodies are highlighted
        tab.on(HostStatus, self._clear)

    async def show(self, t: int, bodies: tuple[str, str], point: Vector | None, *, near: bool) -> None:
        """Highlight two bodies at a time that is shown already."""
        self._t = t
        contacts = await self._tab.ask(self._tab.host.scene.contacts(t))
        gap = next((each for each in contacts or () if {each.a, each.b} == set(bodies)), None)
        if self._t == t:
            colour: Literal["collision", "near"] = "near" if near else "collision"
            self._tab.view.highlight(bodies, colour, point, gap)

    def _clear(self, status: HostStatus) -> None:
        if self._t is not None and status.shown != self._t:
            self._t = None
            self._tab.view.highlight([])
