"""The Program tab: the files of the cell in an editor, the current lines of the programs, problems and variables."""

import asyncio
import datetime
import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from markupsafe import Markup
from nicegui import background_tasks, ui

from drycell.base import DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.host.client import HostError
from drycell.studio.page.elements import COMPONENTS, name_elements, named, show_markup, with_props
from drycell.studio.page.problems import ProblemList
from drycell.studio.page.program_editor import ProgramEditor
from drycell.studio.page.program_run import FileProblem, OutputPanel, RunTracker, VariablesPanel
from drycell.studio.page.tab import BrowserTab, PanelKey
from drycell.studio.page.texts import clock_text
from drycell.studio.server.events import BuildingChanged, ControlChanged, HostReplaced, PastChanged
from drycell.studio.workspace import ChangedOnDisk, Workspace

_AROUND: Final = 3  # lines shown around what differs
_MOST_ROWS: Final = 2000  # of a comparison
Act = Callable[["OpenFile"], object]
_PATIENCE: Final = 5.0  # seconds that checking a file may take


@dataclass(slots=True)
class OpenFile:
    """A file that is open on this page."""

    name: str
    stamp: str = ""
    """The stamp of the last known version on disk."""
    version: int = 0
    """The version of the text in the editor: it grows with each change."""
    text: str = ""
    saved: int = -1
    """The version that was saved last."""
    unsaved: bool = False
    contested: bool = False
    """Whether another program has changed the file while there were unsaved changes here."""
    restored: float | None = None
    """When a restored text was typed."""
    announce: bool = True
    """Whether a note reports that the text was restored."""
    problems: list[FileProblem] = field(default_factory=list)


def usual_files(workspace: Workspace, tree: Tree) -> list[str]:
    """The files of a cell that are opened at first: its programs, then the cell file."""
    programs = [each.file for each in tree.programs if each.file]
    if not programs and workspace.folder is not None:
        programs = [str(workspace.folder / each) for each in tree.files]
    names = [name for name in map(workspace.name_of, programs) if name != workspace.main]
    there = set(workspace.files())
    return [name for name in dict.fromkeys([*names, workspace.main]) if name in there]


class FileTabs:
    """The tabs of open files. ``show`` and ``close`` are called with a name; ``listed`` returns all files."""

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
        with ui.button(icon="add").props("flat dense").tooltip("open another file of the folder").mark("open-file"):
            self._menu = ui.menu().props("auto-close max-height=60vh")
            self._menu.on("before-show", self._list)

    def draw(self, shown: str | None) -> None:
        """Draw the tabs, if anything has changed."""
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


def show_difference(name: str, mine: str, theirs: str) -> None:
    """Open a dialog that compares two versions of a file. It changes nothing."""
    with ui.dialog() as dialog, ui.card().classes("p-3 gap-2").style("max-width: 94vw; max-height: 88vh"):
        with ui.row().classes("w-full items-center"):
            ui.label(f"{name}: your version on the left, the version on disk on the right").classes(
                "text-weight-medium"
            )
            ui.space()
            named(
                ui.button(icon="close", on_click=dialog.close).props("flat dense aria-label=close"), "difference-close"
            )
        with ui.element("div").style("overflow: auto; min-width: 60vw"):
            rows = Markup("").join(_rows(mine.split("\n"), theirs.split("\n")))
            named(show_markup(Markup('<table class="drycell-difference">{}</table>').format(rows)), "difference")
    name_elements(dialog.client)
    dialog.on("hide", dialog.delete)
    dialog.open()


def _rows(mine: list[str], theirs: list[str]) -> Iterator[Markup]:
    made = 0
    matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number:
            yield Markup('<tr><td></td><td class="drycell-apart" colspan="3">⋯</td></tr>')
        for kind, first, last, begin, end in group:
            for place in range(max(last - first, end - begin)):
                made += 1
                if made > _MOST_ROWS:
                    yield Markup('<tr><td></td><td colspan="3" class="drycell-apart">and more</td></tr>')
                    return
                left = _cell(mine, first + place, last, "" if kind == "equal" else "drycell-mine")
                right = _cell(theirs, begin + place, end, "" if kind == "equal" else "drycell-theirs")
                yield Markup("<tr>{}{}</tr>").format(left, right)


def _cell(lines: list[str], place: int, end: int, colour: str) -> Markup:
    if place >= end:
        return Markup("<td></td><td></td>")
    return Markup('<td>{}</td><td class="{}">{}</td>').format(place + 1, colour, lines[place])


class FileNote:
    """The note about the file that is shown: changed on disk, or restored.

    ``refresh`` reloads a file, ``keep`` continues with what was typed, ``drawn`` redraws the panel.
    """

    def __init__(self, tab: BrowserTab, refresh: Act, keep: Act, drawn: Callable[[], None]) -> None:
        self._tab, self._workspace = tab, tab.studio.workspace
        self._refresh, self._keep, self._drawn = refresh, keep, drawn
        self._shown_note: object = None
        self._row = ui.row().classes("drycell-note").mark("file-note")
        self._row.visible = False

    def draw(self, file: OpenFile | None) -> None:
        """Show the note of a file, if there is one."""
        note = None if file is None else (file.name, file.contested, file.restored)
        if note == self._shown_note:
            return
        self._shown_note = note
        self._row.clear()
        self._row.visible = file is not None and (file.contested or file.restored is not None)
        if file is None or not self._row.visible:
            return
        with self._row:
            if file.contested:
                ui.label(f"{file.name} has changed on disk, and you have unsaved changes.")
                self._choice(file, "Keep mine", self._keep, "continue with your version; the other one is set aside")
                self._choice(file, "Take theirs", self._take_theirs, "use the version on disk; yours is set aside")
            else:
                at = datetime.datetime.fromtimestamp(file.restored or 0)
                ui.label(f"Restored: unsaved changes from {at:%d %b %H:%M}.")
                self._choice(file, "Keep", self._keep_restored, "keep the restored changes")
                self._choice(
                    file, "Discard", self._take_theirs, "use the version on disk; the restored changes are set aside"
                )
            self._choice(file, "Compare", self._compare, "show both versions side by side")

    def list_versions(self, menu: ui.menu, name: str | None, bring_back: Callable[[str], None]) -> None:
        """Fill a menu with the versions of a file that were set aside."""
        menu.clear()
        kept = [] if name is None else self._workspace.drafts.aside(self._workspace.path_of(name))
        with menu:
            for each in kept:
                at = datetime.datetime.fromtimestamp(each.time)
                text = f"restore {at:%d %b %H:%M:%S}, {each.text.count(chr(10)) + 1} lines"
                named(ui.menu_item(text, on_click=lambda each=each: bring_back(each.text)).props("dense"), "version")
            if not kept:
                ui.menu_item("no versions set aside").props("dense disable")

    def _choice(self, file: OpenFile, text: str, action: Act, tip: str) -> None:
        def chosen() -> None:
            if self._tab.may_act():
                action(file)
                self._drawn()

        mark = text.lower().replace(" ", "-")
        made = ui.button(text, on_click=chosen).props("flat dense no-caps")
        made.props["title"] = tip  # a Quasar tooltip would fail while another tab is in front
        named(made, mark)

    def _take_theirs(self, file: OpenFile) -> None:
        self._workspace.discard(file.name)
        self._refresh(file)

    def _keep_restored(self, file: OpenFile) -> None:
        file.restored = None

    def _compare(self, file: OpenFile) -> None:
        show_difference(file.name, file.text, self._workspace.read(file.name).text)


class TextChecks:
    """Checks the texts of files, one check per file at a time. ``drawn`` is called when the result is there."""

    def __init__(self, tab: BrowserTab, editor: ProgramEditor, drawn: Callable[[], None]) -> None:
        self._tab, self._editor, self._drawn = tab, editor, drawn
        self._under_way: set[str] = set()

    def ask(self, file: OpenFile) -> None:
        """Check a text. If a check is under way, the text is checked again afterwards."""
        if file.name not in self._under_way and self._tab.studio.client is not None:
            self._under_way.add(file.name)
            background_tasks.create(self._asked(file), name="check of a text")

    async def _asked(self, file: OpenFile) -> None:
        workspace = self._tab.studio.workspace
        try:
            version = -1
            while version != file.version and not self._tab.client.is_deleted:
                version = file.version
                path = str(workspace.path_of(file.name))
                check = self._tab.host.debugging.check(path, file.text)
                found = await asyncio.wait_for(check, _PATIENCE)
                file.problems = [
                    FileProblem(each.text, each.line, each.column, each.hint, each.severity) for each in found.findings
                ]
                with self._editor:
                    self._editor.run_method("found", file.name, version, encode(found.findings), encode(found.stops))
                    self._drawn()
        except (DrycellError, TimeoutError):
            return  # the host is being replaced or is stuck: the next edit asks again
        finally:
            self._under_way.discard(file.name)


class ProgramPanel:
    """The panel of one page. Only the page with control can type; the others see what is saved."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab, self._workspace = tab, tab.studio.workspace
        self._files: dict[str, OpenFile] = {}
        self._shown: str | None = None
        self._ready = False
        self._folder: object = None
        self._in_control = False
        self._follows = True
        self._saving: str | None = None
        self._breaks: dict[str, list[int]] = {}  # as drawn on a page without control
        self._build()
        tab.on(HostReplaced, self._restarted)
        tab.on(Tree, self._programs_known)
        tab.on(HostStatus, lambda status: self._run.update(status) if self._ready else None)
        tab.on(PastChanged, lambda _: self._show_past())
        tab.on_source(self._run.go)
        tab.problems.listen(lambda _: self._draw())
        tab.on(ControlChanged, lambda _: self._update_control())
        tab.on(BuildingChanged, lambda _: self._built())
        tab.keys["Program"] = (
            PanelKey("Ctrl-S", "save the file", lambda: self._editor.run_method("save")),
            PanelKey("Ctrl-Shift-S", "save all files and restart", self._save_and_restart),
            PanelKey("F9", "set or remove a breakpoint"),
            PanelKey("Ctrl-F", "find and replace"),
            PanelKey("Ctrl-Z", "undo; Ctrl-Y: redo"),
        )
        tab.client.on_delete(self._workspace.listen(self._changed_on_disk))
        ui.timer(1.0, self._look)

    # ---------------------------------------------------------------- elements

    def _build(self) -> None:
        ui.add_css(COMPONENTS / "program.css")
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar").style("padding-left: 0"):
                self._tabs = FileTabs(self._files, self._show, self._close, self._workspace.files)
                self._button("save", "save (Ctrl-S)", lambda: self._editor.run_method("save")).mark("save")
                self._button("restart_alt", "save all and restart (Ctrl-Shift-S)", self._save_and_restart).mark(
                    "save-restart"
                )
                self._follow = self._button("my_location", "scroll to the current line", self._turn_follow)
                self._follow.mark("program-follow")
                with (
                    ui.button(icon="more_vert")
                    .props("flat dense")
                    .tooltip("restore a version that was set aside")
                    .mark("versions")
                ):
                    versions = ui.menu().props("auto-close")
            self._note = FileNote(self._tab, self._refresh, self._keep_mine, self._draw)
            self._past = ui.label().classes("drycell-note drycell-small").mark("program-past")
            self._past.visible = False
            versions.on("before-show", lambda: self._note.list_versions(versions, self._shown, self._bring_back))
            kept = self._tab.settings.get("split program", 230)
            size = float(kept) if isinstance(kept, int | float) else 230.0
            self._split = ui.splitter(
                horizontal=True,
                reverse=True,
                value=size,
                limits=(28, 900),
                on_change=lambda event: self._tab.settings.__setitem__("split program", event.value),
            )
            self._split.props("unit=px emit-immediately=false").classes("drycell-split")
            with self._split.before:
                self._editor = ProgramEditor().mark("editor").classes("w-full h-full")
            with self._split.after, ui.element("div").classes("drycell-lower"):
                self._build_lower()
        self._checks = TextChecks(self._tab, self._editor, self._draw)
        self._on("ready", lambda _: self._begin())
        self._on("opened", self._opened)
        self._on("edit", self._edited)
        self._on("save", self._save)
        self._on("restart", lambda _: self._save_and_restart())
        self._on("aside", self._set_aside)
        self._on("breaks", self._set_breaks)
        self._on("unfollow", lambda _: self._turn_follow(False))

    def _build_lower(self) -> None:
        self._run = RunTracker(self._tab, self._editor, self._show, self._draw)
        with ui.tabs().props("dense no-caps align=left breakpoint=0").classes("drycell-tabs") as tabs:
            self._problems_tab = ui.tab("problems", label="Problems").mark("tab-problems")
            ui.tab("variables", label="Variables").mark("tab-variables")
            output_tab = ui.tab("output", label="Output").mark("tab-output")
        with ui.tab_panels(tabs, value="problems", animated=False, keep_alive=True).classes("drycell-grow") as panels:
            with ui.tab_panel("problems").classes("drycell-panel"):
                self._problems = ProblemList(self._go, self._tab.problems.go_to)
            with ui.tab_panel("variables").classes("drycell-panel"):
                self._variables = VariablesPanel(self._tab, self._run.go)
            with ui.tab_panel("output").classes("drycell-panel"):
                output = OutputPanel(self._tab, output_tab)
        self._run.variables, self._run.lower = self._variables, panels
        self._tab.problems.on_reveal(lambda: panels.set_value("problems"))
        panels.on_value_change(lambda event: self._variables.show(event.value == "variables"))
        panels.on_value_change(lambda event: output.show(event.value == "output"))

    def _on(self, event: str, callback: Callable[[dict[str, Any]], object]) -> None:
        """Call back with the arguments of an event of the editor."""
        self._editor.on(event, lambda event: callback(event.args if isinstance(event.args, dict) else {}))

    def _button(self, icon: str, tip: str, action: Callable[[], object]) -> ui.button:
        return ui.button(icon=icon, on_click=action).props("flat dense").tooltip(tip)

    def _turn_follow(self, on: bool | None = None) -> None:
        """Set whether the editor scrolls to the current line. Scrolling or typing ends it."""
        self._follows = not self._follows if on is None else on
        with_props(self._follow, color="primary" if self._follows else "grey")
        self._editor.run_method("follow", self._follows)

    def _show_past(self) -> None:
        """Show the programs of the instant that is shown, and what is known of them."""
        programs = self._tab.studio.past.programs
        text = {
            "computing": "program lines and variables are being computed…",
            "shown": "program lines and variables as they were then",
            "not available": f"program lines and variables are not available: {programs.reason}",
        }.get(programs.state, "")
        self._past.text = f"{clock_text(programs.t)}: {text}"
        self._past.visible = bool(text)
        if self._ready:
            self._run.update(self._tab.studio.latest)

    # ---------------------------------------------------------------- opening and showing files

    def _begin(self) -> None:
        """The editor is ready, perhaps again after a lost connection."""
        self._ready = True
        self._folder = None
        self._turn_follow(self._follows)
        self._update_control()
        self._open_folder()

    def _open_folder(self) -> None:
        """Open the files of another cell: those that were open before, or its programs and the cell file."""
        if not self._ready or self._workspace.folder == self._folder:
            return
        self._folder = self._workspace.folder
        self._files.clear()
        self._shown = None
        self._run.forget()
        self._editor.run_method("closeAll")
        kept = self._tab.settings.get(self._keep)
        names = [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []
        there = set(self._workspace.files())
        for name in [each for each in names if each in there] or usual_files(self._workspace, self._tab.studio.tree):
            self._open(name)
        self._show(next(iter(self._files), None))
        self._run.update(self._tab.studio.latest)

    @property
    def _keep(self) -> str:
        return f"files {self._folder}"

    def _programs_known(self, tree: Tree) -> None:
        self._open_folder()  # for a recording: the folder of the files it was made from
        if not isinstance(self._tab.settings.get(self._keep), list):
            shown = self._shown
            usual = usual_files(self._workspace, tree)
            for name in usual:
                if self._open(name):
                    self._files[name] = self._files.pop(name)  # keeps the order
            self._show(shown if shown != self._workspace.main and shown else next(iter(usual), shown))

    def _open(self, name: str) -> bool:
        if name in self._files:
            return True
        try:
            text = self._workspace.read(name)
            draft = self._workspace.draft(name) if self._in_control else None
        except (DrycellError, OSError) as error:
            self._tab.notify(getattr(error, "what", str(error)), "error")
            return False
        self._files[name] = OpenFile(name, text.stamp, text=text.text)
        self._editor.open(text, str(self._workspace.path_of(name)), self._workspace.breakpoints.get(name, []), draft)
        return True

    def _opened(self, sent: dict[str, Any]) -> None:
        file = self._files.get(sent["name"])
        if file is None:
            return
        file.version, file.text = sent["version"], sent["text"]
        file.unsaved = sent["restored"] is not None
        file.restored = sent["restored"] if file.announce else None
        file.contested = file.unsaved and sent["base"] != file.stamp
        self._draw()
        self._checks.ask(file)

    def _show(self, name: str | None, line: int | None = None, column: int | None = None) -> bool:
        if name is None or not self._open(name):
            return False
        self._shown = name
        self._editor.show(name, line, column)
        self._draw()
        return True

    def _go(self, name: str, line: int, column: int | None) -> None:
        if name in self._files or name in self._workspace.files():
            self._show(name, line, column)

    def _close(self, name: str) -> None:
        """Close a tab. Unsaved changes stay as a draft."""
        self._files.pop(name, None)
        self._editor.run_method("close", name)
        if self._shown == name:
            self._shown = None
            self._show(next(iter(self._files), None))
        self._draw()

    def _draw(self) -> None:
        self._tabs.draw(self._shown)
        if self._files and self._tab.studio.tree.source:  # before that the programs are not known
            self._tab.settings[self._keep] = list(self._files)
        errors, warnings = self._problems.draw(self._tab.problems.found, self._run.fault, self._files.values())
        count = errors + warnings
        self._problems_tab.props["label"] = f"Problems ({count})" if count else "Problems"
        self._problems_tab.update()
        self._note.draw(self._files.get(self._shown or ""))

    # ---------------------------------------------------------------- typing and saving

    def _edited(self, sent: dict[str, Any]) -> None:
        file = self._files.get(sent["name"])
        if file is not None and sent["version"] == file.saved:
            return  # it was saved in the meantime: there is nothing to keep
        try:
            if not self._in_control:  # typed just before another page took control
                self._set_aside(sent)
                return
            self._workspace.type(sent["name"], sent["text"], sent["base"])
        except (DrycellError, OSError) as error:
            self._tab.notify(f"The draft could not be saved: {getattr(error, 'what', error)}", "error")
            return
        self._editor.run_method("kept", sent["name"], sent["version"])
        self._workspace.breakpoints.set(sent["name"], sent["lines"])
        if file is not None:
            file.version, file.text, file.unsaved = sent["version"], sent["text"], sent["dirty"]
            file.contested = file.unsaved and sent["base"] != file.stamp
            if not file.unsaved:
                file.restored = None
            self._draw()
            self._checks.ask(file)

    def _set_aside(self, sent: dict[str, Any]) -> None:
        path, draft = self._workspace.path_of(sent["name"]), self._workspace.draft(sent["name"])
        if draft is None or draft.text != sent["text"]:
            self._workspace.drafts.set_aside(path, sent["text"], sent["base"])

    def _save(self, sent: dict[str, Any]) -> bool:
        """Save a file. Returns False if another program has changed it, or it cannot be written."""
        if not self._tab.may_act():
            return False
        name = sent["name"]
        file = self._files.get(name)
        self._saving = name
        try:
            saved = self._workspace.save(name, sent["text"], sent["base"])
        except ChangedOnDisk:
            if file is not None:
                file.contested = True
                file.unsaved = True
                self._workspace.type(name, sent["text"], sent["base"])
                self._show(name)
            return False
        except (DrycellError, OSError) as error:
            self._tab.notify(f"{name} was not saved: {getattr(error, 'what', error)}", "error")
            return False
        finally:
            self._saving = None
        self._workspace.breakpoints.set(name, sent["lines"])
        self._editor.run_method("saved", name, saved.stamp, sent["text"])
        if file is not None:
            file.stamp, file.text = saved.stamp, sent["text"]
            file.version = file.saved = sent["version"]
            file.unsaved, file.contested, file.restored = False, False, None
            self._draw()
            self._checks.ask(file)
        self._changed_on_disk(name, self._workspace.known(name))  # it may have been overwritten already
        return True

    async def _save_and_restart(self) -> None:
        """Save all files and restart. An error is shown at its line."""
        if not self._tab.may_act():
            return
        try:
            typed = await self._editor.unsaved()
        except TimeoutError:
            self._tab.notify("The browser does not respond. Nothing was saved.", "error")
            return
        saved = [self._save(each) for each in typed]  # try all of them
        if not all(saved):
            return
        try:
            await self._tab.studio.restart()
        except HostError as error:
            self._run.show_error(error.report)
        except DrycellError as error:
            self._tab.show_error(error)

    def _set_breaks(self, sent: dict[str, Any]) -> None:
        if self._tab.may_act():
            self._workspace.breakpoints.set(sent["name"], sent["lines"])
            background_tasks.create(self._send_breaks(sent["name"], sent["running"]), name="breakpoints")

    async def _send_breaks(self, name: str, lines: list[int]) -> None:
        if self._tab.studio.client is not None:
            file = str(self._workspace.path_of(name))
            await self._tab.ask(self._tab.host.transport.set_breakpoints(file, tuple(lines)))

    # ---------------------------------------------------------------- changes from elsewhere

    def _look(self) -> None:
        self._workspace.poll()
        self._update_control()
        if not self._in_control:
            for name in self._files:
                lines = self._workspace.breakpoints.get(name, [])
                if self._breaks.get(name) != lines:
                    self._breaks[name] = lines
                    self._editor.run_method("breakAt", name, lines)

    def _update_control(self) -> None:
        """Make the editor read-only without control. A page that gets control continues with the drafts."""
        in_control = self._tab.holds_control
        if not self._ready or in_control == self._in_control:
            return
        self._in_control = in_control
        self._editor.run_method("readonly", not in_control)
        if self._folder is not None:
            for file in list(self._files.values()):
                self._refresh(file)

    def _built(self) -> None:
        """The cell file was changed in the Build tab: show the same draft here."""
        file = self._files.get(self._workspace.main or "")
        if file is not None and self._in_control:
            self._refresh(file, announce=False)

    def _refresh(self, file: OpenFile, *, announce: bool = True) -> None:
        """Show the version on disk or, on a page with control, the draft."""
        try:
            text = self._workspace.read(file.name)
            draft = self._workspace.draft(file.name) if self._in_control else None
        except (DrycellError, OSError) as error:
            self._tab.notify(getattr(error, "what", str(error)), "warning")
            return
        file.stamp, file.announce = text.stamp, announce
        self._editor.refresh(text, draft)

    def _keep_mine(self, file: OpenFile) -> None:
        """Continue with the typed version, based on the one on disk, which is set aside."""
        theirs = self._workspace.read(file.name)
        self._workspace.drafts.set_aside(self._workspace.path_of(file.name), theirs.text, theirs.stamp)
        self._workspace.type(file.name, file.text, theirs.stamp)
        file.stamp, file.contested, file.restored = theirs.stamp, False, None
        self._editor.run_method("saved", file.name, theirs.stamp, theirs.text)

    def _bring_back(self, text: str) -> None:
        if self._shown is not None and self._tab.may_act():
            self._editor.run_method("replace", self._shown, text)

    def _changed_on_disk(self, name: str, stamp: str | None) -> None:
        file = self._files.get(name)
        if file is None or name == self._saving or stamp == file.stamp or self._tab.client.is_deleted:
            return
        with self._editor:
            if stamp is None:
                self._tab.notify(f"{name} was deleted from disk. Save it to create it again.", "warning")
                file.unsaved = True
            elif self._in_control and file.unsaved:
                file.contested = True
            else:
                self._refresh(file)
            self._draw()

    # ---------------------------------------------------------------- the run

    async def _restarted(self, _: HostReplaced) -> None:
        self._open_folder()
        if not self._ready:
            return
        self._run.forget()
        self._turn_follow(True)
        self._editor.run_method("restarted")
        self._draw()
        for file in list(self._files.values()):
            self._checks.ask(file)
            if (
                file.unsaved and self._in_control
            ):  # the run uses the text on disk, the breakpoints refer to the typed text
                await self._send_breaks(file.name, await self._editor.running_lines(file.name))
