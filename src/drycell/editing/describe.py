"""The format of cell files as a JSON Schema, and views of it. The studio's forms and palette and the tables in the
documentation are generated from the schema, so new fields and kinds appear in all of them. ``python -m
drycell.editing.describe FILE.md …`` updates the tables in Markdown files between ``<!-- fields: devices.conveyor -->``
and ``<!-- end of fields -->``.
"""

import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from drycell.base import (
    EMPTY,
    MISSING,
    Describer,
    Inline,
    Kinds,
    Many,
    Mistake,
    OneOf,
    Path as FieldPath,
    Reader,
    Thing,
    UnknownName,
    cache,
    dotted,
    fields_of,
    fields_schema,
    known_kinds,
    yamldoc,
)
from drycell.cell import Body, Head, Model, in_text, section_type, type_at
from drycell.geometry import ShapeModel

Schema = Mapping[str, Any]
Widget = Literal[
    "quantity", "vector", "boolean", "integer", "number", "choice", "name", "file", "text", "group", "kind", "data"
]
_PLAIN: Final[dict[str, Widget]] = {"boolean": "boolean", "integer": "integer", "number": "number", "string": "text"}
_TABLE: Final = re.compile(r"(<!-- fields: ([\w.*]+) -->\n).*?(<!-- end of fields -->)", re.DOTALL)


# ---------------------------------------------------------------- the schema


@cache
def cell_schema(kinds: Kinds | None = None) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of cell files.

    Keys that begin with ``x-`` are hints for forms: ``x-widget``, ``x-unit``, ``x-limit``, and ``x-names``, the role or
    the library of the names to offer.
    """
    kinds = kinds or known_kinds()
    describer = Describer(kinds)
    found = fields_schema(Head, fields_of(Head), describer)
    for section, base in kinds.sections.items():
        table = section_type(kinds, section).schema(describer)
        # An empty section is valid.
        found["properties"][section] = {**table, "type": ["object", "null"], "description": _first_sentence(base)}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "drycell cell file"}
    return {**head, **found, "description": "A cell file of drycell.", "$defs": describer.defs}


def _first_sentence(cls: type[Thing]) -> str:
    line = inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]
    return f"{line.partition('. ')[0].removesuffix('.')}."


def _resolved(schema: Schema, whole: Schema) -> Schema:
    """A schema with its reference resolved, without the null alternative. Keys beside the reference take precedence."""
    while True:
        if "$ref" in schema:
            inner, step = whole["$defs"][schema["$ref"].rpartition("/")[2]], "$ref"
        elif EMPTY in schema.get("anyOf", ()):
            inner, step = schema["anyOf"][0], "anyOf"
        else:
            return schema
        schema = {**inner, **{key: value for key, value in schema.items() if key != step}}


def _options(schema: Schema, whole: Schema) -> list[Schema]:
    """The alternatives of a schema, or the schema itself if it has none."""
    schema = _resolved(schema, whole)
    inner = schema.get("oneOf") or schema.get("anyOf")
    return [found for each in inner for found in _options(each, whole)] if inner else [schema]


def schema_at(kinds: Kinds | None, path: FieldPath) -> Schema | None:
    """The schema at a path of a cell file; None if the file has no such field."""
    whole = cell_schema(kinds)
    found: Schema | None = whole
    for step in path:
        found = None if found is None else _part(found, step, whole)
    return None if found is None else _resolved(found, whole)


def _part(schema: Schema, step: str | int, whole: Schema) -> Schema | None:
    for option in _options(schema, whole):
        if isinstance(step, str):
            found = option.get("properties", {}).get(step) or option.get("additionalProperties")
        else:
            listed = option.get("prefixItems", ())
            found = listed[step] if step < len(listed) else option.get("items")
        if isinstance(found, Mapping):
            return found
    return None


# ---------------------------------------------------------------- forms


@dataclass(frozen=True, slots=True)
class FormRow:
    """A field as a row of a form or a table."""

    name: str
    path: FieldPath
    widget: Widget
    doc: str = ""
    required: bool = False
    default: str = ""
    """The default, as it would be written in a file; empty if there is none."""
    example: str = ""
    unit: str = ""
    """The unit of a bare number."""
    limit: str = ""
    choices: tuple[str, ...] = ()
    """The values, or the kinds, that it can have."""
    names: str = ""
    """The role or library of the names it accepts: body, signal, material, …"""
    count: int = 0
    """The number of values in a vector."""
    value: Any = None
    """The given value as written in the file; None if there is none."""
    problem: str = ""
    """The error in the value, if any."""

    @property
    def label(self) -> str:
        """The name for display."""
        return self.name.replace("_", " ")

    @property
    def help(self) -> str:
        """Its meaning, with limits and default."""
        more = [f"{self.limit}" if self.limit else "", f"default: {self.default}" if self.default else ""]
        shown, doc = "; ".join(each for each in more if each), self.doc.replace("``", "")
        return f"{doc} ({shown})" if shown else doc


def rows_at(path: FieldPath, kinds: Kinds | None = None) -> list[FormRow]:
    """The fields that an entry, or a group inside one, may have: ``rows_at(("bodies", "table"))``.

    If an entry has a kind, as in ``devices``, the first row is the kind.
    """
    whole, schema = cell_schema(kinds), schema_at(kinds, path)
    options = [each for each in _options(schema, whole) if "properties" in each] if schema is not None else []
    if path and any("title" in each for each in options):
        return _kind_rows(path, options, whole)
    return [_row((*path, name), each, name in options[0]["required"], whole) for name, each in _of(options).items()]


def row_at(path: FieldPath, kinds: Kinds | None = None) -> FormRow:
    """A single field, or the fields of a kind as a group."""
    schema = schema_at(kinds, path)
    if schema is None:
        raise UnknownName("field", dotted(path), ())
    return _row(path, schema, False, cell_schema(kinds))


def _of(options: list[Schema]) -> Mapping[str, Schema]:
    found: Mapping[str, Schema] = options[0]["properties"] if options else {}
    return found


def _kind_rows(path: FieldPath, options: list[Schema], whole: Schema) -> list[FormRow]:
    """The kinds as one row, then the fields that all of them have."""
    tags = [each["title"] for each in options if "title" in each]
    beside = {name: each for name, each in _of(options).items() if name not in tags}
    first = (
        [FormRow("kind", path, "kind", "What it is.", len(tags) == len(options), choices=tuple(tags))] if tags else []
    )
    required = options[0]["required"] if options else ()
    return [*first, *(_row((*path, name), each, name in required, whole) for name, each in beside.items())]


def _row(path: FieldPath, schema: Schema, required: bool, whole: Schema) -> FormRow:
    found = _resolved(schema, whole)
    widget, one = _widget(found, whole)
    kinds = tuple(each["title"] for each in _options(found, whole) if "title" in each) if widget == "kind" else ()
    default = found.get("default")
    examples = [*one.get("examples", ()), found.get("x-example", "")]
    return FormRow(
        str(path[-1]),
        path,
        widget,
        found.get("description", ""),
        required,
        "" if default in (None, "", [], {}) else yamldoc.inline(default),
        str(examples[0]),
        one.get("x-unit", ""),
        one.get("x-limit", ""),
        kinds or tuple(map(str, found.get("enum", ()))),
        one.get("x-names", ""),
        _count(found, whole) if widget == "vector" else 0,
    )


def _widget(schema: Schema, whole: Schema) -> tuple[Widget, Schema]:
    """Return how a field is edited, and the schema of a single value in it."""
    given: Widget | None = schema.get("x-widget")
    if given is not None:
        return given, schema
    if "enum" in schema:
        return "choice", schema
    options = _options(schema, whole)
    if _count(schema, whole) > 1:
        array = next(each for each in options if each.get("type") == "array")
        return "vector", _resolved([*array.get("prefixItems", ()), array.get("items", {})][0], whole)
    if any("properties" in each for each in options) and not any("items" in each for each in options):
        return "group", schema
    plain = schema.get("type")
    return (_PLAIN.get(plain, "data") if isinstance(plain, str) else "data"), options[0]


def _count(schema: Schema, whole: Schema) -> int:
    """The number of quantities in a fixed-length list of quantities; 0 for any other schema."""
    options = _options(schema, whole)
    for array in (each for each in options if each.get("type") == "array"):
        count = array.get("maxItems", 0)
        items = array.get("prefixItems") or [array.get("items", {})] * count
        several = array.get("minItems", 0) > 1 and all(_resolved(i, whole).get("x-widget") == "quantity" for i in items)
        if several and count <= 3:
            return int(count)
    return 0


def form(model: Model, path: FieldPath, mistakes: Iterable[Mistake] = ()) -> list[FormRow]:
    """The rows of an entry of a cell, or of a group inside one, with given values and errors. The fields of an entry's
    kind form a group.
    """
    wrong = {each.field: f"{each.what}; {each.hint}" if each.hint else each.what for each in mistakes}
    found = []
    for row in rows_at(path, model.kinds):
        value = given(model, row.path)
        if row.widget == "kind" and row.path == path:
            tags = [each for each in row.choices if isinstance(value, dict) and each in value]
            value = tags[0] if tags else value if value in row.choices else None
        found.append(replace(row, value=value, problem=wrong.get(dotted(row.path), "")))
    return found


def given(model: Model, path: FieldPath) -> Any:
    """The value at a path as written in the file; None if there is none."""
    if model.root is None:
        return None
    place = in_text(model.root, model.kinds, path)
    node = None if place is None else model.root.find(place)
    return None if node is None else node.plain()


def names_for(model: Model, role: str) -> list[str]:
    """The names in a cell that a reference with a role can use, without the links of robots: only a run knows those."""
    return [name for name, roles in model.offered.items() if role in roles and not name.endswith("/")]


# ---------------------------------------------------------------- the palette


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """Something that can be added to a cell: its section, kind and initial fields."""

    section: str
    kind: str
    title: str
    icon: str
    doc: str
    entry: Any


@cache
def palette(kinds: Kinds | None = None) -> list[PaletteEntry]:
    """Everything that can be added to a cell, section by section; a body for every shape."""
    kinds, found = kinds or known_kinds(), list[PaletteEntry]()
    for section, base in kinds.sections.items():
        if base.meta.about:
            continue
        if base is Body:
            found += [_sample(kinds, section, each, "shape") for each in _ready(kinds, ShapeModel)]
        if base.meta.noun:
            found += [_sample(kinds, section, each) for each in _ready(kinds, base)]
        else:
            entry = _tidied(kinds, base, dict(base.meta.example))
            found.append(_make(section, base, base.meta.kind, entry))
    doc = next(each.doc for each in fields_of(Head) if each.key == "signals")
    return [*found, PaletteEntry("signals", "signal", "signal", "bolt", doc, False)]


def examples_at(path: FieldPath, kinds: Kinds) -> dict[str, Any]:
    """Initial fields of each kind that is possible at a path: ``{"box": {"box": ["100 mm", …]}, …}``."""
    kind = type_at(kinds, path)
    while isinstance(kind, Many):
        kind = kind.inner
    if not isinstance(kind, OneOf):
        return {}
    inline = next((each.type for each in fields_of(kind.base) if isinstance(each.type, Inline)), None)
    base = kind.base if inline is None else inline.base
    ready = _ready(kinds, base) if base.meta.noun else []
    return {each.meta.kind: _tidied(kinds, base, {each.meta.kind: dict(each.meta.example)}) for each in ready}


def _ready(kinds: Kinds, base: type[Thing]) -> list[type[Thing]]:
    """The kinds that can be added: those that have an example or no required fields."""
    all_known = kinds.under(base).values()
    return [each for each in all_known if each.meta.example or all(f.default is not MISSING for f in fields_of(each))]


def _sample(kinds: Kinds, section: str, cls: type[Thing], field: str = "") -> PaletteEntry:
    base = kinds.sections[section]
    tagged = dict(cls.meta.example) if cls is base else {cls.meta.kind: dict(cls.meta.example)}
    return _make(section, cls, cls.meta.kind, _tidied(kinds, base, {field: tagged} if field else tagged))


def _make(section: str, cls: type[Thing], kind: str, entry: Any) -> PaletteEntry:
    title = cls.meta.title or kind.replace("_", " ")
    return PaletteEntry(section, kind, title, cls.meta.icon, _first_sentence(cls).replace("``", ""), entry)


def _tidied(kinds: Kinds, base: type[Thing], entry: dict[str, Any]) -> Any:
    """An example in the notation of a file; an incomplete example stays unchanged."""
    root = yamldoc.parse(yamldoc.inline(entry), "example")
    reader = Reader(root, kinds)
    thing = OneOf(base).read(root, (), reader)
    return entry if reader.mistakes else OneOf(base).write(thing)


# ---------------------------------------------------------------- tables for the documentation


def markdown_table(where: str, kinds: Kinds | None = None) -> str:
    """The fields of a place in a cell file, such as ``bodies`` or ``devices.conveyor``, as a Markdown table.

    ``top`` is the file itself; ``*`` matches any name, as in ``devices.conveyor.stops.*``.
    """
    kinds = kinds or known_kinds()
    steps = [] if where == "top" else where.split(".")
    # All entries of a section have the same fields, so any name works.
    path: FieldPath = (steps[0], "any", *steps[1:]) if steps and steps[0] in kinds.sections else tuple(steps)
    if path and kinds.sections.get(steps[0], Head).meta.many:
        path = (*path[:2], 0, *path[2:])
    rows = rows_at(path, kinds)
    if not rows:
        raise UnknownName("place in a cell file", where, kinds.sections)
    lines = ["| Field | Meaning | Default |\n", "|---|---|---|\n"]
    return "".join([*lines, *(_line(row, row.path == path) for row in rows)])


def _line(row: FormRow, kind: bool) -> str:
    name = ", ".join(f"`{each}`" for each in row.choices) if kind else f"`{row.name}`"
    default = "required" if row.required else f"`{row.default}`" if row.default else ""
    meaning = row.doc.replace("``", "`").replace("|", "\\|")
    return f"| {name} | {meaning} | {default} |\n"


def with_tables(text: str, kinds: Kinds | None = None) -> str:
    """Return Markdown with its field tables updated."""
    return _TABLE.sub(lambda found: f"{found[1]}{markdown_table(found[2], kinds)}{found[3]}", text)


def main(files: list[str]) -> None:
    """Update the tables in Markdown files."""
    for name in files:
        path = Path(name)
        text = path.read_text(encoding="utf-8")
        if (new := with_tables(text)) != text:
            path.write_text(new, encoding="utf-8")
            print(f"{name}: tables updated")


if __name__ == "__main__":
    main(sys.argv[1:])
