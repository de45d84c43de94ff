"""Takes the pictures of the studio that README and tutorial show: ``tutorial_pictures.py [FOLDER]``.

They are made as the tutorial describes, and must be inspected before they are committed.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from conftest import ROOT, Server, launched

STANDS = "() => window.__drycell?.view?.framed"
COLOURS = 256  # in a third of the bytes. Without k-means, small things such as a wooden block come out red
AFTER = "t => window.__drycell.view.t > t"


def run_until(page: Page, t: float) -> None:
    """Runs to a time and pauses."""
    page.keyboard.press("Space")
    page.wait_for_function(AFTER, arg=t, timeout=60_000)
    page.keyboard.press("Space")


def first_cell(page: Page) -> None:
    """The arm moving the block."""
    run_until(page, 2.9)


def near_miss(page: Page) -> None:
    """The near miss, selected in the journal."""
    page.get_by_test_id("tab-journal").click()
    page.keyboard.press("Space")
    page.get_by_text("finished · 1 near miss").wait_for(timeout=60_000)
    page.get_by_text("near miss 1", exact=True).click()
    page.wait_for_timeout(1500)
    page.locator(".drycell-journal .row").first.click()
    page.wait_for_function("() => Math.abs(window.__drycell.view.t - 3.735) < 0.01", timeout=20_000)
    page.get_by_text("program lines and variables are being computed").wait_for(state="hidden")


def breakpoint_(page: Page) -> None:
    """Stopped at line 26."""
    page.locator(".cm-lineNumbers .cm-gutterElement", has_text="26").first.wait_for()
    page.get_by_test_id("tab-journal").click()
    page.get_by_text("Variables", exact=True).click()
    line = page.locator(".cm-line").nth(25)
    line.click()
    page.keyboard.press("F9")
    page.get_by_test_id("run").click()
    page.wait_for_function(AFTER, arg=2.0, timeout=60_000)


def event_cell(page: Page) -> None:
    """A part on its way to a machine."""
    run_until(page, 26.0)


PICTURES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "first-cell": ("00_first_cell", first_cell),
    "near-miss": ("00_first_cell", near_miss),
    "breakpoint": ("00_first_cell", breakpoint_),
    "event-cell": ("30_event_cell", event_cell),
}


def main(target: Path) -> None:
    """Takes them all."""
    target.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_CONFIG_HOME"] = scratch  # where trust in the examples is kept: not among the user's
        browser = launched(playwright)
        for name, (cell, act) in PICTURES.items():
            folder = Path(scratch) / name
            folder.mkdir()
            server = Server("--port", "0", "--trust", str(ROOT / "examples" / cell), state=folder)
            page = browser.new_page(viewport={"width": 1440, "height": 860}, color_scheme="light")
            page.goto(server.url)
            page.wait_for_function(STANDS)
            act(page)
            page.mouse.move(720, 10)  # no tooltip
            page.wait_for_timeout(2000)
            picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
            picture = picture.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
            picture.save(target / f"{name}.png", optimize=True)
            page.close()
            server.end()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images" / "studio")
