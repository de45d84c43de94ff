"""A student opens an example and runs it: pause, step, and replay from the beginning."""

import re

from playwright.sync_api import Locator, Page, expect

STANDS = "() => window.__drycell?.view?.framed"
SHOWN = "() => window.__drycell.view.t"


def named(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def shown(page: Page) -> float:
    return float(page.evaluate(SHOWN))


def wait_past(page: Page, seconds: float) -> None:
    page.wait_for_function("(limit) => window.__drycell.view.t > limit", arg=seconds)


def drag_scrubber(page: Page, share: float) -> None:
    """Drags the handle to a fraction of the track, in small steps."""
    track = named(page, "scrubber").locator(".q-slider__track-container").bounding_box()
    handle = named(page, "scrubber").locator(".q-slider__thumb").bounding_box()
    assert track is not None
    assert handle is not None
    page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    page.mouse.down()
    page.mouse.move(track["x"] + share * track["width"], track["y"] + track["height"] / 2, steps=12)
    page.mouse.up()


def test_an_example_is_opened_run_paused_stepped_and_scrubbed(page: Page) -> None:
    named(page, "example-00_first_cell").click()
    page.wait_for_function(STANDS)
    expect(named(page, "cell-name")).to_have_text(re.compile("pick|first|touch", re.IGNORECASE))

    page.keyboard.press("Space")
    wait_past(page, 3.0)  # past the start of the second move, so that there is an instant to go on to
    page.keyboard.press("Space")
    expect(named(page, "run")).to_contain_text("play_arrow")
    paused = shown(page)

    named(page, "step").click()
    wait_past(page, paused)
    end = shown(page)

    drag_scrubber(page, 0.25)
    page.wait_for_function("(end) => Math.abs(window.__drycell.view.t - 0.25 * end) < 0.05 * end", arg=end)
    expect(named(page, "live")).to_be_enabled()
    looked = shown(page)
    page.keyboard.press(",")
    page.wait_for_function("(t) => window.__drycell.view.t < t", arg=looked)
    before = shown(page)
    page.keyboard.press(".")
    wait_past(page, before)

    drag_scrubber(page, 0.0)
    page.wait_for_function("() => window.__drycell.view.t < 1e-6")
    named(page, "live").click()
    page.wait_for_function("(end) => Math.abs(window.__drycell.view.t - end) < 1e-6", arg=end)
