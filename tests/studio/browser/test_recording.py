"""A counter-example in a real browser: its trace with program lines, and the repeated run."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from drycell.cell import CellSource
from drycell.recording import Recording
from drycell.verify import verify

from .conftest import ROOT, Opener, Server, Starter


@pytest.fixture(scope="module")
def server(start: Starter, tmp_path_factory: pytest.TempPathFactory) -> Server:
    verdict = verify(
        CellSource.find(ROOT / "examples" / "31_verify" / "exact_tie"), out=tmp_path_factory.mktemp("found")
    )
    assert verdict.finding is not None
    assert isinstance(verdict.finding.recording, Path)
    return start(str(verdict.finding.recording))


def test_a_trace_is_stepped_through_and_its_run_repeated(page: Page) -> None:
    expect(page.get_by_test_id("state")).to_have_text("recording: deadlock")
    expect(page.get_by_test_id("not-recorded").first).to_have_text(
        "Programs are not part of a recording. Click “run again” to see them."
    )
    # Each step shows the line that it is about, in the file that the recording was made from.
    expect(page.get_by_test_id("file-left.py")).to_be_visible()
    page.get_by_test_id("story-3").click()
    expect(page.locator(".dc-pointed")).to_contain_text("wait(~left_wants_nest)")
    page.get_by_test_id("story-next").click()
    expect(page.locator(".dc-pointed")).to_contain_text("wait(~right_wants_tool)")
    # A recording has no program lines, but the repeated run has: it ends as it did before.
    page.get_by_test_id("rerun").click()
    expect(page.get_by_test_id("rerun")).to_be_hidden()
    page.get_by_test_id("speed").click()
    page.get_by_role("option").last.click()
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("state")).to_have_text("deadlock")
    page.get_by_test_id("restart").click()  # the recording again
    expect(page.get_by_test_id("state")).to_have_text("recording: deadlock")


def test_sensors_light_up_when_they_were_on_and_the_files_it_was_made_from_are_open(
    start: Starter, open_page: Opener, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source, seconds = CellSource.find(ROOT / "examples" / "30_event_cell"), 60.0
    recording = tmp_path_factory.mktemp("elsewhere") / "run.dry"
    source.build().run(seconds, record=recording, source=source)
    with Recording.open(recording) as kept:
        (_, first, _), (comes, here, _), (goes, gone, _) = kept.signal("sensor1")[:3]
    assert (first, here, gone) == (False, True, False)

    page = open_page(start(str(recording)).url)
    expect(page.get_by_test_id("file-robot.pas")).to_be_visible()
    page.wait_for_function("() => window.__drycell.view?.overlays.sensors.length === 2")
    for instant, on in ((comes + goes) / 2, True), (comes / 2, False):
        track = page.get_by_test_id("scrubber").locator(".q-slider__track-container").bounding_box()
        assert track is not None
        page.mouse.click(track["x"] + track["width"] * instant * 1e-6 / seconds, track["y"] + track["height"] / 2)
        page.wait_for_function("(on) => window.__drycell.view.overlays.detections.get('sensor1')?.on === on", arg=on)
