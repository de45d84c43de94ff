"""The row of open files: one is shown, those with something unsaved have a dot, and others can be opened."""

from collections.abc import Callable
from dataclasses import dataclass, field

from nicegui import ui

from drycell.studio.api.debugging import Severity
from drycell.studio.api.scene import Tree
from drycell.studio.page.naming import named
from drycell.studio.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Something that is wrong with a file, or that a run met; ``line`` is None where no place is known."""

    text: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None
    severity: Severity = "error"


@dataclass(slots=True)
class OpenFile:
    """A file that is open on this page."""

    name: str
    stamp: str = ""
    """Of the version on disk, as this page knows it."""
    version: int = 0
    """Of the text on the screen: grows with each change."""
    text: str = ""
    saved: int = -1
    """The version that was saved last."""
    unsaved: bool = False
    contested: bool = False
    """Whether somebody else has written the file while something was unsaved here."""
    restored: float | None = None
    """When what was restored had been typed."""
    announce: bool = True
    """Whether the reader is told that something was restored."""
    problems: list[FileProblem] = field(default_factory=list)


def usual_files(workspace: Workspace, tree: Tree) -> list[str]:
    """What is opened of a cell at first: its programs, then its own file. A recording tells its files only."""
    programs = [each.file for each in tree.programs if each.file]
    if not programs and workspace.folder is not None:
        programs = [str(workspace.folder / each) for each in tree.files]
    names = [name for name in map(workspace.name_of, programs) if name != workspace.main]
    there = set(workspace.files())
    return [name for name in dict.fromkeys([*names, workspace.main]) if name in there]


class FileTabs:
    """The row. ``show``, ``close`` and ``listed`` are what the page does, and which files there are."""

    def __init__(
        self,
        files: dict[str, OpenFile],
        show: Callable[[str], object],
        close: Callable[[str], object],
        listed: Callable[[], list[str]],
    ) -> None:
        self._files, self._show, self._close, self._listed = files, show, close, listed
        self._drawn: list[tuple[str, bool, bool]] = []
        self._row = ui.element("div").classes("drycell-files").mark("files")
        with ui.button(icon="add").props("flat dense").tooltip("open another file of this folder").mark("open-file"):
            self._menu = ui.menu().props("auto-close max-height=60vh")
            self._menu.on("before-show", self._list)

    def draw(self, shown: str | None) -> None:
        """Draws the row anew, if anything about it has changed."""
        wanted = [(each.name, each.unsaved, each.name == shown) for each in self._files.values()]
        if wanted == self._drawn:
            return
        self._drawn = wanted
        self._row.clear()
        with self._row:
            for name, unsaved, here in wanted:
                self._tab(name, unsaved, here)

    def _tab(self, name: str, unsaved: bool, here: bool) -> None:
        tab = named(ui.element("div").classes("drycell-file"), f"file-{name}")
        tab.classes(add="drycell-shown" if here else "")
        tab.on("click", lambda: self._show(name))
        tab.on("auxclick", lambda: self._close(name))
        with tab:
            ui.label(name.rpartition("/")[2])
            if unsaved:
                named(ui.element("div").classes("drycell-unsaved").props('title="not saved"'), f"unsaved-{name}")
            ui.icon("close").on("click.stop", lambda: self._close(name))
            if "/" in name:
                ui.tooltip(name)

    def _list(self) -> None:
        self._menu.clear()
        with self._menu:
            others = [name for name in self._listed() if name not in self._files]
            for name in others:
                named(ui.menu_item(name, on_click=lambda name=name: self._show(name)).props("dense"), f"open-{name}")
            if not others:
                ui.menu_item("all files are open").props("dense disable")
