"""Drafts do not depend on kinds: a custom device is edited, renamed and removed like a built-in one."""

from pathlib import Path

import pytest

from drycell import Body, Box, mm
from drycell.base import CellFileError
from drycell.cell import Untrusted
from drycell.cell.written import type_at
from drycell.editing import Draft

KINDS = '''"""Kinds for the tests: a press with signals and a gauge, and a board of lamps that show expressions."""

from collections.abc import Iterator
from typing import Annotated, Any

from drycell.base.schema import Duration, Name, Ref, Size, Thing, Type
from drycell.cell import Device


class Words(Type):
    """An expression: words that name signals."""

    def names(self, value: Any) -> Iterator[tuple[str, Ref]]:
        yield from ((word, Ref("signal", needed=False)) for word in value.split() if word not in ("and", "or", "not"))


class Gauge(Thing, compact=True, kw_only=False):
    """Says how it goes."""

    of: Annotated[str, Ref("signal", needed=False)]
    """What it shows."""
    scale: Size = 0.001
    """How far its needle goes."""


class Press(Device, kind="press", icon="compress", example={"takes": "5 s"}):
    """Works on a part for some time."""

    takes: Duration
    """How long a stroke takes."""
    gauges: tuple[Gauge, ...] = ()
    """Gauges on it."""

    def signals(self):
        return ("start", "ready")


class Board(Device, kind="board"):
    """Lamps that show expressions."""

    lamps: dict[Name, Annotated[str, Words()]]
    """Expressions by lamp."""
    press: Annotated[str, Ref("press")] | None = None
    """A press it is wired to."""
'''
TEXT = """\
name: presses
uses: [kinds.py]
bodies:
  table: {shape: {box: [1 m, 1 m, 20 mm]}}
  block: {shape: {sphere: 5 mm}, on: press1}
devices:
  press1:
    press: {takes: 5 s, gauges: [press1.ready, {of: go, scale: 2 mm}]}   # the one
    on: table
  board: {board: {lamps: {red: not press1.ready and go}, press: press1}}
signals: {go: false, press1.spare: true}
workpoints:
  bed: {on: press1/bed, at: [0, 0, 50 mm]}
checks:
  collision: {allowed: [[press1, block]], everything_but: ["pre*"]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kinds.py").write_text(KINDS)
    (tmp_path / "cell.yaml").write_text(TEXT)
    return tmp_path


@pytest.fixture
def draft(folder: Path) -> Draft:
    return Draft.open(folder, trusted=True)


def test_a_new_name_goes_everywhere_where_the_thing_is_named(draft: Draft) -> None:
    draft.rename("press1", "big")
    text = draft.text()
    assert "gauges: [big.ready, {of: go, scale: 2 mm}]}   # the one" in text
    assert "board: {board: {lamps: {red: not big.ready and go}, press: big}}" in text
    assert "signals: {go: false, press1.spare: true}" in text  # a signal of the cell, not of the press
    assert "bed: {on: big/bed" in text
    assert 'allowed: [[big, block]], everything_but: ["pre*"]' in text
    draft.rename("go", "run")
    assert "{of: run, scale: 2 mm}" in draft.text()
    assert "big.ready and run" in draft.text()


def test_removing_a_thing_also_removes_what_depends_on_it(draft: Draft) -> None:
    gone = draft.remove("go", with_all=True)
    assert gone == ["devices.press1.press.gauges[1]", "devices.board"]  # its only lamp was about it
    assert "gauges: [press1.ready]" in draft.text()
    draft.undo()
    gone = draft.remove("press1", with_all=True)
    assert {"bodies.block", "workpoints.bed", "devices.board", "checks.collision.allowed[0]"} <= set(gone)
    assert draft.model.things.keys() == {"table"}


def test_numbers_get_units_and_short_forms_are_understood(draft: Draft) -> None:
    draft.set(("devices", "press1", "press", "takes"), 7.5)
    assert "takes: 7.5 s" in draft.text()
    assert draft.get(("devices", "press1", "press", "gauges", 0, "of")) == "press1.ready"
    draft.set(("devices", "press1", "press", "gauges", 0, "scale"), 0.004)
    assert "gauges: [{of: press1.ready, scale: 4 mm}, " in draft.text()
    assert draft.get(("bodies", "block", "shape", "sphere", "radius")) == "5 mm"
    draft.set(("bodies", "block", "shape", "sphere", "radius"), 0.007)
    assert "{sphere: 7 mm}" in draft.text()
    draft.add("bodies", Body(Box(10 * mm, 20 * mm, 30 * mm), on="table"), "crate")
    assert "  crate:\n    shape: {box: [10 mm, 20 mm, 30 mm]}\n    on: table\n" in draft.text()


def test_the_type_at_a_path_is_found_for_any_kind(draft: Draft) -> None:
    kinds = draft.model.kinds
    takes = type_at(kinds, ("devices", "x", "press", "takes"))
    assert takes is not None
    assert takes.take("2 s") == 2.0
    assert type_at(kinds, ("devices", "x", "press", "gauges", 3, "scale")) is not None
    assert type_at(kinds, ("devices", "x", "press", "nothing")) is None
    assert type_at(kinds, ("bodies", "x", "at", 2)) is not None


def test_a_wrong_edit_changes_nothing(draft: Draft) -> None:
    before = draft.text()
    with pytest.raises(CellFileError, match=r"takes: '-1 s' must be above 0"):
        draft.set(("devices", "press1", "press", "takes"), "-1 s")
    with pytest.raises(CellFileError, match="expected a press, but 'table' is a body"):
        draft.set(("devices", "board", "board", "press"), "table")
    assert draft.text() == before


def test_files_are_named_from_where_the_file_is_saved(draft: Draft, folder: Path) -> None:
    draft.save(folder / "below")
    assert "uses: [../kinds.py]" in draft.text()


def test_editing_runs_no_code_from_a_folder_nobody_trusts(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    (folder / "kinds.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(Untrusted):
        Draft.open(folder)
    draft = Draft("name: x\n", folder / "cell.yaml")
    with pytest.raises(Untrusted):
        draft.set(("uses",), ["kinds.py"])
    assert draft.text() == "name: x\n"
