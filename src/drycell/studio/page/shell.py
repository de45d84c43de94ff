"""The pages: the start page, and the cell with all its panels, its keys and its colours."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from nicegui import ui
from nicegui.events import GenericEventArguments

from drycell.studio.page.build import BuildPanel
from drycell.studio.page.elements import COMPONENTS, name_elements
from drycell.studio.page.emula import EmulaPanel
from drycell.studio.page.header import MARK, error_line, header, theme_button
from drycell.studio.page.journal import JournalPanel
from drycell.studio.page.opening import Opening, Trusting
from drycell.studio.page.program import ProgramPanel
from drycell.studio.page.properties import PropertiesPanel
from drycell.studio.page.signals import SignalsPanel
from drycell.studio.page.story import StoryPanel
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.tables import TablesPanel
from drycell.studio.page.teach import TeachPanel
from drycell.studio.page.transport import transport_bar
from drycell.studio.page.tree import TreePanel
from drycell.studio.page.view import view_panel
from drycell.studio.server.events import HostReplaced

_KEYS: Final = {
    "Space": "run or pause; plays or holds what has been",
    ".": "step one event; in the past, to the event after",
    ",": "to the event before",
    "F10": "step one program line",
    "L": "live: back to now",
    "R": "restart with the seed in the field",
    "O": "open a cell or a recording",
    "?": "this list",
}
_MOUSE: Final = {
    "left button": "turns the view; a click selects, a double click goes near",
    "right button": "shifts the view",
    "wheel": "nearer, farther",
    "F": "all that is selected, or everything",
    "1 3 7": "from the front, the right, the top",
    "P": "perspective or parallel",
    "W": "wireframe",
    "Esc": "ends picking; selects nothing",
}

# Keys typed into fields, editors and dialogs stay there. A button that was clicked last must not be pressed by Space.
_LISTENER: Final = """<script>
document.addEventListener("keydown", (event) => {
  const names = {" ": "Space", ".": ".", ",": ",", "F10": "F10", "l": "L", "r": "R", "o": "O", "?": "?"};
  const name = names[event.key], at = event.target;
  if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = "input, textarea, select, [contenteditable=true], .cm-editor, .q-dialog, .q-menu";
  if (at.closest && at.closest(typing)) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat || name === "." || name === "," || name === "F10") emitEvent("drycell_key", name);
}, true);
document.addEventListener("keyup", (event) => {
  const button = event.key === " " && event.target.tagName === "BUTTON";
  if (button && !event.target.closest(".q-dialog, .q-menu")) event.preventDefault();
}, true);
</script>"""

Action = Callable[[], Awaitable[None] | None]
Panel = Callable[[BrowserTab], object]
_RIGHT: Final[dict[str, Panel]] = {
    "Program": ProgramPanel,
    "Teach": TeachPanel,
    "Build": BuildPanel,
    "EMULA": EmulaPanel,
}
_BOTTOM: Final[dict[str, Panel]] = {"Signals": SignalsPanel, "Journal": JournalPanel, "Tables": TablesPanel}


def theme(tab: BrowserTab) -> ui.dark_mode:
    """Colours and type of the page; returns the switch between light and dark (None follows the system)."""
    kept = tab.keeps.get("dark")
    ui.add_css(COMPONENTS / "page.css")
    return ui.dark_mode(kept if isinstance(kept, bool) else None)


def keyboard(actions: dict[str, Action]) -> None:
    """Does what the keys ask for, by name of the key as it stands in the list."""
    ui.add_body_html(_LISTENER)

    async def pressed(event: GenericEventArguments) -> None:
        action = actions.get(event.args) if isinstance(event.args, str) else None
        result: Any = action() if action is not None else None
        if result is not None:
            await result

    ui.on("drycell_key", pressed)


def keyboard_help() -> ui.dialog:
    """The list of keys, as a dialog."""
    with ui.dialog().mark("keyboard-help") as dialog, ui.card().classes("p-4 gap-2"):
        for title, table in (("Keys", _KEYS), ("In the view", _MOUSE)):
            ui.label(title).classes("text-weight-medium")
            with ui.grid(columns="auto 1fr").classes("gap-x-6 gap-y-1 items-center"):
                for key, text in table.items():
                    ui.label(key).classes("drycell-key")
                    ui.label(text)
    return dialog


def start_page(tab: BrowserTab, proposed: str = "") -> None:
    """Shown while nothing is open; gives way to the cell as soon as something is."""
    dark = theme(tab)
    with ui.column().classes("drycell-shell"):
        with ui.row().classes("drycell-bar"):
            ui.html(MARK, sanitize=False).classes("drycell-mark")
            ui.label("drycell studio").classes("text-weight-medium")
            ui.space()
            theme_button(tab, dark)
        with ui.element("div").classes("drycell-scroll"), ui.column().classes("drycell-start").mark("start"):
            ui.label("See, run, debug and build a robot cell before it exists.").classes("text-subtitle1")
            Opening(tab, proposed).contents()
    name_elements(tab.client)
    tab.on(HostReplaced, lambda _: None if tab.studio.empty else ui.navigate.to("/"))


def shell(tab: BrowserTab, proposed: str = "") -> None:
    """Builds the whole page of one browser tab; what a link proposed to open stands in the open dialog."""
    dark = theme(tab)
    opening, keys = Opening(tab, proposed).dialog(), keyboard_help()
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
                        transport = transport_bar(tab)
                    with centre.after:
                        _add_story(tab, *_tabs(tab, "bottom-tab", _BOTTOM))
                with halves.after:
                    right, _ = _tabs(tab, "right-tab", _RIGHT)
                    tab.on_source(lambda file, line: right.set_value("Program"))
    keyboard(
        {
            "Space": transport.run_or_pause,
            ".": lambda: transport.step("event"),
            ",": transport.event_before,
            "F10": lambda: transport.step("line"),
            "L": transport.live,
            "R": transport.restart,
            "O": opening.open,
            "?": keys.open,
        }
    )
    Trusting(tab)
    ui.timer(0.5, tab.deliver)
    name_elements(tab.client)
    if proposed:
        opening.open()


def _splitter(
    tab: BrowserTab, name: str, size: float, low: float, high: float, *, horizontal: bool = False, reverse: bool = False
) -> ui.splitter:
    """A splitter in pixels whose place is remembered."""
    kept = tab.keeps.get(f"split {name}", size)
    value = min(max(float(kept), low), high) if isinstance(kept, int | float) else size

    def moved(event: object) -> None:
        tab.keeps[f"split {name}"] = split.value

    split = ui.splitter(horizontal=horizontal, reverse=reverse, limits=(low, high), value=value, on_change=moved)
    return split.props("unit=px emit-immediately=false").classes("drycell-split").mark(f"split-{name}")


def _tabs(tab: BrowserTab, name: str, panels: dict[str, Panel]) -> tuple[ui.tabs, ui.tab_panels]:
    """Tabs with a panel each; which one is open is remembered."""
    kept = tab.keeps.get(name)
    chosen = kept if kept in panels else next(iter(panels))
    with ui.column().classes("drycell-column"):
        with ui.tabs().props("dense no-caps align=left breakpoint=0").classes("drycell-tabs") as tabs:
            for title in panels:
                ui.tab(title).mark(f"tab-{title.lower()}")
        with ui.tab_panels(tabs, value=chosen, animated=False, keep_alive=True).classes("drycell-grow") as shown:
            for title, panel in panels.items():
                with ui.tab_panel(title).classes("drycell-panel"):
                    panel(tab)
    shown.on_value_change(lambda event: tab.keeps.__setitem__(name, event.value))
    return tabs, shown


def _add_story(tab: BrowserTab, tabs: ui.tabs, shown: ui.tab_panels) -> None:
    with tabs:
        heading = ui.tab("Story").mark("tab-story")
    with shown, ui.tab_panel("Story").classes("drycell-panel"):
        StoryPanel(tab, heading, tabs)
