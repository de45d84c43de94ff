"""Programs in a real browser: edit, stop at breakpoints, inspect variables; nothing typed is lost."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

CELL_FILE = """\
name: workbench
signals: {lamp: false}
programs:
  tend: {file: tend.py}
  count: {file: count.pas}
  fails: {file: fails.py}
"""
TEND = """\
from drycell import delay


def tend(lamp):
    turns = 0
    while turns < 1000:
        # lit for a second
        lamp.set(True)
        delay(1)
        lamp.set(False)
        delay(1)
        turns += 1
"""
COUNT = """\
program Count;
var
  n: integer;
  names: array[1..2] of string;

procedure Add(by: integer);
begin
  n := n + by
end;

begin
  names[1] := 'one';
  Add(3);
  Add(4)
end.
"""
FAILS = """\
from drycell import delay


def fails():
    delay(3)
    parts = {"a": 1}
    print("parts:", parts)
    parts["b"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cell for this module only: its files are changed."""
    return tmp_path_factory.mktemp("cell")


@pytest.fixture(scope="module")
def server(folder: Path, start: Callable[..., Any]) -> Any:
    _write(folder)
    return start(str(folder / "cell.yaml"))


@pytest.fixture(autouse=True)
def fresh(folder: Path) -> None:
    _write(folder)


def _write(folder: Path) -> None:
    files = {"cell.yaml": CELL_FILE, "tend.py": TEND, "count.pas": COUNT, "fails.py": FAILS}
    for name, text in files.items():
        if not (folder / name).is_file() or (folder / name).read_text() != text:
            (folder / name).write_text(text)


def named(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def show(page: Page, name: str) -> None:
    """Opens a file and waits until it is checked and can be edited."""
    page.wait_for_function("(name) => window.__drycell?.editor?.files.has(name)", arg=name)
    named(page, f"file-{name}").click()
    page.wait_for_function(
        "(name) => window.__drycell.editor.shown === name && !window.__drycell.editor.watching", arg=name
    )


def restart(page: Page) -> None:
    page.wait_for_function("() => window.__drycell?.editor && !window.__drycell.editor.watching")
    before = page.evaluate("() => window.__drycell.editor.restarts")
    named(page, "save-restart").click()
    page.wait_for_function("(before) => window.__drycell.editor.restarts > before", arg=before)


def click_gutter(page: Page, line: int) -> None:
    page.evaluate("(line) => window.__drycell.editor.show(window.__drycell.editor.shown, line)", line)
    x, y = page.evaluate(
        """(line) => {
          const view = window.__drycell.editor.view, at = view.coordsAtPos(view.state.doc.line(line).from);
          return [document.querySelector(".dc-breaks").getBoundingClientRect().x + 8, (at.top + at.bottom) / 2];
        }""",
        line,
    )
    page.mouse.click(x, y)


def breakpoints(page: Page, name: str) -> list[int]:
    found: list[int] = page.evaluate("(name) => window.__drycell.editor.lines(name).shown", name)
    return found


def text(page: Page, name: str) -> str:
    page.wait_for_function("(name) => window.__drycell?.editor?.files.has(name)", arg=name)
    found: str = page.evaluate("(name) => window.__drycell.editor.files.get(name).text", name)
    return found


def held_at(page: Page) -> str:
    held = page.locator(".dc-held.cm-line")
    held.wait_for()
    return held.inner_text()


def clear_breaks(page: Page, name: str) -> None:
    show(page, name)
    for line in breakpoints(page, name):
        click_gutter(page, line)


def type_at_end(page: Page, typed: str) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(typed)


def test_a_breakpoint_holds_the_run_where_the_line_is_marked_and_shows_the_variables(page: Page) -> None:
    restart(page)
    show(page, "count.pas")
    click_gutter(page, 8)
    assert breakpoints(page, "count.pas") == [8]
    named(page, "run").click()
    assert held_at(page).startswith("  n := n + by")
    expect(page.locator(".dc-held .dc-who")).to_have_text("▶ count")
    expect(named(page, "stack")).to_contain_text("Add")
    expect(named(page, "stack")).to_contain_text("count.pas:13")
    expect(named(page, "variables")).to_contain_text("by = 3")
    expect(named(page, "variables")).to_contain_text("names = ('one', '')")

    named(page, "call-1").click()
    expect(named(page, "variables")).not_to_contain_text("by = ")
    named(page, "run").click()
    expect(named(page, "variables")).to_contain_text("n = 3")
    page.keyboard.press("F10")
    expect(page.locator(".dc-who").filter(has_text="count")).to_have_count(0)  # it has ended, or is stopped elsewhere
    clear_breaks(page, "count.pas")
    assert breakpoints(page, "count.pas") == []


def test_a_breakpoint_snaps_to_a_line_that_can_be_stopped_at_and_moves_with_its_text(page: Page) -> None:
    show(page, "tend.py")
    page.wait_for_function("() => window.__drycell.editor.checked('tend.py')")
    click_gutter(page, 7)
    assert breakpoints(page, "tend.py") == [8]
    click_gutter(page, 13)
    expect(page.locator(".dc-hollow")).to_have_count(1)
    click_gutter(page, 13)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# first\n")
    assert breakpoints(page, "tend.py") == [9]
    expect(named(page, "unsaved-tend.py")).to_be_visible()
    restart(page)
    named(page, "run").click()
    assert held_at(page).strip().startswith("lamp.set(True)")
    clear_breaks(page, "tend.py")


def test_a_reload_in_the_middle_of_typing_loses_nothing(page: Page, folder: Path) -> None:
    show(page, "tend.py")
    type_at_end(page, "# half a thou")
    page.reload()  # at once: the server has not been reported yet
    show(page, "tend.py")
    assert text(page, "tend.py").endswith("# half a thou")
    assert (folder / "tend.py").read_text() == TEND
    expect(named(page, "file-note")).to_contain_text("Restored")
    type_at_end(page, "ght")
    page.keyboard.press("Control+s")
    expect(named(page, "unsaved-tend.py")).to_have_count(0)
    expect(named(page, "file-note")).to_be_hidden()
    assert (folder / "tend.py").read_text() == TEND + "# half a thought"


def test_saved_text_is_no_longer_a_draft_whatever_another_program_writes(page: Page, folder: Path) -> None:
    show(page, "tend.py")
    type_at_end(page, "# saved")
    page.keyboard.press("Control+s")
    for _ in range(10_000):
        if (folder / "tend.py").read_text() == TEND + "# saved":
            break
        page.wait_for_timeout(1)
    (folder / "tend.py").write_text(TEND + "# theirs")  # before the server knows what was typed
    page.wait_for_function("() => window.__drycell.editor.files.get('tend.py').text.endsWith('# theirs')")
    page.wait_for_function("() => !window.__drycell.editor.files.get('tend.py').since_typed")
    expect(named(page, "unsaved-tend.py")).to_have_count(0)
    page.reload()
    show(page, "tend.py")
    assert text(page, "tend.py") == TEND + "# theirs"
    expect(named(page, "file-note")).to_be_hidden()


def test_errors_of_a_run_are_shown_at_their_place(page: Page) -> None:
    restart(page)
    show(page, "tend.py")
    named(page, "run").click()
    expect(page.locator(".dc-fault")).to_contain_text("KeyError")
    assert page.evaluate("() => window.__drycell.editor.shown") == "fails.py"
    expect(page.locator(".dc-fault-line")).to_contain_text('parts["b"]')
    problem = named(page, "run-problem").first
    expect(problem).to_contain_text("fails.py:8")
    named(page, "tab-output").click()
    expect(named(page, "output")).to_have_text("parts: {'a': 1}")
    named(page, "tab-problems").click()
    named(page, "file-tend.py").click()
    problem.click()
    page.wait_for_function("() => window.__drycell.editor.shown === 'fails.py'")
    restart(page)


def test_mistakes_are_underlined_while_they_are_typed_and_reported_on_hover_and_in_the_list(page: Page) -> None:
    show(page, "count.pas")
    named(page, "tab-problems").click()
    page.locator(".cm-line").filter(has_text="names[1]").click()
    page.keyboard.press("End")
    page.keyboard.type(" mm := 1;")
    expect(page.locator(".dc-error")).to_have_text("mm")
    expect(named(page, "problem")).to_contain_text("count.pas:12")
    page.locator(".dc-error").hover()
    expect(page.locator(".dc-finding")).to_contain_text("mm")
    for _ in range(9):
        page.keyboard.press("Backspace")
    expect(page.locator(".dc-error")).to_have_count(0)
    expect(named(page, "unsaved-count.pas")).to_have_count(0)


def test_neither_of_two_versions_of_a_file_is_lost(page: Page, folder: Path) -> None:
    show(page, "count.pas")
    type_at_end(page, "{ mine }")
    expect(named(page, "unsaved-count.pas")).to_be_visible()
    (folder / "count.pas").write_text(COUNT + "{ theirs }\n")
    expect(named(page, "file-note")).to_contain_text("has changed on disk")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+s")
    assert (folder / "count.pas").read_text() == COUNT + "{ theirs }\n"
    named(page, "compare").click()
    expect(named(page, "difference")).to_contain_text("{ theirs }")
    expect(named(page, "difference")).to_contain_text("{ mine }")
    named(page, "difference-close").click()
    named(page, "take-theirs").click()
    expect(named(page, "file-note")).to_be_hidden()
    page.wait_for_function("() => !window.__drycell.editor.files.get('count.pas').text.includes('{ mine }')")
    assert text(page, "count.pas") == COUNT + "{ theirs }\n"
    named(page, "versions").click()
    named(page, "version").first.click()
    page.wait_for_function("() => window.__drycell.editor.files.get('count.pas').text.includes('{ mine }')")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+z")
    expect(named(page, "unsaved-count.pas")).to_have_count(0)


def test_another_browser_reads_and_sees_what_is_saved(open_page: Callable[..., Page], folder: Path) -> None:
    first = open_page()
    show(first, "tend.py")
    second = open_page()
    second.wait_for_function("() => window.__drycell?.editor?.files.has('tend.py')")
    named(second, "file-tend.py").click()
    second.locator(".cm-content").click()
    second.keyboard.type("not me")
    type_at_end(first, "# shown to all")
    first.keyboard.press("Control+s")
    second.wait_for_function("() => window.__drycell.editor.files.get('tend.py').text.endsWith('# shown to all')")
    assert text(second, "tend.py") == TEND + "# shown to all"
    assert (folder / "tend.py").read_text() == TEND + "# shown to all"


def test_a_killed_server_loses_nothing_that_was_typed(
    open_page: Callable[..., Page], server: Any, folder: Path, tmp_path: Path
) -> None:
    other = type(server)("--port", "0", str(folder / "cell.yaml"), state=tmp_path)
    page = open_page(other.url)
    show(page, "tend.py")
    type_at_end(page, "# before the crash")
    expect(named(page, "unsaved-tend.py")).to_be_visible()
    for number in (other.process.pid, *other.children()):
        os.kill(number, signal.SIGKILL)
    other.process.communicate(timeout=60)
    page.close()
    open_page.errors.clear()  # type: ignore[attr-defined]  # the connection was lost, as was meant
    again = type(server)("--port", "0", str(folder / "cell.yaml"), state=tmp_path)
    try:
        page = open_page(again.url)
        show(page, "tend.py")
        page.wait_for_function(
            "() => window.__drycell.editor?.files.get('tend.py')?.text.endsWith('# before the crash')"
        )
        expect(named(page, "file-note")).to_contain_text("Restored")
        named(page, "discard").click()
        expect(named(page, "unsaved-tend.py")).to_have_count(0)
        page.wait_for_function("() => !window.__drycell.editor.files.get('tend.py').text.includes('crash')")
        assert text(page, "tend.py") == TEND
        page.close()
        lost = other.url.partition("//")[2].partition("/")[0]  # the killed server's: refusals may arrive late
        open_page.errors[:] = [each for each in open_page.errors if lost not in each]  # type: ignore[attr-defined]
    finally:
        again.end()
