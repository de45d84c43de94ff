"""Verify is a main button of any cell: the verdict of the command line, and a fault as a trace to step through."""

from playwright.sync_api import expect

from .conftest import ROOT, Opener, Starter

LONG = 300_000  # ms: the machine may be busy with other tests


def test_a_fault_is_found_and_stepped_through(open_page: Opener, start: Starter) -> None:
    page = open_page(start(str(ROOT / "examples" / "31_verify" / "exact_tie")).url, width=1024, height=700)
    page.get_by_test_id("verify").click()
    page.get_by_test_id("verify-start").click()
    expect(page.get_by_test_id("verify-verdict")).to_have_text("exact tie: a fault was found", timeout=LONG)
    report = page.get_by_test_id("verify-report")
    expect(report).to_contain_text("Searching event orders: ")  # what drycell verify prints
    expect(report).to_contain_text("replay: drycell replay out/exact_tie-1.dry")
    page.get_by_test_id("verify-trace").click()
    expect(page.get_by_test_id("tab-story")).to_be_visible()
    page.get_by_test_id("story-next").click()
    expect(page.get_by_test_id("story-1")).to_have_class("drycell-row drycell-chosen")


def test_gaps_in_coverage_are_reported_and_a_search_can_be_cancelled(open_page: Opener, start: Starter) -> None:
    page = open_page(start(str(ROOT / "examples" / "30_event_cell")).url, width=1024, height=700)
    page.get_by_test_id("verify").click()
    page.get_by_test_id("verify-start").click()
    expect(page.get_by_test_id("verify-bar")).to_be_visible()
    expect(page.get_by_test_id("verify-start")).to_be_disabled()
    page.get_by_test_id("verify-cancel").click()
    expect(page.get_by_test_id("verify-verdict")).to_contain_text("cancelled", timeout=LONG)
    expect(page.get_by_test_id("verify-bar")).to_be_hidden()
    page.get_by_test_id("verify-seconds").fill("1")
    page.get_by_test_id("verify-start").click()
    expect(page.get_by_test_id("verify-report")).to_contain_text("search incomplete", timeout=LONG)
    expect(page.get_by_test_id("verify-report")).to_contain_text("NOT covered: ")
    expect(page.get_by_test_id("verify-trace")).to_be_hidden()
