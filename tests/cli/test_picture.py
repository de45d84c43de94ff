"""``drycell picture``: a PNG of a cell or a recording at an instant, drawn without a screen."""

from pathlib import Path

import numpy as np
import pytest


def pixels(file: Path) -> np.ndarray:
    from PIL import Image

    with Image.open(file) as image:
        return np.asarray(image.convert("RGB")).astype(int)


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A red-brown cube that jumps a metre along x after one second, over a grey floor."""
    (tmp_path / "cell.py").write_text(
        "from drycell import Body, Box, Pose, delay\n"
        "def build(cell):\n"
        "    cell.add('floor', Body(Box(3, 1, 0.1), material='steel', at=(0.5, 0, -0.05)))\n"
        "    cube = cell.add('cube', Body(Box(0.3, 0.3, 0.3), material='beech', at=(0, 0, 0.15)))\n"
        "    @cell.program\n"
        "    def jump():\n"
        "        delay(1.0)\n"
        "        cell.world.place(cube, Pose(1, 0, 0.15))\n"
        "        delay(1.0)\n"
    )
    return tmp_path


def test_a_picture_shows_something_and_another_instant_something_else(drycell, scene: Path) -> None:
    pytest.importorskip("pyvista")
    record = scene / "run.dry"
    assert drycell("run", scene, "--record", record).code == 0
    for cell, at in ((scene, "0 s"), (scene, "1.5 s"), (record, "1.5 s")):
        out = scene / f"{Path(cell).name}{at[0]}.png"
        said = drycell("picture", cell, "--at", at, "--view", "front", "-o", out)
        assert (said.code, said.err) == (0, "")
        assert str(out) in said.out
    before, after = pixels(scene / f"{scene.name}0.png"), pixels(scene / f"{scene.name}1.png")
    assert before.shape == (860, 1280, 3)
    assert before.std() > 10  # not blank
    moved = np.abs(before - after).sum(axis=2) > 60
    assert 0.005 < moved.mean() < 0.5
    # In the front view, x points to the right: the cube was left of the middle before, and right of it afterwards.
    columns = np.flatnonzero(moved.any(axis=0))
    assert columns.min() < 640 < columns.max()
    assert np.array_equal(pixels(scene / "run.dry1.png"), after)


def test_error_for_an_unknown_view_suggests_the_nearest(drycell, scene: Path) -> None:
    said = drycell("picture", scene, "--view", "tpo")
    assert said.code == 1
    assert "there is no view 'tpo'" in said.err
    assert "'top'" in said.err


def test_a_time_without_unit_is_refused(drycell, scene: Path) -> None:
    said = drycell("picture", scene, "--at", "3")
    assert said.code == 1
    assert "'3' has no unit, but a time needs one" in said.err
