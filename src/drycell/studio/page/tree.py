"""The tree of all there is in the cell: select here and in the view alike, hide what is in the way."""

from typing import Any, Final

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from drycell.base import DrycellError
from drycell.studio.api.scene import Tree
from drycell.studio.page.lacking import lacking
from drycell.studio.page.naming import COMPONENTS
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.tree_nodes import TreeNode, nodes
from drycell.studio.server.events import HostReplaced

_PERIOD: Final = 0.7  # seconds between looks whether parts have come or gone
_HEADER: Final = """
<div class="drycell-node" :data-node="props.node.id">
  <q-icon v-if="props.node.icon" :name="props.node.icon" size="14px" class="q-mr-xs" />
  <span class="ellipsis">{{ props.node.label }}</span>
  <q-icon v-if="props.node.eye" :name="props.node.hidden ? 'visibility_off' : 'visibility'" size="14px"
    class="drycell-eye" :class="{ 'drycell-eye-shut': props.node.hidden }"
    @click.stop="() => $parent.$emit('eye', props.node.id)" />
</div>
"""


class TreePanel:
    """The tree of one page. It is sent anew only when something came, went, or was hidden."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._absent: frozenset[int] = frozenset()
        self._asked: tuple[object, ...] = ()
        self._shut: set[str] = set()  # ids of nodes whose eye is shut
        self._nodes: list[TreeNode] = []
        self._sent: list[dict[str, Any]] = []
        self._opened = False
        ui.add_css(COMPONENTS / "tree.css")
        with ui.column().classes("drycell-column"):
            self._filter = ui.input(placeholder="filter", on_change=self._filtered).props("dense borderless clearable")
            self._filter.classes("q-px-sm full-width").style("flex:none;font-size:12px").mark("tree-filter")
            with ui.element("div").classes("drycell-grow").style("overflow:auto"):
                self._tree = ui.tree([], label_key="label", on_select=self._chosen)
                self._tree.props("dense no-transition no-connectors").classes("drycell-tree").mark("tree")
                self._tree.props["no-results-label"] = "nothing of that name"
                self._tree.props["no-nodes-label"] = "no bodies, no programs"
                self._tree.add_slot("default-header", _HEADER)
                self._tree.on("eye", self._blinked)
                lacking(tab, "Programs")
        tab.on(Tree, lambda tree: self.show())
        tab.on(HostReplaced, self._stage)
        tab.on_select(self._selected)
        ui.timer(_PERIOD, self._look)
        self.show()

    def show(self) -> None:
        """Sends the nodes if they are others than before."""
        self._nodes = nodes(self._tab.studio.tree, self._absent)
        plain = [self._plain(node) for node in self._nodes]
        if plain != self._sent:
            self._sent = plain
            self._tree.props["nodes"] = plain
            self._tree.update()
            if not self._opened and plain:
                self._opened = True
                self._tree.expand([node.id for node in self._nodes if len(node.children) <= 12])

    def find(self, name: str) -> TreeNode | None:
        """The node that stands for a name; a robot's link is found below its robot."""
        return next((node for group in self._nodes for node in group.walk() if node.name == name), None)

    def _plain(self, node: TreeNode) -> dict[str, Any]:
        children = [self._plain(child) for child in node.children]
        plain: dict[str, Any] = {"id": node.id, "label": node.label, "eye": bool(node.bodies)}
        if node.icon:
            plain["icon"] = node.icon
        if node.id in self._shut:
            plain["hidden"] = True
        return plain | ({"children": children} if children else {})

    # ---------------------------------------------------------------- select and hide

    def _chosen(self, event: ValueChangeEventArguments[Any]) -> None:
        node = next((each for group in self._nodes for each in group.walk() if each.id == event.value), None)
        self._tab.select(node.name if node is not None else None)

    def _selected(self, name: str | None) -> None:
        node = self.find(name) if name else None
        if node is None:
            self._tree.deselect()
            return
        above = [each.id for group in self._nodes for each in group.walk() if node in each.children]
        group = [each.id for each in self._nodes if node in each.walk()]
        self._tree.expand([*group, *above])
        self._tree.select(node.id)
        self._tree.client.run_javascript(
            f"setTimeout(() => document.querySelector('[data-node={ui_text(node.id)}]')"
            "?.scrollIntoView({block: 'nearest'}), 60)"
        )

    def _blinked(self, event: GenericEventArguments) -> None:
        """An eye was clicked: what it stands for is hidden, or seen again."""
        self._shut ^= {str(event.args)}
        self._hide()
        self.show()

    def _hide(self) -> None:
        hidden = {
            body for group in self._nodes for node in group.walk() if node.id in self._shut for body in node.bodies
        }
        self._tab.view.hide(hidden)

    def _filtered(self, event: ValueChangeEventArguments[Any]) -> None:
        text = event.value or ""
        self._tree.filter(text)
        if text:
            self._tree.expand()

    # ---------------------------------------------------------------- who is there

    def _stage(self, _: HostReplaced) -> None:
        self._absent, self._asked = frozenset(), ()
        self.show()

    async def _look(self) -> None:
        latest = self._tab.studio.latest
        now = (latest.shown, latest.version, latest.path)
        if now == self._asked or latest.mode == "empty":
            return
        self._asked = now
        try:
            absent = frozenset(await self._tab.host.scene.absent(latest.shown))
        except DrycellError:
            return
        if absent != self._absent:
            self._absent = absent
            self.show()
            if self._shut:
                self._hide()


def ui_text(text: str) -> str:
    """A text inside double quotes, for a selector."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("'", "\\'") + '"'


def tree_panel(tab: BrowserTab) -> TreePanel:
    """The tree with its filter, in the current slot."""
    return TreePanel(tab)
