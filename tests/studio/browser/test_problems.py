"""Faults are where one looks: listed with their instants, marked on scrubber and time axis, counted in the header."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import CELL_FILE, PROGRAM

from .conftest import Opener, Server, Starter

DEADLOCK = """\
from drycell import delay, wait


def build(cell):
    nest, tool = cell.signal("nest", False), cell.signal("tool", False)

    @cell.program
    def left():
        delay(1)
        wait(nest)
        tool.set(True)

    @cell.program
    def right():
        delay(2)
        wait(tool)
        nest.set(True)
"""


@pytest.fixture(scope="module")
def bumping(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cell in which the block in the gripper hits the post."""
    folder = tmp_path_factory.mktemp("bumping")
    (folder / "cell.yaml").write_text(CELL_FILE.replace("at: [-2 mm, 0]", "at: [-30 mm, 0]"))
    (folder / "place.py").write_text(PROGRAM)
    return folder


@pytest.fixture(scope="module")
def server(start: Starter, bumping: Path) -> Server:
    return start(str(bumping))


def _run_to_the_end(page: Page) -> None:
    expect(page.get_by_test_id("files").locator(".drycell-file").first).to_be_visible()
    if page.get_by_test_id("speed").inner_text().split()[0] != "max":
        page.get_by_test_id("speed").click()
        page.locator(".q-menu").get_by_text("max", exact=True).click()
    page.get_by_test_id("run").click()


def test_a_collision_is_listed_marked_and_counted_in_the_header(open_page: Opener) -> None:
    page = open_page(width=1440, height=900)
    _run_to_the_end(page)
    chip = page.get_by_test_id("state")
    expect(chip).to_contain_text("collision")
    page.get_by_test_id("tab-build").click()
    chip.click()  # the problems are shown now
    rows = page.get_by_test_id("run-problem")
    expect(rows.first).to_be_visible()
    expect(page.get_by_test_id("tab-problems")).to_contain_text("Problems (")
    collision = rows.filter(has_text="collision: ").first
    expect(collision).to_contain_text("– post")
    marks = page.locator("[data-testid=scrubber-marks] i.error")
    expect(marks.first).to_be_attached()
    page.wait_for_function("() => window.__drycell.timing.problems.some((mark) => mark.severity === 'error')")
    t = page.evaluate("() => window.__drycell.timing.problems.find((mark) => mark.severity === 'error').t")
    # The mark is over the place of the scrubber that shows the collision.
    scrubber, mark = page.get_by_test_id("scrubber").bounding_box(), marks.first.bounding_box()
    end = page.evaluate("() => window.__drycell.timing.state.now")
    assert scrubber is not None
    assert mark is not None
    assert abs(mark["x"] + mark["width"] / 2 - scrubber["x"] - scrubber["width"] * t / end) < 3
    collision.click()
    page.wait_for_function("t => Math.abs(window.__drycell.view.t * 1e6 - t) < 1", arg=t)
    page.wait_for_function("() => window.__drycell.view.bodies.marked?.size > 0")


def test_a_run_stops_where_the_next_collision_begins(open_page: Opener) -> None:
    page = open_page(width=1440, height=900)
    page.wait_for_function("() => window.__drycell?.view?.framed")
    page.get_by_test_id("restart").click()
    expect(page.get_by_test_id("state")).to_be_hidden()
    page.get_by_test_id("step-menu").click()
    page.get_by_test_id("stop-at-collision").click()
    page.keyboard.press("Escape")
    _run_to_the_end(page)
    expect(page.get_by_test_id("state")).to_contain_text("paused")
    row = page.get_by_test_id("run-problem").filter(has_text="collision: ").first
    expect(row).to_contain_text("– post")
    page.wait_for_function("() => window.__drycell.view.bodies.marked?.size > 0")
    stopped = page.evaluate("() => window.__drycell.view.t")
    page.get_by_test_id("step-menu").click()
    page.get_by_test_id("stop-at-collision").click()  # off
    page.keyboard.press("Escape")
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("state")).to_contain_text("finished")
    page.get_by_test_id("run-problem").filter(has_text="collision: ").first.click()
    page.wait_for_function("t => Math.abs(window.__drycell.view.t - t) < 1e-6", arg=stopped)


def test_a_deadlock_of_a_cell_without_bodies_shows_which_program_waits_for_which(
    open_page: Opener, start: Starter, tmp_path: Path
) -> None:
    (tmp_path / "cell.py").write_text(DEADLOCK)
    page = open_page(start(str(tmp_path)).url, width=1440, height=900)
    expect(page.get_by_test_id("wait-graph")).to_be_hidden()
    _run_to_the_end(page)
    graph = page.get_by_test_id("wait-graph")
    expect(graph).to_be_visible()
    for name in ("left", "right", "nest", "tool"):
        expect(graph.locator("text", has_text=name).first).to_be_visible()
    assert graph.locator("path.waits").count() == 3  # two, and the one of the legend
    rows = page.get_by_test_id("run-problem")
    page.get_by_test_id("state").click()
    expect(rows).to_have_count(2)
    page.get_by_test_id("before").click()  # before the deadlock, no program is stuck
    expect(graph).to_be_hidden()
    rows.first.click()
    expect(graph).to_be_visible()
    expect(page.get_by_test_id("file-cell.py")).to_have_class("drycell-file drycell-shown")
    graph.get_by_role("button").click()
    expect(graph).to_be_hidden()
