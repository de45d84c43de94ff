"""Forms know every field of the format, with its unit, its default and what it means."""

import pytest
from drycell.cell.devices.section import KINDS

from drycell.cell.draft.form import fields_at

GROUPS = [
    ("bodies", "x"), ("bodies", "x", "shape"), ("robots", "x"), ("sensors", "x"), ("sensors", "x", "output"),
    ("sensors", "x", "noise"), ("sensors", "x", "trace_lines"), ("workpoints", "x"), ("programs", "x"),
    ("controllers", "x"), *(("devices", "x", kind) for kind in KINDS),
]  # fmt: skip


@pytest.mark.parametrize("path", GROUPS, ids=".".join)
def test_fields_are_explained(path: tuple[str, ...]) -> None:
    shown = [
        each for each in fields_at(path) if each.name not in ("cylinder", "cone", "sphere", "capsule", "prism", "mesh")
    ]
    assert shown
    untold = [each.name for each in shown if not each.help]
    assert set(untold) <= {"table", "law", "on", "off", "row", "lines", "cylinder"}, untold


def test_a_field_says_how_it_is_written() -> None:
    fields = {each.name: each for each in fields_at(("devices", "belt", "conveyor"))}
    assert (fields["speed"].kind, fields["speed"].required, fields["speed"].example) == ("quantity", True, "150 mm/s")
    assert (fields["height"].default, fields["end"].choices) == ("100 mm", ("stop", "fall"))
    body = {each.name: each for each in fields_at(("bodies", "x"))}
    assert (body["at"].kind, body["at"].count, body["on"].names) == ("vector", 3, "body")
    assert (body["shape"].kind, body["part"].kind, body["material"].default) == ("group", "boolean", "plastic")
    sensor = {each.name: each for each in fields_at(("sensors", "x"))}
    assert (sensor["every"].kind, sensor["type"].choices[:2], sensor["model"].names) == (
        "quantity", ("range", "proximity"), "sensor",
    )  # fmt: skip
