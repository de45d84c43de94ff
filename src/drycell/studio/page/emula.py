"""The EMULA tab: the console of 1981. Its robot moves in the view; its drawings are shown below."""

import base64
from pathlib import Path
from typing import Final

from nicegui import ui
from nicegui.events import GenericEventArguments

from drycell.base import DrycellError
from drycell.studio.api.emula import EmulaEntry, EmulaState
from drycell.studio.page.elements import named
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import short_path
from drycell.studio.server.events import HostReplaced
from drycell.studio.server.files import emula_files

_SHOWN: Final = 400  # entries on the page
_HISTORY: Final = 200  # lines that the arrow keys recall
_KINDS: Final = {"svg": "image/svg+xml", "png": "image/png"}


class EmulaPanel:
    """The console of one page. The host holds the session: all pages show it, the one with control types."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._host = tab.host.emula
        self._back = 0  # position in the history
        self._drawings = 0
        with ui.column().classes("drycell-column"):
            self._idle()
            self._console()
        tab.on(EmulaEntry, self._put)
        tab.on(EmulaState, self._show_state)
        tab.on(HostReplaced, self._load)
        ui.timer(0.1, self._load, once=True)

    # ---------------------------------------------------------------- elements

    def _idle(self) -> None:
        with ui.column().classes("p-3 gap-2") as self._closed:
            ui.label("EMULA controls a robot with sensors through a manipulator language of 1981, from a console.")
            ui.label("Its workstation replaces the open cell. Type 'help' for a list of commands.").classes(
                "drycell-quiet"
            )
            with ui.row().classes("gap-2"):
                ui.button("Open the console", icon="terminal", on_click=self._begin).props(
                    "unelevated dense no-caps"
                ).classes("px-3").mark("emula-begin")
                ui.button("Open it on this cell", on_click=lambda: self._begin(self._tab.studio.path)).props(
                    "flat dense no-caps"
                ).tooltip("the cell must have exactly one robot")

    def _console(self) -> None:
        with ui.column().classes("drycell-column") as self._open:
            with ui.row().classes("drycell-bar"):
                with ui.button("run a file…", icon="play_arrow").props("flat dense no-caps").mark("emula-file"):
                    self._files = ui.menu()
                    self._files.on("before-show", self._list_files)
                ui.space()
                ui.button(icon="pan_tool", on_click=self._interrupt).props("flat dense").tooltip(
                    "stop the move or discard the line (Ctrl-C)"
                ).mark("emula-stop")
                ui.button(icon="replay", on_click=self._begin).props("flat dense").tooltip("start a new session")
                ui.button(icon="close", on_click=self._leave).props("flat dense").tooltip("back to the cell")
            self._scroll = ui.scroll_area().classes("drycell-grow drycell-terminal").mark("emula-log")
            with self._scroll:
                self._log = ui.column().classes("gap-0 w-full")
            with ui.expansion("drawing", icon="draw").props("dense dense-toggle").classes("w-full") as self._paper:
                self._picture = ui.image().classes("drycell-drawing").mark("emula-drawing")
            self._paper.on("after-show", lambda: self._scroll.scroll_to(percent=1.0))  # it takes space from the console
            with ui.row().classes("drycell-bar drycell-transport drycell-asking"):
                self._prompt = ui.label(">").classes("drycell-mono")
                self._line = ui.input(placeholder="command (Tab: complete, ↑: previous)").props(
                    'dense borderless autocomplete=off spellcheck=false input-class="drycell-mono"'
                )
                self._line.classes("col").style("min-width:160px").mark("emula-line")
                for key, action in (
                    ("keydown.enter", self._type), ("keydown.up.prevent", lambda: self._recall(1)),
                    ("keydown.down.prevent", lambda: self._recall(-1)), ("keydown.tab.prevent", self._complete),
                    ("keydown.c.ctrl", self._interrupt),
                ):  # fmt: skip
                    self._line.on(key, action)
        self._paper.visible = False

    # ---------------------------------------------------------------- showing

    async def _load(self, _: object = None) -> None:
        """Show the session from its beginning, if there is one."""
        try:
            session = await self._host.transcript()
        except DrycellError:
            session = None
        self._closed.visible, self._open.visible = session is None, session is not None
        if session is not None:
            self._log.clear()
            self._drawings, self._paper.visible = 0, False
            for entry in session.entries[-_SHOWN:]:
                self._put(entry)
            await self._show_state(session.state)

    async def _show_state(self, state: EmulaState) -> None:
        self._prompt.text = state.prompt or "…"
        self._line.set_enabled(not state.ended)
        self._scroll.scroll_to(percent=1.0)
        if state.drawings and (state.drawings != self._drawings or state.prompt is not None):
            self._drawings = state.drawings
            await self._draw()

    def _put(self, entry: EmulaEntry) -> None:
        with self._log:
            classes = "drycell-mono drycell-typed" if entry.kind == "typed" else "drycell-mono"
            ui.label(entry.text or " ").classes(classes)
        while len(self._log.default_slot.children) > _SHOWN:
            self._log.remove(0)
        self._scroll.scroll_to(percent=1.0)

    async def _draw(self) -> None:
        drawing = await self._tab.ask(self._host.drawing(self._drawings))
        if drawing is not None:
            kind = _KINDS[drawing.kind]
            self._picture.set_source(f"data:{kind};base64,{base64.b64encode(drawing.content).decode()}")
            self._paper.text = drawing.name
            if not self._paper.visible:  # once the user has closed it, it stays closed
                self._paper.visible, self._paper.value = True, True

    # ---------------------------------------------------------------- actions

    async def _begin(self, cell: Path | None = None) -> None:
        await self._tab.act(self._tab.studio.open_emula(cell if isinstance(cell, Path) else None))

    async def _leave(self) -> None:
        studio = self._tab.studio
        await self._tab.act(studio.clear() if studio.path is None else studio.open(studio.path))

    async def _type(self) -> None:
        line = self._line.value or ""
        if await self._tab.act(self._host.type_line(line)) is None:
            return
        self._line.value, self._back = "", 0
        if line.strip():
            kept = [each for each in self._tab.settings.get("emula history", []) if each != line]
            self._tab.settings["emula history"] = [*kept, line][-_HISTORY:]

    def _recall(self, by: int) -> None:
        kept = self._tab.settings.get("emula history", [])
        self._back = min(max(self._back + by, 0), len(kept))
        self._line.value = kept[-self._back] if self._back else ""

    async def _complete(self) -> None:
        line = self._line.value or ""
        found = await self._tab.ask(self._host.complete(line))
        if found is None or not found.words:
            return
        words, beginning = found.words, found.beginning
        common = words[0]
        for word in words:
            while not word.lower().startswith(common.lower()):
                common = common[:-1]
        if len(common) > len(beginning):
            self._line.value = line[: len(line) - len(beginning)] + common
        else:
            self._put(EmulaEntry("answer", "  ".join(words)))

    async def _interrupt(self, _: GenericEventArguments | None = None) -> None:
        await self._tab.act(self._host.interrupt())

    def _list_files(self) -> None:
        self._files.clear()
        with self._files:
            for path in emula_files(self._tab.studio.workspace.folder):
                item = ui.menu_item(short_path(path), lambda path=path: self._run_file(path)).props("dense")
                named(item, f"emula-file-{path.stem}")

    async def _run_file(self, path: Path) -> None:
        await self._tab.act(self._host.type_line(load_line(path)))


def load_line(path: Path) -> str:
    """The line that runs a file: in a string of EMULA, a quote is written twice."""
    return "load('" + str(path).replace("'", "''") + "')"
