"""One browser tab: what is selected in it, what it hears of, and what it may do."""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeVar

from nicegui import background_tasks, ui
from nicegui.client import Client

from drycell.base import DrycellError
from drycell.cell import Untrusted
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.remote import HostApi
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import Status
from drycell.studio.host.client import HostGone
from drycell.studio.host.trouble import trouble
from drycell.studio.server.events import ControlChanged, HostReplaced
from drycell.studio.server.memory import Keeps

if TYPE_CHECKING:
    from drycell.studio.page.view import CellView
    from drycell.studio.server.studio import Studio

E = TypeVar("E")
R = TypeVar("R")
_STATES: Final = (
    Status,
    Tree,
    HostReplaced,
    ControlChanged,
)  # the newest tells all: older ones need not reach the page
_HELD: Final = 500  # other events held back for a page that does not keep up
_BEHIND: Final = 7.0  # seconds a page may be silent before it is spared; it acknowledges every 3 s
_NOTES: Final = {"info": "info", "good": "positive", "warning": "warning", "error": "negative"}


class BrowserTab:
    """Handed to every panel of a page. Ends with the page's client."""

    view: "CellView"

    def __init__(self, studio: "Studio", client: Client, browser: str) -> None:
        self.studio = studio
        self.client = client
        self.browser = browser
        self.keeps: Keeps = studio.memory.browser(browser)
        self.selected: str | None = None
        self._id: str | None = None
        self._on_select: list[Callable[[str | None], object]] = []
        self._on_source: list[Callable[[str, int], object]] = []
        self._on_untrusted: list[Callable[[ErrorReport], object]] = []
        self._held: dict[int, tuple[Callable[[Any], Awaitable[None] | None], deque[Any]]] = {}
        self._stops: list[Callable[[], None]] = []
        client.on_connect(self._connected)
        client.on_disconnect(self._left)
        client.on_delete(self._deleted)

    @property
    def id(self) -> str | None:
        """Names this browser tab, once it is connected; a reloaded page has the same."""
        return self._id

    @property
    def host(self) -> HostApi:
        """What can be asked of the host process."""
        return self.studio.host

    @property
    def holds_control(self) -> bool:
        """Whether this tab may steer."""
        return self.studio.control.holds(self._id)

    def select(self, name: str | None) -> None:
        """Selects a body, sensor, workpoint, … by name in tree, view and properties alike."""
        if name != self.selected:
            self.selected = name
            for callback in self._on_select:
                callback(name)

    def on_select(self, callback: Callable[[str | None], object]) -> None:
        """Calls back whenever something else is selected in this tab."""
        self._on_select.append(callback)

    def show_source(self, file: str, line: int) -> None:
        """Shows a line of a program in the editor: ``file`` as a path, or as its name in the open folder."""
        for callback in self._on_source:
            callback(file, line)

    def on_source(self, callback: Callable[[str, int], object]) -> None:
        """Calls back whenever a line of a program is to be shown in this tab."""
        self._on_source.append(callback)

    def on(self, event: type[E], callback: Callable[[E], Awaitable[None] | None]) -> None:
        """Calls back at an event, inside this page, until it closes.

        A page that is away or cannot keep up hears of the newest state when it is back, not of all that were.
        """
        number = len(self._held)
        held: deque[Any] = deque(maxlen=1 if event in _STATES else _HELD)
        self._held[number] = (callback, held)

        def heard(told: E) -> None:
            if held or not self._keeps_up():
                held.append(told)
            else:
                self._call(callback, told)

        self._stops.append(self.studio.listen(event, heard))

    async def ask(self, call: Coroutine[Any, Any, R]) -> R | None:
        """Waits for a call of the host; an error is shown as a note, and None returned.

        While there is no host it is None without a note: a page can be there before its cell, and that a host has
        ended is told once, at the top.
        """
        try:
            return await call
        except HostGone:
            return None
        except DrycellError as error:
            self.tell(error)
            return None

    async def act(self, call: Coroutine[Any, Any, R]) -> R | None:
        """Waits for a call that changes something: refused, with a note, unless this tab holds control."""
        if not self.may_act():
            call.close()
            return None
        try:
            return await call
        except DrycellError as error:
            self.tell(error)
            return None

    def may_act(self) -> bool:
        """Whether this tab holds control; says so on the page if not."""
        if self.holds_control:
            return True
        self.notify("Another browser holds control: take it first, at the top right.", "warning")
        return False

    def on_untrusted(self, callback: Callable[[ErrorReport], object]) -> None:
        """Calls back when something cannot be done because code would run from a folder that is not trusted."""
        self._on_untrusted.append(callback)

    def tell(self, error: DrycellError) -> None:
        """Shows an error as a note: what happened, and what to try."""
        report = trouble(error) if isinstance(error, Untrusted) else getattr(error, "report", None)
        if report is not None and report.kind == "Untrusted" and self._on_untrusted and not self.client.is_deleted:
            with self.client:
                for callback in self._on_untrusted:
                    callback(report)
            return
        self.notify(error.what + (f"\ntry: {error.hint}" if error.hint else ""), "error")

    def notify(self, text: str, kind: str = "info") -> None:
        """Shows a note for some seconds, where nothing is worked at; ``kind`` is info, good, warning or error."""
        if self.client.is_deleted:
            return
        with self.client:
            ui.notification(
                text,
                type=_NOTES[kind],  # type: ignore[arg-type]
                position="bottom-left",
                multi_line="\n" in text or len(text) > 80,
                close_button=kind in ("warning", "error"),
                timeout=8 if kind == "error" else 4,
            ).mark("note")

    def deliver(self) -> None:
        """Hands over what was held back, and has what the page likes written down. Called by the shell now and then."""
        self.studio.memory.settle()
        if self._keeps_up():
            for callback, held in list(self._held.values()):
                while held:
                    self._call(callback, held.popleft())

    def _keeps_up(self) -> bool:
        """Whether the page is there and acknowledges what it is sent: its messages would pile up here otherwise."""
        if not self.client.has_socket_connection:
            return False
        history = self.client.outbox.message_history
        return not history or time.time() - history[0][1] < _BEHIND

    def _call(self, callback: Callable[[E], Awaitable[None] | None], told: E) -> None:
        if self.client.is_deleted:
            return
        with self.client:
            result = callback(told)
            if result is not None:
                background_tasks.create(_awaited(result), name="event of the host", context=self.client)

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


async def _awaited(result: Awaitable[None]) -> None:
    await result
