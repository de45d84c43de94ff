"""Keys act on the panel in front, wherever the caret is, and the list of shortcuts shows them by panel."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import Server, Starter

CELL_FILE = """\
name: keys
bodies:
  table: {shape: {box: [700 mm, 700 mm, 40 mm]}, at: [200 mm, 0 mm, -20 mm]}
  block: {shape: {box: [60 mm, 40 mm, 50 mm]}, on: table, at: [60 mm, -150 mm]}
robots:
  arm: {model: scorbot-er3, gripper: two-finger, on: table, at: [-200 mm, 0 mm]}
programs: {rest: {file: rest.py}}
"""
REST = "from drycell import delay\n\n\ndef rest():\n    delay(1)\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("keys")
    (made / "cell.yaml").write_text(CELL_FILE)
    (made / "rest.py").write_text(REST)
    return made


@pytest.fixture(scope="module")
def server(start: Starter, folder: Path) -> Server:
    return start(str(folder))


def test_ctrl_s_saves_the_file_wherever_the_caret_is(page: Page, folder: Path) -> None:
    page.get_by_test_id("file-rest.py").click()
    page.wait_for_function("() => window.__drycell.editor?.shown === 'rest.py' && !window.__drycell.editor.watching")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# more")
    expect(page.get_by_test_id("unsaved-rest.py")).to_be_visible()
    page.get_by_test_id("tree-filter").click()
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("unsaved-rest.py")).to_be_hidden()
    assert (folder / "rest.py").read_text() == REST + "# more"


def test_delete_undo_and_save_work_in_build(page: Page, folder: Path) -> None:
    page.get_by_test_id("tab-build").click()
    expect(page.get_by_test_id("add-table")).to_be_visible()
    page.get_by_test_id("tree").get_by_text("block", exact=True).click()
    expect(page.get_by_test_id("entry-name")).to_have_value("block")
    page.get_by_test_id("tab-build").focus()
    page.keyboard.press("Delete")
    expect(page.get_by_test_id("entry-name")).to_be_hidden()
    expect(page.get_by_test_id("tree").get_by_text("block", exact=True)).to_be_hidden()
    page.keyboard.press("Control+z")
    expect(page.get_by_test_id("tree").get_by_text("block", exact=True)).to_be_visible()
    page.keyboard.press("Control+y")
    expect(page.get_by_test_id("tree").get_by_text("block", exact=True)).to_be_hidden()
    page.get_by_test_id("palette-search").click()
    page.keyboard.press("Control+s")
    expect(page.get_by_test_id("build-state")).to_have_text("cell.yaml")
    assert "block" not in (folder / "cell.yaml").read_text()


def test_undo_works_in_teach(page: Page) -> None:
    page.get_by_test_id("tab-teach").click()
    expect(page.get_by_test_id("joint-0-value")).to_be_visible()
    page.get_by_test_id("point-here").click()
    expect(page.get_by_test_id("point-arm_p1")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_test_id("point-arm_p1")).to_be_hidden()
    page.keyboard.press("Control+Shift+z")
    expect(page.get_by_test_id("point-arm_p1")).to_be_visible()


def test_shortcuts_are_listed_by_panel(page: Page) -> None:
    page.keyboard.press("?")
    listed = page.get_by_test_id("keyboard-help")
    for title in ("Everywhere", "View", "Program", "Teach", "Build", "Signals"):
        expect(listed.get_by_text(title, exact=True)).to_be_visible()
    expect(listed).to_contain_text("delete the selected thing")
