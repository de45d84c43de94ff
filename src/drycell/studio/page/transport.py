"""The transport bar under the view: run, pause, step, stop, restart, seed, speed and scrubber."""

from typing import Any, Final, Literal

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from drycell.studio.api.transport import HostStatus
from drycell.studio.page.elements import name_elements, with_props
from drycell.studio.page.problems import ScrubberMarks
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import TICKS, clock_text, factor_text

_SPEEDS: Final[tuple[float | None, ...]] = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, None)
Step = Literal["event", "line", "cycle"]
_STEPS: Final[dict[Step, str]] = {"event": "next event (.)", "line": "next program line (F10)", "cycle": "next cycle"}
_FASTEST_PLAY: Final = 1000.0  # times real time, for replays


class TransportBar:
    """The bar of one page. The same buttons control a run and replay a recording or the past of a run."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._host = tab.host.transport
        self._dragging = False
        self._end = 0
        self._seeded: tuple[object, object] = (None, None)  # what was open, and its seed, when the field was last set
        with ui.row().classes("drycell-bar drycell-transport").props("role=region aria-label=transport"):
            with ui.button(icon="play_arrow", on_click=self.run_or_pause).props("flat dense").mark("run") as self._run:
                self._run_tip = ui.tooltip("run (Space)")
            self._steps()
            self._stop = self._button("stop", "stop: end the run now", self.stop).props("color=negative").mark("stop")
            self._button("restart_alt", "restart with this seed (R)", self.restart).mark("restart")
            seed = ui.label("seed").classes("drycell-quiet drycell-clock q-ml-xs")
            self._seed = ui.number(value=0, min=0, precision=0, format="%d").props("dense borderless").mark("seed")
            self._seed.props('aria-label="random seed"')
            seed.bind_visibility_from(self._seed, "visible")
            self._seed.classes("drycell-seed").tooltip("random seed, applied at the next restart")
            self._speed = ui.select(
                {index: factor_text(factor) for index, factor in enumerate(_SPEEDS)}, value=3, on_change=self._paced
            )
            self._speed.props("dense borderless options-dense").classes("drycell-speed").mark("speed")
            self._speed.props("aria-label=speed")
            self._speed.tooltip("speed, in multiples of real time")
            self._before = self._button("chevron_left", "previous event (,)", self.event_before).mark("before")
            with ui.element("div").classes("drycell-scrubber"):
                self._marks = ScrubberMarks(tab)
                self._scrubber = ui.slider(min=0, max=1, step=0, value=0).props("dense").mark("scrubber")
                self._scrubber.props('aria-label="time shown, in seconds"')
            self._scrubber.on("update:model-value", self._dragged, throttle=0.03)
            self._scrubber.on("pan", self._panned, args=[None])
            self._after = self._button("chevron_right", "next event", self.event_after).mark("after")
            self._live = ui.button("live", on_click=self.live).props("flat dense no-caps").mark("live")
            self._live.tooltip("back to the present (L)")
            self._clock = ui.label("0:00.000").classes("drycell-clock drycell-now").mark("clock")
            self._again = ui.button("run again", icon="play_circle", on_click=self.run_again)
            self._again.props("flat dense no-caps").mark("rerun")
            self._again.tooltip("repeat this run live, with its programs: same cell, seed and choices")
        tab.on(HostStatus, self._show)
        self._show(tab.studio.latest)

    def _button(self, icon: str, tip: str, action: Any) -> ui.button:
        return ui.button(icon=icon, on_click=action).props("flat dense").tooltip(tip)

    def _steps(self) -> None:
        self._step = self._button("skip_next", "step to the next event (.)", lambda: self.step("event")).mark("step")
        with (
            ui.button(icon="arrow_drop_down")
            .props('flat dense aria-label="more steps"')
            .classes("drycell-narrow")
            .mark("step-menu"),
            ui.menu(),
        ):
            for by, text in _STEPS.items():
                ui.menu_item(text, on_click=lambda by=by: self.step(by)).props("dense").mark(f"step-{by}")
            ui.separator()
            self._collide = ui.checkbox("stop at the next collision").props("dense size=xs").classes("q-pa-sm")
            self._collide.style("font-size: 12px").mark("stop-at-collision")
            self._collide.on_value_change(self._stop_at_collision)

    # ---------------------------------------------------------------- state

    @property
    def _status(self) -> HostStatus:
        return self._tab.studio.latest

    @property
    def _there(self) -> bool:
        """Whether there is something to show: not before the first cell is open."""
        return self._status.mode != "empty"

    @property
    def _past(self) -> bool:
        """Whether the past is shown: a recording, a finished run, or an earlier time of a run."""
        return self._status.mode in ("recorded", "ended") or not self._status.following

    @property
    def _goes(self) -> bool:
        """Whether the run or replay that is shown advances."""
        return self._status.playing is not None if self._past else self._status.state == "running"

    @property
    def factor(self) -> float | None:
        """The chosen speed; None is as fast as possible."""
        return _SPEEDS[int(self._speed.value)]

    def _show(self, status: HostStatus) -> None:
        with_props(self._run, icon="pause" if self._goes else "play_arrow")
        action = "pause" if self._goes else "play" if self._past else "run"
        self._run_tip.text = f"{action} (Space)"
        with_props(self._run, aria_label=self._run_tip.text)
        for shows in (self._before, self._after, self._scrubber):
            shows.set_enabled(self._there)
        for runs in (self._run, self._step):
            runs.set_enabled(self._there and not status.outdated)
        self._stop.set_enabled(status.mode == "live")
        self._seed.set_visibility(status.mode != "recorded")
        self._again.set_visibility(status.mode == "recorded" and bool(self._tab.studio.tree.source))
        self._live.set_visibility(status.mode == "live")
        with_props(self._live, icon="radio_button_checked" if status.following else "radio_button_unchecked")
        self._live.set_enabled(not status.following)
        seeded = (status.path, status.seed)
        if status.seed is not None and seeded != self._seeded:  # otherwise keep what was typed for the next restart
            self._seeded, self._seed.value = seeded, status.seed
        self._end = status.t
        with_props(self._scrubber, max=max(self._end, 1) / TICKS)
        self._marks.stretch(self._end)
        self._collide.value = status.stops_at_collision
        if not self._dragging and not self._tab.seeking:
            self._scrubber.value = status.shown / TICKS
        if status.factor in _SPEEDS:
            self._speed.value = _SPEEDS.index(status.factor)
        if not self._tab.seeking:
            self._show_time(status.shown)

    def _show_time(self, shown: int) -> None:
        # The text always has the same length: otherwise the scrubber beside it would change its length while dragged.
        self._clock.text = f"{clock_text(shown)} / {clock_text(self._end, 0)}"

    # ---------------------------------------------------------------- actions

    async def run_or_pause(self) -> None:
        """Run or pause the cell, or play or pause the past."""
        if not self._there or self._status.outdated:
            return  # the error line says why, or nothing is open yet
        if self._past:
            factor = _FASTEST_PLAY if self.factor is None else self.factor
            await self._tab.act(self._host.hold() if self._goes else self._host.play(factor))
        else:
            await self._tab.act(self._host.pause() if self._goes else self._host.run())

    async def step(self, by: Step) -> None:
        """Step by one event, program line or cycle. Lines and cycles continue the run, not its past."""
        if not self._there or self._status.outdated:
            return
        if by == "event" and self._status.mode == "live" and self._past:
            await self.event_after()
        elif self._status.mode == "live" and self._past:
            self._ask_to_step(by)
        else:
            await self._tab.act(self._host.step(by))

    async def _stop_at_collision(self, event: ValueChangeEventArguments[bool | None]) -> None:
        on, is_on = bool(event.value), self._status.stops_at_collision
        if on != is_on and await self._tab.act(self._host.stop_at_collision(on)) is None:
            self._collide.value = is_on

    def _ask_to_step(self, by: Step) -> None:
        """Ask before a step leaves the past that is shown: a run can be stepped only at its current time."""
        if not self._tab.may_act():
            return
        then = clock_text(self._status.shown)

        async def step() -> None:
            dialog.close()
            await self._tab.act(self._host.step(by))

        def show(status: HostStatus) -> None:  # the run may continue, and end
            text.text = f"The view shows {then}, but the run is at {clock_text(status.t)}."
            go.text = f"Step at {clock_text(status.t)}"
            if status.mode != "live":
                dialog.close()

        with self._tab.client, ui.dialog(value=True).mark("step-dialog") as dialog, ui.card().classes("gap-2"):
            text = ui.label().classes("text-weight-medium")
            ui.label("A step continues from there, and the view follows it.").classes("drycell-quiet")
            with ui.row().classes("justify-end full-width"):
                ui.button(f"Stay at {then}", on_click=dialog.close).props("flat dense no-caps").mark("step-stay")
                go = ui.button(on_click=step).props("unelevated dense no-caps").mark("step-go")
        stop = self._tab.on(HostStatus, show)
        show(self._status)

        def end() -> None:
            stop()
            dialog.delete()

        dialog.on("hide", end)
        name_elements(self._tab.client)

    async def stop(self) -> None:
        """End the run now, with the results so far."""
        await self._tab.act(self._host.stop())

    async def restart(self) -> None:
        """Restart with the seed in the field."""
        if self._tab.studio.opened is None:
            return  # the first cell is being opened
        await self._tab.act(self._tab.studio.restart(seed=int(self._seed.value or 0)))

    async def run_again(self) -> None:
        """Build the cell of a recording, ready to run as it was recorded."""
        if await self._tab.act(self._tab.host.files.rerun()) is not None:
            self._tab.notify("The recorded run is ready to be repeated: run or step it.", "good")

    async def event_before(self) -> None:
        """Show the previous time in the journal."""
        await self._to_event(-1)

    async def event_after(self) -> None:
        """Show the next time in the journal."""
        await self._to_event(1)

    async def live(self) -> None:
        """Show the present."""
        if self._there:
            await self._tab.act(self._host.follow())

    async def _to_event(self, by: Literal[-1, 1]) -> None:
        if not self._there:
            return
        t = await self._tab.ask(self._host.next_event(self._status.shown, by))
        if t is not None:
            await self._tab.act(self._host.seek(t))

    async def _paced(self, _: ValueChangeEventArguments[Any]) -> None:
        if self.factor != self._status.factor:  # equal if it was changed in another browser
            done = await self._tab.act(self._host.set_speed(self.factor))
            if done is None and self._status.factor in _SPEEDS:  # another browser has control
                self._speed.value = _SPEEDS.index(self._status.factor)

    def _panned(self, event: GenericEventArguments) -> None:
        self._dragging = event.args == "start"

    def _dragged(self, event: GenericEventArguments) -> None:
        if isinstance(event.args, int | float):
            t = round(event.args * TICKS)
            self._show_time(t)
            self._tab.seek(t)
