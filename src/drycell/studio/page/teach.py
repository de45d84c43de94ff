"""The Teach panel: from places shown on surfaces to a program that runs, without typing a line."""

from typing import Any

from nicegui import ui

from drycell.base import DrycellError
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import Status
from drycell.studio.lessons import lesson_book
from drycell.studio.page.naming import COMPONENTS, named
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.teach_pendant import Pendant
from drycell.studio.page.teach_points import Points
from drycell.studio.page.teach_program import ProgramOfLesson
from drycell.studio.page.teach_steps import Steps
from drycell.studio.page.teach_style import button
from drycell.studio.server.events import HostReplaced, LessonChanged


class TeachPanel:
    """Pendant, points, steps and program of one page, on the lesson that all pages share."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab, self._book = tab, lesson_book(tab.studio)
        self._on_bench = False
        ui.add_css(COMPONENTS / "teach.css")
        with ui.column().classes("teach"):
            with ui.row().classes("teach-banner") as self._banner:
                self._why = ui.label("").classes("teach-grow teach-says")
                button("back to the bench", self._restart, "to-bench", "builds the cell anew", "restart_alt")
            with ui.row().classes("teach-banner"):
                self._name = ui.input(value=self._book.lesson.name).props("dense borderless").classes("teach-grow")
                self._name.tooltip("name of the lesson, and of the program it becomes")
                self._name.on("blur", self._rename).on("keydown.enter", self._rename)
                named(self._name, "lesson-name")
                self._robot = ui.select([], label=None, on_change=self._chose).props("dense borderless options-dense")
                self._robot.tooltip("the robot that is taught").style("min-width:70px")
                named(self._robot, "lesson-robot")
                with button("", None, "lesson-menu", "other lessons", "folder_open"), ui.menu() as self._menu:
                    self._files = ui.column().style("gap:0")
                self._menu.on("before-show", self._list_files)
            self._gone = ui.label("").classes("teach-says text-warning q-px-sm")
            named(self._gone, "robot-gone")
            with ui.column().classes("teach-list") as self._bench:
                self.pendant = Pendant(tab)
                self.points = Points(tab, self._book, self.pendant)
            self.steps = Steps(tab, self._book, self.pendant, self.points)
            self.program = ProgramOfLesson(tab, self._book)
        tab.on(LessonChanged, lambda data: self.show())
        tab.on(Tree, lambda data: self._tree())
        tab.on(HostReplaced, lambda data: self._staged())
        tab.on(Status, self._status)
        ui.timer(0.0, self._tree, once=True)
        self.show()
        self._status(tab.studio.latest)

    def show(self) -> None:
        """The lesson as it is now."""
        lesson = self._book.lesson
        if self._name.value != lesson.name:
            self._name.set_value(lesson.name)
        if lesson.robot in (self._robot.options or []) and self._robot.value != lesson.robot:
            self._robot.set_value(lesson.robot)
        self.points.show()
        self.steps.show()
        self.program.show()

    async def _tree(self) -> None:
        robots = [each.name for each in self._tab.studio.tree.robots]
        taught = self._book.lesson.robot
        missing = bool(taught) and taught not in robots and bool(self._book.lesson.steps or self._book.lesson.points)
        self._gone.set_text(
            f"{taught} is not in the cell: choose the robot that takes its lesson over." if missing else ""
        )
        self._gone.set_visibility(missing)
        chosen = taught if taught in robots else (robots[0] if robots and not missing else None)
        self._robot.set_options(robots, value=chosen)
        if chosen is not None:
            await self.pendant.take(chosen)

    def _staged(self) -> None:
        self.steps.clear_preview()

    def _status(self, status: Status) -> None:
        bench = status.mode == "bench"
        if bench != self._on_bench:
            self._on_bench = bench
            self.points.overlay()
        self._banner.set_visibility(not bench)
        why = {
            "live": "The cell runs: it is taught on the bench.",
            "ended": "The run has ended: it is taught on the bench.",
            "recorded": "This is a recording: open its cell to teach.",
            "emula": "EMULA's robot is driven by its own console.",
        }
        self._why.set_text(why.get(status.mode, "Nothing is open: open a cell first."))
        self._bench.classes(add="" if bench else "teach-off", remove="teach-off" if bench else "")

    async def _restart(self) -> None:
        if self._tab.may_act():
            try:
                await self._tab.studio.restart()
            except DrycellError as error:
                self._tab.tell(error)

    async def _chose(self) -> None:
        robot, lesson = self._robot.value, self._book.lesson
        if robot is None or robot == self.pendant.robot == lesson.robot:
            return
        if robot != lesson.robot:
            if not self._tab.may_act():
                self._robot.set_value(lesson.robot if lesson.robot in self._robot.options else None)
                return
            if lesson.robot in self._robot.options and (lesson.steps or lesson.points):
                self._tab.notify(f"A new lesson for {robot}; undo brings that of {lesson.robot} back.")
                self._book.new(robot, lesson.name)
            else:
                self._book.edit(lambda lesson: lesson.hand_to(robot))
            self._gone.set_visibility(False)
        await self.pendant.take(robot)

    def _rename(self) -> None:
        name = " ".join(str(self._name.value or "").split())
        if name and name != self._book.lesson.name and self._tab.may_act():

            def rename(lesson: Any) -> None:
                lesson.name = name

            self._book.edit(rename)

    def _list_files(self) -> None:
        self._files.clear()
        with self._files:
            ui.menu_item("new lesson", self._new).props("dense")
            for name in self._book.files():
                ui.menu_item(name, lambda name=name: self._open(name)).props("dense")

    def _new(self) -> None:
        if self._tab.may_act() and self._robot.value is not None:
            self._book.new(str(self._robot.value))

    def _open(self, name: str) -> None:
        if self._tab.may_act():
            try:
                self._book.open(name)
            except DrycellError as error:
                self._tab.tell(error)


def teach_panel(tab: BrowserTab) -> TeachPanel:
    """The panel, in the current slot."""
    return TeachPanel(tab)
