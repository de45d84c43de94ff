"""The Teach panel: a pendant, points, the steps of a lesson, and the program made from it."""

import asyncio
import sys
from typing import Any, Final

from nicegui import ui

from drycell.base import DrycellError
from drycell.studio.api.scene import Tree
from drycell.studio.api.teaching import LessonText
from drycell.studio.api.transport import RunSummary, Status
from drycell.studio.building import building
from drycell.studio.lessons import LessonBook, lesson_book
from drycell.studio.page.elements import COMPONENTS, button, lamp, named
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.teach_pendant import Pendant
from drycell.studio.page.teach_points import Points
from drycell.studio.page.teach_steps import Steps
from drycell.studio.server.events import HostReplaced, LessonChanged

_VERIFY_TIME: Final = "30 s"
_VERIFY: Final = "import sys; from drycell.cli.main import main; sys.exit(main(sys.argv[1:]))"


class ProgramOfLesson:
    """The text and what came of it, on one page."""

    def __init__(self, tab: BrowserTab, book: LessonBook) -> None:
        self._tab, self._book = tab, book
        self._ran = False  # the host's run is the lesson's
        with ui.column().classes("teach-section"):
            with ui.row().classes("teach-head"):
                ui.label("Program").classes("drycell-section teach-grow")
                self._run = button("run", self.run, "lesson-run", "runs this text from the start of the cell")
                self._run.props("icon=play_arrow").classes("teach-main")
                button("save to cell", self.save, "lesson-save", "program and workpoints into the cell file", "save")
                self._verify = button(
                    "verify", self.verify, "lesson-verify", "saves, then searches all orders of events"
                )
                self._verify.props("icon=fact_check")
            with ui.row().classes("teach-result") as self._result:
                self._lamp = lamp("").style("margin-top:4px")
                self._said = ui.label("").classes("teach-says")
                named(self._said, "lesson-says")
            self._result.set_visibility(False)
            with ui.row().classes("teach-row"):
                self._language = ui.toggle({"python": "Python", "pascal": "Pascal"}, value="python")
                self._language.props("dense no-caps unelevated size=sm padding='2px 8px'").on_value_change(self.show)
                named(self._language, "lesson-language")
                ui.element("div").classes("teach-grow")
                button("copy", self._copy, "lesson-copy", "the text to the clipboard", "content_copy")
            self._notes = ui.column().classes("teach-list")
            self._code = ui.element("pre").classes("teach-code")
            with self._code:
                self._text = ui.label("").style("white-space:pre")
                named(self._text, "lesson-text")
        tab.on(Status, self._status)

    def show(self) -> None:
        """The text anew."""
        found = self._found
        self._text.set_text(found.text)
        self._code.set_visibility(bool(found.text))
        self._notes.clear()
        with self._notes:
            if found.error:
                self._note("red", found.error)
            for gap in found.gaps:
                self._note("red", f"step {gap.step + 1} left out: {gap.what}")
            for note in found.notes:
                self._note("amber", f"step {note.step + 1}: {note.what}")
            for name in self._book.checked.instead_of:
                self._note("amber", f"in place of program {name}, which commands the same robot")

    @property
    def _found(self) -> LessonText:
        """The lesson in the language that is shown."""
        checked = self._book.checked
        return checked.python if self._language.value == "python" else checked.pascal

    def _note(self, colour: str, text: str) -> None:
        with ui.row().classes("teach-result"):
            lamp(colour).style("margin-top:4px")
            ui.label(text).classes("teach-says")

    def _say(self, colour: str, text: str) -> None:
        self._lamp.classes(replace=f"teach-lamp {colour}")
        self._said.set_text(text)
        self._result.set_visibility(bool(text))

    # ---------------------------------------------------------------- doing

    async def run(self) -> None:
        """Runs the text that is shown, in Python or Pascal, on a fresh bench."""
        if not self._may_use():
            return
        studio = self._tab.studio
        self._say("", "running…")
        try:
            await studio.restart()
            await building(studio).shown()  # what is built and not saved yet is on the bench, too
            await studio.host.teaching.enter(self._book.data(), self._language.value)
            self._ran = True
            await studio.host.transport.run()
        except DrycellError as error:
            self._ran = False
            self._fail(error)

    def _may_use(self) -> bool:
        """Whether this page may act, and there is something to be run or saved; says so if not."""
        if not self._tab.may_act():
            return False
        if not self._book.lesson.steps:
            self._say("amber", "nothing is taught yet: record a step first")
        return bool(self._book.lesson.steps)

    def _fail(self, error: DrycellError) -> None:
        self._say("red", error.what + (f"\ntry: {error.hint}" if error.hint else ""))

    def _status(self, status: Status) -> None:
        if not self._ran:
            return
        if status.mode == "live":
            self._say("", f"running… {status.t / 1e6:.1f} s")
        elif status.mode == "ended":
            self._ran = False
            self._say(*_verdict(status))

    async def save(self) -> bool:
        """Saves program and points into the cell file, and the lesson beside it; the bench shows the cell with them."""
        if not self._may_use():
            return False
        studio = self._tab.studio
        try:
            if studio.latest.mode != "bench":  # after a run points would be where the parts are now
                await studio.restart()
            made = await studio.host.teaching.program(self._book.data(), self._language.value)
            self._book.save_program(made)
            await studio.restart()
        except DrycellError as error:
            self._fail(error)
            return False
        instead = f", in place of {', '.join(made.instead_of)}" if made.instead_of else ""
        self._say("green", f"saved as {made.file}, program {made.name} of the cell{instead}")
        return True

    async def verify(self) -> None:
        """Saves, then lets ``drycell verify`` search the cell."""
        if not await self.save():
            return
        path = self._tab.studio.path
        self._say("", "verifying…")
        self._verify.disable()
        command = [sys.executable, "-c", _VERIFY, "verify", str(path), "--time", _VERIFY_TIME]
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            said, _ = await process.communicate()
        finally:
            self._verify.enable()
        colour = {0: "green", 3: "amber"}.get(process.returncode or 0, "red")
        self._say(colour, said.decode(errors="replace").strip()[-1500:])

    def _copy(self) -> None:
        ui.clipboard.write(self._found.text)
        self._tab.notify("Copied.")


def _verdict(status: Status) -> tuple[str, str]:
    """How a run of the lesson ended: the colour, and what is to be said."""
    summary, error = status.summary or RunSummary(""), status.error
    at = f"at {status.t / 1e6:.2f} s"
    if error is not None:
        return "red", f"stopped {at}: {error.what}" + (f"\ntry: {error.hint}" if error.hint else "")
    collisions, near = summary.collisions, summary.near_misses
    if collisions:
        return "red", f"{collisions} collision{'es' if collisions > 1 else ''}, ended {at}: see the Journal"
    if summary.lost:
        return "red", f"lost: {', '.join(summary.lost)}, ended {at}"
    if summary.ending != "finished":
        return "amber", f"ended {at}: {summary.ending} {summary.reason}"
    if not summary.checked:
        return "amber", f"finished {at}; nothing was checked for collisions: the cell file has no checks"
    if near:
        return "amber", f"finished {at}, no collision, {near} near miss{'es' if near > 1 else ''}"
    return "green", f"finished {at}: no collision, no near miss, nothing lost"


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
