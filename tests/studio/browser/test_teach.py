"""A pick-and-place task from nothing to a verified run, by mouse only, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from drycell import mm
from drycell.cell import CellSource

from .conftest import Server, Starter

STANDS = "() => window.__drycell?.view?.framed && !window.__drycell.view.bodies.loading"
LONG = 120_000  # ms: the machine may be busy with other tests
CELL = """\
name: small cell
bodies:
  table: {shape: {box: [700 mm, 700 mm, 40 mm]}, material: aluminium, at: [200 mm, 0 mm, -20 mm]}
  block: {shape: {box: [60 mm, 40 mm, 50 mm]}, material: beech, on: table, at: [60 mm, -150 mm]}   # to be moved
  stand: {shape: {box: [120 mm, 100 mm, 30 mm]}, material: steel, part: false, on: table, at: [60 mm, 150 mm]}
robots:
  arm: {model: scorbot-er3, gripper: two-finger, on: table, at: [-200 mm, 0 mm]}
checks:
  collision: {allowed: [[block, table], [block, stand]]}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cell")
    (made / "cell.yaml").write_text(CELL, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def server(start: Starter, folder: Path) -> Server:
    return start(str(folder))


def at(page: Page, name: str) -> Locator:
    return page.locator(f"[data-testid='{name}']")


def click_at(page: Page, point: tuple[float, float, float]) -> None:
    x, y = page.evaluate("(point) => window.__drycell.view.screen(point)", list(point))
    page.mouse.click(x, y)


def pick(page: Page, point: tuple[float, float, float], name: str) -> None:
    """Picks a point on a surface."""
    at(page, "pick-point").click()
    expect(at(page, "pick-point")).to_contain_text("click")
    click_at(page, point)
    expect(at(page, f"point-{name}")).to_be_visible()


@pytest.fixture
def teaching(page: Page) -> Page:
    page.set_default_timeout(LONG)
    expect.set_options(timeout=LONG)
    page.wait_for_function(STANDS)
    at(page, "tab-teach").click()
    expect(at(page, "joint-0-value")).to_be_visible()
    return page


def test_the_pendant_moves_the_arm_and_says_where_it_stops(teaching: Page) -> None:
    expect(at(teaching, "joint-0-value")).to_have_text("0.0°")
    at(teaching, "joint-0-plus").click()
    expect(at(teaching, "joint-0-value")).to_have_text("5.0°")
    before = float(at(teaching, "tcp-z").inner_text())
    at(teaching, "jog-z-minus").click()
    expect(at(teaching, "tcp-z")).to_have_text(f"{before - 10:.1f}")
    at(teaching, "pendant-close").click()
    expect(teaching.get_by_text("jaw gap 0.0 mm")).to_be_visible()
    at(teaching, "back-to-start").click()
    expect(at(teaching, "joint-0-value")).to_have_text("0.0°")
    expect(teaching.get_by_text("jaw gap 65.0 mm")).to_be_visible()


def test_a_part_is_taught_to_its_place_and_the_run_verified(teaching: Page, folder: Path) -> None:
    page = teaching
    pick(page, (0.262, -0.152, 0.05), "block_p1")
    expect(at(page, "point-says")).to_contain_text("within reach")
    expect(at(page, "point-z")).to_have_value("25")
    for body, z in (("table", "70"), ("block", "25")):  # it stays where it is, and moves with another
        at(page, "point-on").click()
        page.get_by_role("option", name=body, exact=True).click()
        expect(at(page, "point-block_p1")).to_contain_text(f"on {body}")
        expect(at(page, "point-z")).to_have_value(z)
    at(page, "take-part").click()
    expect(at(page, "step-4")).to_be_visible()
    pick(page, (0.26, 0.15, 0.03), "stand_p1")
    at(page, "put-part").click()
    expect(at(page, "step-8")).to_be_visible()
    expect(page.locator(".teach-item .teach-lamp.red")).to_have_count(0)
    expect(page.locator("[data-testid^='step-'] .teach-lamp.green")).to_have_count(6)

    at(page, "speed").click()
    page.get_by_role("option", name="max").click()
    at(page, "lesson-run").click()
    expect(at(page, "lesson-says")).to_contain_text("no collisions, no near misses, no lost parts")

    at(page, "lesson-verify").click()
    expect(at(page, "lesson-says")).to_contain_text("nothing found, all orders seen")

    # The saved cell contains the program: run outside the studio, it puts the block on the stand.
    assert "# to be moved" in (folder / "cell.yaml").read_text(encoding="utf-8")
    cell = CellSource.find(folder).build()
    assert list(cell.programs) == ["pick_and_place"]
    assert list(cell.world.workpoints) == ["block_p1", "stand_p1"]
    assert cell.run().clean
    x, y, z = cell.body("block").pose.position
    assert z == pytest.approx(55 * mm, abs=1e-6)
    assert (x, y) == pytest.approx((260 * mm, 150 * mm), abs=3 * mm)  # a pixel of the picture
    assert (x * 1e4, y * 1e4) == pytest.approx((round(x * 1e4), round(y * 1e4)), abs=1e-4)  # to a tenth of a mm
