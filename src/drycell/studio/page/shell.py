"""The routes of the server and its pages: the start page, and the page of a cell with all its panels."""

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from fastapi import Request, Response, WebSocket
from fastapi.responses import FileResponse, RedirectResponse
from markupsafe import Markup
from nicegui import app, ui
from nicegui.client import Client
from nicegui.element import Element

from drycell.base import DrycellError
from drycell.robots import LIBRARY
from drycell.studio.page.build import BuildPanel
from drycell.studio.page.elements import COMPONENTS, name_elements, on_args, run_script, show_markup
from drycell.studio.page.emula import EmulaPanel
from drycell.studio.page.header import MARK, error_line, header, theme_button
from drycell.studio.page.journal import JournalPanel
from drycell.studio.page.opening import OpenDialog, TrustDialog
from drycell.studio.page.program import ProgramPanel
from drycell.studio.page.properties import PropertiesPanel
from drycell.studio.page.signals import SignalsPanel
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.tables import TablesPanel
from drycell.studio.page.teach import TeachPanel
from drycell.studio.page.trace import TracePanel
from drycell.studio.page.transport import TransportBar
from drycell.studio.page.tree import TreePanel
from drycell.studio.page.view import view_panel
from drycell.studio.page.waits import WaitGraphCard
from drycell.studio.server.events import HostReplaced
from drycell.studio.server.frames import serve_frames

if TYPE_CHECKING:
    from drycell.studio.server.studio import Studio

_KEYS: Final = {
    "Space": "run or pause; in the past: play or pause",
    ".": "step to the next event",
    ",": "previous event",
    "F10": "step to the next program line",
    "L": "live: back to the present",
    "R": "restart with the seed in the field",
    "O": "open a cell or a recording",
    "Ctrl-S": "save what is edited in the panel on the right, wherever the caret is",
    "?": "show this list",
}
_MOUSE: Final = {
    "left button": "drag: orbit; click: select; double click: zoom to it",
    "right button": "drag: pan",
    "wheel": "zoom",
    "F": "fit the selection, or everything",
    "1 3 7": "view from the front, the right, the top",
    "P": "perspective or parallel projection",
    "W": "wireframe",
    "Esc": "end picking; clear the selection",
}

_KEY: Final = re.compile(r"[0-9A-Za-z_.-]{1,128}")
_THUMBNAIL: Final = re.compile(r"[0-9a-z-][0-9a-z.-]{0,60}\.png")
_FOREVER: Final = {"cache-control": "private, max-age=31536000, immutable"}
Action = Callable[[], Awaitable[None] | None]
Panel = Callable[[BrowserTab], object]
_RIGHT: Final[dict[str, Panel]] = {
    "Program": ProgramPanel,
    "Teach": TeachPanel,
    "Build": BuildPanel,
    "EMULA": EmulaPanel,
}
_BOTTOM: Final[dict[str, Panel]] = {"Signals": SignalsPanel, "Journal": JournalPanel, "Tables": TablesPanel}


def add_routes(studio: "Studio") -> None:
    """Add the page, the frames, the meshes, the looks and the thumbnails of a studio to NiceGUI's application."""

    @ui.page("/")
    def page(client: Client, request: Request, open: str = "") -> None:
        tab = BrowserTab(studio, client, browser=getattr(request.state, "browser", "nobody"))
        if studio.empty:
            start_page(tab, proposed=open)
        else:
            shell(tab, proposed=open)

    @app.get("/drycell/open")
    def propose(path: str = "") -> Response:
        # Opening a Python file runs it. A link may only fill in the dialog; the user confirms.
        return RedirectResponse(f"/?open={quote(path[:1000])}")

    @app.get("/drycell/mesh/{key}")
    async def mesh(key: str) -> Response:
        if not _KEY.fullmatch(key):
            return Response(status_code=404)
        try:
            return Response(await studio.mesh(key), media_type="application/octet-stream", headers=_FOREVER)
        except DrycellError as error:
            return Response(error.what, status_code=404, media_type="text/plain")

    @app.get("/drycell/look/{key}")
    async def look(key: str) -> Response:
        if not _KEY.fullmatch(key):
            return Response(status_code=404)
        try:
            return Response(await studio.look(key), media_type="application/octet-stream", headers=_FOREVER)
        except DrycellError as error:
            # A page that asked just before another cell was opened does not need it any more: it gets no error.
            shown = any(body.look == key for body in studio.tree.bodies)
            return Response(error.what if shown else "", status_code=404 if shown else 204, media_type="text/plain")

    @app.get("/drycell/thumbnails/{file}")
    def thumbnail(file: str) -> Response:
        path = LIBRARY / "thumbnails" / file
        known = _THUMBNAIL.fullmatch(file) and path.is_file()
        return FileResponse(path) if known else Response(status_code=404)

    @app.websocket("/drycell/frames")
    async def frames(socket: WebSocket) -> None:
        await serve_frames(socket, studio.frames)


def theme(tab: BrowserTab) -> ui.dark_mode:
    """Add the styles of the page. Returns the switch between light and dark (None: as the system)."""
    kept = tab.settings.get("dark")
    ui.add_css(COMPONENTS / "page.css")
    run_script(tab.client, "() => { document.documentElement.lang = 'en'; }")
    return ui.dark_mode(kept if isinstance(kept, bool) else None)


class Shortcuts(Element, component=COMPONENTS / "shortcuts.js"):
    """The shortcuts of the page. Its event: ``key``, with the name of the key in the list of shortcuts."""


def keyboard(tab: BrowserTab, actions: dict[str, Action]) -> None:
    """Bind keys to actions, by the names of the keys in the list of shortcuts. Those of panels in front come first."""

    async def pressed(name: Any) -> None:
        action = tab.key_action(name) or actions.get(name) if isinstance(name, str) else None
        result: Any = action() if action is not None else None
        if result is not None:
            await result

    on_args(Shortcuts(), "key", pressed)


def keyboard_help(tab: BrowserTab) -> ui.dialog:
    """The dialog with the list of keyboard shortcuts, by panel."""
    with (
        ui.dialog().mark("keyboard-help").props('aria-label="keyboard shortcuts"') as dialog,
        ui.card().classes("p-4 drycell-keys"),
    ):
        place = ui.element("div").classes("drycell-key-tables")

    def fill() -> None:
        panels = {title: {each.key: each.text for each in keys} for title, keys in tab.keys.items()}
        place.clear()
        with place:
            for title, table in {"Everywhere": _KEYS, "View": _MOUSE, **panels}.items():
                with ui.element("div"):
                    ui.label(title).classes("text-weight-medium q-mb-xs")
                    with ui.grid(columns="auto 1fr").classes("gap-x-4 gap-y-1 items-center"):
                        for key, text in table.items():
                            ui.label(key).classes("drycell-key")
                            ui.label(text)

    dialog.on("before-show", fill)
    return dialog


def start_page(tab: BrowserTab, proposed: str = "") -> None:
    """Build the page that is shown while nothing is open."""
    dark = theme(tab)
    with ui.column().classes("drycell-shell"):
        with ui.row().classes("drycell-bar"):
            show_markup(Markup(MARK)).classes("drycell-mark")
            ui.label("drycell studio").classes("text-weight-medium").props("role=heading aria-level=1")
            ui.space()
            theme_button(tab, dark)
        with ui.element("div").classes("drycell-scroll"), ui.column().classes("drycell-start").mark("start"):
            ui.label("View, run, debug and build a robot cell before it exists.").classes("text-subtitle1")
            OpenDialog(tab, proposed).contents()
    name_elements(tab.client)
    tab.on(HostReplaced, lambda _: None if tab.studio.empty else ui.navigate.to("/"))


def shell(tab: BrowserTab, proposed: str = "") -> None:
    """Build the page of a cell. ``proposed`` is a path from a link: it is filled into the open dialog."""
    dark = theme(tab)
    opening, keys = OpenDialog(tab, proposed).dialog(), keyboard_help(tab)
    with ui.column().classes("drycell-shell"):
        header(tab, dark, opening, keys)
        error_line(tab)
        with _splitter(tab, "left", 250, 160, 480) as split:
            with split.before, _splitter(tab, "left-rows", 320, 80, 1200, horizontal=True) as rows:
                with rows.before:
                    TreePanel(tab)
                with rows.after:
                    PropertiesPanel(tab)
            with split.after, _splitter(tab, "right", 420, 240, 1000, reverse=True) as halves:
                with halves.before, _splitter(tab, "bottom", 240, 60, 900, horizontal=True, reverse=True) as centre:
                    with centre.before, ui.column().classes("drycell-column"):
                        with ui.element("div").classes("drycell-grow"):
                            view_panel(tab)
                            WaitGraphCard(tab)
                        transport = TransportBar(tab)
                    with centre.after:
                        _add_trace(tab, *_tabs(tab, "bottom-tab", _BOTTOM))
                with halves.after:
                    right, _ = _tabs(tab, "right-tab", _RIGHT)
                    tab.on_source(lambda file, line: right.set_value("Program"))
                    tab.problems.on_reveal(lambda: right.set_value("Program"))
    keyboard(
        tab,
        {
            "Space": transport.run_or_pause,
            ".": lambda: transport.step("event"),
            ",": transport.event_before,
            "F10": lambda: transport.step("line"),
            "L": transport.live,
            "R": transport.restart,
            "O": opening.open,
            "?": keys.open,
        },
    )
    TrustDialog(tab)
    ui.timer(0.5, tab.deliver)
    name_elements(tab.client)
    if proposed:
        opening.open()


def _splitter(
    tab: BrowserTab, name: str, size: float, low: float, high: float, *, horizontal: bool = False, reverse: bool = False
) -> ui.splitter:
    """A splitter in pixels whose position is remembered."""
    kept = tab.settings.get(f"split {name}", size)
    value = min(max(float(kept), low), high) if isinstance(kept, int | float) else size

    def moved(event: object) -> None:
        tab.settings[f"split {name}"] = split.value

    split = ui.splitter(horizontal=horizontal, reverse=reverse, limits=(low, high), value=value, on_change=moved)
    return split.props("unit=px emit-immediately=false").classes("drycell-split").mark(f"split-{name}")


def _tabs(tab: BrowserTab, name: str, panels: dict[str, Panel]) -> tuple[ui.tabs, ui.tab_panels]:
    """Tabs with a panel each. The open tab is remembered."""
    kept = tab.settings.get(name)
    chosen = str(kept) if kept in panels else next(iter(panels))
    tab.turn(name, chosen)
    with ui.column().classes("drycell-column"):
        with ui.tabs().props("dense no-caps align=left breakpoint=0").classes("drycell-tabs") as tabs:
            for title in panels:
                ui.tab(title).mark(f"tab-{title.lower()}")
        with ui.tab_panels(tabs, value=chosen, animated=False, keep_alive=True).classes("drycell-grow") as shown:
            for title, panel in panels.items():
                with ui.tab_panel(title).classes("drycell-panel"):
                    panel(tab)
    shown.on_value_change(lambda event: tab.turn(name, str(event.value)))
    return tabs, shown


def _add_trace(tab: BrowserTab, tabs: ui.tabs, shown: ui.tab_panels) -> None:
    with tabs:
        heading = ui.tab("Trace").mark("tab-story")
    with shown, ui.tab_panel("Trace").classes("drycell-panel"):
        TracePanel(tab, heading, tabs)
