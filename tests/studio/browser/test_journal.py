"""The journal in a real browser: a click on a row shows its time and highlights both bodies; filter and save."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Server, Starter

CELL = """
from drycell import Body, Box, Cell, Pose, Robot, deg, mm


def build(cell: Cell) -> None:
    cell.name = "collision"
    arm = cell.add("arm", Robot("scorbot-er3"))
    cell.add("post", Body(Box(40 * mm, 40 * mm, 700 * mm), at=Pose(250 * mm, 250 * mm, 350 * mm)))
    cell.check_collisions()
    busy = cell.signal("busy", False)

    @cell.program
    def swing() -> None:
        for _ in range(3):
            busy.set(True)
            arm.move_joints([60 * deg, *arm.joints[1:]])
            arm.move_joints([0, *arm.joints[1:]])
            busy.set(False)
"""
MARKED = """() => { const { marked, list } = window.__drycell.view.bodies;
    return [...marked].map(([number, colour]) => `${list[number].entry.name} ${colour}`) }"""
STATE = "() => window.__drycell.journal.state"


@pytest.fixture(scope="module")
def server(start: Starter, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder = tmp_path_factory.mktemp("collision")
    (folder / "cell.py").write_text(CELL)
    return start(str(folder / "cell.py"))


def _state(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(STATE)
    return found


def _ran(page: Page) -> None:
    """Runs the cell to its end at full speed, with the Journal tab open."""
    page.get_by_test_id("tab-journal").click()
    page.wait_for_function("() => window.__drycell?.view?.framed && window.__drycell.journal")
    if page.evaluate("() => window.__drycell.timing ? window.__drycell.timing.state.now : 0") < 20e6:
        page.get_by_test_id("speed").click()
        page.get_by_role("option").last.click()
        page.get_by_test_id("run").click()
    page.wait_for_function("() => window.__drycell.journal.state.rows.some((row) => row[2] === 'end')")


def _only(page: Page, kind: str) -> None:
    page.get_by_test_id(f"kind-{kind}").click()
    page.wait_for_function(
        "(kind) => { const { rows } = window.__drycell.journal.state;"
        "            return rows.length && rows.every((row) => row[2] === kind) }",
        arg=kind.replace("-", " "),
    )


def test_a_click_on_a_collision_shows_its_instant_and_both_bodies(page: Page) -> None:
    _ran(page)
    _only(page, "collision")
    number, _, _, _, text = _state(page)["rows"][0]
    page.locator(f".drycell-journal [data-n='{number}']").click()
    page.wait_for_function("() => Math.abs(window.__drycell.view.t - 1.824) < 0.01")
    page.wait_for_function("() => window.__drycell.view.bodies.marked.size === 2")
    assert sorted(page.evaluate(MARKED)) == ["arm/wrist collision", "post collision"]
    assert text.startswith("arm/wrist – post at (")
    # Neither stays painted when another instant is shown.
    page.get_by_test_id("before").click()
    page.wait_for_function("() => window.__drycell.view.bodies.marked.size === 0")
    page.locator(f".drycell-journal [data-n='{number}']").click()
    page.wait_for_function("() => window.__drycell.view.bodies.marked.size === 2")
    # The cursor of the timing diagram is also there.
    page.get_by_test_id("tab-signals").click()
    page.wait_for_function("() => Math.abs(window.__drycell.timing.state.shown / 1e6 - 1.824) < 0.01")
    page.get_by_test_id("tab-journal").click()
    # The next row by key.
    page.keyboard.press("Escape")
    page.locator(".drycell-journal").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => Math.abs(window.__drycell.view.t - 2.125) < 0.01")
    _off(page, "collision")


def _field(page: Page, name: str) -> Locator:
    """The input of a field: Quasar passes the test id on to it."""
    return page.locator(f"input[data-testid={name}]")


def _off(page: Page, kind: str) -> None:
    page.get_by_test_id(f"kind-{kind}").click()
    page.wait_for_function("() => new Set(window.__drycell.journal.state.rows.map((row) => row[2])).size > 1")


def test_text_and_time_narrow_the_rows_down(page: Page) -> None:
    _ran(page)
    whole = _state(page)["total"]
    _field(page, "journal-text").fill("wrist")
    page.wait_for_function(
        "(whole) => window.__drycell.journal.state.total < whole && window.__drycell.journal.state.rows.length",
        arg=whole,
    )
    assert all("wrist" in row[4] for row in _state(page)["rows"])
    _field(page, "journal-text").fill("")
    page.wait_for_function("(whole) => window.__drycell.journal.state.total === whole", arg=whole)
    field = _field(page, "journal-from")
    field.fill("5")
    page.wait_for_function("(whole) => window.__drycell.journal.state.total < whole", arg=whole)
    field.fill("")
    page.wait_for_function("(whole) => window.__drycell.journal.state.total === whole", arg=whole)


def test_the_journal_is_saved_as_the_command_writes_it(page: Page, tmp_path: Path) -> None:
    _ran(page)
    with page.expect_download() as download:
        page.get_by_test_id("journal-download").click()
        page.get_by_test_id("journal-save-jsonl").click()
    download.value.save_as(tmp_path / "collision.jsonl")
    lines = (tmp_path / "collision.jsonl").read_text().splitlines()
    assert len(lines) == _state(page)["total"]
    assert {"collision", "move", "signal"} <= {json.loads(line)["kind"] for line in lines}
    expect(page.get_by_test_id("journal-count")).to_contain_text("records")
