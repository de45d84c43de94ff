"""The program panel: the files of the cell in an editor, where their programs stand, and what is wrong with them."""

import asyncio
import datetime
import difflib
import html
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from nicegui import background_tasks, ui

from drycell.base import DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import Status
from drycell.studio.host.client import HostError
from drycell.studio.page.elements import COMPONENTS, named
from drycell.studio.page.program_editor import ProgramEditor
from drycell.studio.page.program_run import FileProblem, OutputPanel, RunShown, VariablesPanel
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import BuildingChanged, ControlChanged, HostReplaced
from drycell.studio.workspace import Changed, Workspace

_AROUND: Final = 3  # lines shown around what differs
_MOST_ROWS: Final = 2000  # of two texts side by side
Act = Callable[["OpenFile"], object]
Go = Callable[[str, int, int | None], object]
_MOST_PROBLEMS = 100
_PATIENCE: Final = 5.0  # seconds for a check of a text


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


def show_difference(name: str, mine: str, theirs: str) -> None:
    """Opens the dialog; it changes nothing."""
    with ui.dialog() as dialog, ui.card().classes("p-3 gap-2").style("max-width: 94vw; max-height: 88vh"):
        with ui.row().classes("w-full items-center"):
            ui.label(f"{name}: mine at the left, the one on disk at the right").classes("text-weight-medium")
            ui.space()
            named(ui.button(icon="close", on_click=dialog.close).props("flat dense"), "difference-close")
        with ui.element("div").style("overflow: auto; min-width: 60vw"):
            rows = "".join(_rows(mine.split("\n"), theirs.split("\n")))
            named(ui.html(f'<table class="drycell-difference">{rows}</table>', sanitize=False), "difference")
    dialog.on("hide", dialog.delete)
    dialog.open()


def _rows(mine: list[str], theirs: list[str]) -> Iterator[str]:
    made = 0
    matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number:
            yield '<tr><td></td><td class="drycell-apart" colspan="3">⋯</td></tr>'
        for kind, first, last, begin, end in group:
            for place in range(max(last - first, end - begin)):
                made += 1
                if made > _MOST_ROWS:
                    yield '<tr><td></td><td colspan="3" class="drycell-apart">and more</td></tr>'
                    return
                left = _cell(mine, first + place, last, "" if kind == "equal" else "drycell-mine")
                yield f"<tr>{left}{_cell(theirs, begin + place, end, '' if kind == 'equal' else 'drycell-theirs')}</tr>"


def _cell(lines: list[str], place: int, end: int, colour: str) -> str:
    if place >= end:
        return "<td></td><td></td>"
    return f'<td>{place + 1}</td><td class="{colour}">{html.escape(lines[place])}</td>'


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


class Problems:
    """The list. ``go(name, line, column)`` shows the place of one."""

    def __init__(self, go: Go) -> None:
        self._go = go
        self._drawn: list[tuple[str, FileProblem]] = []
        self._list = ui.element("div").style("width: 100%; height: 100%; overflow: auto").mark("problems")
        self._empty()

    def draw(self, fault: tuple[str, FileProblem] | None, files: Iterable[OpenFile]) -> tuple[int, int]:
        """Lists all; returns how many mistakes and how many doubts there are."""
        wanted: list[tuple[str, FileProblem]] = [] if fault is None else [fault]
        for each in files:
            wanted += [(each.name, problem) for problem in each.problems]
        if wanted != self._drawn:
            self._drawn = wanted
            self._list.clear()
            with self._list:
                for name, problem in wanted[:_MOST_PROBLEMS]:
                    self._row(name, problem)
            if not wanted:
                self._empty()
        doubts = sum(problem.severity == "warning" for _, problem in wanted)
        return len(wanted) - doubts, doubts

    def _empty(self) -> None:
        with self._list:
            ui.label("no problems").classes("drycell-quiet px-2 py-1").style("font-size: 12px")

    def _row(self, name: str, problem: FileProblem) -> None:
        warning = problem.severity == "warning"
        line, column = problem.line, problem.column
        row = named(ui.element("div").classes("drycell-problem"), "problem")
        if line is not None:
            row.on("click", lambda: self._go(name, line, column))
        with row:
            ui.icon("warning" if warning else "error", color="warning" if warning else "negative")
            with ui.element("div"):
                ui.label(problem.text).style("white-space: pre-wrap")
                if problem.hint:
                    ui.label(f"try: {problem.hint}").classes("drycell-try")
            ui.label(f"{name.rpartition('/')[2]}:{line}" if line else name).classes("drycell-place")


class TextChecks:
    """Asks for one look at each file at a time; ``drawn`` is called when something was found, or no longer is."""

    def __init__(self, tab: BrowserTab, editor: ProgramEditor, drawn: Callable[[], None]) -> None:
        self._tab, self._editor, self._drawn = tab, editor, drawn
        self._under_way: set[str] = set()

    def ask(self, file: OpenFile) -> None:
        """Has a text looked at; while one look is under way, the next waits for it."""
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
            return  # a host that is changing or stuck: the next edit asks again
        finally:
            self._under_way.discard(file.name)


class ProgramPanel:
    """The panel of one page. Only the page that holds control types; the others see what is saved."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab, self._workspace = tab, tab.studio.workspace
        self._files: dict[str, OpenFile] = {}
        self._shown: str | None = None
        self._ready = False
        self._folder: object = None
        self._steers = False
        self._follows = True
        self._saving: str | None = None
        self._breaks: dict[str, list[int]] = {}  # as a page that only looks on has drawn them
        self._build()
        tab.on(HostReplaced, self._restarted)
        tab.on(Tree, self._programs_known)
        tab.on(Status, lambda status: self._run_shown.hear(status) if self._ready else None)
        tab.on_source(self._run_shown.go)
        tab.on(ControlChanged, lambda _: self._settle_control())
        tab.on(BuildingChanged, lambda _: self._built())
        tab.client.on_delete(self._workspace.listen(self._changed_on_disk))
        ui.timer(1.0, self._look)

    # ---------------------------------------------------------------- what is on the page

    def _build(self) -> None:
        ui.add_css(COMPONENTS / "program.css")
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar").style("padding-left: 0"):
                self._tabs = FileTabs(self._files, self._show, self._close, self._workspace.files)
                self._button("save", "save (Ctrl-S)", lambda: self._editor.run_method("save")).mark("save")
                self._button("restart_alt", "save all and restart (Ctrl-Shift-S)", self._save_and_restart).mark(
                    "save-restart"
                )
                self._follow = self._button("my_location", "keep the running line in sight", self._turn_follow)
                self._follow.mark("program-follow")
                with ui.button(icon="more_vert").props("flat dense").tooltip("versions set aside").mark("versions"):
                    versions = ui.menu().props("auto-close")
            self._note = FileNote(self._tab, self._refresh, self._keep_mine, self._draw)
            versions.on("before-show", lambda: self._note.list_versions(versions, self._shown, self._bring_back))
            kept = self._tab.keeps.get("split program", 230)
            size = float(kept) if isinstance(kept, int | float) else 230.0
            self._split = ui.splitter(
                horizontal=True,
                reverse=True,
                value=size,
                limits=(28, 900),
                on_change=lambda event: self._tab.keeps.__setitem__("split program", event.value),
            )
            self._split.props("unit=px emit-immediately=false").classes("drycell-split")
            with self._split.before:
                self._editor = ProgramEditor().mark("editor").classes("w-full h-full")
            with self._split.after, ui.element("div").classes("drycell-lower"):
                self._build_lower()
        self._checks = TextChecks(self._tab, self._editor, self._draw)
        self._editor.told("ready", lambda _: self._begin())
        self._editor.told("opened", self._opened)
        self._editor.told("edit", self._edited)
        self._editor.told("save", self._save)
        self._editor.told("restart", lambda _: self._save_and_restart())
        self._editor.told("aside", self._set_aside)
        self._editor.told("breaks", self._set_breaks)
        self._editor.told("unfollow", lambda _: self._turn_follow(False))

    def _build_lower(self) -> None:
        self._run_shown = RunShown(self._tab, self._editor, self._show, self._draw)
        with ui.tabs().props("dense no-caps align=left breakpoint=0").classes("drycell-tabs") as tabs:
            self._problems_tab = ui.tab("problems", label="Problems").mark("tab-problems")
            ui.tab("variables", label="Variables").mark("tab-variables")
            output_tab = ui.tab("output", label="Output").mark("tab-output")
        with ui.tab_panels(tabs, value="problems", animated=False, keep_alive=True).classes("drycell-grow") as panels:
            with ui.tab_panel("problems").classes("drycell-panel"):
                self._problems = Problems(self._go)
            with ui.tab_panel("variables").classes("drycell-panel"):
                self._variables = VariablesPanel(self._tab, self._run_shown.go)
            with ui.tab_panel("output").classes("drycell-panel"):
                output = OutputPanel(self._tab, output_tab)
        self._run_shown.variables, self._run_shown.lower = self._variables, panels
        panels.on_value_change(lambda event: self._variables.show(event.value == "variables"))
        panels.on_value_change(lambda event: output.show(event.value == "output"))

    def _button(self, icon: str, tip: str, action: Callable[[], object]) -> ui.button:
        return ui.button(icon=icon, on_click=action).props("flat dense").tooltip(tip)

    def _turn_follow(self, on: bool | None = None) -> None:
        """Whether the text goes along with the run; whoever scrolls or types ends it."""
        self._follows = not self._follows if on is None else on
        self._follow.props(f"color={'primary' if self._follows else 'grey'}")
        self._editor.run_method("follow", self._follows)

    # ---------------------------------------------------------------- opening and showing files

    def _begin(self) -> None:
        """The editor is there, perhaps again after the connection was lost."""
        self._ready = True
        self._folder = None
        self._turn_follow(self._follows)
        self._settle_control()
        self._open_folder()

    def _open_folder(self) -> None:
        """The files of another cell, those that were open before; else its programs and its own file."""
        if not self._ready or self._workspace.folder == self._folder:
            return
        self._folder = self._workspace.folder
        self._files.clear()
        self._shown = None
        self._run_shown.forget()
        self._editor.run_method("closeAll")
        kept = self._tab.keeps.get(self._keep)
        names = [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []
        there = set(self._workspace.files())
        for name in [each for each in names if each in there] or usual_files(self._workspace, self._tab.studio.tree):
            self._open(name)
        self._show(next(iter(self._files), None))
        self._run_shown.hear(self._tab.studio.latest)

    @property
    def _keep(self) -> str:
        return f"files {self._folder}"

    def _programs_known(self, tree: Tree) -> None:
        self._open_folder()  # of a recording, it is where the files are that it was made from
        if not isinstance(self._tab.keeps.get(self._keep), list):
            shown = self._shown
            usual = usual_files(self._workspace, tree)
            for name in usual:
                if self._open(name):
                    self._files[name] = self._files.pop(name)  # in this order, whichever was known first
            self._show(shown if shown != self._workspace.main and shown else next(iter(usual), shown))

    def _open(self, name: str) -> bool:
        if name in self._files:
            return True
        try:
            text = self._workspace.read(name)
            draft = self._workspace.draft(name) if self._steers else None
        except (DrycellError, OSError) as error:
            self._tab.notify(getattr(error, "what", str(error)), "error")
            return False
        self._files[name] = OpenFile(name, text.stamp, text=text.text)
        self._editor.open(text, str(self._workspace.path_of(name)), self._workspace.breaks.get(name, []), draft)
        return True

    def _opened(self, told: dict[str, Any]) -> None:
        file = self._files.get(told["name"])
        if file is None:
            return
        file.version, file.text = told["version"], told["text"]
        file.unsaved = told["restored"] is not None
        file.restored = told["restored"] if file.announce else None
        file.contested = file.unsaved and told["base"] != file.stamp
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
        """Closes a tab; what is unsaved in it stays a draft."""
        self._files.pop(name, None)
        self._editor.run_method("close", name)
        if self._shown == name:
            self._shown = None
            self._show(next(iter(self._files), None))
        self._draw()

    def _draw(self) -> None:
        self._tabs.draw(self._shown)
        if self._files and self._tab.studio.tree.source:  # before that, not even its programs are known
            self._tab.keeps[self._keep] = list(self._files)
        errors, doubts = self._problems.draw(self._run_shown.fault, self._files.values())
        count = f"{errors}" if not doubts else f"{errors} + {doubts}"
        self._problems_tab.props["label"] = f"Problems ({count})" if errors or doubts else "Problems"
        self._problems_tab.update()
        self._note.draw(self._files.get(self._shown or ""))

    # ---------------------------------------------------------------- typing and saving

    def _edited(self, told: dict[str, Any]) -> None:
        file = self._files.get(told["name"])
        if file is not None and told["version"] == file.saved:
            return  # it was saved while this was on its way: nothing is to be kept, whoever wrote the file since
        try:
            if not self._steers:  # the last words before another page took control
                self._set_aside(told)
                return
            self._workspace.type(told["name"], told["text"], told["base"])
        except (DrycellError, OSError) as error:
            self._tab.notify(f"not kept: {getattr(error, 'what', error)}", "error")
            return
        self._editor.run_method("kept", told["name"], told["version"])
        self._workspace.breaks.set(told["name"], told["lines"])
        if file is not None:
            file.version, file.text, file.unsaved = told["version"], told["text"], told["dirty"]
            file.contested = file.unsaved and told["base"] != file.stamp
            if not file.unsaved:
                file.restored = None
            self._draw()
            self._checks.ask(file)

    def _set_aside(self, told: dict[str, Any]) -> None:
        path, draft = self._workspace.path_of(told["name"]), self._workspace.draft(told["name"])
        if draft is None or draft.text != told["text"]:
            self._workspace.drafts.set_aside(path, told["text"], told["base"])

    def _save(self, told: dict[str, Any]) -> bool:
        """Saves a file; False if somebody else has changed it, or it cannot be written."""
        if not self._tab.may_act():
            return False
        name = told["name"]
        file = self._files.get(name)
        self._saving = name
        try:
            saved = self._workspace.save(name, told["text"], told["base"])
        except Changed:
            if file is not None:
                file.contested = True
                file.unsaved = True
                self._workspace.type(name, told["text"], told["base"])
                self._show(name)
            return False
        except (DrycellError, OSError) as error:
            self._tab.notify(f"{name} is not saved: {getattr(error, 'what', error)}", "error")
            return False
        finally:
            self._saving = None
        self._workspace.breaks.set(name, told["lines"])
        self._editor.run_method("saved", name, saved.stamp, told["text"])
        if file is not None:
            file.stamp, file.text = saved.stamp, told["text"]
            file.version = file.saved = told["version"]
            file.unsaved, file.contested, file.restored = False, False, None
            self._draw()
            self._checks.ask(file)
        self._changed_on_disk(name, self._workspace.known(name))  # another page may have found it overwritten already
        return True

    async def _save_and_restart(self) -> None:
        """Saves all that is typed and builds the cell anew; a mistake is shown at its place."""
        if not self._tab.may_act():
            return
        try:
            typed = await self._editor.unsaved()
        except TimeoutError:
            self._tab.notify("the browser does not answer: nothing was saved", "error")
            return
        saved = [self._save(each) for each in typed]  # each is tried, whatever became of the others
        if not all(saved):
            return
        try:
            await self._tab.studio.restart()
        except HostError as error:
            self._run_shown.tell(error.report)
            self._tab.tell(error)
        except DrycellError as error:
            self._tab.tell(error)

    def _set_breaks(self, told: dict[str, Any]) -> None:
        if self._tab.may_act():
            self._workspace.breaks.set(told["name"], told["lines"])
            background_tasks.create(self._send_breaks(told["name"], told["running"]), name="break points")

    async def _send_breaks(self, name: str, lines: list[int]) -> None:
        if self._tab.studio.client is not None:
            file = str(self._workspace.path_of(name))
            await self._tab.ask(self._tab.host.transport.set_breakpoints(file, tuple(lines)))

    # ---------------------------------------------------------------- what others do

    def _look(self) -> None:
        self._workspace.poll()
        self._settle_control()
        if not self._steers:
            for name in self._files:
                lines = self._workspace.breaks.get(name, [])
                if self._breaks.get(name) != lines:
                    self._breaks[name] = lines
                    self._editor.run_method("breakAt", name, lines)

    def _settle_control(self) -> None:
        """Only who holds control types; whoever gets it goes on with what was typed and not saved."""
        steers = self._tab.holds_control
        if not self._ready or steers == self._steers:
            return
        self._steers = steers
        self._editor.run_method("readonly", not steers)
        if self._folder is not None:
            for file in list(self._files.values()):
                self._refresh(file)

    def _built(self) -> None:
        """The cell file was changed elsewhere on the page: the same draft is shown here."""
        file = self._files.get(self._workspace.main or "")
        if file is not None and self._steers:
            self._refresh(file, announce=False)

    def _refresh(self, file: OpenFile, *, announce: bool = True) -> None:
        """Shows what is on disk, or, to who types, what was typed last."""
        try:
            text = self._workspace.read(file.name)
            draft = self._workspace.draft(file.name) if self._steers else None
        except (DrycellError, OSError) as error:
            self._tab.notify(getattr(error, "what", str(error)), "warning")
            return
        file.stamp, file.announce = text.stamp, announce
        self._editor.refresh(text, draft)

    def _keep_mine(self, file: OpenFile) -> None:
        """Of two versions, mine goes on as typed on top of theirs; theirs is set aside."""
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
                self._tab.notify(f"{name} is gone from the disk; what is shown here can be saved again", "warning")
                file.unsaved = True
            elif self._steers and file.unsaved:
                file.contested = True
            else:
                self._refresh(file)
            self._draw()

    # ---------------------------------------------------------------- the run

    async def _restarted(self, _: HostReplaced) -> None:
        self._open_folder()
        if not self._ready:
            return
        self._run_shown.forget()
        self._turn_follow(True)
        self._editor.run_method("restarted")
        self._draw()
        for file in list(self._files.values()):
            self._checks.ask(file)
            if file.unsaved and self._steers:  # the run has what is on disk, the break points are in what was typed
                await self._send_breaks(file.name, await self._editor.running_lines(file.name))
