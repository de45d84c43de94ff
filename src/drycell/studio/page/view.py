"""The 3-D view: the element that draws the cell, its overlays, and its toolbar."""

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

import nicegui.elements.scene  # noqa: F401  # registers three.js for the component
from nicegui import background_tasks, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from drycell.base import DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.api.scene import ContactOverlay, Overlay, Pick, Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.page.elements import COMPONENTS, with_props
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import TICKS, quantity
from drycell.studio.server.events import HostReplaced

Pose = Sequence[float]  # x, y, z, qw, qx, qy, qz
Side = Literal["front", "back", "left", "right", "top", "bottom", "iso"]
Mode = Literal["shaded", "edges", "wireframe"]
Phase = Literal["begin", "move", "end"]
R = TypeVar("R")
_PERIOD: Final = 0.12  # seconds between two updates of detections and contacts
_PATH_EVERY: Final = 6  # updates between two drawings of the tool path
_PATH: Final = 120_000_000  # ticks of the tool path that are drawn, up to the time shown: more would be a tangle
_POINTS: Final = 1200
OVERLAYS: Final = {
    "axes": "world axes",
    "grid": "grid",
    "names": "names",
    "frames": "frames of TCPs and of the selection",
    "workpoints": "workpoints",
    "sensors": "sensor volumes and beams",
    "trace": "tool path",
    "contacts": "contacts and near misses",
}
_AT_FIRST: Final = {"axes": True, "grid": True, "frames": True, "sensors": True}
_SIDES: Final = {
    "iso": "from the corner", "front": "front (1)", "back": "back", "left": "left", "right": "right (3)",
    "top": "top (7)", "bottom": "bottom",
}  # fmt: skip
_MODES: Final[dict[Mode, tuple[str, str]]] = {
    "edges": ("view_in_ar", "shaded with edges"),
    "shaded": ("lens", "shaded"),
    "wireframe": ("grid_3x3", "wireframe (W)"),
}
_MOST_EXPOSURES: Final = 60


class OverlayFeed:
    """Keeps the overlays of a view up to date. Hidden overlays are not fetched."""

    def __init__(self, tab: BrowserTab, view: "CellView") -> None:
        self._tab, self._view = tab, view
        kept = tab.settings.get("overlays")
        self.shown = {**dict.fromkeys(OVERLAYS, False), **_AT_FIRST}
        if isinstance(kept, dict):
            self.shown |= {name: bool(on) for name, on in kept.items() if name in OVERLAYS}
        self._asking = False
        self._seen: tuple[object, ...] = ()
        self._drawn: tuple[object, ...] = ()
        self._looks = 0
        self._sent: dict[str, Any] = {}
        self._scene: int | None = None
        view.show(**self.shown)
        view.on("ready", self._reset)
        tab.on(HostReplaced, lambda _: self._reset())
        tab.on(Tree, self._take_tree)
        ui.timer(_PERIOD, self._update)

    def show(self, name: str, on: bool) -> None:
        """Show or hide an overlay, and remember that for this browser."""
        self.shown[name] = on
        self._tab.settings["overlays"] = dict(self.shown)
        self._view.show(**{name: on})
        self._seen = self._drawn = ()
        if not on and name == "contacts":
            self._view.overlay("touches", [])

    def _reset(self) -> None:
        self._sent = {}
        self._update_static()

    def _take_tree(self, tree: Tree) -> None:
        if tree.scene != self._scene:
            self._scene, self._sent = tree.scene, {}
        self._update_static()

    def _update_static(self) -> None:
        """Update sensor volumes, workpoints and TCP frames, which change only with the tree."""
        self._seen = self._drawn = ()
        background_tasks.create(self._fetch_static(), name="static overlays")

    async def _fetch_static(self) -> None:
        shown = self._tab.studio.latest.shown
        found = await self._quietly(self._tab.host.scene.overlays(shown, ("sensors", "workpoints", "tools")))
        if found is None:
            return
        with self._view:
            for what, drawn in (("sensors", found.sensors), ("workpoints", found.workpoints), ("tools", found.tools)):
                if self._sent.get(what) != drawn:  # a new part changes the tree, but none of these
                    self._sent[what] = drawn
                    self._view.overlay(what, encode(drawn))

    async def _update(self) -> None:
        latest = self._tab.studio.latest
        if self._asking or latest.mode == "empty" or not self._tab.client.has_socket_connection:
            return
        what: list[Overlay] = ["detections"] if self.shown["sensors"] else []
        what += ["contacts"] if self.shown["contacts"] else []
        now = (latest.shown, latest.version, latest.scene)
        self._looks += 1
        self._asking = True
        try:
            if what and now != self._seen:
                self._seen = now
                found = await self._quietly(self._tab.host.scene.overlays(latest.shown, tuple(what)))
                if found is not None and found.detections:
                    self._view.run_method("detect", encode(found.detections))
                if found is not None and found.contacts is not None and self.shown["contacts"]:
                    self._view.overlay("touches", encode(found.contacts))
            if self.shown["trace"] and now != self._drawn and (not self._drawn or self._looks % _PATH_EVERY == 0):
                self._drawn = now
                await self._trace(latest.shown)
        finally:
            self._asking = False

    async def _trace(self, t: int) -> None:
        paths = []
        for robot in self._tab.studio.tree.robots:
            path = self._tab.host.scene.tool_path(robot.name, max(t - _PATH, 0), t, _POINTS)
            points = await self._quietly(path)
            if points is not None and len(points) > 1:
                paths.append({"points": encode(points)})
        self._view.overlay("path", paths)

    async def _quietly(self, call: Coroutine[Any, Any, R]) -> R | None:
        """Await a call. None if it fails, or if another scene is shown since: the next update asks again."""
        scene = self._tab.studio.tree.scene
        try:
            found = await call
        except DrycellError:
            return None
        return found if scene == self._tab.studio.tree.scene else None


class ViewToolbar:
    """The toolbar of the view: fit, standard views, projection, display style, overlays, follow, multiple exposures."""

    def __init__(self, tab: BrowserTab, view: "CellView", feed: OverlayFeed) -> None:
        self._tab, self._view, self._feed = tab, view, feed
        self._end_probe: Callable[[], None] | None = None
        kept = tab.settings.get("view mode")
        if kept in _MODES:
            view.mode = kept
        view.parallel = tab.settings.get("view parallel") is True
        _button("fit_screen", "fit the selection, or everything (F)", self.fit).mark("fit")
        self._sides()
        self._projection = ui.button(on_click=self.turn_projection, color=None).props("flat dense size=sm")
        self._projection.classes("drycell-quiet")
        with self._projection.mark("projection"):
            self._projection_tip = ui.tooltip()
        self._modes()
        ui.separator().props("vertical").classes("q-mx-xs")
        self._overlays()
        self._follow = _button("my_location", "follow the selected body", self.follow).mark("follow")
        self._exposures()
        self._probe = _button("ads_click", "show the coordinates of a point on a surface", self.probe).mark("probe")
        self._name = (
            ui.label("").classes("drycell-quiet q-ml-sm ellipsis").style("font-size:12px").mark("view-selected")
        )
        for key, action in {
            "fit": self.fit,
            "front": lambda: view.look("front"),
            "right": lambda: view.look("right"),
            "top": lambda: view.look("top"),
            "projection": self.turn_projection,
            "wireframe": self.turn_wireframe,
        }.items():
            view.on_key(key, action)
        tab.on_select(lambda name: self._name.set_text(name or ""))
        tab.on(HostReplaced, lambda data: self._unfollow())
        self._show_state()

    # ---------------------------------------------------------------- camera

    def fit(self) -> None:
        """Fit the selection, or everything."""
        self._view.fit(self._tab.selected)

    def turn_projection(self) -> None:
        """Switch between perspective and parallel projection."""
        self._view.project(not self._view.parallel)
        self._tab.settings["view parallel"] = self._view.parallel
        self._show_state()

    def turn_wireframe(self) -> None:
        """Switch wireframe on or off."""
        self.draw("edges" if self._view.mode == "wireframe" else "wireframe")

    def draw(self, mode: Mode) -> None:
        """Set the display style."""
        self._view.draw(mode)
        self._tab.settings["view mode"] = mode
        self._show_state()

    def follow(self) -> None:
        """Follow the selected body, or stop following."""
        if self._view.followed is not None:
            self._unfollow()
        elif self._tab.selected is None:
            self._tab.notify("Select a body first. The view then follows it.")
        else:
            self._view.follow(self._tab.selected)
            self._show_state()

    def probe(self) -> None:
        """Show the point and normal of clicked surfaces, until it is pressed again, or Esc."""
        if self._end_probe is not None:
            self._end_probe()
            return
        self._end_probe = self._view.pick_mode(
            self._show_point, "Click a surface to see its coordinates (Esc: end)", self._probed
        )
        self._probe.classes(add="text-primary")

    def _show_point(self, pick: Pick) -> None:
        x, y, z = (quantity(v, "m", 3).removesuffix(" mm") for v in pick.point)
        u, v, w = (f"{n + 0.0:.3f}" for n in pick.normal)
        self._name.set_text(f"{pick.body}   {x}, {y}, {z} mm   normal {u}, {v}, {w}")

    def _probed(self) -> None:
        self._end_probe = None
        self._probe.classes(remove="text-primary")
        self._name.set_text(self._tab.selected or "")

    def _unfollow(self) -> None:
        self._view.follow(None)
        self._show_state()

    def _show_state(self) -> None:
        parallel = self._view.parallel
        tip = "switch to perspective (P)" if parallel else "switch to parallel projection (P)"
        with_props(self._projection, icon="crop_square" if parallel else "filter_center_focus", aria_label=tip)
        self._projection_tip.set_text(tip)
        with_props(self._mode, icon=_MODES[self._view.mode][0])
        self._follow.classes(**({"add": "text-primary"} if self._view.followed else {"remove": "text-primary"}))

    def _sides(self) -> None:
        with _button("3d_rotation", "standard views").mark("sides"), ui.menu().props("auto-close"):
            for side, text in _SIDES.items():
                item = ui.menu_item(text, on_click=lambda side=side: self._view.look(side)).props("dense")
                item.mark(f"side-{side}")

    def _modes(self) -> None:
        self._mode = _button("view_in_ar", "display style").mark("modes")
        with self._mode, ui.menu().props("auto-close"):
            for mode, (_, text) in _MODES.items():
                ui.menu_item(text, on_click=lambda mode=mode: self.draw(mode)).props("dense").mark(f"mode-{mode}")
            ui.separator()
            ui.menu_item("shadows on", on_click=lambda: self._view.run_method("shadows", True)).props("dense")
            ui.menu_item("shadows off", on_click=lambda: self._view.run_method("shadows", False)).props("dense")

    def _overlays(self) -> None:
        with (
            _button("layers", "overlays").mark("overlays"),
            ui.menu(),
            ui.column().classes("q-pa-sm gap-0"),
        ):
            for name, text in OVERLAYS.items():
                box = ui.checkbox(text, value=self._feed.shown[name]).props("dense size=xs").classes("q-py-xs")
                box.on_value_change(lambda event, name=name: self._feed.show(name, event.value))
                box.mark(f"overlay-{name}").style("font-size:12px")

    # ---------------------------------------------------------------- multiple exposures

    def _exposures(self) -> None:
        with _button("burst_mode", "multiple exposures").mark("exposures"):
            self._exposing = menu = ui.menu()
        with menu, ui.column().classes("q-pa-sm gap-1").style("width:250px;font-size:12px"):
            ui.label("Shows the selected body at several times in one picture.").classes("drycell-quiet")
            with ui.row().classes("no-wrap items-center gap-2 full-width"):
                self._from = _number("from s", 0.0).mark("exposures-from")
                self._to = _number("to s", 0.0).mark("exposures-to")
            with ui.row().classes("no-wrap items-center gap-2 full-width"):
                self._by = ui.select(["number", "every s"], value="number").props("dense options-dense").classes("col")
                self._amount = _number("", 8.0).mark("exposures-count")
            with ui.row().classes("full-width justify-end gap-1"):
                ui.button("clear", on_click=lambda: self._view.ghosts()).props("flat dense no-caps")
                ui.button("show", on_click=self.expose).props("dense no-caps unelevated").mark("exposures-show")
        menu.on("show", self._span)

    def _span(self) -> None:
        """Set the end to the time shown."""
        self._to.set_value(round(self._tab.studio.latest.shown / TICKS, 3))

    async def expose(self) -> None:
        """Show multiple exposures of the selection, or of all robots."""
        selected = self._tab.selected
        tree = self._tab.studio.tree
        devices = {device.name for device in tree.devices}  # a machine tool is also a mechanism
        robots = [robot.name for robot in tree.robots if robot.name not in devices]
        bodies = [selected] if selected else robots
        t0, t1 = (round(float(field.value or 0.0) * TICKS) for field in (self._from, self._to))
        amount = float(self._amount.value or 0.0)
        if not bodies:
            self._tab.notify("Select a body first.")
        elif t1 <= t0:
            self._tab.notify("The end must be later than the start.", "warning")
        elif amount <= 0.0:
            self._tab.notify("Enter a number greater than 0.", "warning")
        else:
            count = int(amount) if self._by.value == "number" else int((t1 - t0) / TICKS / amount) + 1
            self._exposing.close()
            await self._view.expose(bodies, t0, t1, min(max(count, 1), _MOST_EXPOSURES))


def _button(icon: str, tip: str, action: Callable[[], Any] | None = None) -> ui.button:
    button = ui.button(icon=icon, on_click=action, color=None).props("flat dense size=sm")
    with button.classes("drycell-quiet"):  # beside it: the menus open below
        ui.tooltip(tip).props("anchor='center right' self='center left'")
    return button


def _number(label: str, value: float) -> ui.number:
    return ui.number(label, value=value, min=0).props("dense").classes("col")


@dataclass(frozen=True)
class Drag:
    """The pose of the dragger in the world. ``end``: it was released."""

    pose: tuple[float, ...]
    phase: Phase


Picked = Callable[[Pick], Awaitable[None] | None]
Dragged = Callable[[Drag], "Awaitable[Pose | None] | Pose | None"]


class CellView(
    Element,
    component=COMPONENTS / "cellview.js",
    dependencies=[COMPONENTS / "cellview_*.js"],
    default_classes="cellview-host",
):
    """The element that draws the cell. Poses and meshes go directly to the browser; everything else through here."""

    def __init__(self, tab: BrowserTab) -> None:
        super().__init__()
        self._tab = tab
        self._sent: list[dict[str, Any]] = []
        self._scene: int | None = None  # of the bodies that were sent
        self._grey = False  # whether the last cell without mistakes is shown
        self._numbers: dict[str, int] = {}
        self._hidden: set[str] = set()
        self._picked: Picked | None = None
        self._pick_over: Callable[[], None] | None = None
        self._dragged: Dragged | None = None
        self._keys: dict[str, Callable[[], None]] = {}
        self.mode: Mode = "edges"
        self.parallel = False
        self.followed: str | None = None
        self.shown: dict[str, bool] = {}
        self.on("ready", self._ready)
        self.on("press", self._pressed)
        self.on("drag", self._drag)
        self.on("key", self._key)
        self.mark("view")
        self.props("data-testid=view")
        tab.on(Tree, self._tree)
        tab.on(HostReplaced, self._host_replaced)
        tab.on(HostStatus, self._status)
        tab.on_select(self._selected)

    # ---------------------------------------------------------------- camera

    def look(self, side: Side) -> None:
        """Show everything from a standard viewpoint."""
        self.run_method("side", side)

    def fit(self, name: str | None = None) -> None:
        """Fit a thing, or everything, into the view."""
        self.run_method("fit", self.numbers(name) if name else None)

    def expect(self) -> None:
        """Announce that something is being added. If it is out of sight, everything is fitted into the view."""
        self.run_method("expect")

    def project(self, parallel: bool) -> None:
        """Use parallel projection or perspective."""
        self.parallel = parallel
        self.run_method("project", parallel)

    def draw(self, mode: Mode) -> None:
        """Set the display style: shaded, shaded with edges, or wireframe."""
        self.mode = mode
        self.run_method("mode", mode)

    def follow(self, name: str | None) -> None:
        """Move the camera with a body, or with the flange of a robot; None: stop following."""
        numbers = (self.numbers(f"{name}/flange") or self.numbers(name)) if name else []
        self.followed = name if numbers else None
        self.run_method("follow", numbers[0] if numbers else None)

    def show(self, **what: bool) -> None:
        """Show or hide overlays: axes, grid, names, frames, workpoints, sensors, trace."""
        self.shown |= what
        self.run_method("show", what)

    def hide(self, names: set[str]) -> None:
        """Hide bodies: they are not drawn and cannot be clicked."""
        self._hidden = set(names)
        self.run_method("hide", sorted(names))

    def numbers(self, name: str) -> list[int]:
        """The numbers of the body with a name and of all bodies named below it."""
        own = self._numbers.get(name)
        below = [number for each, number in self._numbers.items() if each.startswith(name + "/")]
        return ([] if own is None else [own]) + below

    # ---------------------------------------------------------------- marks

    def highlight(
        self,
        names: Sequence[str],
        colour: Literal["collision", "near"] | None = "collision",
        point: Sequence[float] | None = None,
        gap: ContactOverlay | None = None,
    ) -> None:
        """Highlight bodies in red (collision) or amber (near miss), and mark a point and the gap between them.

        Without names nothing is highlighted.
        """
        numbers = [self._numbers[name] for name in names if name in self._numbers] if colour else []
        self.run_method("highlight", numbers, colour, None if point is None else list(point), encode(gap))

    def overlay(self, what: str, value: object) -> None:
        """Set the content of an overlay: sensors, workpoints, tools, path or touches, as JSON."""
        self.run_method("overlay", what, value)

    def ghosts(self, copies: Sequence[tuple[str, Pose, float]] = ()) -> None:
        """Show transparent copies of bodies: name, pose and opacity (0…1). Replaces the previous copies."""
        found = [
            [self._numbers[name], list(pose), strength] for name, pose, strength in copies if name in self._numbers
        ]
        self.run_method("showGhosts", found)

    async def expose(self, bodies: Sequence[str], t0: int, t1: int, count: int) -> None:
        """Show bodies at ``count`` evenly spaced times from ``t0`` to ``t1``; later copies are more opaque."""
        found = await self._tab.ask(self._tab.host.scene.exposures(t0, t1, count, tuple(bodies)))
        if found is not None:
            last = max(len(found) - 1, 1)
            self.ghosts(
                [(name, pose, number / last) for number, each in enumerate(found) for name, pose in each.poses.items()]
            )

    # ---------------------------------------------------------------- picking

    def pick_mode(
        self, picked: Picked, hint: str = "Click a surface (Esc: end)", over: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Send clicks on surfaces to ``picked``, until Esc is pressed, another panel calls this, or it is ended.

        Args:
            picked: Called with each picked point.
            hint: The text that the view shows meanwhile.
            over: Called when picking ends.

        Returns:
            A function that ends picking.
        """
        self._end_pick()
        self._picked, self._pick_over = picked, over
        self.run_method("picking", hint)

        def end() -> None:
            if self._picked is picked:
                self._end_pick()

        return end

    @property
    def picking(self) -> bool:
        """Whether clicks are sent to a panel."""
        return self._picked is not None

    def _end_pick(self) -> None:
        over, self._picked, self._pick_over = self._pick_over, None, None
        self.run_method("picking", None)
        if over is not None:
            over()

    async def _pressed(self, event: GenericEventArguments) -> None:
        pressed = event.args
        if self._picked is None:
            self._tab.select(pressed["body"])
            return
        if pressed["body"] is None:
            return
        pick = await self._tab.ask(
            self._tab.host.scene.pick(
                number=pressed["number"],
                origin=pressed["origin"],
                direction=pressed["direction"],
                near=pressed["near"],
                t=pressed["t"],
            )
        )
        picked = self._picked
        if pick is None or picked is None:
            return
        self.overlay("picked", list(pick.point))
        result = picked(pick)
        if inspect.isawaitable(result):
            await result

    # ---------------------------------------------------------------- dragging

    def dragger(
        self, pose: Pose, dragged: Dragged, *, grid: float = 0.0, angle: float = 0.0, turns: bool = True
    ) -> "DragHandle":
        """Show arrows, squares and rings that can be dragged.

        Args:
            pose: Their pose in the world.
            dragged: Called at every move. It may return the pose that was really reached, and may be asynchronous: at
                most two moves are under way at a time.
            grid: Step of moves in metres; 0: none.
            angle: Step of rotations in radians; 0: none.
            turns: Whether there are rings for rotations.
        """
        self._dragged = dragged
        self.run_method("drag_at", list(pose), {"turns": turns, "grid": grid, "angle": angle, "anew": True})
        return DragHandle(self, dragged)

    async def _drag(self, event: GenericEventArguments) -> None:
        answer: Pose | None = None
        try:
            if self._dragged is not None:
                result = self._dragged(Drag(tuple(event.args["pose"]), event.args["phase"]))
                answer = await result if inspect.isawaitable(result) else result
        except DrycellError as error:
            self._tab.show_error(error)
        finally:
            self.run_method("dragged", event.args["number"], None if answer is None else list(answer))

    # ---------------------------------------------------------------- events

    def on_key(self, does: str, action: Callable[[], None]) -> None:
        """Set the action of a key of the view: fit, front, right, top, projection or wireframe."""
        self._keys[does] = action

    def _key(self, event: GenericEventArguments) -> None:
        does = event.args["does"]
        if does == "end":
            if self.picking:
                self._end_pick()
            else:
                self._tab.select(None)
        elif does in self._keys:
            self._keys[does]()

    def _ready(self) -> None:
        """The browser has a new, empty view: after a reload, or a long disconnection."""
        self._scene = None
        self._tree(self._tab.studio.tree)
        self.run_method("mode", self.mode)
        self.run_method("project", self.parallel)
        self.run_method("show", self.shown)
        self.run_method("hide", sorted(self._hidden))
        self.run_method("grey", self._grey)

    def _host_replaced(self, _: HostReplaced) -> None:
        self.highlight([])
        self.ghosts()

    def _status(self, status: HostStatus) -> None:
        if status.outdated != self._grey:
            self._grey = status.outdated
            self.run_method("grey", self._grey)

    def _tree(self, tree: Tree) -> None:
        """Send the bodies that are new or changed: a cell can have hundreds, and most stay as they are."""
        devices = {each.name for each in tree.devices}  # a machine tool is a mechanism, but not a robot
        bodies = [
            {
                "number": body.number,
                "name": body.name,
                "mesh": body.mesh,
                "look": body.look,
                "channels": body.channels,
                "colour": body.colour,
                "robot": body.kind == "robot" and body.name.partition("/")[0] not in devices,
            }
            for body in tree.bodies
        ]
        before = self._sent if tree.scene == self._scene else []
        fresh = [body for number, body in enumerate(bodies) if number >= len(before) or body != before[number]]
        self._sent, self._scene = bodies, tree.scene
        self._numbers = {body.name: body.number for body in tree.bodies}
        self.run_method("tree", fresh, tree.scene, tree.version, self._tab.studio.opened_name)
        if fresh:
            self._selected(self._tab.selected)

    def _selected(self, name: str | None) -> None:
        self.run_method("choose", self.numbers(name) if name else [])


class DragHandle:
    """Controls the dragger: moves it when its thing has moved, and closes it."""

    def __init__(self, view: CellView, dragged: Dragged) -> None:
        self._view, self._dragged = view, dragged

    @property
    def open(self) -> bool:
        """Whether it is still shown. A view has one dragger: the latest."""
        return self._view._dragged is self._dragged

    def move(self, pose: Pose) -> None:
        """Move it, unless it is being dragged."""
        if self.open:
            self._view.run_method("drag_at", list(pose), None)

    def snap(self, grid: float, angle: float) -> None:
        """Change the steps of moves and rotations, in metres and radians; 0: none."""
        if self.open:
            self._view.run_method("drag_at", None, {"grid": grid, "angle": angle})

    def close(self) -> None:
        """Remove it."""
        if self.open:
            self._view._dragged = None
            self._view.run_method("drag_at", None, {"anew": True})


def view_panel(tab: BrowserTab) -> CellView:
    """Build the view with its toolbar, and set ``tab.view``."""
    ui.add_css(COMPONENTS / "cellview.css")
    with ui.column().classes("drycell-column"):
        bar = ui.row().classes("drycell-bar")
        tab.view = view = CellView(tab)
        feed = OverlayFeed(tab, view)
        with bar:
            ViewToolbar(tab, view, feed)
    return view
