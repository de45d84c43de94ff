"""Variables of a program that stands still: its calls to choose from, and what each of them sees, as a tree."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from drycell.base import DrycellError
from drycell.kernel import Variable, VariableScope
from drycell.studio.api.debugging import CallPlace, ProgramCalls
from drycell.studio.api.transport import ProcessStatus, Status
from drycell.studio.page.naming import named
from drycell.studio.page.tab import BrowserTab

_HEADER = """
<span v-if="props.node.scope" class="drycell-scope">{{ props.node.label }}</span>
<template v-else><span>{{ props.node.label }}&nbsp;=&nbsp;</span><span class="drycell-value" :title="props.node.value"
>{{ props.node.value }}</span><span class="drycell-type">{{ props.node.type }}</span></template>
"""


class VariablesPanel:
    """The panel. ``go(file, line)`` shows a line of a call."""

    def __init__(self, tab: BrowserTab, go: Callable[[str, int], None]) -> None:
        self._tab, self._go = tab, go
        self._level = 0
        self._asking = self._stale = False
        self._seen: tuple[object, ...] = ()
        self._told: ProgramCalls | None = None
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
                self._tree.props["no-nodes-label"] = " "  # the line above says why
                self._tree.add_slot("default-header", _HEADER)
        ui.timer(1.0, self._again)

    def show(self, visible: bool) -> None:
        """Whether the panel is to be seen; one that is not asks for nothing."""
        self.visible = visible
        if visible:
            self._refresh()

    def hear(self, status: Status) -> None:
        """A new status: a program that was held is chosen, and looked at."""
        names = [each.name for each in status.processes]
        held = status.stopped_at
        if names != self._process.options:
            chosen = self._process.value if self._process.value in names else next(iter(names), None)
            self._process.set_options(names, value=chosen)
        seen = (status.mode, status.state, status.t, str(held))
        if held and held.process in names and seen != self._seen:
            self._level = 0
            self._process.value = held.process
        mine = next((each for each in status.processes if each.name == self._process.value), None)
        self._state.text = _told(mine, bool(held and mine and held.process == mine.name))
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
        """One question at a time; what changed meanwhile is asked for once more."""
        try:
            while self._stale and not self._tab.client.is_deleted:
                self._stale = False
                process = self._process.value
                if process is None or self._tab.studio.latest.mode not in ("live", "bench", "ended", "emula"):
                    self._draw(ProgramCalls())
                    continue
                try:
                    question = self._tab.host.debugging.variables(process, self._level)
                    found = await asyncio.wait_for(question, 5.0)
                except (DrycellError, TimeoutError):
                    continue  # a stage that is changing, or a program that never comes to a halt
                if not self._tab.client.is_deleted:
                    self._draw(found)
        finally:
            self._asking = False

    def _draw(self, told: ProgramCalls) -> None:
        if told == self._told:
            return
        with self._stack:
            if self._told is None or told.stack != self._told.stack:
                self._draw_stack(told.stack)
        nodes = [_scope(each) for each in told.scopes if each.variables]
        self._tree.props["nodes"] = nodes
        self._tree.update()
        names = [each["id"] for each in nodes]
        if names != self._scopes:
            self._scopes = names
            self._tree.expand([each for each in names if not each.endswith("globals")])
        self._told = told

    def _draw_stack(self, stack: Sequence[CallPlace]) -> None:
        self._stack.clear()
        with self._stack:
            if not stack:
                ui.label("not at work").classes("drycell-quiet px-2").style("font-size: 12px")
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
        self._told = None
        self._refresh()


def _told(process: ProcessStatus | None, held: bool) -> str:
    if process is None:
        return ""
    if held:
        return "held here"
    return f"waits for {process.waits_for}" if process.waits_for else process.state


def _scope(scope: VariableScope) -> dict[str, Any]:
    values = [_node(each, scope.name) for each in scope.variables]
    return {"id": scope.name, "label": scope.name, "scope": True, "children": values}


def _node(each: Variable, path: str) -> dict[str, Any]:
    here = f"{path}/{each.name}"
    made = {"id": here, "label": each.name, "value": each.value, "type": each.type}
    return {**made, "children": [_node(part, here) for part in each.parts]} if each.parts else made
