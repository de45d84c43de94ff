"""The event cell in a real browser: the editor follows the run, and tables show the figures at the time shown."""

import csv
import re
from pathlib import Path

from playwright.sync_api import Page, expect

CELL = "30_event_cell"
LINE_IN_SIGHT = """() => {
  const line = document.querySelector(".cm-line.dc-at");
  if (!line) return false;
  const { top, bottom } = line.getBoundingClientRect();
  const box = document.querySelector(".cm-scroller").getBoundingClientRect();
  return top >= box.top && bottom <= box.bottom;
}"""


def _speed(page: Page, text: str) -> None:
    page.get_by_test_id("speed").click()
    page.get_by_role("option").get_by_text(text, exact=True).click()


def test_the_running_line_stays_in_sight_until_one_looks_elsewhere(page: Page) -> None:
    page.wait_for_function("() => window.__drycell?.view?.framed && window.__drycell.editor?.shown === 'robot.pas'")
    assert page.evaluate("() => window.__drycell.editor.view.scrollDOM.scrollTop") == 0
    _speed(page, "10 ×")
    page.get_by_test_id("run").click()
    page.wait_for_function("() => window.__drycell.view.t > 5")
    page.wait_for_function(LINE_IN_SIGHT)
    assert page.evaluate("() => window.__drycell.editor.view.scrollDOM.scrollTop") > 0
    page.locator(".cm-scroller").hover()
    for _ in range(100):
        page.mouse.wheel(0, -9000)  # again if a scroll of the text's own was under way
        page.wait_for_timeout(100)
        if not page.evaluate("() => window.__drycell.editor.view.scrollDOM.scrollTop"):
            break
    before = page.evaluate("() => window.__drycell.view.t")
    page.wait_for_function("(t) => window.__drycell.view.t > t + 20", arg=before)
    assert page.evaluate("() => window.__drycell.editor.view.scrollDOM.scrollTop") == 0
    page.get_by_test_id("program-follow").click()
    page.wait_for_function(LINE_IN_SIGHT)


def test_tables_show_of_the_instant_shown(page: Page, tmp_path: Path) -> None:
    page.wait_for_function("() => window.__drycell?.view?.framed")
    _speed(page, "100 ×")
    if page.get_by_test_id("state").inner_text() != "running":  # it may still be running since the previous test
        page.get_by_test_id("run").click()
    page.wait_for_function("() => window.__drycell.view.t > 300")
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("state")).to_have_text("paused")
    page.get_by_test_id("tab-tables").click()
    page.get_by_test_id("table-parts").click()
    rows = page.locator(".drycell-sheet:visible tbody tr")
    expect(rows.filter(has=page.get_by_role("cell", name="part1", exact=True))).to_contain_text("sunk")
    summary = page.get_by_test_id("tables-summary")
    expect(summary).to_have_text(re.compile(rf"^at {page.evaluate('() => window.__drycell.view.t'):.1f} s"))
    parts = int(re.findall(r"(\d+) arrived", summary.inner_text())[0])
    with page.expect_download() as download:
        page.get_by_test_id("tables-save").click()
    download.value.save_as(tmp_path / "parts.csv")
    assert len(list(csv.DictReader((tmp_path / "parts.csv").read_text().splitlines()))) == parts
    page.get_by_test_id("table-machines").click()
    expect(rows.filter(has_text=re.compile(r"machine1.*\d %"))).to_be_visible()
    page.get_by_test_id("table-cycle-times").click()
    expect(page.locator(".drycell-chart canvas:visible, .drycell-chart svg:visible").first).to_be_visible()
    # In the past there were fewer.
    page.get_by_test_id("table-parts").click()
    page.get_by_test_id("scrubber").locator(".q-slider__track-container").click(position={"x": 10, "y": 5})
    expect(summary).not_to_contain_text(f"{parts} arrived")
