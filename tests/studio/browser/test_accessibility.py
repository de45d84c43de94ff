"""Screen readers, keyboards and small screens: axe-core finds no violation, and everything can be reached."""

import re
from collections.abc import Iterator

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from .conftest import Opener, Starter

CELL = "30_event_cell"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
RIGHT = ("tab-program", "tab-teach", "tab-build", "tab-emula")
BOTTOM = ("tab-signals", "tab-journal", "tab-tables")
BELOW = ("tab-problems", "tab-variables", "tab-output")
DIALOGS = {
    "open": "open-dialog",
    "save-run": "save-run-dialog",
    "verify": "verify-dialog",
    "help": "keyboard-help",
}
STILL = """() => document.getAnimations().every((each) => each.playState !== "running"
    || each.effect.getTiming().iterations === Infinity)"""
# What can be clicked, typed into or moved, and cannot be brought to a place where a click meets it.
UNREACHABLE = """() => {
    const wanted = "button, input, [role=tab], [role=slider], [role=checkbox], a[href], select", found = [];
    const front = document.querySelector("[role=dialog]") ?? document;
    for (const each of front.querySelectorAll(wanted)) {
        const whole = each.closest(".q-field, .q-checkbox, .q-slider, label") ?? each;
        if (!whole.getClientRects().length || !whole.checkVisibility({ visibilityProperty: true })) continue;
        whole.scrollIntoView({ block: "nearest", inline: "nearest" });
        const { left, top, right, bottom } = whole.getBoundingClientRect();
        if (right - left < 2 || bottom - top < 2) continue;
        const met = document.elementFromPoint((left + right) / 2, (top + bottom) / 2), inside = left >= -1 && top >= -1
            && right <= innerWidth + 1 && bottom <= innerHeight + 1;
        if (!inside || !met || !(whole.contains(met) || met.contains(whole)))
            found.push(`${each.dataset.testid ?? each.ariaLabel ?? each.innerText} at ${left}, ${top}`);
    }
    return found; }"""


def states(page: Page) -> Iterator[str]:
    """Shows every tab and every dialog, one after another."""
    expect(page.get_by_test_id("files").locator(".drycell-file").first).to_be_visible()
    page.wait_for_function("() => window.__drycell?.view?.framed")
    for tab in (*RIGHT[1:], RIGHT[0], *BELOW, *BOTTOM):
        page.get_by_test_id(tab).click()
        expect(page.get_by_test_id(tab)).to_have_attribute("aria-selected", "true")
        page.mouse.move(page.viewport_size["width"] / 2, 20)  # type: ignore[index]  # no tooltip
        expect(page.locator(".q-tooltip")).to_have_count(0)
        yield tab
    for button, dialog in DIALOGS.items():
        page.get_by_test_id(button).click()
        shown = page.get_by_test_id(dialog)
        expect(shown).to_be_visible()
        page.wait_for_function(STILL)  # faded in: contrasts are those of the dialog
        yield dialog
        page.keyboard.press("Escape")
        expect(shown).to_be_hidden()


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds, of some rules or of all."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {"runOnly": list(rules) or RULES, "resultTypes": ["violations"]}
    found = page.evaluate("async (options) => (await axe.run(document, options)).violations", options)
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]


def test_axe_finds_no_violation_in_any_tab_or_dialog(open_page: Opener) -> None:
    page = open_page(width=1440, height=900)
    found: dict[str, list[str]] = {}
    for state in states(page):
        found[state] = violations(page)
        page.emulate_media(color_scheme="dark")
        expect(page.locator("body")).to_have_class(re.compile("body--dark"))
        page.wait_for_function(STILL)
        found[f"{state}, dark"] = violations(page, "color-contrast")  # nothing else is a matter of colours
        page.emulate_media(color_scheme="light")
        expect(page.locator("body")).to_have_class(re.compile("body--light"))
        page.wait_for_function(STILL)
    assert len(found) == 2 * len((*RIGHT, *BELOW, *BOTTOM, *DIALOGS))
    assert {state: wrong for state, wrong in found.items() if wrong} == {}


def test_axe_finds_no_violation_on_the_start_page(open_page: Opener, start: Starter) -> None:
    page = open_page(start().url)
    expect(page.get_by_test_id("start")).to_be_visible()
    assert violations(page) == []


def test_everything_can_be_reached_on_a_small_screen(open_page: Opener) -> None:
    page = open_page(width=1024, height=700)
    found = {state: wrong for state in states(page) if (wrong := page.evaluate(UNREACHABLE))}
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
