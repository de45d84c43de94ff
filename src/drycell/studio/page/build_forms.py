"""The forms of the Build tab: the fields of an entry of the cell file, its place, and the form of sensors."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from nicegui import background_tasks, ui
from nicegui.element import Element

from drycell.base import (
    DrycellError,
    FileError,
    Kinds,
    Path as FieldPath,
    Pose,
    Quantity,
    Vector,
    block,
    dotted,
    inline,
    text_beside,
)
from drycell.base.yamldoc import parse
from drycell.editing import Draft, FormRow, aligned, examples_at, form, onto_face, row_at, rows_at, to_angle, to_grid
from drycell.studio.api.building import SensorCurve, ThingPlace
from drycell.studio.api.codec import pose_data, pose_of
from drycell.studio.api.scene import Pick
from drycell.studio.page.elements import clear_error, show_error, titled, with_props
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.view import Drag, DragHandle

Names = Callable[[str], list[str]]
_ELSEWHERE: Final = ("at", "rpy", "on", "parent", "children")  # shown elsewhere on the panel
_GRIDS: Final = {0.0: "free", 0.001: "1 mm", 0.005: "5 mm", 0.01: "10 mm", 0.025: "25 mm", 0.05: "50 mm", 0.1: "100 mm"}
_ANGLES: Final = {0.0: "free", 5.0: "5°", 15.0: "15°", 45.0: "45°", 90.0: "90°"}
_FREE: Final = "(world)"
_POINT: Final[tuple[Vector, Vector]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))  # bounds of a thing without a shape
_VOLUMES: Final[dict[str, Any]] = {
    "beam": {"length": "300 mm", "half_angle": "8 deg"},
    "cylinder": {"radius": "10 mm", "length": "300 mm"},
    "box": ["40 mm", "40 mm", "300 mm"],
    "sphere": {"radius": "100 mm"},
    "capsule": {"radius": "20 mm", "length": "200 mm"},
}
# The fields of the sensor form, in the order of the thesis (section 6.2.1.2).
_FIRST: Final = (("type",), ("senses",), ("output", "kind"), ("output", "default"), ("output", "unit"), ("every",))
_LINES: Final = (("trace_lines", "count"), ("trace_lines", "spread"), ("trace_lines", "reach"))
_DETECTS: Final = (("reflects_below",), ("nearest",), ("reference",))
_NOISE: Final = (("noise", "sigma"), ("noise", "offset"), ("hysteresis",), ("quantum",))
_OWN: Final = ("type", "senses", "every", "trace_lines", "volume", "reflects_below", "nearest", "reference", "noise",
               "hysteresis", "quantum")  # fmt: skip
_LABELS: Final = {
    ("output", "kind"): "output", ("output", "default"): "default output", ("output", "unit"): "unit", ("every",):
    "update every", ("trace_lines", "count"): "number of lines", ("trace_lines", "spread"): "spread",
    ("trace_lines", "reach"): "reach of lines", ("reflects_below",): "angle limit", ("noise", "sigma"): "noise, sigma",
    ("noise", "offset"): "offset", ("quantum",): "resolution", ("reference",): "reflectance",
}  # fmt: skip


def typed_value(text: str, row: FormRow | None = None) -> object:
    """Convert typed text to a value for the file. A bare number gets the unit of the field."""
    text = text.strip()
    if row is not None and row.widget in ("text", "name", "file"):
        return text
    value: Any = parse(f"typed: {text}\n", "field").plain()
    value = value.get("typed") if isinstance(value, dict) else text
    return with_unit(value, row.unit if row is not None and row.widget == "quantity" else "")


def with_unit(value: object, unit: str) -> object:
    """Add a unit to a bare number. Other values stay unchanged."""
    if unit and isinstance(value, int | float) and not isinstance(value, bool) and value != 0:
        return f"{value} {unit}"
    return value


def shown_value(value: object) -> str:
    """A value of the file as text to edit."""
    return "" if value is None else value if isinstance(value, str) else inline(value)


class FieldForm:
    """The form of one entry, or of a group inside it.

    Args:
        tab: The browser tab.
        path: The entry.
        names: Returns the names that a field of a kind can refer to.
        skip: Fields that are shown elsewhere. With None the form is empty at first; add fields with ``text`` and
            ``selection``.
        prefix: Prefix of the test marks of its fields.
        usual: Placeholder of empty fields, instead of the default of each.
    """

    def __init__(
        self,
        tab: BrowserTab,
        path: FieldPath,
        names: Names,
        skip: Sequence[str] | None = _ELSEWHERE,
        *,
        prefix: str = "",
        usual: str = "",
    ) -> None:
        self._tab, self._building, self._names = tab, tab.studio.building, names
        self.path = path
        self._prefix, self._usual = prefix, usual
        self._prune = skip is None  # whether a group is removed with its last field
        self._shows: list[Callable[[Draft], object]] = []
        self._fields: dict[str, Element] = {}
        self._kind_rows: list[FormRow] = []
        if skip is not None:
            self._build(path, skip)

    def signature(self, draft: Draft) -> object:
        """A value that changes when the form must be rebuilt: for another entry or kind, or other groups."""
        kinds = [_kind_of(draft.get(row.path), row) for row in self._kind_rows]
        return self.path, _outline(draft.get(self.path)), kinds

    def show(self, draft: Draft) -> None:
        """Show the values of the draft."""
        for each in self._shows:
            each(draft)

    # ---------------------------------------------------------------- building

    def _build(self, path: FieldPath, skip: Sequence[str]) -> None:
        for row in form(self._building.require_draft().model, path):
            if row.name in skip:
                continue
            if row.path == path:  # an entry of one of several kinds
                self._fields_of_kind(path, row.value)
            elif row.widget in ("group", "kind"):
                self._group(row)
            else:
                self._row(row)

    def _fields_of_kind(self, path: FieldPath, kind: str | None) -> None:
        if kind is not None:
            self._group(replace(row_at((*path, kind), self._kinds), value={}))

    def _group(self, row: FormRow) -> None:
        box = ui.expansion(row.label, value=row.value is not None or row.widget == "kind").props("dense")
        with box.classes("full-width"), ui.column().classes("build-nested"):
            if row.widget == "kind":
                self._kind(row)
            elif row.widget == "vector":
                self._vector(row)
            else:
                self._build(row.path, ())

    def _kind(self, row: FormRow) -> None:
        """Add a field that has one of several kinds: the choice of the kind, and its fields."""
        examples = examples_at(row.path, self._kinds)
        current = _kind_of(row.value, row)
        self._kind_rows.append(row)

        def chosen(event: Any) -> None:
            if event.value == "none":
                self.edit(row.path, lambda draft: draft.unset(row.path))
            elif event.value in examples:
                self.edit(row.path, lambda draft: draft.set(row.path, examples[event.value]))

        options = ["none", *(kind for kind in row.choices if kind in examples or kind == current)]
        with ui.row().classes("build-row"):
            ui.label("kind").classes("build-label")
            ui.select(options, value=current or "none", on_change=chosen).props("dense outlined options-dense").classes(
                "build-field"
            ).mark(f"{self._mark(row)}-kind")
        if current is not None:
            inner = row_at((*row.path, current), self._kinds)
            if inner.widget == "group":
                self._build(inner.path, ())
            else:
                self._row(inner)

    @property
    def _kinds(self) -> Kinds:
        return self._building.require_draft().model.kinds

    def _row(self, row: FormRow) -> None:
        with ui.row().classes("build-row"):
            label = ui.label(row.label).classes("build-label")
            if row.required:
                label.classes("build-must")
            if row.help:
                titled(label, row.help)
            if row.widget == "vector":
                self._vector(row)
            elif row.widget == "boolean":
                self._boolean(row)
            elif row.widget == "choice":
                self.selection(row, {each: each for each in row.choices}, row.default)
            elif row.names:
                self._choice(row)
            else:
                self.text(row)

    def text(self, row: FormRow) -> None:
        """Add a text field."""
        usual = self._usual or row.default or (f"e.g. {row.example}" if row.example else "")
        box = ui.input(placeholder=usual).props("dense outlined hide-bottom-space").classes("build-field")
        box.mark(self._mark(row))
        self._fields[dotted(row.path)] = box

        def commit() -> None:
            typed = str(box.value or "")
            if typed != shown_value(self._building.require_draft().get(row.path)):
                self._put(row, typed)

        self._commits(box, commit)

        def show(draft: Draft) -> None:
            box.value = shown_value(draft.get(row.path))
            clear_error(box)

        self._shows.append(show)

    def _vector(self, row: FormRow) -> None:
        boxes = []
        for index, axis in zip(range(row.count), "xyz", strict=False):
            box = ui.input().props("dense outlined hide-bottom-space").classes("build-field")
            boxes.append(with_props(box, prefix=axis).mark(f"{self._mark(row)}-{index}"))
            for step in (index, axis):  # a list in short, or fields by name
                self._fields[dotted((*row.path, step))] = box
        self._fields[dotted(row.path)] = boxes[0]

        def commit() -> None:
            before = _items(self._building.require_draft().get(row.path))
            values = [with_unit(_scalar(box.value), row.unit) for box in boxes]
            if values != before and all(value not in (None, "") for value in values):
                self.edit(row.path, lambda draft: draft.set(row.path, values))

        for box in boxes:
            self._commits(box, commit)

        def show(draft: Draft) -> None:
            values = [*_items(draft.get(row.path)), "", "", ""]
            for box, value in zip(boxes, values, strict=False):
                box.value = shown_value(value)
                clear_error(box)

        self._shows.append(show)

    def _boolean(self, row: FormRow) -> None:
        usual = {"true": "yes", "false": "no"}.get(row.default, "not given")
        self.selection(row, {"true": "yes", "false": "no"}, usual)

    def selection(self, row: FormRow, options: dict[str, str], usual: str) -> None:
        """Add a choice between values. An optional field can also be left out: ``usual`` is what applies then."""
        usual = self._usual or usual
        offered = options if row.required else {"": f"({usual or 'not given'})", **options}
        first = next(iter(offered))

        def written(draft: Draft) -> str:
            return shown_value(draft.get(row.path)) or first

        def chosen(event: Any) -> None:
            if event.value != written(self._building.require_draft()):
                self._put(row, event.value)

        box = ui.select(offered, value=written(self._building.require_draft()), on_change=chosen)
        box.props("dense outlined options-dense hide-bottom-space").classes("build-field")
        box.mark(self._mark(row))
        self._fields[dotted(row.path)] = box

        def show(draft: Draft) -> None:
            box.value = written(draft)
            clear_error(box)

        self._shows.append(show)

    def _choice(self, row: FormRow) -> None:
        options = self._names(row.names)

        def offered(value: str) -> list[str]:
            return options if not value or value in options else [*options, value]

        def chosen(event: Any) -> None:
            if (event.value or "") != shown_value(self._building.require_draft().get(row.path)):
                self._put(row, event.value or "")

        box = ui.select(options, clearable=not row.required, with_input=True, on_change=chosen)
        box.props("dense outlined options-dense hide-bottom-space")
        if row.default:
            with_props(box, placeholder=row.default.replace('"', ""))
        box.classes("build-field").mark(self._mark(row))
        self._fields[dotted(row.path)] = box

        def show(draft: Draft) -> None:
            value = shown_value(draft.get(row.path))
            box.set_options(offered(value), value=value or None)
            clear_error(box)

        self._shows.append(show)

    # ---------------------------------------------------------------- editing

    @staticmethod
    def _commits(box: ui.input, commit: Callable[[], None]) -> None:
        box.on("blur", commit)
        box.on("keydown.enter", commit)

    def _mark(self, row: FormRow) -> str:
        return self._prefix + "-".join(map(str, row.path[2:]))

    def _put(self, row: FormRow, typed: str) -> None:
        def put(draft: Draft) -> None:
            if typed.strip():
                draft.set(row.path, typed_value(typed, row))
            elif draft.get(row.path) is not None:
                with draft.one_step(f"change {dotted(row.path)}"):
                    draft.unset(row.path)
                    if self._prune and draft.get(row.path[:-1]) == {} and len(row.path) > 3:
                        draft.unset(row.path[:-1])

        self.edit(row.path, put)

    def edit(self, path: FieldPath, action: Callable[[Draft], object]) -> None:
        """Change the draft. An error is shown at the field that it is about."""
        if not self._tab.may_act():
            return
        try:
            self._building.edit(action)
        except DrycellError as error:
            self._show_error(path, error)

    def _show_error(self, path: FieldPath, error: DrycellError) -> None:
        mistakes = error.mistakes if isinstance(error, FileError) else ()
        shown = [each for each in mistakes if each.field in self._fields]
        for mistake in shown:
            show_error(self._fields[mistake.field], mistake.what, mistake.hint)
        box = self._fields.get(dotted(path))
        if not shown and box is not None:
            first = mistakes[0] if mistakes else error
            show_error(box, first.what, first.hint)
        elif not shown:
            self._tab.show_error(error)


def _kind_of(written: object, row: FormRow) -> str | None:
    """The kind that is written in a field, if any."""
    return next((kind for kind in row.choices if isinstance(written, dict) and kind in written), None)


def _items(written: object) -> list[object]:
    """The values of a vector, which can be written as a list or as fields."""
    return list(written.values()) if isinstance(written, dict) else written if isinstance(written, list) else []


def _scalar(typed: object) -> object:
    return typed_value(str(typed or ""))


def _outline(value: object) -> object:
    """The names of all groups, without their contents."""
    if not isinstance(value, dict):
        return None
    return tuple((name, _outline(item)) for name, item in value.items() if isinstance(item, dict))


class PlaceForm:
    """The place of one entry: numbers, carrier, and a dragger in the view."""

    def __init__(self, tab: BrowserTab, path: FieldPath, name: str, carriers: list[str]) -> None:
        self._tab, self._building, self.path, self.name = tab, tab.studio.building, path, name
        self._handle: DragHandle | None = None
        self._wanted = False  # whether the dragger should be shown
        self._found: ThingPlace | None = None
        self._boxes: dict[str, ui.input] = {}
        self._carriers = carriers
        self._nested = len(path) > 2
        self._showing = False  # while the form is being filled, changes are not the user's
        self._build()
        self.show(self._building.require_draft())

    # ---------------------------------------------------------------- elements

    def _build(self) -> None:
        with ui.column().classes("build-section"):
            with ui.row().classes("build-row"):
                title = ui.label("Place").classes("build-title build-field")
                titled(title, "In mm and degrees. Other units are possible: 0.1 m, 4 in, 1.57 rad")
                self._snaps()
            for axes in ("xyz", ("roll", "pitch", "yaw")):
                with ui.row().classes("build-row"):
                    for axis in axes:
                        box = ui.input().props("dense outlined hide-bottom-space").classes("build-field")
                        self._boxes[axis] = with_props(box, prefix=axis).mark(f"place-{axis}")
                        box.on("blur", lambda axis=axis: self._typed(axis))
                        box.on("keydown.enter", lambda axis=axis: self._typed(axis))
            if not self._nested:
                self._carrier_row()
            with ui.row().classes("build-wrap"):
                for text, icon, action, tip, mark in (
                    ("Onto a face", "vertical_align_bottom", self._onto,
                     "Then click a face of another body: the bottom is placed there", "snap-face"),
                    ("Centre on", "filter_center_focus", self._centre,
                     "Then click another body: it is centred above that one, level", "snap-centre"),
                ):  # fmt: skip
                    titled(ui.button(text, icon=icon, on_click=action).props("flat dense no-caps").mark(mark), tip)

    def _snaps(self) -> None:
        for kept, options, title in (("snap-grid", _GRIDS, "grid"), ("snap-angle", _ANGLES, "angle")):
            value = self._tab.settings.get(kept, 0.0)
            box = ui.select(
                options,
                value=value if value in options else 0.0,
                on_change=lambda event, kept=kept: self._snap(kept, event.value),
            )
            with_props(box, prefix=title).props("dense outlined options-dense").style("width: 98px").mark(kept)

    def _carrier_row(self) -> None:
        tops = self._building.stands(self.path)
        with ui.row().classes("build-row"):
            ui.label("placed on" if tops else "moves with").classes("build-label")
            self._carrier = ui.select([_FREE, *self._carriers], with_input=True, on_change=self._carried)
            self._carrier.props("dense outlined options-dense").classes("build-field").mark("carrier")
            self._on_top: ui.select | None = None
            if tops:
                self._on_top = ui.select({True: "on its top", False: "from its origin"}, on_change=self._carried)
                self._on_top.props("dense outlined options-dense").style("width: 130px").mark("on-top")

    def show(self, draft: Draft) -> None:
        """Show the values of the draft."""
        entry = draft.get(self.path)
        entry = entry if isinstance(entry, dict) else {}
        for kind, axes in (("at", "xyz"), ("rpy", ("roll", "pitch", "yaw"))):
            values = [*entry.get(kind, []), 0, 0, 0]
            for axis, value in zip(axes, values, strict=False):
                self._boxes[axis].value = str(value)
                clear_error(self._boxes[axis])
        if not self._nested:
            carrier, on_top = self._building.carrier(self.path)
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

    # ---------------------------------------------------------------- typed values

    def _typed(self, axis: str) -> None:
        kind, axes, unit = ("at", "xyz", "mm") if axis in "xyz" else ("rpy", ("roll", "pitch", "yaw"), "deg")
        draft = self._building.require_draft()
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
            show_error(box, error.what, error.hint)
            return
        values = [*(before or []), 0, 0, 0][:3]
        values[list(axes).index(axis)] = value
        self._edit(lambda draft: draft.set((*self.path, kind), values))

    def _carried(self) -> None:
        """Change the carrier. The thing keeps its horizontal position in the world, and is lowered onto the top of its
        carrier."""
        if self._showing:
            return
        carrier = None if self._carrier.value in (_FREE, None) else str(self._carrier.value)
        on_top = bool(self._on_top.value) if self._on_top is not None else False
        if (carrier, on_top and carrier is not None) != self._building.carrier(self.path):
            background_tasks.create(self._carry(carrier, on_top and carrier is not None), name="carrier")

    async def _carry(self, carrier: str | None, on_top: bool) -> None:
        found = await self._ask(carrier, on_top)
        if found is None:
            return
        pose = pose_of(found.frame).inverse() @ pose_of(found.world) @ pose_of(found.lift).inverse()
        if on_top:
            pose = pose.moved(z=-pose.z)
        field = "on" if on_top or not self._building.stands(self.path) else "parent"
        other = {"on": "parent", "parent": "on"}[field]

        def carry(draft: Draft) -> None:
            with draft.one_step(f"put {self.name} on {carrier or 'the world'}"):
                changes: dict[str, object] = {field: carrier}
                if self._building.stands(self.path):
                    changes[other] = None
                draft.change(self.name, str(self.path[0]), **changes)
                draft.move(self.name, pose, str(self.path[0]))

        self._edit(carry)

    # ---------------------------------------------------------------- dragging

    async def attach(self) -> None:
        """Show the dragger at the entry, if the entry has a place in the cell."""
        self._wanted = True
        found = await self._ask(*self._building.carrier(self.path))
        if found is None or not self._wanted:  # something else may have been selected in the meantime
            return
        self._found = found
        if self._handle is not None and self._handle.open:
            self._handle.move(found.world)
        elif hasattr(self._tab, "view"):
            with self._tab.client:
                self._handle = self._tab.view.dragger(found.world, self._dragged, grid=self._grid, angle=self._angle)

    @property
    def attached(self) -> bool:
        """Whether the dragger is shown."""
        return self._handle is not None

    def detach(self) -> None:
        """Remove the dragger."""
        self._wanted = False
        if self._handle is not None:
            self._handle.close()
            self._handle = None

    @property
    def _grid(self) -> float:
        kept = self._tab.settings.get("snap-grid", 0.0)
        return float(kept) if isinstance(kept, int | float) else 0.0

    @property
    def _angle(self) -> float:
        kept = self._tab.settings.get("snap-angle", 0.0)
        return math.radians(float(kept)) if isinstance(kept, int | float) else 0.0

    def _snap(self, kept: str, value: float) -> None:
        self._tab.settings[kept] = value
        if self._handle is not None:
            self._handle.snap(self._grid, self._angle)

    async def _dragged(self, drag: Drag) -> None:
        found = self._found
        if found is None or not self._tab.may_act():
            return
        pose = pose_of(drag.pose)
        if drag.phase != "end":
            moved = pose @ pose_of(found.world).inverse()
            ghosts = [(name, pose_data(moved @ pose_of(each)), 0.7) for name, each in found.carried.items()]
            self._tab.view.ghosts(ghosts[:60])
            return
        self._tab.view.ghosts()
        self._put(pose)

    def _put(self, world: Pose) -> None:
        """Move the entry to a pose in the world, with the chosen snapping."""
        if self._found is None:
            return
        pose = pose_of(self._found.frame).inverse() @ world @ pose_of(self._found.lift).inverse()
        if self._grid:
            pose = to_grid(pose, self._grid)
        if self._angle:
            pose = to_angle(pose, self._angle)
        self._edit(lambda draft: draft.move(self.name, pose, str(self.path[0])))

    def _onto(self) -> None:
        self._pick("Click the face to place it on (Esc: cancel)", self._stand)

    def _centre(self) -> None:
        self._pick("Click the body to centre it on (Esc: cancel)", self._centred)

    def _pick(self, hint: str, then: Any) -> None:
        if not self._tab.may_act():
            return

        async def picked(pick: Pick) -> None:
            end()
            await self.attach()
            await then(pick)

        end = self._tab.view.pick_mode(picked, hint)

    async def _stand(self, pick: Pick) -> None:
        if self._found is not None:
            box = self._found.bounds or _POINT
            self._put(onto_face(pose_of(self._found.world), box, pick.point, pick.normal))

    async def _centred(self, pick: Pick) -> None:
        place = self._tab.host.building.place(pick.body, carrier=None, on_top=False, at=pose_data(Pose()))
        other, own = await self._tab.ask(place), self._found
        if other is not None and own is not None:
            bounds = own.bounds or _POINT, other.bounds or _POINT
            self._put(aligned(pose_of(own.world), bounds[0], pose_of(other.world), bounds[1], "xy"))

    # ---------------------------------------------------------------- inside

    async def _ask(self, carrier: str | None, on_top: bool) -> ThingPlace | None:
        """The place of the entry in the cell; None if it is not in the cell."""
        try:
            at = pose_data(self._building.local_pose(self.path))
            return await self._tab.host.building.place(self.name, carrier, on_top, at)
        except (DrycellError, AttributeError, KeyError):
            return None

    def _edit(self, action: Callable[[Draft], object]) -> None:
        self._tab.edit(lambda: self._building.edit(action))


class SensorForm:
    """The form of one sensor. Every value is written to the draft at once, and so shown in the view."""

    def __init__(self, tab: BrowserTab, path: FieldPath, names: Names) -> None:
        self._tab, self._building, self.path, self._names = tab, tab.studio.building, path, names
        self._plotted: object = None
        self._asking = False
        self._build()

    def signature(self, draft: Draft) -> object:
        """A value that changes when the form must be rebuilt: for another kind of volume or another model."""
        entry = draft.get(self.path) or {}
        volume = entry.get("volume")
        return self.path, entry.get("model"), entry.get("file"), self._volume_kind(volume)

    def show(self, draft: Draft) -> None:
        """Show the values of the draft, and the response of the sensor."""
        self._fields.show(draft)
        self._rest.show(draft)
        background_tasks.create(self._plot(draft.get(self.path) or {}), name="response of a sensor")

    # ---------------------------------------------------------------- building

    def _build(self) -> None:
        entry = self._building.require_draft().get(self.path) or {}
        base = entry.get("model") or entry.get("file")
        usual = "as the model" if base is not None else ""
        self._fields = FieldForm(self._tab, self.path, self._names, None, prefix="sensor-", usual=usual)
        with ui.row().classes("build-row"):
            ui.label("Sensor").classes("build-title build-field")
            ui.button("Save as a sensor file", icon="save_as", on_click=self._save_file).props(
                "flat dense no-caps"
            ).mark("sensor-save-file")
        if base:
            note = f"Based on {base}. Values entered here override the model."
            ui.label(note).classes("drycell-quiet")
        self._response = ui.row().classes("build-row").mark("sensor-response")
        for steps in _FIRST:
            self._row(steps)
        ui.label("Watches").classes("build-title")
        self._volume()
        for steps in _LINES:
            self._row(steps)
        ui.label("Detects").classes("build-title")
        for steps in (*_DETECTS, *_NOISE):
            self._row(steps)
        with ui.expansion("more fields").props("dense").classes("full-width"), ui.column().classes("build-nested"):
            skip = ("at", "rpy", "on", *_OWN)
            self._rest = FieldForm(self._tab, self.path, self._names, skip)

    def _row(self, steps: tuple[str, ...], label: str = "") -> None:
        path = (*self.path, *steps)
        field = row_at(path, self._building.require_draft().model.kinds)
        with ui.row().classes("build-row"):
            text = label or _LABELS.get(steps, steps[-1].replace("_", " "))
            titled(ui.label(text).classes("build-label"), field.doc or text)
            if field.choices:
                self._fields.selection(field, {each: each for each in field.choices}, field.default or "by its type")
            else:
                self._fields.text(field)

    def _volume(self) -> None:
        path = (*self.path, "volume")
        volume = self._building.require_draft().get(path)
        kind = self._volume_kind(volume)

        def chosen(event: Any) -> None:
            if event.value != self._volume_kind(self._building.require_draft().get(path)):
                new = _VOLUMES.get(event.value)
                self._fields.edit(
                    path, lambda draft: draft.unset(path) if new is None else draft.set(path, {event.value: new})
                )

        options = {"": "(none, or as the model)", **{each: each for each in _VOLUMES}}
        if kind not in options:
            options[kind] = f"{kind} (edit in the Program tab)"
        with ui.row().classes("build-row"):
            ui.label("volume").classes("build-label")
            ui.select(options, value=kind, on_change=chosen).props("dense outlined options-dense").classes(
                "build-field"
            ).mark("sensor-volume-kind")
        if kind == "box":
            self._row(("volume", "box"), "size x, y, z")
        elif kind in _VOLUMES:
            for field in rows_at((*path, kind), self._building.require_draft().model.kinds):
                self._row(("volume", kind, field.name))

    @staticmethod
    def _volume_kind(volume: object) -> str:
        if isinstance(volume, dict):
            return next((name for name in volume if name not in ("at", "rpy")), "")
        return "several" if volume else ""

    # ---------------------------------------------------------------- response

    async def _plot(self, entry: dict[str, Any]) -> None:
        unrelated = ("on", "at", "rpy", "faults", "ignore")  # they do not affect the response
        wanted = inline({name: value for name, value in entry.items() if name not in unrelated})
        if self._asking or wanted == self._plotted:
            return
        self._plotted, self._asking = wanted, True
        path = self._building.require_draft().path
        try:
            preview = await self._tab.host.building.sensor_preview(wanted, str(path or "cell.yaml"))
        except DrycellError:
            return
        finally:
            self._asking = False
        if self._response.is_deleted:
            return
        self._response.clear()
        with self._response:
            for curve in preview.curves:
                self._curve(curve)
        draft = self._building.draft
        if draft is not None and draft.entries.paths.get(("sensors", str(self.path[-1]))) is not None:
            background_tasks.create(self._plot(draft.get(self.path) or {}), name="response of a sensor")

    def _curve(self, curve: SensorCurve) -> None:
        of = f", {curve.of}" if curve.of else ""
        what = "range" if "angle" in curve.over else "output"
        grid = {"left": 36, "right": 8, "top": 8, "bottom": 20}
        axis = {"axisLabel": {"fontSize": 10}, "splitLine": {"lineStyle": {"opacity": 0.3}}}
        with ui.column().classes("build-field gap-0"):
            caption = ui.label(f"{what}{of} over {curve.over}, {curve.unit}")
            titled(caption.classes("drycell-quiet build-caption"), f"target: {curve.target}")
            chart = ui.echart(
                {
                    "animation": False,
                    "grid": grid,
                    "xAxis": {"type": "value", "min": curve.points[0][0], "max": curve.points[-1][0], **axis},
                    "yAxis": {"type": "value", **axis},
                    "tooltip": {"trigger": "axis", "textStyle": {"fontSize": 11}},
                    "series": [
                        {
                            "type": "line",
                            "connectNulls": False,
                            "data": [list(point) for point in curve.points],
                            "showSymbol": False,
                            "color": "#4a90d9",
                        }
                    ],
                }
            )
            chart.classes("build-plot")

    # ---------------------------------------------------------------- sensor file

    def _save_file(self) -> None:
        if not self._tab.may_act():
            return
        draft = self._building.require_draft()
        name = str(self.path[-1])
        folder = (draft.path or Path("cell.yaml")).parent
        entry = {key: value for key, value in (draft.get(self.path) or {}).items()
                 if key not in ("on", "at", "rpy", "shape", "ignore", "active", "faults")}  # fmt: skip
        if "model" in entry or "file" in entry:
            self._tab.notify(
                "This sensor uses a model that is already a file. Only generic sensors can be saved.", "warning"
            )
            return
        target = folder / f"{name.replace('/', '-')}.yaml"
        if target.exists():
            self._tab.notify(f"{target.name} already exists.", "warning")
            return
        lines = [line for key, value in {"sensor": name, **entry}.items() for line in block(key, value, 0, 2)]
        with text_beside(target) as file:
            file.write("\n".join(lines) + "\n")
        self._tab.notify(f"Saved. Other cells can use it with file: {target.name}", "good")
