"""A cell whose texts contain markup, properties and scripts: the page shows them as they are, and none runs.

The name of the cell, a unit, the value of a signal and a program can be any text. Names of things cannot.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from drycell.base import DrycellError
from drycell.cell import CellSource

from .conftest import Server, Starter

SCRIPT = "window.hostile=1"
MARKUP = f"<img src=x onerror={SCRIPT}><script>{SCRIPT}</script>"
PROPERTY = f'x" onclick="{SCRIPT}" :onVnodeMounted="() => {{{SCRIPT}}}" y="'
QUOTES = f"'+({SCRIPT})+'`${{{SCRIPT}}}`\"+({SCRIPT})+\""
TABS = ("tab-program", "tab-signals", "tab-journal", "tab-tables", "tab-teach", "tab-build")


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


CELL = f"""\
name: {quoted(MARKUP)}
bodies:
  table: {{shape: {{box: [900 mm, 600 mm, 20 mm]}}, material: aluminium, at: [0, 0, -10 mm]}}
sensors:
  eye:
    model: hc-sr04
    on: table
    at: [0, 0, 200 mm]
    output: {{kind: real, from: [60 mm, 800 mm], to: [10, 0], default: 0, unit: {quoted(PROPERTY)}}}
signals:
  markup: {quoted(MARKUP)}
  property: {quoted(PROPERTY)}
  quotes: {quoted(QUOTES)}
programs:
  tend: {{file: tend.py}}
"""
PROGRAM = f"# {MARKUP}\n# {PROPERTY}\n# {QUOTES}\nfrom drycell import delay\n\n\ndef tend():\n    delay(1)\n"


@pytest.fixture(scope="module")
def server(start: Starter, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder: Path = tmp_path_factory.mktemp("hostile")
    (folder / "cell.yaml").write_text(CELL)
    (folder / "tend.py").write_text(PROGRAM)
    return start(str(folder))


def test_no_text_of_a_cell_runs_as_a_script(page: Page) -> None:
    page.wait_for_function("() => window.__drycell?.view?.framed")
    expect(page.get_by_test_id("cell-name")).to_have_text(MARKUP)
    page.get_by_test_id("run").click()
    page.wait_for_function("() => window.__drycell.view.t > 0.2")
    for tab in TABS:
        page.get_by_test_id(tab).click()
        expect(page.get_by_test_id(tab)).to_have_attribute("aria-selected", "true")
        assert page.locator("img[src=x]").count() == 0
    for node in page.locator("[data-node]").all():
        if node.is_visible():
            node.click()  # its properties are shown, with the unit
    assert page.locator("[onclick], [onerror]").count() == 0
    assert page.evaluate("() => window.hostile") is None


@pytest.mark.parametrize("section", ["bodies", "signals", "sensors", "workpoints", "programs"])
def test_names_of_things_cannot_contain_markup(tmp_path: Path, section: str) -> None:
    (tmp_path / "cell.yaml").write_text(f"name: small\n{section}:\n  {quoted(MARKUP)}: {{}}\n")
    with pytest.raises(DrycellError, match="not a valid name"):
        CellSource.find(tmp_path).build()
