"""EMULA's console in a real browser: a file is run, its question answered, and its drawing shown."""

from playwright.sync_api import Page, expect


def test_a_file_asks_a_question_and_its_drawing_appears(page: Page) -> None:
    page.get_by_test_id("example-emula").click()
    log, line = page.get_by_test_id("emula-log"), page.get_by_test_id("emula-line")
    expect(log).to_contain_text("lists the commands")  # the session is open
    page.get_by_test_id("emula-file").click()
    page.get_by_test_id("emula-file-query").click()
    expect(page.get_by_text("value, limit, or no change?")).to_be_visible()
    line.fill("12")  # the question leaves room for it
    line.press("Enter")
    expect(log).to_contain_text("sensor 1 exceeded 10 after 1 cycle")
    line.fill("draw")
    line.press("Enter")
    expect(page.get_by_test_id("emula-drawing")).to_be_visible()
