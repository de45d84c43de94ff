"""Building in a real browser: a box is added, dragged and saved at the place where it was released."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from drycell.cell import CellSource, Model
from drycell.geometry import Box, save_mesh

from .conftest import Server, Starter

CELL = """\
name: bench   # to build on
bodies:
  # The table stays.
  table: {shape: {box: [900 mm, 600 mm, 20 mm]}, material: aluminium, at: [0, 0, -10 mm]}
"""


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ready")
    (folder / "cell.yaml").write_text(CELL)
    return folder


@pytest.fixture(scope="module")
def server(start: Starter, cell: Path) -> Server:
    return start(str(cell))


def marked(page: Page, name: str) -> Locator:
    return page.locator(f"[data-testid='{name}']").first


@pytest.fixture
def built(page: Page) -> Page:
    """The page with the Build tab in front."""
    page.set_default_timeout(40_000)
    page.wait_for_function("() => window.__drycell?.view?.framed && !window.__drycell.view.bodies.loading")
    marked(page, "tab-build").click()
    expect(marked(page, "add-box")).to_be_visible()
    return page


def place(page: Page, name: str) -> list[float]:
    """The position of a body in the view, in metres."""
    found = page.evaluate(
        """(name) => { const body = window.__drycell.view.bodies.list.find((each) => each.entry?.name === name);
                       return body ? body.node.position.toArray() : null; }""",
        name,
    )
    return list(found)


def drag(page: Page, axis: list[float], by: float) -> None:
    """Drags an arrow of the dragger."""
    at = page.evaluate("() => window.__drycell.view.pointer.dragger.position.toArray()")
    arm = 0.95 * page.evaluate("() => window.__drycell.view.pointer.dragger.scale.x")
    grip = [p + arm * a for p, a in zip(at, axis, strict=True)]
    aim = [p + by * a for p, a in zip(grip, axis, strict=True)]
    x, y = page.evaluate("(p) => window.__drycell.view.screen(p)", grip)
    u, v = page.evaluate("(p) => window.__drycell.view.screen(p)", aim)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(u, v, steps=8)
    page.mouse.up()


def test_a_box_is_added_dragged_and_saved(built: Page, cell: Path) -> None:
    marked(built, "add-box").click()
    expect(marked(built, "place-z")).to_have_value("50 mm")
    built.wait_for_function("() => window.__drycell.view.pointer.dragger?.position.z > 0.04")
    marked(built, "snap-grid").click()
    built.get_by_role("option", name="10 mm", exact=True).click()
    expect(built.get_by_role("option", name="10 mm", exact=True)).to_be_hidden()

    drag(built, [1.0, 0.0, 0.0], 0.2)

    expect(marked(built, "place-x")).not_to_have_value("0 mm")
    shown = marked(built, "place-x").input_value()
    assert 150 <= float(shown.removesuffix(" mm")) <= 250
    assert float(shown.removesuffix(" mm")) % 10 == 0
    built.wait_for_function(
        """(x) => window.__drycell.view.bodies.list.some((each) => each.entry?.name === "box"
                  && Math.abs(each.node.position.x - x) < 1e-6)""",
        arg=float(shown.removesuffix(" mm")) / 1e3,
    )
    expect(marked(built, "build-state")).to_contain_text("unsaved")
    marked(built, "build-save").click()
    expect(marked(built, "build-state")).to_have_text("cell.yaml")

    text = (cell / "cell.yaml").read_text()
    assert text.startswith(CELL)
    assert Model.load(cell).things["box"].at[0] * 1e3 == pytest.approx(float(shown.removesuffix(" mm")))
    world = CellSource.find(cell).build().world
    assert world.pose(world.body("box")).position == pytest.approx(place(built, "box"), abs=1e-6)


def test_edits_survive_a_reload_and_can_be_undone_by_keys(built: Page) -> None:
    marked(built, "add-cylinder").click()
    expect(marked(built, "entry-name")).to_have_value("cylinder")
    built.reload()
    expect(marked(built, "build-state")).to_contain_text("unsaved")
    built.wait_for_function("() => window.__drycell?.view?.bodies.list.some((each) => each.entry?.name === 'cylinder')")
    marked(built, "view").click(position={"x": 60, "y": 60})
    built.keyboard.press("Control+z")
    expect(marked(built, "build-state")).not_to_contain_text("unsaved")
    built.keyboard.press("Control+y")
    expect(marked(built, "build-state")).to_contain_text("unsaved")
    built.keyboard.press("Control+z")


def test_a_cad_file_shows_its_size_before_it_comes_in(built: Page, cell: Path, tmp_path: Path) -> None:
    save_mesh(Box(0.12, 0.08, 0.01), tmp_path / "plate.stl", "mm")
    marked(built, "build-import").click()
    built.locator("input[type=file]").set_input_files(tmp_path / "plate.stl")
    expect(marked(built, "import-size")).to_contain_text("Choose the units")
    marked(built, "import-units").click()
    built.get_by_role("option", name="mm", exact=True).click()
    expect(marked(built, "import-size")).to_contain_text("120 × 80 × 10 mm")
    marked(built, "import-accept").click()
    expect(marked(built, "entry-name")).to_have_value("plate")
    assert (cell / "meshes" / "plate.stl").is_file()
