"""The forms of a pallet and of a vacuum gripper in a real browser: they show the pattern, and follow what is typed."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from drycell.cell import Model

from .conftest import Server, Starter
from .test_build import built, marked

__all__ = ["built"]

CELL = """\
name: patterns
bodies:
  table: {shape: {box: [1600 mm, 1200 mm, 20 mm]}, at: [0, 0, -10 mm]}
devices:
  pallet:
    pallet:
      shape: {box: [400 mm, 300 mm, 100 mm]}
      layers: [{size: [100 mm, 80 mm, 50 mm], grid: [3, 2], part: box}]
      repeat: 2
    on: table
    at: [400 mm, 0]
robots:
  arm: {model: ur5e, gripper: vacuum-cup-50, on: table, at: [-400 mm, 0]}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("ready")
    (made / "cell.yaml").write_text(CELL)
    return made


@pytest.fixture(scope="module")
def server(start: Starter, folder: Path) -> Server:
    return start(str(folder))


def select(page: Page, name: str) -> None:
    page.locator(".drycell-tree .q-tree__node-header").filter(has_text=name).first.click()
    expect(marked(page, "entry-name")).to_have_value(name)


def test_the_pattern_of_a_pallet_follows_its_form_and_the_cups_are_shown(built: Page, folder: Path) -> None:
    select(built, "pallet")
    expect(marked(built, "pattern-text")).to_have_text("12 places in 2 layers, 100.000 mm high")
    numbers = marked(built, "pattern-1").locator("text")
    expect(numbers).to_have_count(6)
    assert numbers.all_text_contents() == [str(number) for number in range(1, 7)]

    grid = marked(built, "pallet-layers-0-grid")
    grid.fill("[2, 3]")
    grid.press("Enter")
    marked(built, "layer-add").click()
    expect(marked(built, "pattern-text")).to_have_text("24 places in 4 layers, 200.000 mm high")
    expect(marked(built, "pattern-2").locator("text").first).to_have_text("7")

    grid = marked(built, "pallet-layers-1-grid")
    grid.fill("[0, 3]")
    grid.press("Enter")
    expect(built.get_by_text("has no places").first).to_be_visible()
    expect(marked(built, "pattern-text")).to_have_text("24 places in 4 layers, 200.000 mm high")

    marked(built, "build-save").click()
    expect(marked(built, "build-state")).to_have_text("cell.yaml")
    layers = Model.load(folder).things["pallet"].layers
    assert [layer.grid for layer in layers] == [(2, 3), (2, 3)]

    select(built, "arm")
    # 60 kPa on 45 mm: π/4 · (45 mm)² · 60 kPa.
    expect(marked(built, "cups-gripper-force")).to_have_text("holding force 95.4 N")
    expect(marked(built, "cups-gripper").locator("circle")).to_have_count(1)
