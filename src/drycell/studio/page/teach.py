"""The Teach tab: pendant, points and steps of a lesson, and the program that is made from it."""

from typing import Any, Final

from nicegui import ui

from drycell.base import DrycellError
from drycell.cell import Untrusted
from drycell.studio.api.scene import Tree
from drycell.studio.api.teaching import LessonText
from drycell.studio.api.transport import HostStatus, RunSummary
from drycell.studio.lessons import Lessons
from drycell.studio.page.elements import COMPONENTS, button, lamp, named
from drycell.studio.page.tab import BrowserTab, PanelKey
from drycell.studio.page.teach_pendant import Pendant
from drycell.studio.page.teach_points import Points
from drycell.studio.page.teach_steps import Steps
from drycell.studio.server.events import HostReplaced, LessonChanged

_VERIFY_TIME: Final = 30.0  # seconds


class LessonProgramPanel:
    """The program text of the lesson, and the result of running, saving or verifying it."""

    def __init__(self, tab: BrowserTab, lessons: Lessons) -> None:
        self._tab, self._lessons = tab, lessons
        self._ran = False  # whether the current run is that of the lesson
        with ui.column().classes("teach-section"):
            with ui.row().classes("teach-head"):
                ui.label("Program").classes("drycell-section teach-grow")
                self._run = button("run", self.run, "lesson-run", "restart the cell and run this program")
                self._run.props("icon=play_arrow").classes("teach-main")
                button("save to cell", self.save, "lesson-save", "save program and workpoints in the cell file", "save")
                self._verify = button("verify", self.verify, "lesson-verify", "save, then check all orders of events")
                self._verify.props("icon=fact_check")
            with ui.row().classes("teach-result") as self._result:
                self._lamp = lamp("").style("margin-top:4px")
                self._text_result = ui.label("").classes("teach-says")
                named(self._text_result, "lesson-says")
            self._result.set_visibility(False)
            with ui.row().classes("teach-row"):
                self._language = ui.toggle({"python": "Python", "pascal": "Pascal"}, value="python")
                self._language.props("dense no-caps unelevated size=sm padding='2px 8px'").on_value_change(self.show)
                named(self._language, "lesson-language")
                ui.element("div").classes("teach-grow")
                button("copy", self._copy, "lesson-copy", "copy the text to the clipboard", "content_copy")
            self._notes = ui.column().classes("teach-list")
            self._code = ui.element("pre").classes("teach-code")
            with self._code:
                self._text = ui.label("").style("white-space:pre")
                named(self._text, "lesson-text")
        tab.on(HostStatus, self._status)

    def show(self) -> None:
        """Show the text, with its notes."""
        found = self._found
        self._text.set_text(found.text)
        self._code.set_visibility(bool(found.text))
        self._notes.clear()
        with self._notes:
            if found.error:
                self._note("red", found.error)
            for gap in found.gaps:
                self._note("red", f"step {gap.step + 1} is omitted: {gap.what}")
            for note in found.notes:
                self._note("amber", f"step {note.step + 1}: {note.what}")
            for name in self._lessons.checked.instead_of:
                self._note("amber", f"replaces program {name}, which commands the same robot")

    @property
    def _found(self) -> LessonText:
        """The lesson in the selected language."""
        checked = self._lessons.checked
        return checked.python if self._language.value == "python" else checked.pascal

    def _note(self, colour: str, text: str) -> None:
        with ui.row().classes("teach-result"):
            lamp(colour).style("margin-top:4px")
            ui.label(text).classes("teach-says")

    def _show_result(self, colour: str, text: str) -> None:
        self._lamp.classes(replace=f"teach-lamp {colour}")
        self._text_result.set_text(text)
        self._result.set_visibility(bool(text))

    # ---------------------------------------------------------------- actions

    async def run(self) -> None:
        """Restart the cell, and run the text that is shown."""
        if not self._may_use():
            return
        studio = self._tab.studio
        self._show_result("", "running…")
        try:
            await studio.restart()
            await studio.building.shown()  # unsaved changes of the cell file take part
            await studio.host.teaching.enter(self._lessons.text(), self._language.value)
            self._ran = True
            await studio.host.transport.run()
        except DrycellError as error:
            self._ran = False
            self._fail(error)

    def _may_use(self) -> bool:
        """Whether this page has control and the lesson has steps. If not, show a message."""
        if not self._tab.may_act():
            return False
        if not self._lessons.lesson.steps:
            self._show_result("amber", "The lesson is empty. Record a step first.")
        return bool(self._lessons.lesson.steps)

    def _fail(self, error: DrycellError) -> None:
        self._show_result("red", error.what + (f"\ntry: {error.hint}" if error.hint else ""))

    def _status(self, status: HostStatus) -> None:
        if not self._ran:
            return
        if status.mode == "live":
            self._show_result("", f"running… {status.t / 1e6:.1f} s")
        elif status.mode == "ended":
            self._ran = False
            self._show_result(*_verdict(status))

    async def save(self) -> bool:
        """Save program and points in the cell file, and the lesson beside it; then restart."""
        if not self._may_use():
            return False
        studio = self._tab.studio
        try:
            if studio.latest.mode != "ready":  # after a run, points would refer to the current poses of parts
                await studio.restart()
            made = await studio.host.teaching.program(self._lessons.text(), self._language.value)
            self._lessons.save_program(made)
            await studio.restart()
        except DrycellError as error:
            self._fail(error)
            return False
        instead = f"; replaces {', '.join(made.instead_of)}" if made.instead_of else ""
        self._show_result("green", f"saved as {made.file}, program {made.name} of the cell{instead}")
        return True

    async def verify(self) -> None:
        """Save, then search the orders of events of the cell, in a separate process."""
        if not await self.save():
            return
        self._show_result("", "verifying…")
        self._verify.disable()
        try:
            search = await self._tab.studio.verification.run(_VERIFY_TIME)
        except Untrusted as error:
            self._tab.show_error(error)
            return
        except DrycellError as error:
            self._fail(error)
            return
        finally:
            self._verify.enable()
        colour = {"covered": "green", "incomplete": "amber"}.get(search.verdict, "red")
        self._show_result(colour, search.report[-1500:])

    def _copy(self) -> None:
        ui.clipboard.write(self._found.text)
        self._tab.notify("Copied.")


def _verdict(status: HostStatus) -> tuple[str, str]:
    """The result of a run of the lesson: the colour of the lamp, and a text."""
    summary, error = status.summary or RunSummary(""), status.error
    at = f"at {status.t / 1e6:.2f} s"
    if error is not None:
        return "red", f"stopped {at}: {error.what}" + (f"\ntry: {error.hint}" if error.hint else "")
    collisions, near = summary.collisions, summary.near_misses
    if collisions:
        return "red", f"{collisions} collision{'s' if collisions > 1 else ''}, ended {at}: see the Journal tab"
    if summary.lost:
        return "red", f"lost parts: {', '.join(summary.lost)}; ended {at}"
    if summary.ending != "finished":
        return "amber", f"ended {at}: {summary.ending} {summary.reason}"
    if not summary.checked:
        return "amber", f"finished {at}; collisions were not checked: the cell file has no collision check"
    if near:
        return "amber", f"finished {at}: no collisions, {near} near miss{'es' if near > 1 else ''}"
    return "green", f"finished {at}: no collisions, no near misses, no lost parts"


class TeachPanel:
    """Pendant, points, steps and program of one page. All pages share the lesson."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab, self._lessons = tab, tab.studio.lessons
        self._before_run = False
        ui.add_css(COMPONENTS / "teach.css")
        with ui.column().classes("teach"):
            with ui.row().classes("teach-banner") as self._banner:
                self._why = ui.label("").classes("teach-grow teach-says")
                self._again = button(
                    "restart", self._restart, "to-bench", "restart the cell, then teach before the run", "restart_alt"
                )
            with ui.row().classes("teach-banner"):
                self._name = (
                    ui.input(value=self._lessons.lesson.name)
                    .props("dense borderless aria-label=lesson")
                    .classes("teach-grow")
                )
                self._name.tooltip("name of the lesson and of its program")
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
            with ui.column().classes("teach-list") as self._controls:
                self.pendant = Pendant(tab)
                self.points = Points(tab, self._lessons, self.pendant)
            self.steps = Steps(tab, self._lessons, self.pendant, self.points)
            self.program = LessonProgramPanel(tab, self._lessons)
        tab.keys["Teach"] = (
            PanelKey("Ctrl-S", "save program and workpoints in the cell file", self.program.save),
            PanelKey("Ctrl-Z", "undo", self.steps.undo),
            PanelKey("Ctrl-Y", "redo", self.steps.redo),
        )
        tab.on(LessonChanged, lambda _: self.show())
        tab.on(Tree, lambda _: self._tree())
        tab.on(HostReplaced, lambda _: self.steps.clear_preview())
        tab.on_turn(self._turned)
        tab.on(HostStatus, self._status)
        ui.timer(0.0, self._tree, once=True)
        self.show()
        self._status(tab.studio.latest)

    def show(self) -> None:
        """Show the lesson."""
        lesson = self._lessons.lesson
        if self._name.value != lesson.name:
            self._name.set_value(lesson.name)
        if lesson.robot in (self._robot.options or []) and self._robot.value != lesson.robot:
            self._robot.set_value(lesson.robot)
        self.points.show()
        self.steps.show()
        self.program.show()

    def _turned(self) -> None:
        self.points.turned()
        if not self._tab.in_front("Teach"):
            self.steps.clear_preview()

    async def _tree(self) -> None:
        robots = [each.name for each in self._tab.studio.tree.robots]
        taught = self._lessons.lesson.robot
        missing = (
            bool(taught) and taught not in robots and bool(self._lessons.lesson.steps or self._lessons.lesson.points)
        )
        self._gone.set_text(f"The cell has no robot {taught}. Choose another robot for this lesson." if missing else "")
        self._gone.set_visibility(missing)
        chosen = taught if taught in robots else (robots[0] if robots and not missing else None)
        self._robot.set_options(robots, value=chosen)
        if chosen is not None:
            await self.pendant.take(chosen)

    def _status(self, status: HostStatus) -> None:
        ready = status.mode == "ready"
        if ready != self._before_run:
            self._before_run = ready
            self.points.overlay()
        self._banner.set_visibility(not ready)
        why = {
            "live": "The cell is running. Restart it to teach.",
            "ended": "The run has ended. Restart to teach.",
            "recorded": "This is a recording. Open its cell to teach.",
        }
        self._again.set_visibility(status.mode in why)
        self._why.set_text(why.get(status.mode, "No cell is open."))
        self._controls.classes(add="" if ready else "teach-off", remove="teach-off" if ready else "")

    async def _restart(self) -> None:
        await self._tab.act(self._tab.studio.restart())

    async def _chose(self) -> None:
        robot, lesson = self._robot.value, self._lessons.lesson
        if robot is None or robot == self.pendant.robot == lesson.robot:
            return
        if robot != lesson.robot:
            if not self._tab.may_act():
                self._robot.set_value(lesson.robot if lesson.robot in self._robot.options else None)
                return
            if lesson.robot in self._robot.options and (lesson.steps or lesson.points):
                self._tab.notify(f"New lesson for {robot}. Undo restores the lesson for {lesson.robot}.")
                self._lessons.new(robot, lesson.name)
            else:
                self._lessons.edit(lambda lesson: lesson.hand_to(robot))
            self._gone.set_visibility(False)
        await self.pendant.take(robot)

    def _rename(self) -> None:
        name = " ".join(str(self._name.value or "").split())
        if name and name != self._lessons.lesson.name and self._tab.may_act():

            def rename(lesson: Any) -> None:
                lesson.name = name

            self._lessons.edit(rename)

    def _list_files(self) -> None:
        self._files.clear()
        with self._files:
            ui.menu_item("new lesson", self._new).props("dense")
            for name in self._lessons.files():
                ui.menu_item(name, lambda name=name: self._open(name)).props("dense")

    def _new(self) -> None:
        if self._tab.may_act() and self._robot.value is not None:
            self._lessons.new(str(self._robot.value))

    def _open(self, name: str) -> None:
        self._tab.edit(lambda: self._lessons.open(name))
