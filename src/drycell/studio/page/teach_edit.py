"""The dialog that asks for what a step needs: a new one, or one that is edited."""

from collections.abc import Callable

from nicegui import ui

from drycell.base import DrycellError, Scalar
from drycell.studio.lessons import LessonBook
from drycell.studio.page.naming import named
from drycell.studio.page.tab import BrowserTab
from drycell.teach import LessonAssign, LessonMove, LessonStep, LessonUntil

_TITLES = {
    "move": "Move",
    "grip": "Gripper",
    "wait": "Wait",
    "until": "Wait for a signal",
    "set": "Set a signal",
    "comment": "Note",
}


class StepDialog:
    """One dialog for all kinds of step; its fields are made for the kind that is asked for."""

    def __init__(self, tab: BrowserTab, book: LessonBook) -> None:
        self._tab, self._book = tab, book
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
        """Asks for a new step."""
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
        """Asks for what is to be different about a step."""
        if self._tab.may_act():
            step = self._book.lesson.steps[place]
            self._open(step.kind, step, lambda made: self._book.edit(lambda lesson: lesson.replace(place, made)))

    def _open(self, kind: str, step: LessonStep, done: Callable[[LessonStep], object]) -> None:
        self._done = done
        self._title.set_text(_TITLES[kind])
        self._fields.clear()
        with self._fields:
            self._read = getattr(self, f"_{kind}")(step)
        self._dialog.open()

    def _take(self) -> None:
        if not self._tab.may_act():  # control may have gone elsewhere while the dialog was open
            return
        try:
            step = self._read()
            self._done(step)
        except DrycellError as error:
            self._tab.tell(error)
            return
        self._dialog.close()

    def _signals(self) -> list[str]:
        """All signals, those that are on or off first."""
        found = [(each.type != "bool", each.name) for each in self._tab.studio.tree.signals]
        return [name for _, name in sorted(found)]

    # ---------------------------------------------------------------- the kinds

    def _move(self, step: LessonStep) -> Callable[[], LessonStep]:
        move = step.move
        assert move is not None
        if move.joints is not None:
            share = _number("speed", (move.speed or 1.0) * 100, "%", "step-speed")
            return lambda: LessonStep(move=LessonMove(joints=move.joints, speed=_some(share, 1e-2)))
        if move.back is not None:
            back = _number("back", move.back * 1e3, "mm", "step-back")
            pace = _number("speed", (move.speed or 0.0) * 1e3, "mm/s, 0: the robot's own", "step-speed")
            return lambda: LessonStep(move=LessonMove(back=float(back.value or 0) * 1e-3, speed=_some(pace, 1e-3)))
        names = sorted({*self._book.lesson.points, *self._points_of_cell(), str(move.to)})
        to = ui.select(names, value=move.to, label="to").props("dense outlined options-dense").classes("full-width")
        before = _number("before it", move.before * 1e3, "mm", "step-before")
        linear = ui.checkbox("in a straight line", value=move.linear).props("dense")
        named(linear, "step-linear")
        scale = 1e3 if move.linear else 1e2
        speed = _number("speed", (move.speed or 0.0) * scale, "mm/s or %, 0: the robot's own", "step-speed")
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
        most = _number("at most", until.timeout or 0.0, "s, 0: for ever", "step-timeout")
        return lambda: LessonStep(until=LessonUntil(signal=signal.value, value=value(), timeout=_some(most, 1.0)))

    def _set(self, step: LessonStep) -> Callable[[], LessonStep]:
        given = step.set
        assert given is not None
        signal, value = self._signal(given.signal, given.value)
        pulse = _number("as a pulse of", (given.pulse or 0.0) * 1e3, "ms, 0: for good", "step-pulse")
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
            """What is on or off is chosen, anything else written."""
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
    """What a field says, in SI; nothing for nothing and for zero."""
    value = float(field.value or 0.0)
    return value * scale if value > 0.0 else None


def _value(text: str, kind: str) -> Scalar:
    try:
        return int(text) if kind == "int" else float(text) if kind == "float" else text
    except ValueError:
        raise DrycellError(
            f"{text!r} is no value of this signal, which is of type {kind}", hint="write for example 3 or 0.5"
        ) from None
