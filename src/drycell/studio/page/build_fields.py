"""Fields of an entry as a form: made from the types of cell files, written as the file writes them, units and all."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from nicegui import ui
from nicegui.element import Element

from drycell.cell.draft import Draft, Field, fields_at
from drycell.cell.draft.yamltext import flow
from drycell.datafile import FieldPath, field_name, read_tree
from drycell.errors import DrycellError, FileError
from drycell.studio.building import Building
from drycell.studio.page.desk import Desk

Names = Callable[[str], list[str]]
_ELSEWHERE: Final = ("at", "rpy", "on", "parent", "children")  # what has its own place on the panel
_OPEN: Final = ("shape", "conveyor", "source", "sink", "store", "machine", "logic")
FIRST: Final[dict[str, Any]] = {
    "box": ["100 mm", "100 mm", "100 mm"],
    "cylinder": {"radius": "50 mm", "length": "100 mm"},
    "cone": {"radius": "50 mm", "length": "100 mm"},
    "sphere": {"radius": "50 mm"},
    "capsule": {"radius": "25 mm", "length": "100 mm"},
    "prism": {"outline": [["0 mm", "0 mm"], ["100 mm", "0 mm"], ["0 mm", "100 mm"]], "length": "100 mm"},
}


def typed_value(text: str, field: Field | None = None) -> object:
    """What somebody typed, as the file writes it; a bare number gets the unit of the field's example."""
    text = text.strip()
    if field is not None and field.kind in ("text", "name", "file"):
        return text
    value: Any = read_tree(f"typed: {text}\n", "field").plain()
    value = value.get("typed") if isinstance(value, dict) else text
    unit = (
        field.example.split(" ", 1)[1]
        if field is not None and field.kind == "quantity" and " " in field.example
        else ""
    )
    return with_unit(value, unit)


def with_unit(value: object, unit: str) -> object:
    """A bare number with a unit behind it; anything else as it is."""
    if unit and isinstance(value, int | float) and not isinstance(value, bool) and value != 0:
        return f"{value} {unit}"
    return value


def shown_value(value: object) -> str:
    """What is written in a field, as text to edit."""
    return "" if value is None else value if isinstance(value, str) else flow(value)


class FieldForm:
    """The form of one entry, or of a group inside it. ``skip`` are fields that are offered elsewhere."""

    def __init__(
        self, desk: Desk, site: Building, path: FieldPath, names: Names, skip: Sequence[str] = _ELSEWHERE
    ) -> None:
        self._desk, self._site, self._names = desk, site, names
        self.path = path
        self._skip = skip
        self._shows: list[Callable[[Draft], object]] = []
        self._fields: dict[str, Element] = {}
        self._build(path, skip)

    def signature(self, draft: Draft) -> object:
        """What the form must be built anew for: another entry, or groups that have come or gone."""
        entry = draft.get(self.path)
        return self.path, _outline(entry)

    def show(self, draft: Draft) -> None:
        """Shows what the draft says now."""
        for each in self._shows:
            each(draft)

    # ---------------------------------------------------------------- building

    def _build(self, path: FieldPath, skip: Sequence[str]) -> None:
        entry = self._site.needs_draft().get(path) or {}
        kinds = [each.name for each in fields_at(path) if each.kind == "group" or path[-1] == "shape"]
        chosen_kind = path[-1] == "shape" or (path[0] == "devices" and len(path) == 2)
        for field in fields_at(path):
            if field.name in skip or (chosen_kind and field.name in kinds and field.name not in entry):
                continue
            if field.kind == "group":
                self._group((*path, field.name), field)
            else:
                self._row((*path, field.name), field)

    def _group(self, path: FieldPath, field: Field) -> None:
        given = self._site.needs_draft().get(path) is not None
        title = field.name.replace("_", " ")
        box = ui.expansion(title, value=given or field.name in _OPEN).props("dense").classes("full-width")
        with box, ui.column().classes("build-nested"):
            if field.name == "shape":
                self._shape_kind(path)
            self._build(path, ())

    def _shape_kind(self, path: FieldPath) -> None:
        entry = self._site.needs_draft().get(path) or {}
        kinds = [each.name for each in fields_at(path)]
        current = next((kind for kind in kinds if kind in entry), None)

        def chosen(event: Any) -> None:
            if event.value == "none":
                self._edit(path, lambda draft: draft.unset(path))
            elif event.value in FIRST:
                self._edit(path, lambda draft: draft.set(path, {event.value: FIRST[event.value]}))

        options = ["none", *(kind for kind in kinds if kind in FIRST or kind == current)]
        with ui.row().classes("build-row"):
            ui.label("kind").classes("build-label")
            ui.select(options, value=current or "none", on_change=chosen).props("dense outlined options-dense").classes(
                "build-field"
            ).mark("shape-kind")

    def _row(self, path: FieldPath, field: Field) -> None:
        with ui.row().classes("build-row"):
            label = ui.label(field.name.replace("_", " ")).classes("build-label")
            if field.required:
                label.classes("build-must")
            if field.help:
                hint(label, field.help + (f" (left out: {field.default})" if field.default else ""))
            if field.kind == "vector" and field.count <= 3:
                self._vector(path, field)
            elif field.kind == "boolean":
                self._boolean(path, field)
            elif field.kind == "choice":
                self._selection(path, field, {each: each for each in field.choices}, field.default)
            elif field.names:
                self._choice(path, field)
            else:
                self._text(path, field)

    def _text(self, path: FieldPath, field: Field) -> None:
        usual = field.default or (f"e.g. {field.example}" if field.example else "")
        box = ui.input(placeholder=usual).props("dense outlined hide-bottom-space").classes("build-field")
        box.mark("-".join(map(str, path[2:])))
        self._fields[field_name(path)] = box

        def commit() -> None:
            typed = str(box.value or "")
            if typed != shown_value(self._site.needs_draft().get(path)):
                self._put(path, typed, field)

        self._commits(box, commit)

        def show(draft: Draft) -> None:
            box.value = shown_value(draft.get(path))
            clear_error(box)

        self._shows.append(show)

    def _vector(self, path: FieldPath, field: Field) -> None:
        boxes = []
        unit = "deg" if "deg" in field.example else "mm"
        for index, axis in zip(range(field.count), "xyz", strict=False):
            box = ui.input().props(f"dense outlined hide-bottom-space prefix={axis}").classes("build-field")
            boxes.append(box.mark(f"{'-'.join(map(str, path[2:]))}-{index}"))
            self._fields[field_name((*path, index))] = box
        self._fields[field_name(path)] = boxes[0]

        def commit() -> None:
            before = self._site.needs_draft().get(path)
            values = [with_unit(_scalar(box.value), unit) for box in boxes]
            if values != before and all(value not in (None, "") for value in values):
                self._edit(path, lambda draft: draft.set(path, values))

        for box in boxes:
            self._commits(box, commit)

        def show(draft: Draft) -> None:
            values = [*(draft.get(path) or []), "", "", ""]
            for box, value in zip(boxes, values, strict=False):
                box.value = shown_value(value)
                clear_error(box)

        self._shows.append(show)

    def _boolean(self, path: FieldPath, field: Field) -> None:
        usual = {"true": "yes", "false": "no"}.get(field.default, "left open")
        self._selection(path, field, {"true": "yes", "false": "no"}, usual)

    def _selection(self, path: FieldPath, field: Field, options: dict[str, str], usual: str) -> None:
        offered = options if field.required else {"": f"({usual or 'left out'})", **options}
        first = next(iter(offered))

        def written(draft: Draft) -> str:
            return shown_value(draft.get(path)) or first

        def chosen(event: Any) -> None:
            if event.value != written(self._site.needs_draft()):
                self._put(path, event.value, field)

        box = ui.select(offered, value=written(self._site.needs_draft()), on_change=chosen)
        box.props("dense outlined options-dense hide-bottom-space").classes("build-field")
        box.mark("-".join(map(str, path[2:])))
        self._fields[field_name(path)] = box

        def show(draft: Draft) -> None:
            box.value = written(draft)
            clear_error(box)

        self._shows.append(show)

    def _choice(self, path: FieldPath, field: Field) -> None:
        options = self._names(field.names)

        def offered(value: str) -> list[str]:
            return options if not value or value in options else [*options, value]

        def chosen(event: Any) -> None:
            if (event.value or "") != shown_value(self._site.needs_draft().get(path)):
                self._put(path, event.value or "", field)

        box = ui.select(options, clearable=not field.required, with_input=True, on_change=chosen)
        usual = field.default.replace('"', "")
        box.props(f"dense outlined options-dense hide-bottom-space {f'placeholder={usual!r}' if usual else ''}")
        box.classes("build-field").mark("-".join(map(str, path[2:])))
        self._fields[field_name(path)] = box

        def show(draft: Draft) -> None:
            value = shown_value(draft.get(path))
            box.set_options(offered(value), value=value or None)
            clear_error(box)

        self._shows.append(show)

    # ---------------------------------------------------------------- editing

    @staticmethod
    def _commits(box: ui.input, commit: Callable[[], None]) -> None:
        box.on("blur", commit)
        box.on("keydown.enter", commit)

    def _put(self, path: FieldPath, typed: str, field: Field) -> None:
        def put(draft: Draft) -> None:
            if typed.strip():
                draft.set(path, typed_value(typed, field))
            elif draft.get(path) is not None:
                draft.unset(path)

        self._edit(path, put)

    def _edit(self, path: FieldPath, action: Callable[[Draft], object]) -> None:
        if not self._desk.may_act():
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
        box = self._fields.get(field_name(path))
        if not told and box is not None:
            first = mistakes[0] if mistakes else None
            what, hint = (first.what, first.hint) if first is not None else (error.what, error.hint)
            show_error(box, what + (f"; {hint}" if hint else ""))
        elif not told:
            self._desk.tell(error)


def hint(element: Element, text: str) -> None:
    """Shows a text while the mouse is over an element. The browser does it: forms come and go too often for more."""
    element.props["title"] = text


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


def _scalar(typed: object) -> object:
    return typed_value(str(typed or ""))


def _outline(value: object) -> object:
    """Which groups are there, without what stands in them."""
    if not isinstance(value, dict):
        return None
    return tuple((name, _outline(item)) for name, item in value.items() if isinstance(item, dict))
