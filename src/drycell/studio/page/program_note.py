"""The note above a text: somebody else has written the file, or something typed was restored; and what to do then."""

import datetime
from collections.abc import Callable

from nicegui import ui

from drycell.studio.page.naming import named
from drycell.studio.page.program_difference import show_difference
from drycell.studio.page.program_tabs import OpenFile
from drycell.studio.page.tab import BrowserTab

Act = Callable[[OpenFile], object]


class FileNote:
    """One note, about the file that is shown.

    ``refresh`` shows what there is of a file, ``keep`` goes on with what was typed, ``drawn`` draws the page anew.
    """

    def __init__(self, tab: BrowserTab, refresh: Act, keep: Act, drawn: Callable[[], None]) -> None:
        self._tab, self._workspace = tab, tab.studio.workspace
        self._refresh, self._keep, self._drawn = refresh, keep, drawn
        self._told: object = None
        self._row = ui.row().classes("drycell-told").mark("file-note")
        self._row.visible = False

    def draw(self, file: OpenFile | None) -> None:
        """Tells what the reader of a file must know."""
        told = None if file is None else (file.name, file.contested, file.restored)
        if told == self._told:
            return
        self._told = told
        self._row.clear()
        self._row.visible = file is not None and (file.contested or file.restored is not None)
        if file is None or not self._row.visible:
            return
        with self._row:
            if file.contested:
                ui.label(f"{file.name} has changed on disk, and you have typed in it.")
                self._choice(file, "Keep mine", self._keep, "goes on with yours; theirs is set aside")
                self._choice(file, "Take theirs", self._take_theirs, "shows theirs; yours is set aside")
            else:
                at = datetime.datetime.fromtimestamp(file.restored or 0)
                ui.label(f"Restored: what was typed until {at:%d %b %H:%M} and not saved.")
                self._choice(file, "Keep", self._keep_restored, "it stays as it is here")
                self._choice(file, "Discard", self._take_theirs, "shows what is on disk; this is set aside")
            self._choice(file, "Compare", self._compare, "both side by side")

    def list_versions(self, menu: ui.menu, name: str | None, bring_back: Callable[[str], None]) -> None:
        """Fills a menu with the versions of a file that were set aside."""
        menu.clear()
        kept = [] if name is None else self._workspace.drafts.aside(self._workspace.path_of(name))
        with menu:
            for each in kept:
                at = datetime.datetime.fromtimestamp(each.time)
                text = f"bring back {at:%d %b %H:%M:%S}, {each.text.count(chr(10)) + 1} lines"
                named(ui.menu_item(text, on_click=lambda each=each: bring_back(each.text)).props("dense"), "version")
            if not kept:
                ui.menu_item("no version was set aside").props("dense disable")

    def _choice(self, file: OpenFile, text: str, action: Act, tip: str) -> None:
        def chosen() -> None:
            if self._tab.may_act():
                action(file)
                self._drawn()

        mark = text.lower().replace(" ", "-")
        made = ui.button(text, on_click=chosen).props("flat dense no-caps")
        made.props["title"] = tip  # a tooltip would look for its target while another tab is in front
        named(made, mark)

    def _take_theirs(self, file: OpenFile) -> None:
        self._workspace.give_up(file.name)
        self._refresh(file)

    def _keep_restored(self, file: OpenFile) -> None:
        file.restored = None

    def _compare(self, file: OpenFile) -> None:
        show_difference(file.name, file.text, self._workspace.read(file.name).text)
