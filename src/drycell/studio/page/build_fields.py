"""Fields of an entry as a form: rows of the description of cell files, written as the file writes them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from nicegui import ui
from nicegui.element import Element

from drycell.base import DrycellError, FileError, Kinds, Path as FieldPath, dotted, inline
from drycell.base.yamldoc import parse
from drycell.cell import Draft, FormRow, examples_at, form, row_at
from drycell.studio.building import Building
from drycell.studio.page.tab import BrowserTab

Names = Callable[[str], list[str]]
_ELSEWHERE: Final = ("at", "rpy", "on", "parent", "children")  # what has its own place on the panel


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
                hint(label, row.help)
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
