"""The run is saved from the page in every form, and an error is shown at the field."""

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from drycell.recording import Recording

from .conftest import Opener

CELL = "00_first_cell"
LONG = 300_000  # ms: a film takes time


def save(page: Page, path: Path, kind: str = "") -> None:
    """Saves the run to a path; with ``kind``, chooses that in the list first."""
    page.get_by_test_id("save-run").click()
    expect(page.get_by_test_id("save-path")).to_have_value(re.compile(r"^out/"))  # the page's own path has arrived
    if kind:
        page.get_by_test_id("save-kind").click()
        page.get_by_role("option", name=kind).click()
        expect(page.get_by_test_id("save-path")).to_have_value(re.compile(rf"\{path.suffix}$"))
    page.get_by_test_id("save-path").fill(str(path))
    page.get_by_test_id("save-run-go").click()


def run_to_the_end(page: Page) -> None:
    page.wait_for_function("() => window.__drycell?.view?.framed")
    if "finished" in page.get_by_test_id("state").inner_text():  # by the test before
        return
    page.get_by_test_id("speed").click()
    page.locator(".q-menu").get_by_text("max", exact=True).click()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("state")).to_contain_text("finished")


def saved(page: Page, path: Path) -> bytes:
    expect(page.get_by_test_id("save-run-dialog")).to_be_hidden(timeout=LONG)
    return path.read_bytes()


def test_the_run_is_saved_as_recording_report_tables_and_picture(open_page: Opener, tmp_path: Path) -> None:
    page = open_page(width=1024, height=700)
    page.wait_for_function("() => window.__drycell?.view?.framed")
    save(page, tmp_path / "run.html")
    expect(page.get_by_text("the run has not ended")).to_be_visible()
    assert not (tmp_path / "run.html").exists()
    page.keyboard.press("Escape")
    run_to_the_end(page)
    for name, kind, begins in (
        ("run.dry", "recording", b""), ("run.html", "report", b"<!doctype html"), ("run.zip", "tables", b"PK"),
        ("run.svg", "line drawing", b"<svg"),
    ):  # fmt: skip
        save(page, tmp_path / name, kind)
        assert saved(page, tmp_path / name).lower().startswith(begins.lower()) or not begins, name
    with Recording.open(tmp_path / "run.dry") as recording:
        assert recording.result.near_misses
    with zipfile.ZipFile(tmp_path / "run.zip") as tables:
        assert b"post" in tables.read("collisions.csv")
    assert "Run report" in (tmp_path / "run.html").read_text()


@pytest.mark.soak
def test_the_run_is_saved_as_shaded_picture_and_film(open_page: Opener, tmp_path: Path) -> None:
    page = open_page(width=1024, height=700)
    run_to_the_end(page)
    for name, begins in (("run.png", b"\x89PNG"), ("run.gif", b"GIF8"), ("run.mp4", b"\0\0\0")):
        save(page, tmp_path / name)
        assert saved(page, tmp_path / name).startswith(begins), name
