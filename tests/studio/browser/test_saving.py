"""The run is saved from the page, and an error is shown at the field."""

import re
from pathlib import Path

from playwright.sync_api import expect

from .conftest import Opener, keep_notes

CELL = "00_first_cell"


def test_the_run_is_saved_as_a_report(open_page: Opener, tmp_path: Path) -> None:
    page = open_page(width=1024, height=700)
    page.wait_for_function("() => window.__drycell?.view?.framed")
    page.get_by_test_id("save-run").click()
    page.get_by_test_id("save-path").fill(str(tmp_path / "run.html"))
    page.get_by_test_id("save-run-go").click()
    expect(page.get_by_text("the run has not ended")).to_be_visible()
    assert not (tmp_path / "run.html").exists()
    page.keyboard.press("Escape")
    page.get_by_test_id("speed").click()
    page.locator(".q-menu").get_by_text("max", exact=True).click()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("state")).to_contain_text("finished")
    page.get_by_test_id("save-run").click()
    expect(page.get_by_test_id("save-path")).to_have_value(re.compile(r"^out/"))  # the page's own path has arrived
    page.get_by_test_id("save-path").fill(str(tmp_path / "run.html"))
    keep_notes(page)
    page.get_by_test_id("save-run-go").click()
    page.wait_for_function("() => window.__notes.some((note) => note.includes('Saved run.html'))")
    assert "Run report" in (tmp_path / "run.html").read_text()
