"""The form of a generic sensor: what it is, what it watches, what comes out; drawn in the view as numbers change."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from nicegui import background_tasks, ui
from nicegui.element import Element

from drycell.base import DrycellError, FileError, Path as FieldPath, block, dotted, text_beside
from drycell.cell import Draft, FormRow, row_at, rows_at
from drycell.studio.api.building import SensorCurve
from drycell.studio.building import Building
from drycell.studio.page.build_fields import FieldForm, Names, clear_error, hint, show_error, shown_value, typed_value
from drycell.studio.page.tab import BrowserTab

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
            hint(ui.label(text).classes("build-label"), field.doc or text)
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
            hint(caption.classes("drycell-quiet build-caption"), f"before {curve.target}")
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
