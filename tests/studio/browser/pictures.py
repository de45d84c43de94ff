"""Takes the studio's picture, page by page, light and dark, 1280 and 1920 wide: ``pictures.py FOLDER [PAGE …]``.

For looking at, and for the documentation: ``.venv/bin/python tests/studio/browser/pictures.py out/pictures``.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from conftest import ROOT, Server, launched

STANDS = "() => window.__drycell?.view?.framed"
SIZES = ((1280, 800), (1920, 1080))
PAGES = {
    "start": (None, []),
    "program": ("30_event_cell", ["tab-program", "tab-signals"]),
    "journal": ("30_event_cell", ["tab-program", "tab-journal"]),
    "tables": ("30_event_cell", ["tab-program", "tab-tables"]),
    "teach": ("00_first_cell", ["tab-teach"]),
    "build": ("30_event_cell", ["tab-build"]),
    "emula": ("emula", ["tab-emula"]),
    "story": ("31_verify/exact_tie", ["tab-program"]),
}


def prepare(page: Page, cell: str | None, clicks: list[str]) -> None:
    """Prepares a page for its picture."""
    if cell is None:
        page.get_by_test_id("start").wait_for()
        return
    if cell == "emula" and page.get_by_test_id("example-emula").is_visible():
        page.get_by_test_id("example-emula").click()
    page.wait_for_selector("[data-testid=run]")
    for name in clicks:
        page.get_by_test_id(name).click()
    if cell == "emula":
        page.wait_for_function(STANDS)
        for line in ("move (-2,10,8)", "movedown (2)", "draw"):
            page.get_by_test_id("emula-line").fill(line)
            page.keyboard.press("Enter")
            page.wait_for_timeout(1500)
    elif "verify" not in cell:
        page.wait_for_function(STANDS)
        if "tab-teach" in clicks:  # on the bench
            page.get_by_test_id("joint-0-value").wait_for()
        elif page.evaluate("() => window.__drycell.view.t") == 0:
            page.keyboard.press("Space")
            page.wait_for_function("() => window.__drycell.view.t > 14", timeout=60_000)
            page.keyboard.press("Space")
    page.wait_for_timeout(800)


def opened(cell: str | None, folder: Path) -> list[str]:
    """The arguments of the command for a page."""
    if cell is None or cell == "emula":
        return []
    example = ROOT / "examples" / cell
    if "verify" not in cell:
        return [str(example)]
    command = [sys.executable, "-m", "drycell.cli.main", "verify", str(example), "--out", str(folder)]
    subprocess.run(command, capture_output=True, check=False)
    return [str(next(folder.glob("*.dry")))]


def main(target: Path, wanted: list[str]) -> None:
    """Takes the pictures."""
    target.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_CONFIG_HOME"] = scratch  # where trust in the examples is kept: not among the user's
        browser = launched(playwright)
        for name in wanted or PAGES:
            cell, clicks = PAGES[name]
            folder = Path(scratch) / name
            folder.mkdir()
            server = Server("--port", "0", "--trust", *opened(cell, folder), state=folder)
            for width, height in SIZES:
                for dark in (False, True):
                    context = browser.new_context(
                        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
                    )
                    context.add_cookies([{"name": "drycell-browser", "value": "0" * 32, "url": server.url}])
                    context.set_default_timeout(60_000)
                    page = context.new_page()
                    page.goto(server.url)
                    prepare(page, cell, clicks)
                    page.screenshot(path=target / f"{name}-{width}-{'dark' if dark else 'light'}.png")
                    context.close()
            server.end()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
