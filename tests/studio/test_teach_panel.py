"""The Teach tab without a browser: picks, lamps and their reasons, steps, undo; a lesson is never lost."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from nicegui.testing import User

from drycell.cell import Untrusted
from drycell.studio.api.scene import Pick
from drycell.studio.api.teaching import LessonCheck
from drycell.studio.lessons import Lessons
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.teach import TeachPanel
from drycell.studio.page.view import Drag

CELL = """\
name: small cell
bodies:
  table: {shape: {box: [700 mm, 700 mm, 40 mm]}, material: aluminium, at: [200 mm, 0 mm, -20 mm]}
  block: {shape: {box: [60 mm, 40 mm, 50 mm]}, material: beech, on: table, at: [60 mm, -150 mm]}
  wall: {shape: {box: [20 mm, 700 mm, 900 mm]}, on: table, at: [340 mm, 0 mm], part: false}
robots:
  arm: {model: scorbot-er3, gripper: two-finger, on: table, at: [-200 mm, 0 mm]}
signals: {ready: true}
programs:
  old: {file: old.py}
checks:
  collision: {allowed: [[block, table], [wall, table]]}
"""
UP = (0.0, 0.0, 1.0)


class View:
    """A stand-in for the 3-D view: records calls, and lets a test click and drag."""

    def __init__(self) -> None:
        self.overlays: dict[str, object] = {}
        self.shown: list[object] = []
        self.click: Callable[[Pick], object] | None = None
        self.dragged: Callable[[Drag], object] | None = None

    def overlay(self, what: str, value: object) -> None:
        self.overlays[what] = value

    def ghosts(self, copies: list[object]) -> None:
        self.shown = copies

    def pick_mode(self, picked: Callable, hint: str, over: Callable[[], None]) -> Callable[[], None]:
        self.click = picked

        def end() -> None:
            self.click = None
            over()

        return end

    def dragger(self, pose: object, dragged: Callable, **_: object) -> "View":
        self.dragged = dragged
        return self

    open = True

    def move(self, pose: object) -> None:
        pass

    def close(self) -> None:
        self.dragged = None


class Taught:
    """The panel of a page, and the actions of a user."""

    def __init__(self, user: User, tab: BrowserTab, panel: TeachPanel, view: View) -> None:
        self.user, self.tab, self.panel, self.view = user, tab, panel, view
        self.book = tab.studio.lessons

    async def press(self, name: str) -> None:
        self.user.find(name).click()
        await asyncio.sleep(0)

    async def pick(self, body: str, point: tuple[float, float, float], normal: tuple[float, float, float]) -> None:
        before = len(self.book.lesson.points)
        await self.press("pick-point")
        assert self.view.click is not None
        await self.view.click(Pick(body, 0, point, normal, point, normal))
        await self.until(lambda: len(self.book.lesson.points) > before)
        await self.checked()

    async def checked(self) -> None:
        """Waits until the lesson has been checked."""
        await self.until(
            lambda: (
                self.book._checking is None
                and [each.text for each in self.book.checked.steps] == [each.text for each in self.book.lesson.steps]
                and set(self.book.checked.points) == set(self.book.lesson.points)
            )
        )

    async def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(3000):
            if condition():
                return
            await asyncio.sleep(0.02)
        raise AssertionError("it did not happen")


@pytest.fixture
async def taught(studio, panel, tmp_path: Path) -> Taught:
    (tmp_path / "cell.yaml").write_text(CELL, encoding="utf-8")
    (tmp_path / "old.py").write_text("def old(arm):\n    arm.home()\n", encoding="utf-8")
    await studio.open(tmp_path)
    made: list[TeachPanel] = []
    view = View()

    def build(tab: BrowserTab) -> None:
        tab.view = view  # type: ignore[assignment]
        tab.turn("side", "Teach")  # what it draws is shown only while it is in front
        made.append(TeachPanel(tab))

    user, tab = await panel(build)
    found = Taught(user, tab, made[0], view)
    await found.until(lambda: found.panel.pendant.state is not None and tab.holds_control)
    return found


async def test_a_pick_becomes_a_point_with_a_green_lamp(taught: Taught) -> None:
    await taught.pick("block", (0.26, -0.15, 0.05), UP)
    assert list(taught.book.lesson.points) == ["block_p1"]
    await taught.user.should_see("within reach (shoulder=front, elbow=up)")
    (shown,) = taught.view.overlays["taught"]
    assert shown["lamp"] == "green"
    assert shown["chosen"]
    assert shown["pose"][:3] == pytest.approx([0.26, -0.15, 0.05])


async def test_a_red_lamp_says_why_and_offers_what_would_do(taught: Taught) -> None:
    # On the wall, off the middle: an arm of five axes cannot point square to it there.
    await taught.pick("wall", (0.53, 0.15, 0.3), (-1.0, 0.0, 0.0))
    found = taught.book.checked.points["wall_p1"]
    assert found.lamp == "red"
    assert found.text.startswith(("its yaw is off by", "beyond reach by"))
    await taught.user.should_see(found.text.split(":")[0])
    await taught.user.should_see("try:")


async def test_take_and_put_record_a_lesson_that_undo_takes_back_whole(taught: Taught) -> None:
    await taught.pick("block", (0.26, -0.15, 0.05), UP)
    await taught.press("take-part")
    await taught.until(lambda: len(taught.book.lesson.steps) == 5)
    await taught.checked()
    await taught.pick("table", (0.25, 0.15, 0.0), UP)
    await taught.press("put-part")
    await taught.until(lambda: len(taught.book.lesson.steps) == 9)
    await taught.checked()
    assert {step.lamp for step in taught.book.checked.steps} == {"green"}
    assert "def pick_and_place(arm, block, table):" in taught.book.checked.python.text
    await taught.user.should_see("replaces program old, which commands the same robot")
    await taught.press("lesson-undo")
    assert len(taught.book.lesson.steps) == 5
    await taught.press("lesson-redo")
    assert len(taught.book.lesson.steps) == 9


async def test_steps_are_ordered_deleted_and_previewed(taught: Taught) -> None:
    await taught.press("step-open")
    await taught.press("step-close")
    await taught.press("move-here")
    await taught.checked()
    assert [step.kind for step in taught.book.lesson.steps] == ["grip", "grip", "move"]
    await taught.press("up-1")
    assert [step.grip for step in taught.book.lesson.steps] == ["close", "open", None]
    await taught.press("preview-2")
    await taught.until(lambda: len(taught.view.shown) > 0)
    await taught.press("delete-0")
    assert [step.kind for step in taught.book.lesson.steps] == ["grip", "move"]
    assert taught.view.shown == []


async def test_a_wait_for_a_signal_is_asked_for_in_a_dialog(taught: Taught) -> None:
    await taught.press("step-until")
    taught.user.find("step-signal").elements.pop().set_value("ready")
    await taught.press("step-ok")
    await taught.until(lambda: len(taught.book.lesson.steps) == 1)
    assert taught.book.lesson.steps[0].text == "wait until ready is on"


async def test_a_drag_moves_the_point_which_stays_on_its_body(taught: Taught) -> None:
    await taught.pick("block", (0.26, -0.15, 0.05), UP)
    await taught.press("drag-point")
    assert taught.view.dragged is not None
    half = math.sqrt(0.5)
    await taught.view.dragged(Drag((0.27, -0.15, 0.06, 0.0, half, half, 0.0), "end"))
    point = taught.book.lesson.points["block_p1"]
    assert point.on == "block"
    assert point.local.position == pytest.approx((0.01, 0.0, 0.035), abs=1e-9)


async def test_a_drag_that_is_asked_for_before_the_check_begins_after_it(taught: Taught) -> None:
    await taught.pick("block", (0.26, -0.15, 0.05), UP)
    checked, taught.book.checked = taught.book.checked, LessonCheck()  # not yet placed: the host is busy
    await taught.press("drag-point")
    assert taught.view.dragged is None
    taught.book.checked = replace(checked)
    taught.panel.show()
    assert taught.view.dragged is not None


async def test_the_arm_goes_to_a_point_and_a_step_records_where_it_is(taught: Taught) -> None:
    await taught.pick("block", (0.26, -0.15, 0.05), UP)
    await taught.press("go-block_p1")
    pendant = taught.panel.pendant
    await taught.until(lambda: pendant.state.tcp[:3] == pytest.approx([0.26, -0.15, 0.05], abs=1e-6))
    await taught.press("straight-here")
    assert list(taught.book.lesson.points) == ["block_p1", "arm_p1"]
    assert taught.book.lesson.steps[0].text == "straight to arm_p1 at 100 mm/s"


async def test_a_lesson_outlives_restarts_and_the_server(taught: Taught, studio) -> None:
    await taught.press("step-open")
    await studio.restart()
    assert len(taught.book.lesson.steps) == 1
    assert Lessons(studio).lesson.steps == taught.book.lesson.steps


async def test_a_folder_and_the_cell_in_it_have_the_same_lesson(taught: Taught, studio, tmp_path: Path) -> None:
    await taught.press("step-open")
    studio.path = tmp_path / "cell.yaml"
    assert len(Lessons(studio).lesson.steps) == 1


async def test_removing_a_robot_keeps_its_lesson(taught: Taught, tmp_path: Path) -> None:
    await taught.press("step-open")
    cell = taught.tab.studio.building
    cell.edit(lambda draft: draft.rename("arm", "picker", "robots"))
    await taught.until(lambda: [each.name for each in taught.tab.studio.tree.robots] == ["picker"])
    await taught.user.should_see("The cell has no robot arm", retries=100)
    assert (taught.book.lesson.robot, len(taught.book.lesson.steps)) == ("arm", 1)
    taught.panel._robot.set_value("picker")
    await taught.until(lambda: taught.book.lesson.robot == "picker")
    assert len(taught.book.lesson.steps) == 1


async def test_numbers_typed_for_a_point_stay_when_it_is_moved(taught: Taught) -> None:
    await taught.pick("block", (0.26, -0.15, 0.05), UP)
    taught.panel.points._by.set_value(12.0)
    height = taught.book.lesson.points["block_p1"].local.z
    await taught.press("raise-point")
    await taught.until(lambda: taught.book.lesson.points["block_p1"].local.z != height)
    await taught.checked()
    assert taught.panel.points._by.value == 12.0


async def test_saving_writes_program_points_and_lesson(taught: Taught, tmp_path: Path) -> None:
    await taught.pick("block", (0.26, -0.15, 0.05), UP)
    await taught.press("take-part")
    await taught.until(lambda: len(taught.book.lesson.steps) == 5)
    await taught.press("lesson-save")
    await taught.until(lambda: (tmp_path / "pick_and_place.lesson.yaml").is_file())
    text = (tmp_path / "cell.yaml").read_text(encoding="utf-8")
    assert "pick_and_place: {file: pick_and_place.py}" in text
    assert "old.py" not in text
    assert "block_p1: {on: block" in text
    assert taught.book.files() == ["pick_and_place.lesson.yaml"]
    await taught.user.should_see("replaces old", retries=200)


async def test_verify_asks_for_trust_before_it_runs_code(
    taught: Taught, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await taught.pick("block", (0.26, -0.15, 0.05), UP)
    shown: list[Exception] = []
    monkeypatch.setattr(taught.tab, "show_error", shown.append)

    async def saved() -> bool:
        return True

    monkeypatch.setattr(taught.panel.program, "save", saved)  # it restarts the cell, which asks as well
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    await taught.panel.program.verify()
    (error,) = shown
    assert isinstance(error, Untrusted)
    assert "old.py" in str(error)
