"""Bundles hold what a run needs, and nothing in them can be written elsewhere."""

import io
import zipfile
from pathlib import Path

import pytest

from drycell.base import DrycellError
from drycell.campaign.bundle import Bundle, bundle_of, identity
from drycell.cell import CellSource


def test_equal_files_give_equal_bundles(toy: Path, tmp_path: Path) -> None:
    one, _ = bundle_of(CellSource.find(toy))
    again = Bundle.unpacked(one.packed())
    assert again == one
    assert again.packed() == one.packed()
    assert again.digest == one.digest
    cell = one.write(tmp_path / "copy")
    assert cell.read_text() == (toy / "cell.yaml").read_text()
    assert one.is_at(tmp_path / "copy")


def test_programs_from_elsewhere_are_part_of_it(toy: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "fast.py"
    other.parent.mkdir()
    other.write_text("def work(): pass\n")
    bundle, placed = bundle_of(CellSource.find(toy), {"fast.py": other, "work.py": toy / "work.py"})
    assert placed["work.py"] == "work.py"
    assert bundle.files[placed["fast.py"]] == other.read_bytes()


@pytest.mark.parametrize("name", ["../x.py", "/x.py", "a/../../x.py", "..", "a\\..\\x.py"])
def test_a_file_outside_of_the_bundle_is_refused(tmp_path: Path, name: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr(name, b"x")
    with pytest.raises(DrycellError, match="outside"):
        Bundle.unpacked(out.getvalue())
    with pytest.raises(DrycellError, match="outside"):
        Bundle("cell.yaml", {name: b"x"}).write(tmp_path / "a" / "b")
    assert not list(tmp_path.rglob("x.py"))


def test_a_folder_that_holds_too_much_is_refused(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drycell.campaign.bundle.MOST_BYTES", 100)
    with pytest.raises(DrycellError) as caught:
        bundle_of(CellSource.find(toy))
    assert "folder of its own" in str(caught.value.hint)


def test_the_identity_names_drycell_its_files_and_libraries() -> None:
    assert {"drycell", "drycell's files", "python", "numpy", "pin"} <= identity().keys()
