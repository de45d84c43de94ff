"""One description for editors, forms, palette and documentation: the documentation of a kind appears in all of them."""

from pathlib import Path

import pytest

from drycell.base import MISSING, CellFileError, Kinds, Thing, UnknownName, fields_of, yamldoc
from drycell.cell import Model, known_kinds
from drycell.editing import Draft, cell_schema, examples_at, form, names_for, palette, row_at, rows_at
from drycell.editing.describe import markdown_table, schema_at, with_tables
from drycell.geometry import ShapeModel

ROOT = Path(__file__).parents[2]
CELLS = sorted((ROOT / "examples").rglob("cell.yaml"))


def test_the_schema_is_valid_and_takes_what_the_reader_takes() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for path in CELLS:
        schema = cell_schema(Model.load(path, trusted=True).kinds)
        jsonschema.Draft202012Validator.check_schema(schema)
        plain = yamldoc.parse(path.read_text(), str(path)).plain()
        found = [
            f"{each.json_path}: {each.message}" for each in jsonschema.Draft202012Validator(schema).iter_errors(plain)
        ]
        assert found == [], path


def test_the_schema_refuses_what_is_misspelt() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(cell_schema())
    for wrong in ({"bodys": {}}, {"bodies": {"a": {"shap": {}}}}, {"bodies": {"a": {"shape": {"box": ["1 m"]}}}}):
        assert list(validator.iter_errors(wrong)), wrong


def test_all_definitions_are_there_and_everything_is_explained() -> None:
    schema = cell_schema()
    text = str(schema)
    for name in schema["$defs"]:
        assert f"#/$defs/{name}" in text, name
    untold = [
        f"{name}.{field}"
        for name, each in schema["$defs"].items()
        for field, inner in each.get("properties", {}).items()
        if not inner.get("description")
    ]
    assert untold == []
    assert all(each.get("description") for each in schema["properties"].values())


def test_a_row_says_how_a_field_is_written() -> None:
    body = {each.name: each for each in rows_at(("bodies", "x"))}
    assert next(iter(body)) == "shape"
    assert (body["at"].widget, body["at"].count, body["at"].unit) == ("vector", 3, "mm")
    assert (body["on"].widget, body["on"].names) == ("name", "body")
    assert (body["material"].names, body["material"].default) == ("material", "plastic")
    assert body["hole"].widget == "boolean"
    assert (body["shape"].widget, "box" in body["shape"].choices) == ("kind", True)
    box = row_at(("bodies", "x", "shape", "box"))
    assert (box.widget, box.count, box.limit) == ("vector", 3, "above 0")
    radius = row_at(("bodies", "x", "shape", "sphere", "radius"))
    assert (radius.widget, radius.unit, radius.example) == ("quantity", "mm", "150 mm")
    law = row_at(("tolerances", "x", "law"))
    assert (law.widget, law.choices, law.default) == ("choice", ("uniform", "normal"), "uniform")
    assert row_at(("programs", "x", "file")).widget == "file"
    with pytest.raises(UnknownName):
        row_at(("bodies", "x", "colour"))
    assert schema_at(None, ("nothing",)) is None


def test_a_form_shows_given_values_and_errors() -> None:
    draft = Draft("name: x\nbodies:\n  ball: {shape: {sphere: 5 mm}, at: [0, 1 m]}\n")
    rows = {each.name: each for each in form(draft.model, ("bodies", "ball"))}
    assert rows["at"].value == [0, "1 m"]
    assert rows["material"].value is None
    (radius,) = form(draft.model, ("bodies", "ball", "shape", "sphere"))
    assert radius.value == "5 mm"
    with pytest.raises(CellFileError) as caught:
        draft.set(("bodies", "ball", "material"), "no  name")  # two spaces
    rows = {each.name: each for each in form(draft.model, ("bodies", "ball"), caught.value.mistakes)}
    assert "is not a valid name" in rows["material"].problem
    assert names_for(draft.model, "body") == ["ball"]


def test_everything_in_the_palette_can_be_added() -> None:
    kinds = known_kinds()
    found = palette()
    assert {each.section for each in found} >= {"bodies", "workpoints", "programs", "signals"}
    for each in found:
        assert each.doc, each
        assert each.icon, each
        if each.section == "signals" or _must_be_completed(kinds, each.section):
            continue
        sections: dict[str, dict[str, object]] = {"bodies": {"table": {"shape": {"box": ["1 m", "1 m", "1 m"]}}}}
        stands = {"source", "tray_source", "tray_sink"}.isdisjoint(each.entry)
        entry = each.entry if stands else {**each.entry, "on": "table"}
        sections.setdefault(each.section, {})["thing"] = entry
        mistakes = _mistakes("".join(f"{line}\n" for item in sections.items() for line in yamldoc.block(*item, 0, 2)))
        # What it stands on or is wired to is chosen when it is added.
        assert [each for each in mistakes if "there is no" not in each] == [], each


def _must_be_completed(kinds: Kinds, section: str) -> bool:
    base = kinds.sections[section]
    return not base.meta.noun and any(each.default is MISSING for each in fields_of(base)) and not base.meta.example


def _mistakes(text: str) -> list[str]:
    try:
        Model.read(text)
    except CellFileError as error:
        return [each.what for each in error.mistakes]
    return []


def test_kinds_are_offered_with_something_to_begin_with() -> None:
    examples = examples_at(("bodies", "x", "shape"), known_kinds())
    assert examples["box"] == {"box": ["100 mm", "100 mm", "100 mm"]}
    assert "mesh" not in examples  # needs a file


def test_the_tables_of_the_documentation_are_up_to_date() -> None:
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text()
        assert with_tables(text) == text, f"python -m drycell.editing.describe {page.relative_to(ROOT)}"


def test_every_section_and_kind_has_a_table_in_the_documentation() -> None:
    text, kinds = (ROOT / "docs" / "cell-file.md").read_text(), known_kinds()
    wanted = [*kinds.sections]
    for section, base in kinds.sections.items():
        own = [each for each in kinds.under(base).values() if base.meta.noun and _own_fields(base, each)]
        wanted += [f"{section}.{each.meta.kind}" for each in own if each is not base]
    missing = [each for each in wanted if f"<!-- fields: {each} -->" not in text]
    assert missing == []


def _own_fields(base: type[Thing], kind: type[Thing]) -> bool:
    return len(fields_of(kind)) > len(fields_of(base))


def test_a_table_has_field_meaning_and_default() -> None:
    table = markdown_table("tolerances").splitlines()
    assert table[0] == "| Field | Meaning | Default |"
    assert table[-1].startswith("| `law` | How values are drawn: `uniform`, or `normal`")
    assert table[-1].endswith("| `uniform` |")
    with pytest.raises(UnknownName):
        markdown_table("nothing")


def _refused(text: str) -> bool:
    jsonschema = pytest.importorskip("jsonschema")
    plain = yamldoc.parse(text, "cell.yaml").plain()
    return not jsonschema.Draft202012Validator(cell_schema()).is_valid(plain)


@pytest.mark.parametrize(
    "text",
    [
        "bodies: {a: {shape: {box: [1 m, 1 m, 1 m]}, at: , material: }}",
        "name:\nsignals:\nchecks:\nrun:\nbodies:\n",
        "checks:\n  collision:\n",
        "bodies: {a: {shape: }}",
        "devices:\n  w: {wrist: }\n",
        "bodies: {größe/teil-1.b: {shape: {sphere: 5 mm}, at: [0, -.5e1 mm, 1 µm]}}",
        "tolerances: {}\ndevices: {b: {conveyor: {length: 1 m, width: 20 cm, speed: 6 m / min}}}",
        "checks: {collision: {everything_but: ['*', 'ar?', 'arm/*']}}",
    ],
)
def test_the_schema_takes_empty_fields_and_all_ways_to_write_values(text: str) -> None:
    Model.read(text)
    assert not _refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "bodies: {a: {shape: {sphere: 5}}}",
        "bodies: {a: {shape: {sphere: 0}}}",
        "bodies: {a: {shape: {sphere: 5 kg}}}",
        "bodies: {a: }",
        "bodies: {a: {shape: {sphere: 5 mm}, at: [1, 0, 0]}}",
        "bodies: {a: {shape: {sphere: 5 mm}, on: 'my table'}}",
        "bodies: {a b: {shape: {sphere: 5 mm}}}",
        "signals: {1st: false}",
        "devices: {b: {conveyor: }}",
        "devices: {b: {conveyor: {length: 1 m, width: 20 cm, speed: 6 m}}}",
    ],
)
def test_the_schema_refuses_bare_numbers_wrong_units_bad_names_and_what_must_be_given(text: str) -> None:
    with pytest.raises(CellFileError):
        Model.read(text)
    assert _refused(text)


def test_the_page_about_cell_files_shows_every_shape() -> None:
    page = (ROOT / "docs" / "cell-file.md").read_text(encoding="utf-8")
    shapes = page.partition("### Shapes")[2].partition("\n## ")[0]
    assert [kind for kind in known_kinds().under(ShapeModel) if f"{{{kind}: " not in shapes] == []
