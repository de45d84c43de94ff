"""The tree of the cell: select things, as in the view, and hide bodies."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Any, Final

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from drycell.base import DrycellError
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.elements import COMPONENTS, named, run_script
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.events import HostReplaced

ICONS: Final = {
    "Robots": "precision_manufacturing", "Devices": "widgets", "Sensors": "sensors", "Fixtures": "foundation",
    "Parts": "category", "Workpoints": "place", "Programs": "code",
}  # fmt: skip
_PERIOD: Final = 0.7  # seconds between checks for parts that have arrived or left
_SCROLL: Final = """(id) => setTimeout(
  () => document.querySelector(`[data-node="${CSS.escape(id)}"]`)?.scrollIntoView({ block: "nearest" }), 60)"""
_HEADER: Final = """
<div class="drycell-node" :data-node="props.node.id">
  <q-icon v-if="props.node.icon" :name="props.node.icon" size="14px" class="q-mr-xs" />
  <span class="ellipsis">{{ props.node.label }}</span>
  <q-icon v-if="props.node.eye" :name="props.node.hidden ? 'visibility_off' : 'visibility'" size="14px"
    class="drycell-eye" :class="{ 'drycell-eye-shut': props.node.hidden }"
    @click.stop="() => $parent.$emit('eye', props.node.id)" />
</div>
"""


def recording_hint(tab: BrowserTab, what: str) -> None:
    """A line that is shown with a recording: “Programs are not part of a recording …”."""
    line = ui.label(f"{what} are not part of a recording. Click “run again” to see them.")
    line.classes("drycell-quiet drycell-small q-px-sm q-py-xs")
    named(line, "not-recorded")

    def show(status: HostStatus) -> None:
        line.set_visibility(status.mode == "recorded")

    tab.on(HostStatus, show)
    show(tab.studio.latest)


@dataclass
class TreeNode:
    """A node of the tree. ``name`` is the thing that it selects; None for a group."""

    id: str
    label: str
    name: str | None
    icon: str = ""
    bodies: list[str] = field(default_factory=list)
    """The bodies that its eye icon hides."""
    children: list["TreeNode"] = field(default_factory=list)

    def walk(self) -> Iterator["TreeNode"]:
        """The node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def nodes(tree: Tree, absent: Set[int] = frozenset()) -> list[TreeNode]:
    """The groups of the tree in a fixed order, without empty groups and absent bodies."""
    bodies = [body for body in tree.bodies if body.number not in absent]
    names = [body.name for body in bodies if body.mesh is not None]
    owners = {*(each.name for each in tree.robots), *(each.name for each in tree.devices)}
    devices = {each.name for each in tree.devices}
    sensors = {each.name for each in tree.sensors}

    def owned(name: str) -> bool:
        return name in sensors or any(name == each or name.startswith(each + "/") for each in _heads(name) & owners)

    def owner(kind: str, name: str, note: str) -> TreeNode:
        own = [body for body in names if body == name or body.startswith(name + "/")]
        below = [_leaf(kind, body, body.removeprefix(name + "/")) for body in own if body != name]
        return TreeNode(f"{kind}:{name}", f"{name}{note}", name, bodies=own, children=below)

    loose = [body for body in bodies if body.mesh is not None and not owned(body.name)]
    groups = {
        "Robots": [
            owner("Robots", each.name, f" · {each.model}")
            for each in tree.robots
            if each.name not in devices  # a machine tool is also a mechanism
        ],
        "Devices": [owner("Devices", each.name, f" · {each.kind}") for each in tree.devices],
        "Sensors": [
            TreeNode(f"Sensors:{each.name}", f"{each.name} · {each.kind}", each.name, bodies=[each.name])
            for each in tree.sensors
        ],
        "Fixtures": [_leaf("Fixtures", body.name) for body in loose if body.kind != "part"],
        "Parts": [_leaf("Parts", body.name) for body in loose if body.kind == "part"],
        "Workpoints": [_leaf("Workpoints", each.name, bodies=()) for each in tree.workpoints],
        "Programs": [_leaf("Programs", each.name, bodies=()) for each in tree.programs],
    }
    return [
        TreeNode(
            title,
            f"{title} ({len(found)})",
            None,
            ICONS[title],
            [body for each in found for body in each.bodies],
            found,
        )
        for title, found in groups.items()
        if found
    ]


def _leaf(group: str, name: str, label: str | None = None, bodies: Iterable[str] | None = None) -> TreeNode:
    return TreeNode(f"{group}:{name}", label or name, name, bodies=[name] if bodies is None else list(bodies))


def _heads(name: str) -> set[str]:
    """A name and the names above it: ``a/b/c``, ``a/b``, ``a``."""
    heads = {name}
    while "/" in name:
        name = name.rpartition("/")[0]
        heads.add(name)
    return heads


class TreePanel:
    """The tree of one page. It is sent again only when something was added, removed or hidden."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._absent: frozenset[int] = frozenset()
        self._asked: tuple[object, ...] = ()
        self._hidden_ids: set[str] = set()  # ids of nodes that are hidden
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
                self._tree.props["no-results-label"] = "no match"
                self._tree.add_slot("default-header", _HEADER)
                self._tree.on("eye", self._eye_clicked)
                recording_hint(tab, "Programs")
        tab.on(Tree, lambda tree: self.show())
        tab.on(HostStatus, self._name_empty)
        tab.on(HostReplaced, self._host_replaced)
        tab.on_select(self._selected)
        ui.timer(_PERIOD, self._look)
        self._name_empty(tab.studio.latest)
        self.show()

    def _name_empty(self, status: HostStatus) -> None:
        """A recording without bodies is not one of an empty cell: it may have had programs."""
        text = "the recording has no bodies" if status.mode == "recorded" else "the cell is empty"
        if self._tree.props.get("no-nodes-label") != text:
            self._tree.props["no-nodes-label"] = text
            self._tree.update()

    def show(self) -> None:
        """Send the nodes if they have changed."""
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
        """The node of a thing. A robot's link is below its robot."""
        return next((node for group in self._nodes for node in group.walk() if node.name == name), None)

    def _plain(self, node: TreeNode) -> dict[str, Any]:
        children = [self._plain(child) for child in node.children]
        plain: dict[str, Any] = {"id": node.id, "label": node.label, "eye": bool(node.bodies)}
        if node.icon:
            plain["icon"] = node.icon
        if node.id in self._hidden_ids:
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
        run_script(self._tree.client, _SCROLL, node.id)

    def _eye_clicked(self, event: GenericEventArguments) -> None:
        """Hide or show the bodies of a node."""
        self._hidden_ids ^= {str(event.args)}
        self._hide()
        self.show()

    def _hide(self) -> None:
        hidden = {
            body
            for group in self._nodes
            for node in group.walk()
            if node.id in self._hidden_ids
            for body in node.bodies
        }
        self._tab.view.hide(hidden)

    def _filtered(self, event: ValueChangeEventArguments[Any]) -> None:
        text = event.value or ""
        self._tree.filter(text)
        if text:
            self._tree.expand()

    # ---------------------------------------------------------------- presence

    def _host_replaced(self, _: HostReplaced) -> None:
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
            if self._hidden_ids:
                self._hide()
