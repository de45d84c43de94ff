"""A counter-example in a real browser: its story with the lines of its programs, and the same run again."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from drycell.cell import Source
from drycell.verify import verify

from .conftest import ROOT, Server, Starter


@pytest.fixture(scope="module")
def server(start: Starter, tmp_path_factory: pytest.TempPathFactory) -> Server:
    verdict = verify(Source.find(ROOT / "examples" / "31_verify" / "exact_tie"), out=tmp_path_factory.mktemp("found"))
    assert verdict.finding is not None
    assert isinstance(verdict.finding.recording, Path)
    return start(str(verdict.finding.recording))


def test_a_story_is_stepped_through_and_its_run_made_again(page: Page) -> None:
    expect(page.get_by_test_id("state")).to_have_text("recording: deadlock")
    expect(page.get_by_test_id("not-recorded").first).to_have_text(
        "Sensors and programs are not in a recording; run again has them"
    )
    # Each step shows the line that it is about, in the file that the recording was made from.
    expect(page.get_by_test_id("file-left.py")).to_be_visible()
    page.get_by_test_id("story-3").click()
    expect(page.locator(".dc-pointed")).to_contain_text("wait(~left_wants_nest)")
    page.get_by_test_id("story-next").click()
    expect(page.locator(".dc-pointed")).to_contain_text("wait(~right_wants_tool)")
    # Lines are not in a recording, but in the same run: it is on the bench, and ends as it did.
    page.get_by_test_id("rerun").click()
    expect(page.get_by_test_id("rerun")).to_be_hidden()
    page.get_by_test_id("speed").click()
    page.get_by_role("option").last.click()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("state")).to_have_text("deadlock")
    page.get_by_test_id("restart").click()  # the recording again
    expect(page.get_by_test_id("state")).to_have_text("recording: deadlock")
