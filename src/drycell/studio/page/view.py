"""The 3-D view: the element that draws the cell, the overlays it is fed with, and the bar over it."""

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
from drycell.studio.page.elements import COMPONENTS
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import TICKS, quantity
from drycell.studio.server.events import HostReplaced

Pose = Sequence[float]  # x, y, z, qw, qx, qy, qz
Side = Literal["front", "back", "left", "right", "top", "bottom", "iso"]
Mode = Literal["shaded", "edges", "wireframe"]
Phase = Literal["begin", "move", "end"]
R = TypeVar("R")
_PERIOD: Final = 0.12  # seconds between looks at what sensors see and what is near
_PATH_EVERY: Final = 6  # looks between two drawings of the tool's path
_PATH: Final = 120_000_000  # ticks of it that are drawn, up to the instant shown: in a long run more is a tangle
_POINTS: Final = 1200
OVERLAYS: Final = {
    "axes": "world axes",
    "grid": "grid",
    "names": "names",
    "frames": "frames of tools and of what is selected",
    "workpoints": "workpoints",
    "sensors": "what sensors watch and see",
    "trace": "path of the tool",
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


class ViewFeed:
    """Keeps the overlays of one view up to date. What is not shown is not asked for."""

    def __init__(self, tab: BrowserTab, view: "CellView") -> None:
        self._tab, self._view = tab, view
        kept = tab.keeps.get("overlays")
        self.shown = {**dict.fromkeys(OVERLAYS, False), **_AT_FIRST}
        if isinstance(kept, dict):
            self.shown |= {name: bool(on) for name, on in kept.items() if name in OVERLAYS}
        self._asking = False
        self._seen: tuple[object, ...] = ()
        self._drawn: tuple[object, ...] = ()
        self._looks = 0
        self._sent: dict[str, Any] = {}
        view.show(**self.shown)
        view.on("ready", self._anew)
        tab.on(HostReplaced, lambda data: self._anew())
        tab.on(Tree, lambda tree: self._scenery())
        ui.timer(_PERIOD, self._look)

    def show(self, name: str, on: bool) -> None:
        """Shows or hides an overlay, and remembers it for this browser."""
        self.shown[name] = on
        self._tab.keeps["overlays"] = dict(self.shown)
        self._view.show(**{name: on})
        self._seen = self._drawn = ()
        if not on and name == "contacts":
            self._view.overlay("touches", [])

    def _anew(self) -> None:
        self._sent = {}
        self._scenery()

    def _scenery(self) -> None:
        """What sensors watch, workpoints and tools: they change with the tree alone."""
        self._seen = self._drawn = ()
        background_tasks.create(self._fetch(), name="scenery")

    async def _fetch(self) -> None:
        shown = self._tab.studio.latest.shown
        found = await self._quietly(self._tab.host.scene.overlays(shown, ("sensors", "workpoints", "tools")))
        if found is None:
            return
        with self._view:
            for what, drawn in (("sensors", found.sensors), ("workpoints", found.workpoints), ("tools", found.tools)):
                if self._sent.get(what) != drawn:  # a part that comes changes the tree, but none of these
                    self._sent[what] = drawn
                    self._view.overlay(what, encode(drawn))

    async def _look(self) -> None:
        latest = self._tab.studio.latest
        if self._asking or latest.mode == "empty" or not self._tab.client.has_socket_connection:
            return
        what: list[Overlay] = ["detections"] if self.shown["sensors"] else []
        what += ["contacts"] if self.shown["contacts"] else []
        now = (latest.shown, latest.version, latest.path)
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
        """None if the host cannot answer now: an overlay that cannot be drawn is asked for again in a moment."""
        try:
            return await call
        except DrycellError:
            return None


class ViewToolbar:
    """The bar over the view: fit, sides, projection, ways to draw, overlays, following, multiple exposures."""

    def __init__(self, tab: BrowserTab, view: "CellView", feed: ViewFeed) -> None:
        self._tab, self._view, self._feed = tab, view, feed
        self._end_probe: Callable[[], None] | None = None
        kept = tab.keeps.get("view mode")
        if kept in _MODES:
            view.mode = kept
        view.parallel = tab.keeps.get("view parallel") is True
        _button("fit_screen", "fit: everything, or what is selected (F)", self.fit).mark("fit")
        self._sides()
        self._projection = ui.button(on_click=self.turn_projection, color=None).props("flat dense size=sm")
        self._projection.classes("drycell-quiet")
        with self._projection.mark("projection"):
            self._projection_tip = ui.tooltip()
        self._modes()
        ui.separator().props("vertical").classes("q-mx-xs")
        self._overlays()
        self._follow = _button("my_location", "follow what is selected", self.follow).mark("follow")
        self._exposures()
        self._probe = _button("ads_click", "coordinates of a point on a surface", self.probe).mark("probe")
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
        self._dress()

    # ---------------------------------------------------------------- looking

    def fit(self) -> None:
        """What is selected, or everything."""
        self._view.fit(self._tab.selected)

    def turn_projection(self) -> None:
        """Perspective instead of parallel, or the other way round."""
        self._view.project(not self._view.parallel)
        self._tab.keeps["view parallel"] = self._view.parallel
        self._dress()

    def turn_wireframe(self) -> None:
        """Wireframe, or what it was before."""
        self.draw("edges" if self._view.mode == "wireframe" else "wireframe")

    def draw(self, mode: Mode) -> None:
        """One of the three ways to draw."""
        self._view.draw(mode)
        self._tab.keeps["view mode"] = mode
        self._dress()

    def follow(self) -> None:
        """Goes along with what is selected; pressed again, no longer."""
        if self._view.followed is not None:
            self._unfollow()
        elif self._tab.selected is None:
            self._tab.notify("Select a body first: the view then goes along with it.")
        else:
            self._view.follow(self._tab.selected)
            self._dress()

    def probe(self) -> None:
        """Clicks tell the point and the normal of a surface; pressed again, or Esc, no longer."""
        if self._end_probe is not None:
            self._end_probe()
            return
        self._end_probe = self._view.pick_mode(
            self._told, "Click on a surface: its coordinates (Esc ends)", self._probed
        )
        self._probe.classes(add="text-primary")

    def _told(self, pick: Pick) -> None:
        x, y, z = (quantity(v, "m", 3).removesuffix(" mm") for v in pick.point)
        u, v, w = (f"{n + 0.0:.3f}" for n in pick.normal)
        self._name.set_text(f"{pick.body}   {x}, {y}, {z} mm   normal {u}, {v}, {w}")

    def _probed(self) -> None:
        self._end_probe = None
        self._probe.classes(remove="text-primary")
        self._name.set_text(self._tab.selected or "")

    def _unfollow(self) -> None:
        self._view.follow(None)
        self._dress()

    def _dress(self) -> None:
        parallel = self._view.parallel
        self._projection.props(f"icon={'crop_square' if parallel else 'filter_center_focus'}")
        self._projection_tip.set_text(
            "parallel: change to perspective (P)" if parallel else "perspective: change to parallel (P)"
        )
        self._mode.props(f"icon={_MODES[self._view.mode][0]}")
        self._follow.classes(**({"add": "text-primary"} if self._view.followed else {"remove": "text-primary"}))

    def _sides(self) -> None:
        with _button("3d_rotation", "standard views").mark("sides"), ui.menu().props("auto-close"):
            for side, text in _SIDES.items():
                item = ui.menu_item(text, on_click=lambda side=side: self._view.look(side)).props("dense")
                item.mark(f"side-{side}")

    def _modes(self) -> None:
        self._mode = _button("view_in_ar", "how bodies are drawn").mark("modes")
        with self._mode, ui.menu().props("auto-close"):
            for mode, (_, text) in _MODES.items():
                ui.menu_item(text, on_click=lambda mode=mode: self.draw(mode)).props("dense").mark(f"mode-{mode}")
            ui.separator()
            ui.menu_item("shadows on", on_click=lambda: self._view.run_method("shadows", True)).props("dense")
            ui.menu_item("shadows off", on_click=lambda: self._view.run_method("shadows", False)).props("dense")

    def _overlays(self) -> None:
        with (
            _button("layers", "what is drawn besides bodies").mark("overlays"),
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
            ui.label("What is selected, at several instants in one picture").classes("drycell-quiet")
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
        """Up to the instant shown."""
        self._to.set_value(round(self._tab.studio.latest.shown / TICKS, 3))

    async def expose(self) -> None:
        """Draws them, of what is selected, or else of all robots."""
        selected = self._tab.selected
        tree = self._tab.studio.tree
        devices = {device.name for device in tree.devices}  # a machine tool is a mechanism, too
        robots = [robot.name for robot in tree.robots if robot.name not in devices]
        bodies = [selected] if selected else robots
        t0, t1 = (round(float(field.value or 0.0) * TICKS) for field in (self._from, self._to))
        amount = float(self._amount.value or 0.0)
        if not bodies:
            self._tab.notify("Select what is to be seen at several instants.")
        elif t1 <= t0:
            self._tab.notify("The second instant must be later than the first.", "warning")
        elif amount <= 0.0:
            self._tab.notify("Give a number above 0.", "warning")
        else:
            count = int(amount) if self._by.value == "number" else int((t1 - t0) / TICKS / amount) + 1
            self._exposing.close()
            await self._view.expose(bodies, t0, t1, min(max(count, 1), _MOST_EXPOSURES))


def _button(icon: str, tip: str, action: Callable[[], Any] | None = None) -> ui.button:
    button = ui.button(icon=icon, on_click=action, color=None).props("flat dense size=sm")
    with button.classes("drycell-quiet"):  # beside it: below come the menus
        ui.tooltip(tip).props("anchor='center right' self='center left'")
    return button


def _number(label: str, value: float) -> ui.number:
    return ui.number(label, value=value, min=0).props("dense").classes("col")


@dataclass(frozen=True)
class Drag:
    """Where the dragger is now, seen from the world. ``end``: it has been let go."""

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
    """The picture itself. Poses and meshes go past it, straight to the browser; what is rare goes through it."""

    def __init__(self, tab: BrowserTab) -> None:
        super().__init__()
        self._tab = tab
        self._sent: list[dict[str, Any]] = []
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
        tab.on_select(self._selected)

    # ---------------------------------------------------------------- looking

    def look(self, side: Side) -> None:
        """Looks at everything from a standard side."""
        self.run_method("side", side)

    def fit(self, name: str | None = None) -> None:
        """Everything, or all that a name stands for, fills the picture."""
        self.run_method("fit", self.numbers(name) if name else None)

    def expect(self) -> None:
        """Something is being added: if it comes to be out of sight, everything is fitted into the picture."""
        self.run_method("expect")

    def project(self, parallel: bool) -> None:
        """Parallel projection, or perspective."""
        self.parallel = parallel
        self.run_method("project", parallel)

    def draw(self, mode: Mode) -> None:
        """Shaded, shaded with edges, or edges alone."""
        self.mode = mode
        self.run_method("mode", mode)

    def follow(self, name: str | None) -> None:
        """The eye goes along with a body, or with the flange of a robot; None: it stays where it is."""
        numbers = (self.numbers(f"{name}/flange") or self.numbers(name)) if name else []
        self.followed = name if numbers else None
        self.run_method("follow", numbers[0] if numbers else None)

    def show(self, **what: bool) -> None:
        """Shows or hides overlays: axes, grid, names, frames, workpoints, sensors, trace."""
        self.shown |= what
        self.run_method("show", what)

    def hide(self, names: set[str]) -> None:
        """These bodies are not drawn, and cannot be clicked on."""
        self._hidden = set(names)
        self.run_method("hide", sorted(names))

    def numbers(self, name: str) -> list[int]:
        """The bodies that a name stands for: its own, and all that are named below it."""
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
        """Paints bodies red (a collision) or amber (a near miss), and marks a point and what is between them, as the
        host describes it; no names: nothing is painted.
        """
        numbers = [self._numbers[name] for name in names if name in self._numbers] if colour else []
        self.run_method("highlight", numbers, colour, None if point is None else list(point), encode(gap))

    def overlay(self, what: str, value: object) -> None:
        """What an overlay draws: sensors, workpoints, tools, path or touches, as the host describes them."""
        self.run_method("overlay", what, value)

    def ghosts(self, copies: Sequence[tuple[str, Pose, float]] = ()) -> None:
        """Pale copies of bodies at other poses, each with how strong it is drawn (0…1); replaces those of before."""
        found = [
            [self._numbers[name], list(pose), strength] for name, pose, strength in copies if name in self._numbers
        ]
        self.run_method("haunt", found)

    async def expose(self, bodies: Sequence[str], t0: int, t1: int, count: int) -> None:
        """Multiple exposure: bodies at evenly spread instants from ``t0`` to ``t1``, the later the stronger."""
        found = await self._tab.ask(self._tab.host.scene.exposures(t0, t1, count, tuple(bodies)))
        if found is not None:
            last = max(len(found) - 1, 1)
            self.ghosts(
                [(name, pose, number / last) for number, each in enumerate(found) for name, pose in each.poses.items()]
            )

    # ---------------------------------------------------------------- picking

    def pick_mode(
        self, picked: Picked, hint: str = "Click on a surface (Esc ends)", over: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """From now on clicks on surfaces go to ``picked``, until what is returned is called, Esc is pressed, or
        another panel claims them; ``over`` is then called.
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
        """Whether some panel has claimed clicks."""
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
        """Arrows, squares and rings at a pose of the world; ``dragged`` hears of every move.

        It may answer with the pose where the thing really went, and be asynchronous: never more than two moves are
        under way. ``grid`` (metres) and ``angle`` (radians) make moves snap to steps; without ``turns`` there are no
        rings.
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
            self._tab.tell(error)
        finally:
            self.run_method("dragged", event.args["number"], None if answer is None else list(answer))

    # ---------------------------------------------------------------- what it hears

    def on_key(self, does: str, action: Callable[[], None]) -> None:
        """What a key of the view does: fit, front, right, top, projection or wireframe."""
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
        """The browser has a new, empty picture: after a reload, or when the page was away for long."""
        self._sent = []
        self._tree(self._tab.studio.tree)
        self.run_method("mode", self.mode)
        self.run_method("project", self.parallel)
        self.run_method("show", self.shown)
        self.run_method("hide", sorted(self._hidden))

    def _host_replaced(self, _: HostReplaced) -> None:
        self._sent = []
        self.highlight([])
        self.ghosts()

    def _tree(self, tree: Tree) -> None:
        """Hands on what is new: a cell that makes parts has hundreds of bodies, and most stay as they are."""
        devices = {each.name for each in tree.devices}  # a machine tool is a mechanism, but no robot
        bodies = [
            {
                "number": body.number,
                "name": body.name,
                "mesh": body.mesh,
                "colour": body.colour,
                "robot": body.kind == "robot" and body.name.partition("/")[0] not in devices,
            }
            for body in tree.bodies
        ]
        before = self._sent if len(bodies) >= len(self._sent) else []
        fresh = [body for number, body in enumerate(bodies) if number >= len(before) or body != before[number]]
        self._sent = bodies
        self._numbers = {body.name: body.number for body in tree.bodies}
        self.run_method("tree", fresh, len(bodies), tree.version, not before)
        if fresh:
            self._selected(self._tab.selected)

    def _selected(self, name: str | None) -> None:
        self.run_method("choose", self.numbers(name) if name else [])


class DragHandle:
    """A dragger on the page: move it when what it stands for has moved, close it when it is no longer wanted."""

    def __init__(self, view: CellView, dragged: Dragged) -> None:
        self._view, self._dragged = view, dragged

    @property
    def open(self) -> bool:
        """Whether it is still there; a view has one dragger, the latest."""
        return self._view._dragged is self._dragged

    def move(self, pose: Pose) -> None:
        """Puts it elsewhere, unless it is just being dragged."""
        if self.open:
            self._view.run_method("drag_at", list(pose), None)

    def snap(self, grid: float, angle: float) -> None:
        """Other steps for moves, in metres and radians; 0: none."""
        if self.open:
            self._view.run_method("drag_at", None, {"grid": grid, "angle": angle})

    def close(self) -> None:
        """Takes it away."""
        if self.open:
            self._view._dragged = None
            self._view.run_method("drag_at", None, {"anew": True})


def view_panel(tab: BrowserTab) -> CellView:
    """The view with its toolbar; from now on ``tab.view`` is it."""
    ui.add_css(COMPONENTS / "cellview.css")
    with ui.column().classes("drycell-column"):
        bar = ui.row().classes("drycell-bar")
        tab.view = view = CellView(tab)
        feed = ViewFeed(tab, view)
        with bar:
            ViewToolbar(tab, view, feed)
    return view
