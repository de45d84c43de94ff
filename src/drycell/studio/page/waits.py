"""The wait-for graph over the view, at the end of a run in which programs are stuck."""

from markupsafe import Markup
from nicegui import ui

from drycell.studio.api.problems import RunProblems, WaitGraph
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.elements import show_markup
from drycell.studio.page.tab import BrowserTab


class WaitGraphCard:
    """Shows who waits for whom while the time shown is in the deadlock; in the middle if the cell has no bodies."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._graph: WaitGraph | None = None
        self._closed = False
        with ui.element("section").classes("drycell-waits").mark("wait-graph") as self._card:
            self._card.props["aria-label"] = "wait-for graph"
            with ui.row().classes("w-full no-wrap items-center"):
                ui.label("Programs that can never continue").classes("text-weight-medium")
                ui.space()
                close = ui.button(icon="close", on_click=self._close).props("flat dense round size=sm")
                close.tooltip("close").mark("wait-graph-close")
            self._drawing = show_markup(Markup("")).classes("drycell-waits-drawing")
        self._card.visible = False
        tab.problems.listen(self._found)
        tab.on(HostStatus, lambda _: self._show())
        tab.on(Tree, lambda _: self._show())

    async def _found(self, found: RunProblems) -> None:
        """Fetch the graph, once the run has ended with stuck programs."""
        from drycell.report import wait_for_graph

        stuck = any(each.kind in ("deadlock", "stuck program") for each in found.rows)
        self._graph = await self._tab.ask(self._tab.host.problems.wait_graph()) if stuck else None
        self._closed = False
        if self._graph is not None:
            self._drawing.content = wait_for_graph(self._graph.stuck)  # escapes all texts
        self._show()

    def _close(self) -> None:
        self._closed = True
        self._show()

    def _show(self) -> None:
        status, graph = self._tab.studio.latest, self._graph
        self._card.visible = graph is not None and not self._closed and status.shown >= graph.t
        empty = not self._tab.studio.tree.bodies
        self._card.classes(add="drycell-alone") if empty else self._card.classes(remove="drycell-alone")
