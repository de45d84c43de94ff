"""The steps of a lesson: recorded by buttons, put in order, edited, each with its lamp and a preview in the view."""

from typing import Any, Final

from nicegui import ui

from drycell.base import Amount, DrycellError
from drycell.studio.api.codec import encode
from drycell.studio.api.teaching import StepCheck
from drycell.studio.lessons import LessonBook
from drycell.studio.page.naming import named
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.teach_edit import StepDialog
from drycell.studio.page.teach_pendant import Pendant
from drycell.studio.page.teach_points import Points
from drycell.studio.page.teach_style import button, lamp, number
from drycell.teach import Lesson, LessonMove, LessonStep, TaughtPoint

_LEAST: Final = 0.02  # metres a tool goes back at least


class Steps:
    """The steps of the lesson on one page. What is recorded comes after the chosen step, or last."""

    def __init__(self, tab: BrowserTab, book: LessonBook, pendant: Pendant, points: Points) -> None:
        self._tab, self._book, self._pendant, self._points = tab, book, pendant, points
        self.chosen: int | None = None
        self._shown: int | None = None  # the step whose preview is in the view
        self._listed: object = None  # what the list shows
        self._dialog = StepDialog(tab, book)
        with ui.column().classes("teach-section"):
            with ui.row().classes("teach-head"):
                ui.label("Steps").classes("drycell-section teach-grow")
                self._undo = button("", self._turn_back, "lesson-undo", "undo", "undo")
                self._redo = button("", self._turn_on, "lesson-redo", "redo", "redo")
            with ui.row().classes("teach-row"):
                take = button("take part", self._take_part, "take-part", "open, approach, descend, close, depart")
                take.props("icon=back_hand").classes("teach-main teach-grow")
                put = button("set part down", self._put_part, "put-part", "approach, descend, open, depart")
                put.props("icon=vertical_align_bottom").classes("teach-main teach-grow")
                self._distance = number(60.0, "mm", "approach-distance", "how far before a point it is approached from")
                self._speed = number(100.0, "mm/s", "linear-speed", "speed of straight moves", step=10.0, width=88)
            with ui.row().classes("teach-wrap"):
                button("move here", self._move_here, "move-here", "to these joint values")
                button("straight here", self._straight_here, "straight-here", "in a straight line to this place")
                button("to point", lambda: self._to_point(False), "to-point", "to the chosen point")
                button("straight to point", lambda: self._to_point(True), "straight-to-point", "to the chosen point")
                button("approach", self._approach, "before-point", "to short of the chosen point")
                button("depart", self._back, "back-off", "straight back along the tool")
                button("open", lambda: self._add(LessonStep(grip="open")), "step-open", "open the gripper")
                button("close", lambda: self._add(LessonStep(grip="close")), "step-close", "close the gripper")
                button("wait…", lambda: self._ask("wait"), "step-wait", "let time pass")
                button("wait for…", lambda: self._ask("until"), "step-until", "until a signal has a value")
                button("set…", lambda: self._ask("set"), "step-set", "set a signal")
                button("note…", lambda: self._ask("comment"), "step-comment", "a comment")
            self._list = ui.column().classes("teach-list")
            named(self._list, "steps")
            self._says = ui.label("").classes("teach-says drycell-quiet")

    # ---------------------------------------------------------------- showing

    def show(self) -> None:
        """The list anew."""
        lesson, checked = self._book.lesson, self._book.checked.steps
        if self.chosen is not None and self.chosen >= len(lesson.steps):
            self.chosen = None
        self._undo.set_enabled(lesson.undoable)
        self._redo.set_enabled(lesson.redoable)
        found = [
            checked[place] if place < len(checked) and checked[place].text == step.text else None
            for place, step in enumerate(lesson.steps)
        ]
        listed = (self.chosen, lesson.steps, found)
        if listed != self._listed:  # a list made anew under the mouse would swallow a click
            self._listed = listed
            self._list.clear()
            with self._list:
                if not lesson.steps:
                    ui.label("None yet: choose a point and press “take part”, or record step by step.").classes(
                        "drycell-quiet"
                    )
                for place, step in enumerate(lesson.steps):
                    self._item(place, step, found[place])
        total = sum(each.duration for each in checked)
        trouble = self._book.trouble
        self._says.set_text(trouble.what if trouble else f"moves take {total:.1f} s" if total else "")

    def _item(self, place: int, step: LessonStep, found: StepCheck | None) -> None:
        with ui.row().classes("teach-item" + (" chosen" if place == self.chosen else "")) as row:
            said = f"{found.says}\n{found.hint or ''}".strip() if found is not None and found.says else ""
            lamp(found.lamp if found is not None and step.move is not None else "", said)
            ui.label(str(place + 1)).classes("drycell-quiet teach-number").style("width:18px")
            with ui.column().classes("teach-grow").style("gap:0"):
                text = ui.label(step.text).classes("ellipsis full-width")
                if step.comment is not None:
                    text.classes("teach-remark")
                if said and found is not None and found.lamp != "green":
                    ui.label(found.says).classes("teach-says drycell-quiet")
            if found is not None and found.duration:
                ui.label(f"{found.duration:.2f} s").classes("drycell-quiet teach-number")
            with ui.row().classes("teach-tools"):
                if step.move is not None:
                    button("", lambda: self._preview(place), f"preview-{place}", "show the move", "visibility")
                button("", lambda: self._shift(place, -1), f"up-{place}", "earlier", "arrow_upward")
                button("", lambda: self._shift(place, 1), f"down-{place}", "later", "arrow_downward")
                button("", lambda: self._dialog.edit(place), f"edit-{place}", "edit", "edit")
                button("", lambda: self._delete(place), f"delete-{place}", "delete", "delete_outline")
        row.on("click", lambda: self._choose(place))
        named(row, f"step-{place}")

    def _choose(self, place: int) -> None:
        self.chosen = None if self.chosen == place else place
        self.show()

    async def _preview(self, place: int) -> None:
        if self._shown == place:
            self.clear_preview()
            return
        preview = await self._tab.ask(self._tab.host.teaching.preview(self._book.data(), place))
        if preview is not None:
            self._shown = place
            self._tab.view.ghosts(preview.ghosts)
            self._tab.view.overlay("preview", encode(preview.path))

    def clear_preview(self) -> None:
        """Takes the copies of the arm out of the view."""
        if self._shown is not None:
            self._shown = None
            self._tab.view.ghosts([])
            self._tab.view.overlay("preview", [])

    # ---------------------------------------------------------------- recording

    def _add(self, *steps: LessonStep, teach: "TaughtPoint | None" = None) -> None:
        """Records steps, and the point they go to if it is new, as one change."""
        if not self._tab.may_act():
            return
        at = None if self.chosen is None else self.chosen + 1

        def record(lesson: Lesson) -> None:
            with lesson.one_change():
                if teach is not None:
                    lesson.teach(teach)
                for offset, step in enumerate(steps):
                    lesson.add(step, None if at is None else at + offset)

        self.clear_preview()
        if at is not None:
            self.chosen = at + len(steps) - 1
        self._change(record)

    @property
    def _short(self) -> float:
        return max(float(self._distance.value or 0.0), 0.0) * 1e-3

    @property
    def _pace(self) -> float | None:
        value = float(self._speed.value or 0.0)
        return value * 1e-3 if value > 0 else None

    def _chosen_point(self) -> str | None:
        if self._points.chosen is None:
            self._tab.notify("Choose a point first: click on one in the list, or pick one.", "warning")
        return self._points.chosen

    async def _take_part(self) -> None:
        name = self._chosen_point()
        grasp = None if name is None else await self._points.grasp()
        if grasp is not None:
            self._add(
                LessonStep(grip="open"),
                LessonStep(move=LessonMove(to=name, before=self._short)),
                LessonStep(move=LessonMove(to=name, linear=True, speed=self._pace)),
                LessonStep(grip="close"),
                LessonStep(move=LessonMove(back=self._short or _LEAST, speed=self._pace)),
                teach=grasp,
            )

    async def _put_part(self) -> None:
        name, grasp = self._chosen_point(), self._grasped()
        if name is None:
            return
        if grasp is None:
            self._tab.notify("Nothing is held by then: take a part first.", "warning")
            return
        if grasp == name:
            self._tab.notify("This is where the part is taken: pick another point to set it down.", "warning")
            return
        place = await self._points.place(grasp)
        if place is not None:
            self._add(
                LessonStep(move=LessonMove(to=name, before=self._short)),
                LessonStep(move=LessonMove(to=name, linear=True, speed=self._pace)),
                LessonStep(grip="open"),
                LessonStep(move=LessonMove(back=self._short or _LEAST, speed=self._pace)),
                teach=place,
            )

    def _grasped(self) -> str | None:
        """The point at which the gripper was last closed."""
        steps = self._book.lesson.steps
        last = len(steps) if self.chosen is None else self.chosen + 1
        held: str | None = None
        at: str | None = None
        for step in steps[:last]:
            if step.move is not None and step.move.to is not None and not step.move.before:
                at = step.move.to
            if step.grip is not None:
                held = at if step.grip == "close" else None
        return held if held in self._book.lesson.points else None

    def _move_here(self) -> None:
        state = self._pendant.state
        if state is not None:
            joints = tuple(
                Amount(joint.value, "angle" if joint.kind == "revolute" else "length") for joint in state.joints
            )
            self._add(LessonStep(move=LessonMove(joints=joints)))

    def _straight_here(self) -> None:
        if self._pendant.state is not None and self._tab.may_act():
            self._add(LessonStep(move=LessonMove(to=self._points.teach_here(), linear=True, speed=self._pace)))

    def _to_point(self, linear: bool) -> None:
        name = self._chosen_point()
        if name is not None:
            self._add(LessonStep(move=LessonMove(to=name, linear=linear, speed=self._pace if linear else None)))

    def _approach(self) -> None:
        name = self._chosen_point()
        if name is not None:
            self._add(LessonStep(move=LessonMove(to=name, before=self._short)))

    def _back(self) -> None:
        self._add(LessonStep(move=LessonMove(back=self._short or _LEAST, speed=self._pace)))

    def _ask(self, kind: str) -> None:
        self._dialog.new(kind, self._add)

    # ---------------------------------------------------------------- editing

    def _shift(self, place: int, by: int) -> None:
        if 0 <= place + by < len(self._book.lesson.steps):
            self._change(lambda lesson: lesson.reorder(place, place + by))
            if self.chosen == place:
                self.chosen = place + by
                self.show()

    def _delete(self, place: int) -> None:
        self._change(lambda lesson: lesson.delete(place))

    def _turn_back(self) -> None:
        self._change(lambda lesson: lesson.undo())

    def _turn_on(self) -> None:
        self._change(lambda lesson: lesson.redo())

    def _change(self, action: Any) -> None:
        self.clear_preview()
        if self._tab.may_act():
            try:
                self._book.edit(action)
            except DrycellError as error:
                self._tab.tell(error)
