"""What the view's overlays draw, fetched from the stage: once where it stays, a few times a second where it moves."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeVar

from nicegui import background_tasks, ui

from drycell.base import DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.api.scene import Overlay, Tree
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import HostReplaced

if TYPE_CHECKING:
    from drycell.studio.page.view import CellView

R = TypeVar("R")
_PERIOD: Final = 0.12  # seconds between looks at what sensors see and what is near
_PATH_EVERY: Final = 6  # looks between two drawings of the tool's path
_PATH: Final = 120_000_000  # ticks of it that are drawn, up to the instant shown: in a long run more is a tangle
_POINTS: Final = 1200
OVERLAYS: Final = {
    "axes": "world axes",
    "grid": "grid",
    "names": "names",
    "frames": "frames of tools and of what is selected",
    "workpoints": "workpoints",
    "sensors": "what sensors watch and see",
    "trace": "path of the tool",
    "contacts": "contacts and near misses",
}
_AT_FIRST: Final = {"axes": True, "grid": True, "frames": True, "sensors": True}


class ViewFeed:
    """Keeps the overlays of one view up to date. What is not shown is not asked for."""

    def __init__(self, tab: BrowserTab, view: "CellView") -> None:
        self._tab, self._view = tab, view
        kept = tab.keeps.get("overlays")
        self.shown = {**dict.fromkeys(OVERLAYS, False), **_AT_FIRST}
        if isinstance(kept, dict):
            self.shown |= {name: bool(on) for name, on in kept.items() if name in OVERLAYS}
        self._asking = False
        self._seen: tuple[object, ...] = ()
        self._drawn: tuple[object, ...] = ()
        self._looks = 0
        self._sent: dict[str, Any] = {}
        view.show(**self.shown)
        view.on("ready", self._anew)
        tab.on(HostReplaced, lambda data: self._anew())
        tab.on(Tree, lambda tree: self._scenery())
        ui.timer(_PERIOD, self._look)

    def show(self, name: str, on: bool) -> None:
        """Shows or hides an overlay, and remembers it for this browser."""
        self.shown[name] = on
        self._tab.keeps["overlays"] = dict(self.shown)
        self._view.show(**{name: on})
        self._seen = self._drawn = ()
        if not on and name == "contacts":
            self._view.overlay("touches", [])

    def _anew(self) -> None:
        self._sent = {}
        self._scenery()

    def _scenery(self) -> None:
        """What sensors watch, workpoints and tools: they change with the tree alone."""
        self._seen = self._drawn = ()
        background_tasks.create(self._fetch(), name="scenery")

    async def _fetch(self) -> None:
        shown = self._tab.studio.latest.shown
        found = await self._quietly(self._tab.host.scene.overlays(shown, ("sensors", "workpoints", "tools")))
        if found is None:
            return
        with self._view:
            for what, drawn in (("sensors", found.sensors), ("workpoints", found.workpoints), ("tools", found.tools)):
                if self._sent.get(what) != drawn:  # a part that comes changes the tree, but none of these
                    self._sent[what] = drawn
                    self._view.overlay(what, encode(drawn))

    async def _look(self) -> None:
        latest = self._tab.studio.latest
        if self._asking or latest.mode == "empty" or not self._tab.client.has_socket_connection:
            return
        what: list[Overlay] = ["detections"] if self.shown["sensors"] else []
        what += ["contacts"] if self.shown["contacts"] else []
        now = (latest.shown, latest.version, latest.path)
        self._looks += 1
        self._asking = True
        try:
            if what and now != self._seen:
                self._seen = now
                found = await self._quietly(self._tab.host.scene.overlays(latest.shown, tuple(what)))
                if found is not None and found.detections:
                    self._view.run_method("detect", encode(found.detections))
                if found is not None and found.contacts is not None and self.shown["contacts"]:
                    self._view.overlay("touches", encode(found.contacts))
            if self.shown["trace"] and now != self._drawn and (not self._drawn or self._looks % _PATH_EVERY == 0):
                self._drawn = now
                await self._trace(latest.shown)
        finally:
            self._asking = False

    async def _trace(self, t: int) -> None:
        paths = []
        for robot in self._tab.studio.tree.robots:
            path = self._tab.host.scene.tool_path(robot.name, max(t - _PATH, 0), t, _POINTS)
            points = await self._quietly(path)
            if points is not None and len(points) > 1:
                paths.append({"points": encode(points)})
        self._view.overlay("path", paths)

    async def _quietly(self, call: Coroutine[Any, Any, R]) -> R | None:
        """None if the host cannot answer now: an overlay that cannot be drawn is asked for again in a moment."""
        try:
            return await call
        except DrycellError:
            return None
