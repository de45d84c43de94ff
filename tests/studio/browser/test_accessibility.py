"""Screen readers, keyboards and small screens: axe-core finds no violation, and nothing is cut off."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .conftest import Opener

CELL = "30_event_cell"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_violation_in_the_main_states_of_the_page(open_page: Opener, dark: bool) -> None:
    page = open_page(width=1440, height=900, dark=dark)
    expect(page.get_by_test_id("files").locator(".drycell-file").first).to_be_visible()
    found: dict[str, list[str]] = {}
    for tab in ("tab-signals", "tab-journal", "tab-tables"):
        page.get_by_test_id(tab).click()
        page.mouse.move(700, 300)  # no tooltip
        expect(page.locator(".q-tooltip")).to_have_count(0)
        for each in Axe().run(page, options={"runOnly": RULES}).response["violations"]:
            found.setdefault(each["id"], []).extend(f"{tab}: {node['html'][:160]}" for node in each["nodes"])
    assert found == {}


def test_nothing_of_the_transport_bar_is_cut_off_on_a_small_screen(open_page: Opener) -> None:
    page = open_page(width=1024, height=700)
    bar = page.locator(".drycell-transport").bounding_box()
    assert bar is not None
    for name in ("run", "seed", "speed", "scrubber", "live", "clock"):
        box = page.get_by_test_id(name).bounding_box()
        if box is None:
            assert name == "live", name  # shown during a run
            continue
        assert box["x"] >= bar["x"], name
        assert box["x"] + box["width"] <= bar["x"] + bar["width"] + 1, name
