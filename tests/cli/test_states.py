"""``drycell states``: a table of the stable states of a mesh or of a part of a cell, with pictures and a cache."""

import json
from pathlib import Path

import pytest

from drycell.base import mm
from drycell.cli.main import main
from drycell.geometry import Box, Mesh, save_mesh

CELL = """\
format: 1
name: states
bodies:
  table: {shape: {box: [1 m, 1 m, 20 mm]}}
  brick: {shape: {box: [60 mm, 40 mm, 20 mm]}, material: beech, states: {flat: [0, 0, -1]}}
devices:
  feed:
    on: table
    source: {every: 1 s, kinds: {pin: {shape: {cylinder: {radius: 5 mm, length: 40 mm}}, material: steel}}}
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "drycell" / "states"


def test_a_mesh_gets_a_table_of_all_laws_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh = tmp_path / "brick.stl"
    save_mesh(Box(60 * mm, 40 * mm, 20 * mm), mesh, "mm")
    pictures = tmp_path / "pictures"
    assert (
        main(["states", str(mesh), "--units", "mm", "--law", "all", "--drops", "30", "--picture", str(pictures)]) == 0
    )
    printed = capsys.readouterr().out
    assert "brick.stl: 6 stable states" in printed
    assert "tumble" in printed
    assert "quench" in printed
    assert "quasi-static" in printed
    assert "12.36 mm" in printed  # the barrier of the largest side: √(10² + 20²) − 10
    assert sorted(each.name for each in pictures.iterdir()) == [f"{name}.svg" for name in "ABCDEF"]


def test_parts_of_a_cell_have_their_material_and_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cell.yaml").write_text(CELL)
    assert main(["states", str(tmp_path), "brick", "--drops", "20"]) == 0
    printed = capsys.readouterr().out
    assert "beech on steel, 20 drops" in printed
    assert "  flat  " in printed
    assert main(["states", str(tmp_path), "pin", "--law", "quench"]) == 0
    assert "rolls" in capsys.readouterr().out


def test_drops_are_made_once_and_a_damaged_cache_is_not_used(
    tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cell.yaml").write_text(CELL)
    arguments = ["states", str(tmp_path), "brick", "--drops", "20"]
    assert main(arguments) == 0
    first = capsys.readouterr().out
    (file,) = cache.iterdir()
    counts = json.loads(file.read_text())
    assert sum(counts) == 20
    assert main(arguments) == 0
    assert capsys.readouterr().out == first
    for damaged in ("[20]", "[1e9, 0, 0, 0, 0, 0]", "{", '["a", 0, 0, 0, 0, 20]'):
        file.write_text(damaged)
        assert main(arguments) == 0
        assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CELL"], "which part is meant?"),
        (["CELL", "brik"], "brik"),
        (["CELL", "brick", "--drops", "0"], "--drops is 0"),
        (["CELL", "brick", "--on", "jelly"], "jelly"),
        (["MESH"], "does not say its unit"),
        (["MESH", "--units", "mm"], "open edges"),
    ],
)
def test_mistakes_are_reported(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cell.yaml").write_text(CELL)
    vertices, faces = Box(0.06, 0.04, 0.02).triangles()
    save_mesh(Mesh(vertices, faces[1:]), tmp_path / "open.stl", "mm")
    places = {"CELL": str(tmp_path), "MESH": str(tmp_path / "open.stl")}
    assert main(["states", *(places.get(each, each) for each in arguments)]) == 1
    assert message in capsys.readouterr().err
