"""The bar over the view: fit, sides, projection, ways to draw, overlays, following, multiple exposures."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from drycell.studio.page.quantity import quantity
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.view_feed import OVERLAYS, ViewFeed
from drycell.studio.server.events import HostReplaced

if TYPE_CHECKING:
    from drycell.studio.api.scene import Pick
    from drycell.studio.page.view import CellView, Mode

_SIDES: Final = {
    "iso": "from the corner", "front": "front (1)", "back": "back", "left": "left", "right": "right (3)",
    "top": "top (7)", "bottom": "bottom",
}  # fmt: skip
_MODES: "Final[dict[Mode, tuple[str, str]]]" = {
    "edges": ("view_in_ar", "shaded with edges"),
    "shaded": ("lens", "shaded"),
    "wireframe": ("grid_3x3", "wireframe (W)"),
}
_MOST_EXPOSURES: Final = 60
TICKS: Final = 1_000_000  # a second


def view_toolbar(tab: BrowserTab, view: "CellView", feed: ViewFeed) -> None:
    """Builds the bar in the current slot."""
    _Toolbar(tab, view, feed)


class _Toolbar:
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

    def draw(self, mode: "Mode") -> None:
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

    def _told(self, pick: "Pick") -> None:
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
