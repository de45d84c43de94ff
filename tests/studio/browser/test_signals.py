"""The timing diagram in a real browser: scrub, zoom, reorder, and force signals."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import Opener, Server, Starter

# Waits for a part that never arrives unless its light barrier is forced.
CELL = """
from drycell import Body, Box, Cell, mm
from drycell.kernel import delay, wait


def build(cell: Cell) -> None:
    cell.name = "waiting"
    cell.add("table", Body(Box(400 * mm, 400 * mm, 20 * mm)))
    barrier, lamp = cell.signal("barrier", False), cell.signal("lamp", False)
    count, state = cell.signal("count", 0), cell.signal("state", "waiting")

    @cell.program
    def blink() -> None:
        for number in range(1, 3000):
            delay(0.25)
            lamp.set(number % 2 == 1)

    @cell.program
    def take() -> None:
        while True:
            wait(barrier)
            count.set(count.value + 1)
            state.set("taken")
            wait(~barrier)
            state.set("waiting")
"""
STATE = "() => window.__drycell.timing.state"


@pytest.fixture(scope="module")
def server(start: Starter, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder = tmp_path_factory.mktemp("waiting")
    (folder / "cell.py").write_text(CELL)
    return start(str(folder / "cell.py"))


def _state(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(STATE)
    return found


def _drawn(page: Page) -> None:
    page.wait_for_function(
        "() => window.__drycell?.timing?.state.rows.length && !window.__drycell.timing.state.waiting"
    )


def _place(page: Page, t: float) -> float:
    """The position of a time on the screen, in pixels from the left."""
    box = page.get_by_test_id("timing").bounding_box()
    assert box is not None
    return float(box["x"] + page.evaluate("(t) => window.__drycell.timing.place(t)", t))


def _height(page: Page, name: str) -> float:
    """The position of a signal's row, in pixels from the top."""
    box = page.get_by_test_id("timing").bounding_box()
    assert box is not None
    return float(box["y"] + page.evaluate("(name) => window.__drycell.timing.top(name)", name) + 10)


def _ran(page: Page, seconds: float) -> None:
    """Lets the cell run so far, as fast as it can, and pauses it."""
    _drawn(page)
    if _state(page)["now"] < seconds * 1e6:
        page.keyboard.press("Space")
        page.wait_for_function("(t) => window.__drycell.timing.state.now > t", arg=seconds * 1e6)
        page.keyboard.press("Space")
        expect(page.get_by_test_id("run")).to_contain_text("play_arrow")
    _drawn(page)


def _goes_on(page: Page, seconds: float) -> None:
    """Let the run continue for some cell time, so that pending changes of signals take effect."""
    if page.get_by_test_id("live").is_enabled():  # the past is shown, and would be played
        page.get_by_test_id("live").click()
        expect(page.get_by_test_id("live")).to_be_disabled()
    now = _state(page)["now"]
    page.get_by_test_id("run").click()
    page.wait_for_function("(t) => window.__drycell.timing.state.now > t", arg=now + seconds * 1e6)
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("run")).to_contain_text("play_arrow")
    _drawn(page)


def _reported(page: Page, kind: str, subject: str, text: str) -> None:
    """Waits until the journal, which is visible, has a record."""
    page.wait_for_function(
        "([kind, subject, text]) => window.__drycell.journal?.state.rows.some("
        "    (row) => row[2] === kind && row[3] === subject && row[4].includes(text))",
        arg=[kind, subject, text],
    )


def _menu(page: Page, name: str, action: str) -> None:
    box = page.get_by_test_id("timing").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 60, _height(page, name), button="right")
    page.locator(f".drycell-row-menu [data-action={action}]").first.click()


def test_the_cursor_and_the_view_show_one_instant(page: Page) -> None:
    _ran(page, 2.0)
    y = _height(page, "lamp")
    page.mouse.click(_place(page, 1.3e6), y)
    page.wait_for_function("() => Math.abs(window.__drycell.view.t - 1.3) < 0.02")
    # When the axis is dragged, both cursors move with it.
    box = page.get_by_test_id("timing").bounding_box()
    assert box is not None
    page.mouse.move(_place(page, 1.3e6), box["y"] + 8)
    page.mouse.down()
    page.mouse.move(_place(page, 0.6e6), box["y"] + 8, steps=10)
    page.mouse.up()
    page.wait_for_function("() => Math.abs(window.__drycell.view.t - 0.6) < 0.02")
    # And the other way round.
    page.keyboard.press(".")
    page.wait_for_function(
        "() => Math.abs(window.__drycell.timing.state.shown / 1e6 - window.__drycell.view.t) < 0.001"
    )


def test_the_wheel_zooms_about_the_pointer_and_keys_jump_from_edge_to_edge(page: Page) -> None:
    _ran(page, 2.0)
    box = page.get_by_test_id("timing").bounding_box()
    assert box is not None
    x, y = round(_place(page, 1.0e6)), _height(page, "lamp")
    under = page.evaluate("(x) => window.__drycell.timing.time(x)", x - box["x"])
    page.mouse.move(x, y)
    for _ in range(6):
        page.mouse.wheel(0, -200)
    page.wait_for_function("() => !window.__drycell.timing.state.fitting && !window.__drycell.timing.state.waiting")
    assert abs(_place(page, under) - x) < 2.0
    page.mouse.click(_place(page, 1.02e6), y)
    page.wait_for_function("() => Math.abs(window.__drycell.view.t - 1.02) < 0.005")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.__drycell.timing.state.shown === 1250000")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => window.__drycell.timing.state.shown === 1000000")
    page.wait_for_function("() => Math.abs(window.__drycell.view.t - 1.0) < 0.001")
    span = _state(page)["t1"] - _state(page)["t0"]
    beside = _place(page, 1.0e6) - 60  # at the cursor itself, the cursor would be dragged
    page.mouse.move(beside, y)
    page.mouse.down()
    page.mouse.move(beside + 80, y, steps=5)
    page.mouse.up()
    after = _state(page)
    assert after["t1"] - after["t0"] == pytest.approx(span, rel=1e-6)
    assert after["shown"] == 1_000_000
    page.keyboard.press("f")
    assert _state(page)["t0"] == 0
    assert _state(page)["fitting"]


def test_the_second_cursor_measures(page: Page) -> None:
    _ran(page, 2.0)
    y = _height(page, "lamp")
    page.mouse.click(_place(page, 0.5e6), y)
    page.wait_for_function("() => Math.abs(window.__drycell.view.t - 0.5) < 0.02")
    page.keyboard.down("Shift")
    page.mouse.click(_place(page, 1.5e6), y)
    page.keyboard.up("Shift")
    assert _state(page)["second"] - _state(page)["shown"] == pytest.approx(1e6, abs=2e4)
    page.keyboard.press("Escape")
    assert _state(page)["second"] is None


def test_rows_are_put_in_another_order_and_stay_so(page: Page, open_page: Opener) -> None:
    _drawn(page)
    before = _state(page)["rows"]
    box = page.get_by_test_id("timing").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 50, _height(page, before[0]))
    page.mouse.down()
    page.mouse.move(box["x"] + 50, _height(page, before[1]) + 4, steps=6)
    page.mouse.up()
    wanted = [before[1], before[0], *before[2:]]
    assert _state(page)["rows"] == wanted
    for _ in range(20):  # the order may still be on its way to the server
        page.reload()
        _drawn(page)
        if _state(page)["rows"] == wanted:
            break
    assert _state(page)["rows"] == wanted


def test_a_forced_input_changes_the_run_and_is_journalled(page: Page) -> None:
    _ran(page, 2.0)
    counted = page.evaluate("() => window.__drycell.timing.value('count', window.__drycell.timing.state.now)")
    _menu(page, "barrier", "force")
    page.wait_for_function("() => window.__drycell.timing.state.forced.barrier === true")
    _goes_on(page, 0.4)
    page.wait_for_function(
        "(before) => window.__drycell.timing.value('count', window.__drycell.timing.state.now) === before + 1",
        arg=counted or 0,
    )
    page.get_by_test_id("tab-journal").click()
    _reported(page, "post", "studio", "force barrier = True")
    page.get_by_test_id("tab-signals").click()
    _menu(page, "barrier", "release")
    page.wait_for_function("() => window.__drycell.timing.state.forced.barrier === null")
    _goes_on(page, 0.4)
    page.wait_for_function(
        "() => window.__drycell.timing.value('barrier', window.__drycell.timing.state.now) === false"
    )


def test_a_fault_is_put_on_with_its_dialog_and_cleared(page: Page) -> None:
    _ran(page, 2.0)
    _menu(page, "lamp", "fault")
    page.get_by_test_id("interfere").click()  # stuck on, from now on
    page.wait_for_function("() => !document.querySelector('.q-dialog__inner .q-card')")
    _goes_on(page, 0.4)
    page.wait_for_function("() => window.__drycell.timing.state.faults.lamp === 1")
    _menu(page, "lamp", "clear")
    _goes_on(page, 0.4)
    page.wait_for_function("() => window.__drycell.timing.state.faults.lamp === 0")
    page.get_by_test_id("tab-journal").click()
    _reported(page, "fault", "lamp", "fault=stuck_on  state=ends")
    page.get_by_test_id("tab-signals").click()
