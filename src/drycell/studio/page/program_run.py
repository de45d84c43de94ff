"""The run in the Program tab: the current lines of the programs, their variables and output, and errors."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from drycell.base import DrycellError
from drycell.kernel import Variable, VariableScope
from drycell.studio.api.debugging import CallPlace, ProgramCalls, Severity
from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.events import ConsoleText
from drycell.studio.api.transport import HostStatus, ProcessStatus
from drycell.studio.page.elements import named
from drycell.studio.page.program_editor import ProgramEditor
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import HostReplaced

_COLOURS: Final = ("#1e88e5", "#8e24aa", "#00897b", "#ef6c00", "#6d4c41", "#c2185b", "#7cb342", "#546e7a")

Marks = dict[str, list[dict[str, Any]]]
_HEADER = """
<span v-if="props.node.scope" class="drycell-scope">{{ props.node.label }}</span>
<template v-else><span>{{ props.node.label }}&nbsp;=&nbsp;</span><span class="drycell-value" :title="props.node.value"
>{{ props.node.value }}</span><span class="drycell-type">{{ props.node.type }}</span></template>
"""
_PERIOD: Final = 0.3  # seconds between two drawings
_MOST: Final = 20_000  # characters on the page
_FOLLOWED: Final = 10.0  # times real time: at higher speeds the editor does not scroll


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A problem in a file or in a run. ``line`` is None if the place is not known."""

    text: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None
    severity: Severity = "error"


def marks_of(status: HostStatus, name_of: Callable[[str], str | None]) -> Marks:
    """The marks of the current lines. ``name_of`` returns the name of a file in the open folder, or None."""
    held = status.stopped_at
    found: Marks = {}
    for number, each in enumerate(status.processes):
        if each.file is None or each.line is None or each.state == "ended":
            continue
        name = name_of(each.file)
        if name is None:
            continue
        here = held is not None and held.process == each.name
        waits = f"waiting for {each.waits_for}" if each.waits_for else each.state
        found.setdefault(name, []).append(
            {
                "line": held.line if here and held is not None and name_of(held.file) == name else each.line,
                "name": each.name,
                "colour": _COLOURS[number % len(_COLOURS)],
                "held": here,
                "title": f"{each.name}: {'stopped here' if here else waits}",
            }
        )
    return found


class VariablesPanel:
    """The Variables tab: call stack and variables. ``go(file, line)`` shows the line of a call."""

    def __init__(self, tab: BrowserTab, go: Callable[[str, int], None]) -> None:
        self._tab, self._go = tab, go
        self._level = 0
        self._asking = self._stale = False
        self._seen: tuple[object, ...] = ()
        self._calls: ProgramCalls | None = None
        self._scopes: list[str] = []
        self.visible = False
        with ui.column().classes("drycell-column"):
            with ui.row().classes("drycell-bar drycell-held"):
                self._process = (
                    ui.select([], on_change=self._chosen)
                    .props("dense borderless options-dense")
                    .classes("drycell-program-select")
                    .mark("variables-process")
                )
                self._state = ui.label().classes("drycell-quiet").mark("variables-state")
            self._stack = ui.element("div").classes("drycell-stack w-full").mark("stack")
            with ui.element("div").style("flex: 1 1 0; overflow: auto; width: 100%"):
                self._tree = ui.tree([], node_key="id", label_key="label").props("dense no-transition no-connectors")
                self._tree.classes("drycell-variables").mark("variables")
                self._tree.props["no-nodes-label"] = " "  # the text above explains why
                self._tree.add_slot("default-header", _HEADER)
        ui.timer(1.0, self._again)

    def show(self, visible: bool) -> None:
        """Set whether the panel is visible. A hidden panel fetches nothing."""
        self.visible = visible
        if visible:
            self._refresh()

    def update(self, status: HostStatus) -> None:
        """Show a new status. A program that has stopped is selected."""
        names = [each.name for each in status.processes]
        held, past = status.stopped_at, self._tab.studio.past.programs
        if names != self._process.options and past.state in ("present", "shown"):
            chosen = self._process.value if self._process.value in names else next(iter(names), None)
            self._process.set_options(names, value=chosen)
        seen = (status.mode, status.state, status.t, str(held), past.state, past.t)
        if held and held.process in names and seen != self._seen:
            self._level = 0
            self._process.value = held.process
        mine = next((each for each in status.processes if each.name == self._process.value), None)
        now = _state_text(mine, bool(held and mine and held.process == mine.name))
        self._state.text = now if past.state in ("present", "shown") else past.state
        if status.state != "running" and seen != self._seen:
            self._refresh()
        self._seen = seen

    def _chosen(self, event: ValueChangeEventArguments[Any]) -> None:
        self._level = 0
        self._refresh()

    def _again(self) -> None:
        if self._tab.studio.latest.mode == "live":
            self._refresh()

    def _refresh(self) -> None:
        self._stale = True
        if self.visible and not self._asking:
            self._asking = True
            asyncio.get_running_loop().create_task(self._ask())

    async def _ask(self) -> None:
        """Fetch the variables, one request at a time, again if something has changed in the meantime."""
        try:
            while self._stale and not self._tab.client.is_deleted:
                self._stale = False
                process = self._process.value
                past = self._tab.studio.past
                at = past.programs
                if at.state in ("computing", "not available"):
                    self._draw(ProgramCalls())
                    continue
                if process is None or self._tab.studio.latest.mode == "empty":
                    self._draw(ProgramCalls())
                    continue
                try:
                    asked = past if at.state == "shown" else self._tab.host.debugging
                    found = await asyncio.wait_for(asked.variables(process, self._level), 5.0)
                    if past.programs != at:
                        continue  # another instant is shown: it has been asked about, too
                except (DrycellError, TimeoutError):
                    continue  # the host is being replaced, or a program never yields
                if not self._tab.client.is_deleted:
                    self._draw(found)
        finally:
            self._asking = False

    def _draw(self, calls: ProgramCalls) -> None:
        if calls == self._calls:
            return
        with self._stack:
            if self._calls is None or calls.stack != self._calls.stack:
                self._draw_stack(calls.stack)
        nodes = [_scope(each) for each in calls.scopes if each.variables]
        self._tree.props["nodes"] = nodes
        self._tree.update()
        names = [each["id"] for each in nodes]
        if names != self._scopes:
            self._scopes = names
            self._tree.expand([each for each in names if not each.endswith("globals")])
        self._calls = calls

    def _draw_stack(self, stack: Sequence[CallPlace]) -> None:
        self._stack.clear()
        with self._stack:
            if not stack and self._tab.studio.past.programs.state in ("present", "shown"):
                ui.label("not running").classes("drycell-quiet px-2").style("font-size: 12px")
            for level, call in enumerate(stack):
                row = named(ui.element("div").classes("drycell-call"), f"call-{level}")
                row.classes(add="drycell-shown" if level == self._level else "")
                row.on("click", lambda level=level, call=call: self._step_to(level, call))
                with row:
                    ui.label(call.name)
                    ui.label(f"{call.file.rpartition('/')[2]}:{call.line}").classes("drycell-place")

    def _step_to(self, level: int, call: CallPlace) -> None:
        self._level = level
        self._go(call.file, call.line)
        self._calls = None
        self._refresh()


def _state_text(process: ProcessStatus | None, held: bool) -> str:
    if process is None:
        return ""
    if held:
        return "stopped here"
    return f"waiting for {process.waits_for}" if process.waits_for else process.state


def _scope(scope: VariableScope) -> dict[str, Any]:
    values = [_node(each, scope.name) for each in scope.variables]
    return {"id": scope.name, "label": scope.name, "scope": True, "children": values}


def _node(each: Variable, path: str) -> dict[str, Any]:
    here = f"{path}/{each.name}"
    made = {"id": here, "label": each.name, "value": each.value, "type": each.type}
    return {**made, "children": [_node(part, here) for part in each.parts]} if each.parts else made


class OutputPanel:
    """The Output tab. It scrolls with the text; ``heading`` has a dot while there is unseen output."""

    def __init__(self, tab: BrowserTab, heading: ui.tab) -> None:
        self._tab, self._heading = tab, heading
        self._text = self._drawn = ""
        self._in_front = False
        with ui.element("div").classes("drycell-output"):  # CSS keeps it scrolled to the end
            self._label = ui.label().mark("output")
        tab.on(ConsoleText, lambda event: self._add(event.text))
        tab.on(HostReplaced, lambda _: self._fetch())
        ui.timer(_PERIOD, self._draw)
        ui.timer(0.0, self._fetch, once=True)

    def show(self, in_front: bool) -> None:
        """Set whether the tab is in front."""
        self._in_front = in_front
        if in_front:
            self._heading.props(remove="alert")

    async def _fetch(self) -> None:
        """Fetch the output so far: for a new host or a new page."""
        self._text = (await self._tab.ask(self._tab.host.debugging.printed()) or "")[-_MOST:]

    def _add(self, text: str) -> None:
        self._text = (self._text + text)[-_MOST:]

    def _draw(self) -> None:
        past = self._tab.studio.past.programs
        text = {"shown": past.printed[-_MOST:], "computing": "computing…"}.get(past.state, self._text)
        if text == self._drawn:
            return
        self._drawn = text
        self._label.text = text if len(text) < _MOST else text.partition("\n")[2]
        self._heading.props("alert=primary") if text and not self._in_front else self._heading.props(remove="alert")


class RunTracker:
    """Shows the run in the editor. ``show(name)`` opens and shows a file, ``drawn`` redraws the panel."""

    variables: VariablesPanel
    lower: ui.tab_panels

    def __init__(
        self, tab: BrowserTab, editor: ProgramEditor, show: Callable[[str], bool], drawn: Callable[[], None]
    ) -> None:
        self._tab, self._editor, self._show, self._drawn = tab, editor, show, drawn
        self._marks: Marks = {}
        self.forget()

    def forget(self) -> None:
        """Reset for another run or cell."""
        self._outside: set[str] = set()  # files outside the folder that were reported
        self.fault: tuple[str, FileProblem] | None = None
        """The error of the run, and its file."""
        self._held: object = None
        self._error: object = None
        self._marks = {}

    def update(self, status: HostStatus) -> None:
        """Show a new status: current lines, the line where the run has stopped, and errors. In the past, as of then."""
        status = self._tab.studio.past.as_shown(status)
        marks = marks_of(status, self._tab.studio.workspace.name_of)
        if marks != self._marks:
            self._marks = marks
            factor = status.factor
            self._editor.stand(marks, going=status.mode == "live" and factor is not None and factor <= _FOLLOWED)
        self.variables.update(status)
        held = status.stopped_at
        key = None if held is None else (held, status.t)
        if held is not None and key != self._held:
            self.lower.set_value("variables")
            self.go(held.file, held.line, points=False)
        self._held = key
        error = status.error
        if error != self._error:
            self._error = error
            if error is not None:
                self.show_error(error)
            elif self.fault is not None:
                self.fault = None
                self._drawn()

    def go(self, file: str, line: int, *, points: bool = True) -> None:
        """Show a line of the running text and point at it. ``file`` is a path, or a name in the folder."""
        workspace = self._tab.studio.workspace
        name = file if file in workspace.files() else workspace.name_of(file)
        if name is not None and self._show(name):
            self._editor.run_method("showRunning", name, line, points)
        elif name is None and file not in self._outside:
            self._outside.add(file)
            path = os.path.normpath(file)
            self._tab.notify(f"{path} is not in the folder of the cell. Open that folder to see the line.", "warning")

    def show_error(self, error: ErrorReport) -> None:
        """Show an error of the run or of building the cell, at its line if that is in the folder."""
        file, line = error.file, error.line
        name = self._tab.studio.workspace.name_of(file) if file else None
        text, hint = error.what, error.hint
        self.fault = (name or file or "the run", FileProblem(text, line, error.column, hint))
        if name is not None and line is not None and self._show(name):
            self._editor.run_method("fault", name, line, text.split("\n")[0], hint)
            self._editor.run_method("showRunning", name, line, False)
        self.lower.set_value("problems")
        self._drawn()
