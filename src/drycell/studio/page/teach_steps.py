"""The steps of a lesson: the list, and the dialog that edits a step."""

from collections.abc import Callable
from typing import Final

from nicegui import ui

from drycell.base import Amount, DrycellError, Scalar
from drycell.studio.api.codec import encode
from drycell.studio.api.teaching import StepCheck
from drycell.studio.lessons import Lessons
from drycell.studio.page.elements import button, lamp, name_elements, named, number
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.teach_pendant import Pendant
from drycell.studio.page.teach_points import Points
from drycell.teach import Lesson, LessonAssign, LessonMove, LessonStep, LessonUntil, TaughtPoint

_TITLES = {
    "move": "Move",
    "grip": "Gripper",
    "wait": "Wait",
    "until": "Wait for a signal",
    "set": "Set a signal",
    "comment": "Note",
}
_LEAST: Final = 0.02  # metres that the TCP departs at least


class StepDialog:
    """One dialog for all kinds of steps. Its fields depend on the kind."""

    def __init__(self, tab: BrowserTab, lessons: Lessons) -> None:
        self._tab, self._lessons = tab, lessons
        self._read: Callable[[], LessonStep] = lambda: LessonStep(grip="open")
        self._done: Callable[[LessonStep], object] = lambda step: None
        with ui.dialog() as self._dialog, ui.card().classes("teach-dialog"):
            self._title = ui.label("").classes("text-weight-medium")
            self._fields = ui.column().classes("full-width").style("gap:6px")
            with ui.row().classes("full-width justify-end"):
                ui.button("Cancel", on_click=self._dialog.close).props("flat dense no-caps")
                ok = ui.button("OK", on_click=self._take).props("flat dense no-caps")
                named(ok, "step-ok")

    def new(self, kind: str, done: Callable[[LessonStep], object]) -> None:
        """Open the dialog for a new step; ``done`` is called with it."""
        starts = {
            "wait": LessonStep(wait=0.5),
            "until": LessonStep(until=LessonUntil(signal=self._signals()[0])) if self._signals() else None,
            "set": LessonStep(set=LessonAssign(signal=self._signals()[0])) if self._signals() else None,
            "comment": LessonStep(comment=""),
        }
        start = starts[kind]
        if start is None:
            self._tab.notify("This cell has no signals.", "warning")
            return
        self._open(kind, start, done)

    def edit(self, place: int) -> None:
        """Open the dialog for an existing step."""
        if self._tab.may_act():
            step = self._lessons.lesson.steps[place]
            self._open(step.kind, step, lambda made: self._lessons.edit(lambda lesson: lesson.replace(place, made)))

    def _open(self, kind: str, step: LessonStep, done: Callable[[LessonStep], object]) -> None:
        self._done = done
        self._title.set_text(_TITLES[kind])
        self._fields.clear()
        with self._fields:
            self._read = getattr(self, f"_{kind}")(step)
        name_elements(self._tab.client)
        self._dialog.open()

    def _take(self) -> None:
        if not self._tab.may_act():  # control may have changed while the dialog was open
            return
        try:
            step = self._read()
            self._done(step)
        except DrycellError as error:
            self._tab.show_error(error)
            return
        self._dialog.close()

    def _signals(self) -> list[str]:
        """All signals, binary ones first."""
        found = [(each.type != "bool", each.name) for each in self._tab.studio.tree.signals]
        return [name for _, name in sorted(found)]

    # ---------------------------------------------------------------- fields by kind

    def _move(self, step: LessonStep) -> Callable[[], LessonStep]:
        move = step.move
        assert move is not None
        if move.joints is not None:
            share = _number("speed", (move.speed or 1.0) * 100, "%", "step-speed")
            return lambda: LessonStep(move=LessonMove(joints=move.joints, speed=_some(share, 1e-2)))
        if move.back is not None:
            back = _number("back", move.back * 1e3, "mm", "step-back")
            pace = _number("speed", (move.speed or 0.0) * 1e3, "mm/s (0: default)", "step-speed")
            return lambda: LessonStep(move=LessonMove(back=float(back.value or 0) * 1e-3, speed=_some(pace, 1e-3)))
        names = sorted({*self._lessons.lesson.points, *self._points_of_cell(), str(move.to)})
        to = ui.select(names, value=move.to, label="to").props("dense outlined options-dense").classes("full-width")
        before = _number("distance before it", move.before * 1e3, "mm", "step-before")
        linear = ui.checkbox("in a straight line", value=move.linear).props("dense")
        named(linear, "step-linear")
        scale = 1e3 if move.linear else 1e2
        speed = _number("speed", (move.speed or 0.0) * scale, "mm/s or % (0: default)", "step-speed")
        return lambda: LessonStep(
            move=LessonMove(
                to=to.value,
                before=float(before.value or 0.0) * 1e-3,
                linear=bool(linear.value),
                speed=_some(speed, 1e-3 if linear.value else 1e-2),
            )
        )

    def _points_of_cell(self) -> list[str]:
        return [each.name for each in self._tab.studio.tree.workpoints]

    def _grip(self, step: LessonStep) -> Callable[[], LessonStep]:
        choice = ui.toggle({"open": "open", "close": "close"}, value=step.grip).props("dense no-caps unelevated")
        return lambda: LessonStep(grip=choice.value)

    def _wait(self, step: LessonStep) -> Callable[[], LessonStep]:
        field = _number("for", step.wait or 0.5, "s", "step-seconds")
        return lambda: LessonStep(wait=max(float(field.value or 0.0), 1e-6))

    def _until(self, step: LessonStep) -> Callable[[], LessonStep]:
        until = step.until
        assert until is not None
        signal, value = self._signal(until.signal, until.value)
        most = _number("at most", until.timeout or 0.0, "s (0: no limit)", "step-timeout")
        return lambda: LessonStep(until=LessonUntil(signal=signal.value, value=value(), timeout=_some(most, 1.0)))

    def _set(self, step: LessonStep) -> Callable[[], LessonStep]:
        given = step.set
        assert given is not None
        signal, value = self._signal(given.signal, given.value)
        pulse = _number("as a pulse of", (given.pulse or 0.0) * 1e3, "ms (0: permanent)", "step-pulse")
        return lambda: LessonStep(set=LessonAssign(signal=signal.value, value=value(), pulse=_some(pulse, 1e-3)))

    def _comment(self, step: LessonStep) -> Callable[[], LessonStep]:
        field = ui.input(value=step.comment).props("dense outlined autofocus maxlength=200").classes("full-width")
        named(field, "step-note")
        return lambda: LessonStep(comment=" ".join(str(field.value or "").split()) or "–")

    def _signal(self, name: str, value: Scalar) -> tuple[ui.select, Callable[[], Scalar]]:
        types = {each.name: each.type for each in self._tab.studio.tree.signals}
        names = list(dict.fromkeys([*self._signals(), name]))
        signal = ui.select(names, value=name, label="signal", with_input=True)
        signal.props("dense outlined options-dense").classes("full-width")
        named(signal, "step-signal")
        switch = ui.toggle({True: "on", False: "off"}, value=bool(value)).props("dense no-caps unelevated")
        named(switch, "step-switch")
        field = ui.input(value=str(value), label="value").props("dense outlined").classes("full-width")
        named(field, "step-value")

        def fits() -> None:
            """Show a switch for binary signals, a text field for others."""
            binary = types.get(str(signal.value), "bool") == "bool"
            switch.set_visibility(binary)
            field.set_visibility(not binary)

        def read() -> Scalar:
            kind = types.get(str(signal.value), "bool")
            return bool(switch.value) if kind == "bool" else _value(str(field.value or ""), kind)

        signal.on_value_change(fits)
        fits()
        return signal, read


def _number(label: str, value: float, unit: str, name: str) -> ui.number:
    made = ui.number(label=label, value=round(value, 6), suffix=unit).props("dense outlined").classes("full-width")
    named(made, name)
    return made


def _some(field: ui.number, scale: float) -> float | None:
    """The value of a field in SI units; None if it is empty or 0."""
    value = float(field.value or 0.0)
    return value * scale if value > 0.0 else None


def _value(text: str, kind: str) -> Scalar:
    try:
        return int(text) if kind == "int" else float(text) if kind == "float" else text
    except ValueError:
        raise DrycellError(
            f"{text!r} is not a value of this signal, which has type {kind}", hint="enter a number such as 3 or 0.5"
        ) from None


class Steps:
    """The steps of the lesson on one page. New steps are inserted after the selected step, or at the end."""

    def __init__(self, tab: BrowserTab, lessons: Lessons, pendant: Pendant, points: Points) -> None:
        self._tab, self._lessons, self._pendant, self._points = tab, lessons, pendant, points
        self.chosen: int | None = None
        self._shown: int | None = None  # the step whose preview is shown
        self._listed: object = None  # the contents of the list
        self._dialog = StepDialog(tab, lessons)
        with ui.column().classes("teach-section"):
            with ui.row().classes("teach-head"):
                ui.label("Steps").classes("drycell-section teach-grow")
                self._undo = button("", self.undo, "lesson-undo", "undo", "undo")
                self._redo = button("", self.redo, "lesson-redo", "redo", "redo")
            with ui.row().classes("teach-row"):
                take = button("take part", self._take_part, "take-part", "open, approach, descend, close, depart")
                take.props("icon=back_hand").classes("teach-main teach-grow")
                put = button("set part down", self._put_part, "put-part", "approach, descend, open, depart")
                put.props("icon=vertical_align_bottom").classes("teach-main teach-grow")
                self._distance = number(
                    60.0, "mm", "approach-distance", "distance from a point at which its approach starts"
                )
                self._speed = number(100.0, "mm/s", "linear-speed", "speed of linear moves", step=10.0, width=88)
            with ui.row().classes("teach-wrap"):
                button("move here", self._move_here, "move-here", "record a move to the present joint values")
                button(
                    "straight here",
                    self._straight_here,
                    "straight-here",
                    "record a linear move to the present TCP pose",
                )
                button("to point", lambda: self._to_point(False), "to-point", "record a move to the selected point")
                button(
                    "straight to point", lambda: self._to_point(True), "straight-to-point", "record a linear move to it"
                )
                button("approach", self._approach, "before-point", "record a move to a pose before the selected point")
                button("depart", self._back, "back-off", "record a linear move back along the tool axis")
                button("open", lambda: self._add(LessonStep(grip="open")), "step-open", "open the gripper")
                button("close", lambda: self._add(LessonStep(grip="close")), "step-close", "close the gripper")
                button("wait…", lambda: self._ask("wait"), "step-wait", "wait for some seconds")
                button("wait for…", lambda: self._ask("until"), "step-until", "wait until a signal has a value")
                button("set…", lambda: self._ask("set"), "step-set", "set a signal")
                button("note…", lambda: self._ask("comment"), "step-comment", "add a comment")
            self._list = ui.column().classes("teach-list")
            named(self._list, "steps")
            self._says = ui.label("").classes("teach-says drycell-quiet")

    # ---------------------------------------------------------------- showing

    def show(self) -> None:
        """Show the list."""
        lesson, checked = self._lessons.lesson, self._lessons.checked.steps
        if self.chosen is not None and self.chosen >= len(lesson.steps):
            self.chosen = None
        self._undo.set_enabled(lesson.undoable)
        self._redo.set_enabled(lesson.redoable)
        found = [
            checked[place] if place < len(checked) and checked[place].text == step.text else None
            for place, step in enumerate(lesson.steps)
        ]
        listed = (self.chosen, lesson.steps, found)
        if listed != self._listed:  # rebuilding the list under the mouse would lose a click
            self._listed = listed
            self._list.clear()
            with self._list:
                if not lesson.steps:
                    ui.label("No steps yet. Select a point and press “take part”, or record single steps.").classes(
                        "drycell-quiet"
                    )
                for place, step in enumerate(lesson.steps):
                    self._item(place, step, found[place])
        total = sum(each.duration for each in checked)
        error = self._lessons.error
        self._says.set_text(error.what if error else f"duration of moves: {total:.1f} s" if total else "")

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
        preview = await self._tab.ask(self._tab.host.teaching.preview(self._lessons.text(), place))
        if preview is not None:
            self._shown = place
            self._tab.view.ghosts(preview.ghosts)
            self._tab.view.overlay("preview", encode(preview.path))

    def clear_preview(self) -> None:
        """Remove the preview from the view."""
        if self._shown is not None:
            self._shown = None
            self._tab.view.ghosts([])
            self._tab.view.overlay("preview", [])

    # ---------------------------------------------------------------- recording

    def _add(self, *steps: LessonStep, teach: "TaughtPoint | None" = None) -> None:
        """Record steps, and optionally their point, as one change."""
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
            self._tab.notify("Select a point first: click one in the list, or pick one in the view.", "warning")
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
            self._tab.notify("The gripper is empty at this step. Take a part first.", "warning")
            return
        if grasp == name:
            self._tab.notify("The part is taken at this point. Select another point to set it down.", "warning")
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
        """The point at which the part in the gripper was grasped."""
        steps = self._lessons.lesson.steps
        last = len(steps) if self.chosen is None else self.chosen + 1
        held: str | None = None
        at: str | None = None
        for step in steps[:last]:
            if step.move is not None and step.move.to is not None and not step.move.before:
                at = step.move.to
            if step.grip is not None:
                held = at if step.grip == "close" else None
        return held if held in self._lessons.lesson.points else None

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
        if 0 <= place + by < len(self._lessons.lesson.steps):
            self._change(lambda lesson: lesson.reorder(place, place + by))
            if self.chosen == place:
                self.chosen = place + by
                self.show()

    def _delete(self, place: int) -> None:
        self._change(lambda lesson: lesson.delete(place))

    def undo(self) -> None:
        """Take back the last change of the lesson."""
        self._change(lambda lesson: lesson.undo())

    def redo(self) -> None:
        """Restore what was taken back."""
        self._change(lambda lesson: lesson.redo())

    def _change(self, action: Callable[[Lesson], object]) -> None:
        self.clear_preview()
        self._tab.edit(lambda: self._lessons.edit(action))
