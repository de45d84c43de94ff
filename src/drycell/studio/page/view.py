"""The 3-D view: the cell as it is at the instant shown, its surfaces to pick on and its bodies to drag."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import nicegui.elements.scene  # noqa: F401  # registers three.js for the component
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from drycell.base import DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.api.scene import ContactOverlay, Pick, Tree
from drycell.studio.page.naming import COMPONENTS
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.view_feed import ViewFeed
from drycell.studio.page.view_toolbar import view_toolbar
from drycell.studio.server.events import HostReplaced

Pose = Sequence[float]  # x, y, z, qw, qx, qy, qz
Side = Literal["front", "back", "left", "right", "top", "bottom", "iso"]
Mode = Literal["shaded", "edges", "wireframe"]
Phase = Literal["begin", "move", "end"]

SIDES: Final[tuple[Side, ...]] = ("iso", "front", "back", "left", "right", "top", "bottom")


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
        tab.on(HostReplaced, self._stage)
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
        stage describes it; no names: nothing is painted.
        """
        numbers = [self._numbers[name] for name in names if name in self._numbers] if colour else []
        self.run_method("highlight", numbers, colour, None if point is None else list(point), encode(gap))

    def overlay(self, what: str, value: object) -> None:
        """What an overlay draws: sensors, workpoints, tools, path or touches, as the stage describes them."""
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

    def _stage(self, _: HostReplaced) -> None:
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
            view_toolbar(tab, view, feed)
    return view
