"""CAD files are imported with explicit units, and copied beside the cell file."""

from pathlib import Path

import pytest

from drycell.base import CellFileError, GeometryError, UnitError, WriteError
from drycell.cell import CellSource
from drycell.editing import Draft, body_name, bring_in, look_at
from drycell.geometry import Box, save_mesh


@pytest.fixture
def stl(tmp_path: Path) -> Path:
    path = tmp_path / "from cad" / "My part-1.stl"
    path.parent.mkdir()
    save_mesh(Box(0.12, 0.08, 0.01), path, "mm")
    return path


def test_units_are_required_never_guessed(stl: Path) -> None:
    with pytest.raises(GeometryError, match="does not say which unit it uses"):
        look_at(stl)
    with pytest.raises(UnitError):
        look_at(stl, "parsec")
    assert look_at(stl, "mm").size_text == "120 × 80 × 10 mm"
    assert look_at(stl, "in").size_text == "3048 × 2032 × 254 mm"


def test_an_imported_file_is_copied_beside_the_cell_and_the_cell_builds(stl: Path, tmp_path: Path) -> None:
    draft = Draft.new()
    with pytest.raises(CellFileError, match="has no folder"):
        bring_in(draft, look_at(stl, "mm"))
    draft.save(tmp_path / "cell.yaml")
    assert bring_in(draft, look_at(stl, "mm"), material="steel") == "My_part-1"
    assert bring_in(draft, look_at(stl, "mm")) == "My_part-2"
    draft.save()
    assert sorted(path.name for path in (tmp_path / "meshes").iterdir()) == ["My_part-1.stl", "My_part-12.stl"]
    cell = CellSource.find(tmp_path).build()
    lower, upper = cell.world.body("My_part-1").shape.bounds  # type: ignore[union-attr]
    assert [b - a for a, b in zip(lower, upper, strict=True)] == pytest.approx([0.12, 0.08, 0.01])


def test_a_refused_part_leaves_no_file_behind(stl: Path, tmp_path: Path) -> None:
    draft = Draft.new()
    draft.save(tmp_path / "cell.yaml")
    with pytest.raises(CellFileError, match="there is no body 'nowhere'"):
        bring_in(draft, look_at(stl, "mm"), on="nowhere")
    assert list((tmp_path / "meshes").iterdir()) == []


def test_error_for_a_failed_copy_states_the_reason(stl: Path, tmp_path: Path) -> None:
    draft = Draft.new()
    draft.save(tmp_path / "cell.yaml")
    (tmp_path / "meshes").write_text("")
    with pytest.raises(WriteError, match=r"^cannot write .*My_part-1\.stl: (File exists|Not a directory)"):
        bring_in(draft, look_at(stl, "mm"))


def test_damaged_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(b"\0" * 100)
    (tmp_path / "a.step").write_text("no step")
    (tmp_path / "a.dxf").write_text("0")
    for name, units in (("a.stl", "mm"), ("a.step", None), ("a.dxf", "mm"), ("b.obj", "m")):
        with pytest.raises(GeometryError, match=name):
            look_at(tmp_path / name, units)


def test_a_body_is_named_after_its_file() -> None:
    for file, name in (
        ("Zylinder (1) ü.stl", "Zylinder_1"),
        ("3plate v1.2.stl", "part_3plate_v1.2"),
        ("ü.obj", "part"),
    ):
        assert body_name(Path(file)) == name


def test_large_sizes_are_reported_in_metres(stl: Path) -> None:
    assert look_at(stl, "m").size_text == "120 × 80 × 10 m"
