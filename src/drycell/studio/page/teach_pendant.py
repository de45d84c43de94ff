"""The pendant: jogs joints and the TCP, and moves the gripper, before a run."""

import math
from collections.abc import Coroutine, Sequence
from typing import Any, Final

from nicegui import ui
from nicegui.events import GenericEventArguments

from drycell.base import DrycellError, Pose
from drycell.studio.api.teaching import JointState, RobotState
from drycell.studio.page.elements import button, named, titled
from drycell.studio.page.tab import BrowserTab

_PERIOD: Final = 1.0  # seconds between two updates: another page may move the arm
_HELD: Final = 0.45  # seconds a button is held before it repeats
_REPEAT: Final = 0.12
_STEPS: Final = {0.1: "0.1 mm", 1.0: "1 mm", 5.0: "5 mm", 10.0: "10 mm", 50.0: "50 mm"}
_TURNS: Final = {0.1: "0.1°", 1.0: "1°", 5.0: "5°", 15.0: "15°", 45.0: "45°"}
_LABELS: Final = {"x": "X", "y": "Y", "z": "Z", "rx": "Rx", "ry": "Ry", "rz": "Rz", "pitch": "Pitch", "roll": "Roll"}


class Pendant:
    """The pendant of one page, for one robot at a time."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self.host = tab.host.teaching
        self.robot = ""
        self.state: RobotState | None = None
        self._rows: list[tuple[ui.slider, ui.label, bool]] = []
        self._shape: tuple[object, ...] = ()
        self._directions: tuple[str, ...] = ()
        self._wanted: list[float] | None = None
        self._busy = False
        self._repeating: ui.timer | None = None
        self._holding: object | None = None  # the button press that is under way
        with ui.column().classes("teach-section"):
            with ui.row().classes("teach-head"):
                ui.label("Pendant").classes("drycell-section teach-grow")
                button("reset", self._back, "back-to-start", "move the arm back to its start position", "undo")
            self._box = ui.column().classes("teach-list")
            with ui.row().classes("teach-row"):
                self._frame = (
                    ui.toggle({"world": "world", "base": "base", "tool": "tool"}, value="world")
                    .props("dense no-caps unelevated size=sm padding='2px 8px'")
                    .tooltip("frame in which the TCP is jogged")
                )
                named(self._frame, "jog-frame")
                ui.element("div").classes("teach-grow")
                self._step = _choice(_STEPS, 10.0, "jog-step", "distance per press")
                self._turn = _choice(_TURNS, 5.0, "jog-turn", "angle per press, also of joints")
            self._along = ui.column().classes("teach-list").style("gap:2px")
            self._tcp = ui.element("div").classes("teach-tcp")
            self._grip = ui.row().classes("teach-row")
            self._stopped = ui.label("").classes("teach-says text-warning")
        ui.timer(_PERIOD, self.refresh)

    async def take(self, robot: str) -> None:
        """Show a robot."""
        self.robot = robot
        self.state = None
        await self.refresh()

    async def refresh(self) -> None:
        """Show the current state of the arm. Does nothing if it is not available."""
        if not self.robot or self._tab.studio.latest.mode == "empty" or not self._tab.client.has_socket_connection:
            return
        if self._busy or self._wanted is not None:
            return
        try:
            state = await self.host.robot_state(self.robot)
        except DrycellError:
            return
        if not self._busy:
            self._show(state)

    async def act(self, call: Coroutine[Any, Any, RobotState]) -> bool:
        """Await a call that moves the arm, and show the result. Returns whether it succeeded."""
        self._busy = True
        try:
            state = await self._tab.act(call)
        finally:
            self._busy = False
        if state is None:
            await self.refresh()
            return False
        self._stopped.set_text(f"stopped: {state.stopped}" if state.stopped else "")
        self._show(state)
        return True

    # ---------------------------------------------------------------- showing

    def _show(self, state: RobotState) -> None:
        self.state = state
        shape = (
            state.robot,
            *((joint.name, joint.low, joint.high) for joint in state.joints),
            state.gripper is None,
        )
        if shape != self._shape:
            self._shape = shape
            self._build(state)
        if state.directions != self._directions:  # they may change while a slider is dragged
            self._directions = state.directions
            self._build_jogs()
        for (slider, label, turns), joint in zip(self._rows, state.joints, strict=True):
            value = _shown(joint.value, turns)
            if self._wanted is None:
                slider.set_value(round(value, 3))
            label.set_text(f"{value:.1f}{'°' if turns else ' mm'}")
        x, y, z, *_ = state.tcp
        roll, pitch, yaw = _rpy(state.tcp[3:])
        cells = [f"{v:.1f}" for v in (x * 1e3, y * 1e3, z * 1e3, roll, pitch, yaw)]
        for label, text in zip(self._figures, cells, strict=True):
            label.set_text(text if text != "-0.0" else "0.0")
        if state.gripper is not None:
            self._gap.set_text(f"jaw gap {state.gripper.gap * 1e3:.1f} mm")

    def _build(self, state: RobotState) -> None:
        self._box.clear()
        self._tcp.clear()
        self._grip.clear()
        self._rows = []
        with self._box:
            for number, joint in enumerate(state.joints):
                self._joint(number, joint)
        self._figures = []
        with self._tcp:
            for name in ("x mm", "y mm", "z mm", "roll °", "pitch °", "yaw °"):
                with ui.element("div"):
                    ui.label(name).classes("teach-small")
                    figure = ui.label("0.0")
                    named(figure, f"tcp-{name.split()[0]}")
                    self._figures.append(figure)
        with self._grip:
            if state.gripper is not None:
                self._gap = ui.label("").classes("teach-grow")
                button("open", lambda: self._grip_to(1.0), "pendant-open", "open the jaws, without recording a step")
                button("close", lambda: self._grip_to(0.0), "pendant-close", "close the jaws, without recording a step")

    def _build_jogs(self) -> None:
        self._along.clear()
        with self._along:
            for start in range(0, len(self._directions), 3):
                with ui.row().classes("teach-row"):
                    for direction in self._directions[start : start + 3]:
                        for sign in (-1.0, 1.0):
                            self._jog_button(direction, sign)

    def _joint(self, number: int, joint: JointState) -> None:
        turns = joint.kind == "revolute"
        endless = not math.isfinite(joint.low)
        low, high = (-360.0, 360.0) if endless else (_shown(joint.low, turns), _shown(joint.high, turns))
        unit = "°" if turns else " mm"
        with ui.element("div").classes("teach-joint"):
            titled(ui.label(joint.name).classes("ellipsis"), f"{joint.name}: {low:g} … {high:g}{unit}")
            less = button("", None, f"joint-{number}-minus", f"jog {joint.name} in the negative direction", "remove")
            self._press(less, joint.name, -1.0, turns)
            slider = ui.slider(min=low, max=high, step=0.1, value=0.0).props("dense thumb-size=14px track-size=4px")
            named(slider, f"joint-{number}")
            slider.on("update:model-value", lambda event, k=number: self._slid(event, k), throttle=0.05)
            titled(slider, f"{low:g} … {high:g}{unit}")
            more = button("", None, f"joint-{number}-plus", f"jog {joint.name} in the positive direction", "add")
            self._press(more, joint.name, 1.0, turns)
            label = ui.label("").classes("teach-number")
            named(label, f"joint-{number}-value")
        self._rows.append((slider, label, turns))

    def _jog_button(self, direction: str, sign: float) -> None:
        mark = "+" if sign > 0 else "−"
        name = f"jog-{direction}-{'plus' if sign > 0 else 'minus'}"
        made = button(f"{_LABELS[direction]}{mark}", None, name).classes("teach-jog").props("outline")

        async def go() -> None:
            turning = direction not in ("x", "y", "z")
            by = math.radians(self._turn.value) if turning else self._step.value * 1e-3
            await self.act(self.host.jog(self.robot, sign * by, direction=direction, frame=self._frame.value))

        self._repeats(made, go)

    def _press(self, made: ui.button, joint: str, sign: float, turns: bool) -> None:
        async def go() -> None:
            by = math.radians(self._turn.value) if turns else self._step.value * 1e-3
            await self.act(self.host.jog(self.robot, sign * by, joint=joint))

        self._repeats(made, go)

    def _repeats(self, made: ui.button, go: Any) -> None:
        """Call ``go`` at a press, and repeatedly while the button is held."""

        async def pressed() -> None:
            self._let_go()
            self._holding = press = object()
            await go()
            waited = 0.0

            async def again() -> None:
                nonlocal waited
                waited += _REPEAT
                if not self._tab.client.has_socket_connection:  # the release would not be noticed
                    self._let_go()
                elif waited >= _HELD and not self._busy:
                    await go()

            if self._holding is press:
                self._repeating = ui.timer(_REPEAT, again)

        made.on("mousedown", pressed)
        for event in ("mouseup", "mouseleave"):
            made.on(event, self._let_go)

    def _let_go(self) -> None:
        self._holding = None
        if self._repeating is not None:
            self._repeating.cancel()
            self._repeating = None

    async def _slid(self, event: GenericEventArguments, number: int) -> None:
        """Follow a slider. Only its latest position is sent."""
        if self.state is None:
            return
        values = [joint.value for joint in self.state.joints] if self._wanted is None else list(self._wanted)
        turns = self._rows[number][2]
        joint = self.state.joints[number]
        value = math.radians(event.args) if turns else event.args * 1e-3
        values[number] = min(max(value, joint.low), joint.high)
        waiting = self._wanted is not None
        self._wanted = values
        if waiting:
            return
        while self._wanted is not None:
            goal = self._wanted
            done = await self.act(self.host.put_joints(self.robot, tuple(goal)))
            if self._wanted == goal or not done:
                self._wanted = None

    async def _grip_to(self, gap: float) -> None:
        await self.act(self.host.put_gripper(self.robot, gap))

    async def _back(self) -> None:
        await self.act(self.host.back_to_start(self.robot))


def _choice(options: dict[float, str], value: float, name: str, tip: str) -> ui.select:
    made = ui.select(options, value=value).props("dense borderless options-dense").style("width:66px").tooltip(tip)
    named(made, name)
    return made


def _shown(value: float, turns: bool) -> float:
    return math.degrees(value) if turns else value * 1e3


def _rpy(wxyz: Sequence[float]) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a quaternion, in degrees."""
    roll, pitch, yaw = Pose.of_quaternion(wxyz).rpy
    return math.degrees(roll), math.degrees(pitch), math.degrees(yaw)
