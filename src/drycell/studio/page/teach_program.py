"""The lesson as a program: its text in Python and Pascal, run on a fresh bench, saved into the cell, verified."""

import asyncio
import sys
from typing import Final

from nicegui import ui

from drycell.base import DrycellError
from drycell.studio.api.teaching import LessonText
from drycell.studio.api.transport import RunSummary, Status
from drycell.studio.building import building
from drycell.studio.lessons import LessonBook
from drycell.studio.page.naming import named
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.teach_style import button, lamp

_VERIFY_TIME: Final = "30 s"
_VERIFY: Final = "import sys; from drycell.cli.main import main; sys.exit(main(sys.argv[1:]))"


class ProgramOfLesson:
    """The text and what came of it, on one page."""

    def __init__(self, tab: BrowserTab, book: LessonBook) -> None:
        self._tab, self._book = tab, book
        self._ran = False  # the run on stage is the lesson's
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
