"""Errors about missing libraries name the library and the command that installs it, and nothing is written."""

import sys
from pathlib import Path

import pytest

from drycell import Body, Box
from drycell.base import DrycellError
from drycell.cell import Cell
from drycell.pictures import save_picture
from drycell.pictures.shaded import encoder, imaging, renderer


@pytest.mark.parametrize(
    ("load", "module", "said"),
    [
        (renderer, "pyvista", "shaded pictures need the library pyvista, which is not installed"),
        (encoder, "imageio_ffmpeg", "MP4 films need the library imageio-ffmpeg, which is not installed"),
        (imaging, "PIL.Image", "films need the library pillow, which is not installed"),
    ],
)
def test_error_for_a_missing_library_says_how_to_install_it(
    load, module: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not there
    with pytest.raises(DrycellError) as caught:
        load()
    assert str(caught.value) == f"{said}\n  try: pip install 'path/to/drycell[film]'"


def test_a_missing_library_is_reported_before_the_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cell = Cell()
    cell.add("block", Body(Box(1, 1, 1)))
    monkeypatch.setitem(sys.modules, "pyvista", None)
    with pytest.raises(DrycellError, match="pip install"):
        save_picture(cell.world, tmp_path / "out" / "picture.png")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_cell_cannot_be_drawn(tmp_path: Path) -> None:
    pytest.importorskip("pyvista")
    with pytest.raises(DrycellError, match="there is nothing to draw"):
        save_picture(Cell().world, tmp_path / "picture.png")
