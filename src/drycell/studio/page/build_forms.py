"""The forms of the Build panel: the fields of an entry of the cell file, where a thing stands, and sensors."""

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
from drycell.studio.api.codec import PoseData
from drycell.studio.api.scene import Pick
from drycell.studio.building import Building
from drycell.studio.page.elements import titled
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.view import Drag, DragHandle

Names = Callable[[str], list[str]]
_ELSEWHERE: Final = ("at", "rpy", "on", "parent", "children")  # what has its own place on the panel
_GRIDS: Final = {0.0: "free", 0.001: "1 mm", 0.005: "5 mm", 0.01: "10 mm", 0.025: "25 mm", 0.05: "50 mm", 0.1: "100 mm"}
_ANGLES: Final = {0.0: "free", 5.0: "5°", 15.0: "15°", 45.0: "45°", 90.0: "90°"}
_FREE: Final = "(world)"
_POINT: Final[tuple[Vector, Vector]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))  # bounds of what has no shape
_VOLUMES: Final[dict[str, Any]] = {
    "beam": {"length": "300 mm", "half_angle": "8 deg"},
    "cylinder": {"radius": "10 mm", "length": "300 mm"},
    "box": ["40 mm", "40 mm", "300 mm"],
    "sphere": {"radius": "100 mm"},
    "capsule": {"radius": "20 mm", "length": "200 mm"},
}
# The rows of the form, as the thesis has them (section 6.2.1.2), each with the field of the file it stands for.
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
    """What somebody typed, as the file writes it; a bare number gets the unit of the field."""
    text = text.strip()
    if row is not None and row.widget in ("text", "name", "file"):
        return text
    value: Any = parse(f"typed: {text}\n", "field").plain()
    value = value.get("typed") if isinstance(value, dict) else text
    return with_unit(value, row.unit if row is not None and row.widget == "quantity" else "")


def with_unit(value: object, unit: str) -> object:
    """A bare number with a unit behind it; anything else as it is."""
    if unit and isinstance(value, int | float) and not isinstance(value, bool) and value != 0:
        return f"{value} {unit}"
    return value


def shown_value(value: object) -> str:
    """What is written in a field, as text to edit."""
    return "" if value is None else value if isinstance(value, str) else inline(value)


class FieldForm:
    """The form of one entry, or of a group inside it. ``skip`` are fields that are offered elsewhere."""

    def __init__(
        self, tab: BrowserTab, site: Building, path: FieldPath, names: Names, skip: Sequence[str] = _ELSEWHERE
    ) -> None:
        self._tab, self._site, self._names = tab, site, names
        self.path = path
        self._skip = skip
        self._shows: list[Callable[[Draft], object]] = []
        self._fields: dict[str, Element] = {}
        self._kind_rows: list[FormRow] = []
        self._build(path, skip)

    def signature(self, draft: Draft) -> object:
        """What the form must be built anew for: another entry or kind, or groups that have come or gone."""
        kinds = [_kind_of(draft.get(row.path), row) for row in self._kind_rows]
        return self.path, _outline(draft.get(self.path)), kinds

    def show(self, draft: Draft) -> None:
        """Shows what the draft says now."""
        for each in self._shows:
            each(draft)

    # ---------------------------------------------------------------- building

    def _build(self, path: FieldPath, skip: Sequence[str]) -> None:
        for row in form(self._site.needs_draft().model, path):
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
        """A field that is of one of several kinds: which one, and its fields."""
        examples = examples_at(row.path, self._kinds)
        current = _kind_of(row.value, row)
        self._kind_rows.append(row)

        def chosen(event: Any) -> None:
            if event.value == "none":
                self._edit(row.path, lambda draft: draft.unset(row.path))
            elif event.value in examples:
                self._edit(row.path, lambda draft: draft.set(row.path, examples[event.value]))

        options = ["none", *(kind for kind in row.choices if kind in examples or kind == current)]
        with ui.row().classes("build-row"):
            ui.label("kind").classes("build-label")
            ui.select(options, value=current or "none", on_change=chosen).props("dense outlined options-dense").classes(
                "build-field"
            ).mark(f"{'-'.join(map(str, row.path[2:]))}-kind")
        if current is not None:
            inner = row_at((*row.path, current), self._kinds)
            if inner.widget == "group":
                self._build(inner.path, ())
            else:
                self._row(inner)

    @property
    def _kinds(self) -> Kinds:
        return self._site.needs_draft().model.kinds

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
                self._selection(row, {each: each for each in row.choices}, row.default)
            elif row.names:
                self._choice(row)
            else:
                self._text(row)

    def _text(self, row: FormRow) -> None:
        usual = row.default or (f"e.g. {row.example}" if row.example else "")
        box = ui.input(placeholder=usual).props("dense outlined hide-bottom-space").classes("build-field")
        box.mark("-".join(map(str, row.path[2:])))
        self._fields[dotted(row.path)] = box

        def commit() -> None:
            typed = str(box.value or "")
            if typed != shown_value(self._site.needs_draft().get(row.path)):
                self._put(row, typed)

        self._commits(box, commit)

        def show(draft: Draft) -> None:
            box.value = shown_value(draft.get(row.path))
            clear_error(box)

        self._shows.append(show)

    def _vector(self, row: FormRow) -> None:
        boxes = []
        for index, axis in zip(range(row.count), "xyz", strict=False):
            box = ui.input().props(f"dense outlined hide-bottom-space prefix={axis}").classes("build-field")
            boxes.append(box.mark(f"{'-'.join(map(str, row.path[2:]))}-{index}"))
            for step in (index, axis):  # a list in short, or fields by name
                self._fields[dotted((*row.path, step))] = box
        self._fields[dotted(row.path)] = boxes[0]

        def commit() -> None:
            before = _items(self._site.needs_draft().get(row.path))
            values = [with_unit(_scalar(box.value), row.unit) for box in boxes]
            if values != before and all(value not in (None, "") for value in values):
                self._edit(row.path, lambda draft: draft.set(row.path, values))

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
        self._selection(row, {"true": "yes", "false": "no"}, usual)

    def _selection(self, row: FormRow, options: dict[str, str], usual: str) -> None:
        offered = options if row.required else {"": f"({usual or 'not given'})", **options}
        first = next(iter(offered))

        def written(draft: Draft) -> str:
            return shown_value(draft.get(row.path)) or first

        def chosen(event: Any) -> None:
            if event.value != written(self._site.needs_draft()):
                self._put(row, event.value)

        box = ui.select(offered, value=written(self._site.needs_draft()), on_change=chosen)
        box.props("dense outlined options-dense hide-bottom-space").classes("build-field")
        box.mark("-".join(map(str, row.path[2:])))
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
            if (event.value or "") != shown_value(self._site.needs_draft().get(row.path)):
                self._put(row, event.value or "")

        box = ui.select(options, clearable=not row.required, with_input=True, on_change=chosen)
        usual = row.default.replace('"', "")
        box.props(f"dense outlined options-dense hide-bottom-space {f'placeholder={usual!r}' if usual else ''}")
        box.classes("build-field").mark("-".join(map(str, row.path[2:])))
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

    def _put(self, row: FormRow, typed: str) -> None:
        def put(draft: Draft) -> None:
            if typed.strip():
                draft.set(row.path, typed_value(typed, row))
            elif draft.get(row.path) is not None:
                draft.unset(row.path)

        self._edit(row.path, put)

    def _edit(self, path: FieldPath, action: Callable[[Draft], object]) -> None:
        if not self._tab.may_act():
            return
        try:
            self._site.edit(action)
        except DrycellError as error:
            self.tell(path, error)

    def tell(self, path: FieldPath, error: DrycellError) -> None:
        """Shows an error at the field that it is about."""
        mistakes = error.mistakes if isinstance(error, FileError) else ()
        told = False
        for mistake in mistakes:
            box = self._fields.get(mistake.field)
            if box is not None:
                show_error(box, mistake.what + (f"; {mistake.hint}" if mistake.hint else ""))
                told = True
        box = self._fields.get(dotted(path))
        if not told and box is not None:
            first = mistakes[0] if mistakes else None
            what, hint = (first.what, first.hint) if first is not None else (error.what, error.hint)
            show_error(box, what + (f"; {hint}" if hint else ""))
        elif not told:
            self._tab.tell(error)


def show_error(box: Element, text: str) -> None:
    """Shows at a field what is wrong with it."""
    box.props["error"] = True
    box.props["error-message"] = text
    box.update()


def clear_error(box: Element) -> None:
    """The field is right again."""
    if box.props.get("error"):
        box.props["error"] = False
        box.props["error-message"] = ""
        box.update()


def _kind_of(written: object, row: FormRow) -> str | None:
    """Which of several kinds is written in a field."""
    return next((kind for kind in row.choices if isinstance(written, dict) and kind in written), None)


def _items(written: object) -> list[object]:
    """The values of a vector, written as a list or as fields."""
    return list(written.values()) if isinstance(written, dict) else written if isinstance(written, list) else []


def _scalar(typed: object) -> object:
    return typed_value(str(typed or ""))


def _outline(value: object) -> object:
    """Which groups are there, without what stands in them."""
    if not isinstance(value, dict):
        return None
    return tuple((name, _outline(item)) for name, item in value.items() if isinstance(item, dict))


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
                titled(title, "In mm and degrees; other units may be written: 0.1 m, 4 in, 1.57 rad")
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
                    titled(ui.button(text, icon=icon, on_click=action).props("flat dense no-caps").mark(mark), told)

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


class SensorForm:
    """The form of one sensor of the cell. Every number goes into the cell file at once, and so into the view."""

    def __init__(self, tab: BrowserTab, site: Building, path: FieldPath, names: Names) -> None:
        self._tab, self._site, self.path, self._names = tab, site, path, names
        self._boxes: dict[str, Element] = {}
        self._shows: list[Callable[[Draft], None]] = []
        self._plotted: object = None
        self._asking = False
        self._build()

    def signature(self, draft: Draft) -> object:
        """What the form must be built anew for: another kind of volume, or another model."""
        entry = draft.get(self.path) or {}
        volume = entry.get("volume")
        return self.path, entry.get("model"), entry.get("file"), self._volume_kind(volume)

    def show(self, draft: Draft) -> None:
        """Shows what the draft says now, and how the sensor answers."""
        for each in self._shows:
            each(draft)
        self._rest.show(draft)
        background_tasks.create(self._plot(draft.get(self.path) or {}), name="response of a sensor")

    # ---------------------------------------------------------------- building

    def _build(self) -> None:
        entry = self._site.needs_draft().get(self.path) or {}
        base = entry.get("model") or entry.get("file")
        self._based = base is not None
        with ui.row().classes("build-row"):
            ui.label("Sensor").classes("build-title build-field")
            ui.button("Save as a sensor file", icon="save_as", on_click=self._save_file).props(
                "flat dense no-caps"
            ).mark("sensor-save-file")
        if base:
            note = f"As {base} of the library, but for what is filled in here."
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
        with ui.expansion("everything else").props("dense").classes("full-width"), ui.column().classes("build-nested"):
            skip = ("at", "rpy", "on", *_OWN)
            self._rest = FieldForm(self._tab, self._site, self.path, self._names, skip)

    def _row(self, steps: tuple[str, ...], label: str = "") -> None:
        path = (*self.path, *steps)
        field = row_at(path, self._site.needs_draft().model.kinds)
        with ui.row().classes("build-row"):
            text = label or _LABELS.get(steps, steps[-1].replace("_", " "))
            titled(ui.label(text).classes("build-label"), field.doc or text)
            if field.choices:
                self._choice(path, field)
            else:
                self._number(path, field)

    def _number(self, path: FieldPath, field: FormRow) -> None:
        usual = "as the model" if self._based else field.default
        box = ui.input(placeholder=usual).props("dense outlined hide-bottom-space").classes("build-field")
        box.mark(f"sensor-{'-'.join(map(str, path[2:]))}")
        self._boxes[dotted(path)] = box

        def commit() -> None:
            if str(box.value or "") != shown_value(self._site.needs_draft().get(path)):
                self._put(path, str(box.value or ""), field)

        box.on("blur", commit)
        box.on("keydown.enter", commit)

        def show(draft: Draft) -> None:
            box.value = shown_value(draft.get(path))
            clear_error(box)

        self._shows.append(show)

    def _choice(self, path: FieldPath, field: FormRow) -> None:
        options = {each: each for each in field.choices}
        if not field.required:
            usual = "as the model" if self._based else field.default or "by its type"
            options = {"": f"({usual})", **options}

        def chosen(event: Any) -> None:
            if (event.value or "") != shown_value(self._site.needs_draft().get(path)):
                self._put(path, event.value or "", field)

        first = next(iter(options))
        box = ui.select(options, value=first).props("dense outlined options-dense hide-bottom-space")
        box.classes("build-field").mark(f"sensor-{'-'.join(map(str, path[2:]))}")
        self._boxes[dotted(path)] = box

        def show(draft: Draft) -> None:
            box.value = shown_value(draft.get(path)) or first
            clear_error(box)

        show(self._site.needs_draft())
        box.on_value_change(chosen)
        self._shows.append(show)

    def _volume(self) -> None:
        path = (*self.path, "volume")
        volume = self._site.needs_draft().get(path)
        kind = self._volume_kind(volume)

        def chosen(event: Any) -> None:
            if event.value != self._volume_kind(self._site.needs_draft().get(path)):
                new = _VOLUMES.get(event.value)
                self._edit(
                    path, lambda draft: draft.unset(path) if new is None else draft.set(path, {event.value: new})
                )

        options = {"": "(none, or as the model)", **{each: each for each in _VOLUMES}}
        if kind not in options:
            options[kind] = f"{kind} (edit the text)"
        with ui.row().classes("build-row"):
            ui.label("volume").classes("build-label")
            ui.select(options, value=kind, on_change=chosen).props("dense outlined options-dense").classes(
                "build-field"
            ).mark("sensor-volume-kind")
        if kind == "box":
            self._row(("volume", "box"), "size x, y, z")
        elif kind in _VOLUMES:
            for field in rows_at((*path, kind), self._site.needs_draft().model.kinds):
                self._row(("volume", kind, field.name))

    @staticmethod
    def _volume_kind(volume: object) -> str:
        if isinstance(volume, dict):
            return next((name for name in volume if name not in ("at", "rpy")), "")
        return "several" if volume else ""

    # ---------------------------------------------------------------- editing

    def _put(self, path: FieldPath, typed: str, field: FormRow) -> None:
        def put(draft: Draft) -> None:
            if typed.strip():
                draft.set(path, typed_value(typed, field))
            elif draft.get(path) is not None:
                draft.unset(path)
                if draft.get(path[:-1]) == {} and len(path) > 3:
                    draft.unset(path[:-1])

        self._edit(path, put)

    def _edit(self, path: FieldPath, action: Callable[[Draft], None]) -> None:
        if not self._tab.may_act():
            return

        def edit(draft: Draft) -> None:
            with draft.one_step(f"change {dotted(path)}"):
                action(draft)

        try:
            self._site.edit(edit)
        except DrycellError as error:
            self._tell(path, error)

    def _tell(self, path: FieldPath, error: DrycellError) -> None:
        """Shows what the model says about a number at its field."""
        mistakes = error.mistakes if isinstance(error, FileError) else ()
        found = next((each for each in mistakes if each.field in self._boxes), None)
        first = found or (mistakes[0] if mistakes else None)
        what, hint = (first.what, first.hint) if first is not None else (error.what, error.hint)
        box = self._boxes.get(found.field if found is not None else dotted(path))
        if box is None:
            self._tab.tell(error)
        else:
            show_error(box, what + (f"; {hint}" if hint else ""))

    # ---------------------------------------------------------------- how it answers

    async def _plot(self, entry: dict[str, Any]) -> None:
        wanted = {name: value for name, value in entry.items() if name not in ("at", "rpy", "on")}
        if self._asking or wanted == self._plotted:
            return
        self._plotted, self._asking = wanted, True
        path = self._site.needs_draft().path
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
        draft = self._site.draft
        if draft is not None and draft.entries.paths.get(("sensors", str(self.path[-1]))) is not None:
            background_tasks.create(self._plot(draft.get(self.path) or {}), name="response of a sensor")

    def _curve(self, curve: SensorCurve) -> None:
        of = f", {curve.of}" if curve.of else ""
        what = "detected to" if "angle" in curve.over else "output"
        grid = {"left": 36, "right": 8, "top": 8, "bottom": 20}
        axis = {"axisLabel": {"fontSize": 10}, "splitLine": {"lineStyle": {"opacity": 0.3}}}
        with ui.column().classes("build-field gap-0"):
            caption = ui.label(f"{what}{of} over {curve.over}, {curve.unit}")
            titled(caption.classes("drycell-quiet build-caption"), f"before {curve.target}")
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

    # ---------------------------------------------------------------- as a file of its own

    def _save_file(self) -> None:
        if not self._tab.may_act():
            return
        draft = self._site.needs_draft()
        name = str(self.path[-1])
        folder = (draft.path or Path("cell.yaml")).parent
        entry = {key: value for key, value in (draft.get(self.path) or {}).items()
                 if key not in ("on", "at", "rpy", "shape", "ignore", "active", "faults")}  # fmt: skip
        if "model" in entry or "file" in entry:
            self._tab.notify(
                "A sensor of the library is a file already; a generic sensor can be saved as one.", "warning"
            )
            return
        target = folder / f"{name.replace('/', '-')}.yaml"
        if target.exists():
            self._tab.notify(f"{target.name} is there already", "warning")
            return
        lines = [line for key, value in {"sensor": name, **entry}.items() for line in block(key, value, 0, 2)]
        with text_beside(target) as file:
            file.write("\n".join(lines) + "\n")
        self._tab.notify(f"Saved as {target.name}: other cells can name it as file: {target.name}", "good")
