"""Several browsers show one run; one has control, and keeps it over a reload."""

import re

from playwright.sync_api import Page, expect

from .conftest import Opener

CELL = "00_first_cell"
STANDS = "() => window.__drycell?.view?.framed"


def test_a_second_browser_watches_until_it_is_given_control(open_page: Opener) -> None:
    first, second = open_page(), open_page(dark=True)
    for page in (first, second):
        page.wait_for_function(STANDS)
    expect(second.get_by_test_id("watching")).to_be_visible()
    expect(first.get_by_test_id("watching")).to_be_hidden()

    second.get_by_test_id("run").click()
    expect(second.get_by_text("Another browser has control")).to_be_visible()
    second.get_by_test_id("speed").click()
    second.get_by_role("option", name="10 ×").click()
    expect(second.get_by_test_id("speed")).to_contain_text("1 ×")  # it shows the speed of the run

    first.get_by_test_id("run").click()
    for page in (first, second):  # both see the same run
        page.wait_for_function("() => window.__drycell.view.t > 0.5")
    first.get_by_test_id("run").click()

    first.reload()
    first.wait_for_function(STANDS)
    expect(first.get_by_test_id("watching")).to_be_hidden()

    second.get_by_test_id("take-control").click()
    first.get_by_test_id("keep").click()
    expect(second.get_by_test_id("take-control")).to_be_enabled()
    second.get_by_test_id("take-control").click()
    first.get_by_test_id("hand-over").click()
    expect(second.get_by_test_id("watching")).to_be_hidden()
    expect(first.get_by_test_id("watching")).to_be_visible()
    second.get_by_test_id("restart").click()
    first.wait_for_function("() => window.__drycell.view.t === 0")

    first.get_by_test_id("take-control").click()
    second.get_by_test_id("hand-over").click()
    expect(first.get_by_test_id("watching")).to_be_hidden()


def test_theme_tabs_and_splitters_are_remembered(page: Page) -> None:
    page.wait_for_function(STANDS)
    page.get_by_test_id("theme").click()  # as the system → light
    page.get_by_test_id("theme").click()  # → dark
    page.wait_for_function("() => document.body.classList.contains('body--dark')")
    page.get_by_test_id("tab-journal").click()
    edge = page.locator("[data-testid=split-left] > .q-splitter__separator").bounding_box()
    assert edge is not None
    page.mouse.move(edge["x"], 300)
    page.mouse.down()
    page.mouse.move(edge["x"] + 60, 300, steps=5)
    page.mouse.up()
    for _ in range(20):  # where the edge is may still be on its way to the server
        page.reload()
        page.wait_for_function(STANDS)
        again = page.locator("[data-testid=split-left] > .q-splitter__separator").bounding_box()
        assert again is not None
        if abs(again["x"] - edge["x"] - 60) < 8:
            break
    assert abs(again["x"] - edge["x"] - 60) < 8
    page.wait_for_function("() => document.body.classList.contains('body--dark')")
    expect(page.get_by_test_id("tab-journal")).to_have_attribute("aria-selected", "true")


def test_a_restart_begins_anew_with_the_seed_of_the_field(page: Page) -> None:
    page.wait_for_function(STANDS)
    page.get_by_test_id("seed").fill("11")
    page.get_by_test_id("restart").click()
    page.wait_for_function("() => window.__drycell.view.t === 0")
    expect(page.get_by_test_id("clock")).to_have_text("0:00.000 / 0:00")
    page.reload()
    expect(page.get_by_test_id("seed")).to_have_value("11")


def test_the_page_asks_nobody_but_its_own_server(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.reload()
    page.wait_for_function(STANDS)
    page.keyboard.press("?")
    expect(page.get_by_text("run or pause")).to_be_visible()
    own = re.match(r"https?://([^/]+)/", page.url)
    assert own is not None
    assert [url for url in asked if not re.match(rf"(?:http|ws)://{re.escape(own[1])}/|data:|blob:", url)] == []
    assert len(asked) > 10
