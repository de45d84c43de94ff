"""A browser tab: its selection, its subscriptions to events, and its calls to the host."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from nicegui import background_tasks, ui
from nicegui.client import Client

from drycell.base import DrycellError
from drycell.cell import Untrusted
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.remote import HostApi
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.host.client import HostError, HostGone
from drycell.studio.host.error_report import error_report
from drycell.studio.page.encounters import EncounterHighlight
from drycell.studio.page.problems import ProblemFeed
from drycell.studio.server.events import ControlChanged, HostReplaced
from drycell.studio.server.preferences import BrowserSettings

if TYPE_CHECKING:
    from drycell.studio.page.view import CellView
    from drycell.studio.server.studio import Studio

E = TypeVar("E")
R = TypeVar("R")
_STATES: Final = (HostStatus, Tree, HostReplaced, ControlChanged)  # only the newest of these has to reach the page
_HELD: Final = 500  # other events held back for a page that does not keep up
_BEHIND: Final = 7.0  # seconds without acknowledgement, which is sent every 3 s, after which events are held back
_LONGEST: Final = 160  # characters in a line of a note
_MOST_LINES: Final = 3
NoteKind = Literal["info", "good", "warning", "error"]
_NOTES: Final = {"info": "info", "good": "positive", "warning": "warning", "error": "negative"}


@dataclass(frozen=True)
class PanelKey:
    """A key that acts while a panel is in front. Without ``action`` it is only listed: the panel itself handles it."""

    key: str
    text: str
    action: Callable[[], Awaitable[object] | object] | None = None


class BrowserTab:
    """Passed to every panel of a page. Ends with the page's client."""

    view: "CellView"

    def __init__(self, studio: "Studio", client: Client, browser: str) -> None:
        self.studio = studio
        self.client = client
        self.browser = browser
        self.settings: BrowserSettings = studio.preferences.browser(browser)
        self.selected: str | None = None
        self.seeking = False
        """Whether a call of ``seek`` is under way."""
        self._seek_to: int | None = None
        self._id: str | None = None
        self._on_select: list[Callable[[str | None], object]] = []
        self._on_source: list[Callable[[str, int], object]] = []
        self._on_turn: list[Callable[[], object]] = []
        self.keys: dict[str, tuple[PanelKey, ...]] = {}
        """The keys of the panels, by title."""
        self._front: dict[str, str] = {}  # the panel in front, by the setting that remembers it
        self._notes: set[str] = set()  # that are shown
        self._on_untrusted: list[Callable[[ErrorReport], object]] = []
        self._callbacks: list[tuple[type, Callable[[Any], Awaitable[None] | None], deque[Any]]] = []  # and what waits
        self._stops: list[Callable[[], None]] = []
        self.encounters = EncounterHighlight(self)
        self.problems = ProblemFeed(self)
        client.on_connect(self._connected)
        client.on_disconnect(self._left)
        client.on_delete(self._deleted)

    @property
    def id(self) -> str | None:
        """Identifies this browser tab once it is connected. It survives a reload of the page."""
        return self._id

    @property
    def host(self) -> HostApi:
        """The API of the host process."""
        return self.studio.host

    @property
    def holds_control(self) -> bool:
        """Whether this tab holds control."""
        return self.studio.control.holds(self._id)

    # ---------------------------------------------------------------- selection

    def select(self, name: str | None) -> None:
        """Select a body, sensor, workpoint, … by name in the tree, the view and the properties."""
        if name != self.selected:
            self.selected = name
            for callback in self._on_select:
                callback(name)

    def on_select(self, callback: Callable[[str | None], object]) -> None:
        """Call back whenever the selection of this tab changes."""
        self._on_select.append(callback)

    def turn(self, setting: str, title: str) -> None:
        """Note which of several panels is in front, and remember it under the name of a setting."""
        self._front[setting] = self.settings[setting] = title
        for callback in self._on_turn:
            callback()

    def in_front(self, title: str) -> bool:
        """Whether a panel is in front. What it shows in the view belongs there only then."""
        return title in self._front.values()

    def key_action(self, key: str) -> Callable[[], Awaitable[object] | object] | None:
        """The action of a key in the panels that are in front."""
        own = (each for title in self._front.values() for each in self.keys.get(title, ()))
        return next((each.action for each in own if each.key == key and each.action is not None), None)

    def on_turn(self, callback: Callable[[], object]) -> None:
        """Call back whenever another panel is in front."""
        self._on_turn.append(callback)

    def show_source(self, file: str, line: int) -> None:
        """Show a program line in the editor. ``file`` is a path, or a name in the open folder."""
        for callback in self._on_source:
            callback(file, line)

    def on_source(self, callback: Callable[[str, int], object]) -> None:
        """Call back whenever a program line is to be shown in this tab."""
        self._on_source.append(callback)

    # ---------------------------------------------------------------- calls

    async def ask(self, call: Coroutine[Any, Any, R], *, scene: int | None = None) -> R | None:
        """Await a call to the host. An error is shown as a note, and None returned.

        No note is shown if there is no host, because a page may be open before its cell, and the end of a host is
        reported once, in the error line; nor if the host shows a different scene from the one that the call is about,
        because the page has asked for something that was there a moment ago.

        Args:
            call: The call.
            scene: The scene that its arguments come from; by default the one that is shown.
        """
        about = self.studio.tree.scene if scene is None else scene
        try:
            return await call
        except HostGone:
            return None
        except HostError as error:
            if error.scene == about:
                self.show_error(error)
            return None
        except DrycellError as error:
            self.show_error(error)
            return None

    async def act(self, call: Coroutine[Any, Any, R]) -> R | None:
        """Await a call that changes something. Without control, or on an error, a note is shown and None returned."""
        if not self.may_act():
            call.close()
            return None
        try:
            return await call
        except DrycellError as error:
            self.show_error(error)
            return None

    def edit(self, action: Callable[[], R]) -> R | None:
        """Call a function that changes something. Without control, or on an error, a note is shown, None returned."""
        if not self.may_act():
            return None
        try:
            return action()
        except DrycellError as error:
            self.show_error(error)
            return None

    def may_act(self) -> bool:
        """Whether this tab holds control. If not, show a note."""
        if self.holds_control:
            return True
        self.notify("Another browser has control. Click “take control” at the top right first.", "warning")
        return False

    def seek(self, t: int) -> None:
        """Show a time. While a drag sends many, the host is asked only for the latest one."""
        self._seek_to = t
        if not self.seeking:
            self.seeking = True
            background_tasks.create(self._seek(), name="seek", context=self.client)

    async def _seek(self) -> None:
        try:
            while self._seek_to is not None:
                t, self._seek_to = self._seek_to, None
                if await self.act(self.host.transport.seek(t)) is None:
                    return
        finally:
            self.seeking = False
            self._repeat_status()

    def _repeat_status(self) -> None:
        """Deliver the status once more: panels ignore the time in it while a drag is ahead of it."""
        for event, callback, held in list(self._callbacks):
            if event is HostStatus and not held:
                self._call(callback, self.studio.latest)

    # ---------------------------------------------------------------- notes

    def on_untrusted(self, callback: Callable[[ErrorReport], object]) -> None:
        """Call back when something fails because it would run code from a folder that is not trusted."""
        self._on_untrusted.append(callback)

    def show_error(self, error: DrycellError) -> None:
        """Show an error as a note: what happened, and what to try. One that the error line shows is not repeated."""
        report = error_report(error) if isinstance(error, Untrusted) else getattr(error, "report", None)
        if report is not None and report.kind == "Untrusted" and self._on_untrusted and not self.client.is_deleted:
            with self.client:
                for callback in self._on_untrusted:
                    callback(report)
            return
        shown = self.studio.latest.error
        if shown is None or shown.what != error.what:
            self.notify(error.what + (f"\ntry: {error.hint}" if error.hint else ""), "error")

    def notify(self, text: str, kind: NoteKind = "info") -> None:
        """Show a short note for some seconds, unless it is already shown."""
        if self.client.is_deleted or text in self._notes:
            return
        self._notes.add(text)
        with self.client:
            ui.notification(
                _short(text),
                type=_NOTES[kind],  # type: ignore[arg-type]
                position="bottom-right",
                multi_line="\n" in text or len(text) > 80,
                close_button=kind in ("warning", "error"),
                timeout=8 if kind == "error" else 4,
                on_dismiss=lambda: self._notes.discard(text),
            )

    # ---------------------------------------------------------------- events

    def on(self, event: type[E], callback: Callable[[E], Awaitable[None] | None]) -> Callable[[], None]:
        """Call back at an event, in the context of this page, until it is closed. Returns a function that stops it.

        A page that is disconnected or cannot keep up gets the newest state when it is back, not all states before.
        """
        held: deque[Any] = deque(maxlen=1 if event in _STATES else _HELD)
        entry = (event, callback, held)
        self._callbacks.append(entry)

        def received(event: E) -> None:
            if held or not self._keeps_up():
                held.append(event)
            else:
                self._call(callback, event)

        ends = self.studio.listen(event, received)
        self._stops.append(ends)

        def stop() -> None:
            ends()
            if entry in self._callbacks:
                self._callbacks.remove(entry)

        return stop

    def deliver(self) -> None:
        """Deliver events that were held back, and save changed settings. The page calls it regularly."""
        self.studio.preferences.settle()
        if self._keeps_up():
            for _, callback, held in list(self._callbacks):
                while held:
                    self._call(callback, held.popleft())

    def _keeps_up(self) -> bool:
        """Whether the page is connected and acknowledges messages: otherwise they would pile up in the server."""
        if not self.client.has_socket_connection:
            return False
        history = self.client.outbox.message_history
        return not history or time.time() - history[0][1] < _BEHIND

    def _call(self, callback: Callable[[E], Awaitable[None] | None], event: E) -> None:
        if self.client.is_deleted:
            return
        with self.client:
            result = callback(event)
            if result is not None:  # a coroutine in another one would never be awaited if it is cancelled at once
                call = result if asyncio.iscoroutine(result) else _awaited(result)
                background_tasks.create(call, name="event of the host", context=self.client)

    def _connected(self) -> None:
        if self._id is None and self.client.tab_id is not None:
            self._id = self.client.tab_id
            self.studio.control.join(self._id, self.browser)
        self.deliver()

    def _left(self) -> None:
        if not self.client.has_socket_connection and self._id is not None:
            self.studio.control.leave(self._id)
            self._id = None

    def _deleted(self) -> None:
        self._left()
        for stop in self._stops:
            stop()


def _short(text: str) -> str:
    """A text of at most three lines, each of which is not too long."""
    lines = [line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…" for line in text.split("\n")]
    return "\n".join(lines[:_MOST_LINES])


async def _awaited(result: Awaitable[None]) -> None:
    await result
