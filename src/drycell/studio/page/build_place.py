"""Where an entry is: numbers in millimetres and degrees, what carries it, a dragger in the view, snapping."""

import math
from typing import Any, Final

from nicegui import background_tasks, ui

from drycell.base import DrycellError, Path as FieldPath, Pose, Quantity, Vector
from drycell.cell import Draft, aligned, onto_face, to_angle, to_grid
from drycell.studio.api.building import ThingPlace
from drycell.studio.api.codec import PoseData
from drycell.studio.api.scene import Pick
from drycell.studio.building import Building
from drycell.studio.page.build_fields import clear_error, hint, show_error, typed_value, with_unit
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.view import Drag, DragHandle

_GRIDS: Final = {0.0: "free", 0.001: "1 mm", 0.005: "5 mm", 0.01: "10 mm", 0.025: "25 mm", 0.05: "50 mm", 0.1: "100 mm"}
_ANGLES: Final = {0.0: "free", 5.0: "5°", 15.0: "15°", 45.0: "45°", 90.0: "90°"}
_FREE: Final = "(world)"
_POINT: Final[tuple[Vector, Vector]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))  # bounds of what has no shape


class PlaceForm:
    """The place of one entry. ``active`` says whether this panel may show its dragger."""

    def __init__(self, tab: BrowserTab, site: Building, path: FieldPath, name: str, carriers: list[str]) -> None:
        self._tab, self._site, self.path, self.name = tab, site, path, name
        self._handle: DragHandle | None = None
        self._wanted = False  # whether the dragger is to be there
        self._found: ThingPlace | None = None
        self._boxes: dict[str, ui.input] = {}
        self._carriers = carriers
        self._nested = len(path) > 2
        self._showing = False  # while the form is filled, its changes are nobody's wish
        self._build()
        self.show(site.needs_draft())

    # ---------------------------------------------------------------- the form

    def _build(self) -> None:
        with ui.column().classes("build-section"):
            with ui.row().classes("build-row"):
                title = ui.label("Place").classes("build-title build-field")
                hint(title, "In mm and degrees; other units may be written: 0.1 m, 4 in, 1.57 rad")
                self._snaps()
            for axes in ("xyz", ("roll", "pitch", "yaw")):
                with ui.row().classes("build-row"):
                    for axis in axes:
                        box = ui.input().props(f"dense outlined hide-bottom-space prefix={axis}").classes("build-field")
                        self._boxes[axis] = box.mark(f"place-{axis}")
                        box.on("blur", lambda axis=axis: self._typed(axis))
                        box.on("keydown.enter", lambda axis=axis: self._typed(axis))
            if not self._nested:
                self._carrier_row()
            with ui.row().classes("build-wrap"):
                for text, icon, action, told, mark in (
                    ("Onto a face", "vertical_align_bottom", self._onto,
                     "Click on a face of another body: its bottom is put there", "snap-face"),
                    ("Centre on", "filter_center_focus", self._centre,
                     "Click on another body: its middle is put over that one's, level", "snap-centre"),
                ):  # fmt: skip
                    hint(ui.button(text, icon=icon, on_click=action).props("flat dense no-caps").mark(mark), told)

    def _snaps(self) -> None:
        for kept, options, title in (("snap-grid", _GRIDS, "grid"), ("snap-angle", _ANGLES, "angle")):
            value = self._tab.keeps.get(kept, 0.0)
            box = ui.select(
                options,
                value=value if value in options else 0.0,
                on_change=lambda event, kept=kept: self._snap(kept, event.value),
            )
            box.props(f"dense outlined options-dense prefix={title}").style("width: 98px").mark(kept)

    def _carrier_row(self) -> None:
        tops = self._site.stands(self.path)
        with ui.row().classes("build-row"):
            ui.label("stands on" if tops else "moves with").classes("build-label")
            self._carrier = ui.select([_FREE, *self._carriers], with_input=True, on_change=self._carried)
            self._carrier.props("dense outlined options-dense").classes("build-field").mark("carrier")
            self._on_top: ui.select | None = None
            if tops:
                self._on_top = ui.select({True: "on its top", False: "seen from its origin"}, on_change=self._carried)
                self._on_top.props("dense outlined options-dense").style("width: 130px").mark("on-top")

    def show(self, draft: Draft) -> None:
        """Shows what the draft says now, and puts the dragger there."""
        entry = draft.get(self.path)
        entry = entry if isinstance(entry, dict) else {}
        for kind, axes in (("at", "xyz"), ("rpy", ("roll", "pitch", "yaw"))):
            values = [*entry.get(kind, []), 0, 0, 0]
            for axis, value in zip(axes, values, strict=False):
                self._boxes[axis].value = str(value)
                clear_error(self._boxes[axis])
        if not self._nested:
            carrier, on_top = self._site.carrier(self.path)
            if carrier and carrier not in self._carrier.options:
                self._carriers.append(carrier)
                self._carrier.set_options([_FREE, *self._carriers])
            self._showing = True
            try:
                self._carrier.value = carrier or _FREE
                if self._on_top is not None:
                    self._on_top.value = on_top or carrier is None
                    self._on_top.set_visibility(carrier is not None)
            finally:
                self._showing = False

    # ---------------------------------------------------------------- by numbers

    def _typed(self, axis: str) -> None:
        kind, axes, unit = ("at", "xyz", "mm") if axis in "xyz" else ("rpy", ("roll", "pitch", "yaw"), "deg")
        draft = self._site.needs_draft()
        entry = draft.get(self.path)
        before = entry.get(kind) if isinstance(entry, dict) else None
        box = self._boxes[axis]
        old = [*(before or []), 0, 0, 0][list(axes).index(axis)]
        try:
            value = with_unit(typed_value(str(box.value or "0")), unit)
            if value == old or (value in (0, "0") and Quantity("length" if kind == "at" else "angle").take(old) == 0):
                return
            Quantity("length" if kind == "at" else "angle").take(value)
        except DrycellError as error:
            show_error(box, error.what + (f"; {error.hint}" if error.hint else ""))
            return
        values = [*(before or []), 0, 0, 0][:3]
        values[list(axes).index(axis)] = value
        self._edit(lambda draft: draft.set((*self.path, kind), values))

    def _carried(self) -> None:
        """Another carrier: it stays where it is in the world, but comes down onto what it shall stand on."""
        if self._showing:
            return
        carrier = None if self._carrier.value in (_FREE, None) else str(self._carrier.value)
        on_top = bool(self._on_top.value) if self._on_top is not None else False
        if (carrier, on_top and carrier is not None) != self._site.carrier(self.path):
            background_tasks.create(self._carry(carrier, on_top and carrier is not None), name="carrier")

    async def _carry(self, carrier: str | None, on_top: bool) -> None:
        found = await self._ask(carrier, on_top)
        if found is None:
            return
        pose = _of(found.frame).inverse() @ _of(found.world) @ _of(found.lift).inverse()
        if on_top:
            pose = pose.moved(z=-pose.z)
        field = "on" if on_top or not self._site.stands(self.path) else "parent"
        other = {"on": "parent", "parent": "on"}[field]

        def carry(draft: Draft) -> None:
            with draft.one_step(f"put {self.name} on {carrier or 'the world'}"):
                changes: dict[str, object] = {field: carrier}
                if self._site.stands(self.path):
                    changes[other] = None
                draft.change(self.name, str(self.path[0]), **changes)
                draft.move(self.name, pose, str(self.path[0]))

        self._edit(carry)

    # ---------------------------------------------------------------- by hand

    async def attach(self) -> None:
        """Puts the dragger where the entry is, if it is anywhere."""
        self._wanted = True
        found = await self._ask(*self._site.carrier(self.path))
        if found is None or not self._wanted:  # something else may have been chosen meanwhile
            return
        self._found = found
        if self._handle is not None and self._handle.open:
            self._handle.move(found.world)
        elif hasattr(self._tab, "view"):
            with self._tab.client:
                self._handle = self._tab.view.dragger(found.world, self._dragged, grid=self._grid, angle=self._angle)

    @property
    def attached(self) -> bool:
        """Whether the dragger is there."""
        return self._handle is not None

    def detach(self) -> None:
        """Takes the dragger away."""
        self._wanted = False
        if self._handle is not None:
            self._handle.close()
            self._handle = None

    @property
    def _grid(self) -> float:
        kept = self._tab.keeps.get("snap-grid", 0.0)
        return float(kept) if isinstance(kept, int | float) else 0.0

    @property
    def _angle(self) -> float:
        kept = self._tab.keeps.get("snap-angle", 0.0)
        return math.radians(float(kept)) if isinstance(kept, int | float) else 0.0

    def _snap(self, kept: str, value: float) -> None:
        self._tab.keeps[kept] = value
        if self._handle is not None:
            self._handle.snap(self._grid, self._angle)

    async def _dragged(self, drag: Drag) -> None:
        found = self._found
        if found is None or not self._tab.may_act():
            return
        pose = _of(drag.pose)
        if drag.phase != "end":
            moved = pose @ _of(found.world).inverse()
            ghosts = [(name, _seven(moved @ _of(each)), 0.7) for name, each in found.carried.items()]
            self._tab.view.ghosts(ghosts[:60])
            return
        self._tab.view.ghosts()
        self._put(pose)

    def _put(self, world: Pose) -> None:
        """Moves the entry to a pose of the world, snapped as is set."""
        if self._found is None:
            return
        pose = _of(self._found.frame).inverse() @ world @ _of(self._found.lift).inverse()
        if self._grid:
            pose = to_grid(pose, self._grid)
        if self._angle:
            pose = to_angle(pose, self._angle)
        self._edit(lambda draft: draft.move(self.name, pose, str(self.path[0])))

    def _onto(self) -> None:
        self._pick("Click on the face that it shall stand on (Esc ends)", self._stand)

    def _centre(self) -> None:
        self._pick("Click on the body whose middle counts (Esc ends)", self._centred)

    def _pick(self, told: str, then: Any) -> None:
        if not self._tab.may_act():
            return

        async def picked(pick: Pick) -> None:
            end()
            await self.attach()
            await then(pick)

        end = self._tab.view.pick_mode(picked, told)

    async def _stand(self, pick: Pick) -> None:
        if self._found is not None:
            box = self._found.bounds or _POINT
            self._put(onto_face(_of(self._found.world), box, pick.point, pick.normal))

    async def _centred(self, pick: Pick) -> None:
        place = self._tab.host.building.place(pick.body, carrier=None, on_top=False, at=_seven(Pose()))
        other, own = await self._tab.ask(place), self._found
        if other is not None and own is not None:
            bounds = own.bounds or _POINT, other.bounds or _POINT
            self._put(aligned(_of(own.world), bounds[0], _of(other.world), bounds[1], "xy"))

    # ---------------------------------------------------------------- within

    async def _ask(self, carrier: str | None, on_top: bool) -> ThingPlace | None:
        """Where it is on the bench; None while it is not there."""
        try:
            at = _seven(self._site.local_pose(self.path))
            return await self._tab.host.building.place(self.name, carrier, on_top, at)
        except (DrycellError, AttributeError, KeyError):
            return None

    def _edit(self, action: Any) -> None:
        if not self._tab.may_act():
            return
        try:
            self._site.edit(action)
        except DrycellError as error:
            self._tab.tell(error)


def _of(data: PoseData) -> Pose:
    return Pose.of_quaternion(data[3:], data[:3])


def _seven(pose: Pose) -> PoseData:
    return (*pose.position, *pose.quaternion)
