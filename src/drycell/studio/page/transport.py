"""The bar under the view: run, pause, step, stop, restart, speed, and the scrubber over all that has happened."""

from typing import Any, Final, Literal

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from drycell.base import DrycellError
from drycell.studio.api.transport import Status
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.texts import TICKS, clock_text, factor_text

_SPEEDS: Final[tuple[float | None, ...]] = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, None)
Step = Literal["event", "line", "cycle"]
_STEPS: Final[dict[Step, str]] = {"event": "next event (.)", "line": "next program line (F10)", "cycle": "next cycle"}
_FASTEST_PLAY: Final = 1000.0  # times real time, for looking at what has been


class Transport:
    """The bar of one page. The same buttons run a live cell and play a recording or the past of a run."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._host = tab.host.transport
        self._wanted: int | None = None  # the newest instant the scrubber was dragged to
        self._seeking = False
        self._dragging = False
        self._end = 0
        self._seeded: tuple[object, object] = (None, None)  # what is open, and its seed, when the field was last set
        with ui.row().classes("drycell-bar drycell-transport"):
            with ui.button(icon="play_arrow", on_click=self.run_or_pause).props("flat dense").mark("run") as self._run:
                self._run_tip = ui.tooltip("run (Space)")
            self._steps()
            self._stop = self._button("stop", "stop: end the run here", self.stop).props("color=negative").mark("stop")
            self._button("restart_alt", "restart with this seed (R)", self.restart).mark("restart")
            seed = ui.label("seed").classes("drycell-quiet drycell-clock q-ml-xs")
            self._seed = ui.number(value=0, min=0, precision=0, format="%d").props("dense borderless").mark("seed")
            seed.bind_visibility_from(self._seed, "visible")
            self._seed.classes("drycell-seed").tooltip("seed of all random streams, from the next restart on")
            self._speed = ui.select(
                {index: factor_text(factor) for index, factor in enumerate(_SPEEDS)}, value=3, on_change=self._paced
            )
            self._speed.props("dense borderless options-dense").classes("drycell-speed").mark("speed")
            self._speed.tooltip("speed against real time")
            self._button("chevron_left", "to the event before (,)", self.event_before).mark("before")
            self._scrubber = ui.slider(min=0, max=1, step=0, value=0).props("dense").mark("scrubber")
            self._scrubber.classes("drycell-scrubber")
            self._scrubber.on("update:model-value", self._dragged, throttle=0.03)
            self._scrubber.on("pan", self._panned, args=[None])
            self._button("chevron_right", "to the event after", self.event_after).mark("after")
            self._live = ui.button("live", on_click=self.live).props("flat dense no-caps").mark("live")
            self._live.tooltip("back to now (L)")
            self._clock = ui.label("0:00.000").classes("drycell-clock drycell-now").mark("clock")
            self._again = ui.button("run again", icon="play_circle", on_click=self.run_again)
            self._again.props("flat dense no-caps").mark("rerun")
            self._again.tooltip("the same cell, seed and choices, live: with its programs, line by line")
        tab.on(Status, self._show)
        self._show(tab.studio.latest)

    def _button(self, icon: str, tip: str, action: Any) -> ui.button:
        return ui.button(icon=icon, on_click=action).props("flat dense").tooltip(tip)

    def _steps(self) -> None:
        self._button("skip_next", "step one event (.)", lambda: self.step("event")).mark("step")
        with (
            ui.button(icon="arrow_drop_down").props("flat dense").classes("drycell-narrow").mark("step-menu"),
            ui.menu(),
        ):
            for by, text in _STEPS.items():
                ui.menu_item(text, on_click=lambda by=by: self.step(by)).props("dense").mark(f"step-{by}")

    # what is on the screen

    @property
    def _status(self) -> Status:
        return self._tab.studio.latest

    @property
    def _past(self) -> bool:
        """Whether what is shown has been: a recording, a run that ended, or an instant before now."""
        return self._status.mode in ("recorded", "ended") or not self._status.following

    @property
    def _goes(self) -> bool:
        """Whether what is shown goes on by itself."""
        return self._status.playing is not None if self._past else self._status.state == "running"

    @property
    def factor(self) -> float | None:
        """The chosen speed; None is as fast as possible."""
        return _SPEEDS[int(self._speed.value)]

    def _show(self, status: Status) -> None:
        self._run.props(f"icon={'pause' if self._goes else 'play_arrow'}")
        self._run_tip.text = ("hold" if self._past else "pause") if self._goes else ("play" if self._past else "run")
        self._run_tip.text += " (Space)"
        self._stop.set_enabled(status.mode == "live")
        self._seed.set_visibility(status.mode != "recorded")
        self._again.set_visibility(status.mode == "recorded" and bool(self._tab.studio.tree.source))
        self._live.set_visibility(status.mode == "live")
        self._live.props(f"icon={'radio_button_checked' if status.following else 'radio_button_unchecked'}")
        self._live.set_enabled(not status.following)
        seeded = (status.path, status.seed)
        if status.seed is not None and seeded != self._seeded:  # else what is typed for the next restart stays
            self._seeded, self._seed.value = seeded, status.seed
        end = status.t
        self._scrubber.props(f"max={max(end, 1) / TICKS}")
        if not self._dragging and not self._seeking:
            self._scrubber.value = status.shown / TICKS
        if status.factor in _SPEEDS:
            self._speed.value = _SPEEDS.index(status.factor)
        self._end = end
        if not self._seeking:
            self._tell_time(status.shown)

    def _tell_time(self, shown: int) -> None:
        # Always as long: the scrubber beside it must not change its length under the hand.
        self._clock.text = f"{clock_text(shown)} / {clock_text(self._end, 0)}"

    # what can be done

    async def run_or_pause(self) -> None:
        """Runs or pauses the cell; plays or holds what has been."""
        if self._past:
            factor = _FASTEST_PLAY if self.factor is None else self.factor
            await self._tab.act(self._host.hold() if self._goes else self._host.play(factor))
        else:
            await self._tab.act(self._host.pause() if self._goes else self._host.run())

    async def step(self, by: Step) -> None:
        """One event, program line or cycle on; of a run, lines and cycles go on where it is, not in its past."""
        if by == "event" and self._status.mode == "live" and self._past:
            await self.event_after()
        else:
            await self._tab.act(self._host.step(by))

    async def stop(self) -> None:
        """Ends the run here, with its results so far."""
        await self._tab.act(self._host.stop())

    async def restart(self) -> None:
        """From the beginning, with the seed in the field."""
        if not self._tab.may_act():
            return
        try:
            await self._tab.studio.restart(seed=int(self._seed.value or 0))
        except DrycellError as error:
            self._tab.tell(error)

    async def run_again(self) -> None:
        """Puts the cell of a recording on the bench, to be run as it was recorded."""
        if await self._tab.act(self._tab.host.files.rerun()) is not None:
            self._tab.notify("The same run is on stage, from its beginning: run or step it.", "good")

    async def event_before(self) -> None:
        """Shows the instant of the journal before the one shown."""
        await self._to_moment(-1)

    async def event_after(self) -> None:
        """Shows the instant of the journal after the one shown."""
        await self._to_moment(1)

    async def live(self) -> None:
        """Shows the cell as it is now."""
        await self._tab.act(self._host.follow())

    async def _to_moment(self, by: Literal[-1, 1]) -> None:
        moment = await self._tab.ask(self._host.next_event(self._status.shown, by))
        if moment is not None:
            await self._tab.act(self._host.seek(moment))

    async def _paced(self, _: ValueChangeEventArguments[Any]) -> None:
        if self.factor == self._status.factor:
            return  # it was chosen in another browser, and told
        await self._tab.act(self._host.set_speed(self.factor))

    # the scrubber: the host is asked for the newest place only, once it has answered for the one before

    def _panned(self, event: GenericEventArguments) -> None:
        self._dragging = event.args == "start"

    def _dragged(self, event: GenericEventArguments) -> None:
        if not isinstance(event.args, int | float):
            return
        self._wanted = round(event.args * TICKS)
        if not self._seeking:
            self._seeking = True
            background_tasks.create(self._seek(), name="seek")

    async def _seek(self) -> None:
        try:
            while self._wanted is not None:
                wanted, self._wanted = self._wanted, None
                self._tell_time(wanted)
                if await self._tab.act(self._host.seek(wanted)) is None:
                    break
        finally:
            self._seeking = False


def transport_bar(tab: BrowserTab) -> Transport:
    """Builds the bar; what it returns does the same for keys."""
    return Transport(tab)
