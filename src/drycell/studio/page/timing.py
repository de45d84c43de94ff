"""The timing diagram as an element: signals over time, drawn in the browser, fed by who makes it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from drycell.studio.api.codec import encode
from drycell.studio.api.signals import SignalRow, SignalTraces
from drycell.studio.page.naming import COMPONENTS

Heard = Callable[[Any], Awaitable[None] | None]


class TimingDiagram(
    Element,
    component=COMPONENTS / "timing.js",
    dependencies=[COMPONENTS / "timing_*.js", COMPONENTS / "after_view.js"],
    default_classes="drycell-timing-host",
    default_style="width: 100%; height: 100%",
):
    """Digital, analogue and text traces with two cursors. What it needs and what the user does, it tells by events:

    ``window`` (which traces it wants: answer with :meth:`feed`), ``seek`` (an instant in ticks), ``jump`` (to the next
    edge of a signal), ``order`` (the names, as they were put), ``act`` (an entry of a row's menu), ``labels`` (pixels).
    """

    def __init__(self, labels: int = 220) -> None:
        super().__init__()
        self._props["labels"] = labels
        self.mark("timing")

    def hears(self, event: str, callback: Heard) -> None:
        """Calls back with what an event tells."""

        def heard(arguments: GenericEventArguments) -> Awaitable[None] | None:
            return callback(arguments.args)

        self.on(event, heard)

    def rows(self, rows: Sequence[SignalRow]) -> None:
        """Which signals are shown, in their order."""
        self.run_method("setRows", encode(rows))

    def feed(self, number: int, traces: SignalTraces) -> None:
        """The traces that a ``window`` event of that number asked for."""
        self.run_method("data", number, encode(traces))

    def values(self, t: int, values: dict[str, Any]) -> None:
        """The values of all signals at an instant, to be shown beside their names."""
        self.run_method("setValues", t, values)

    def status(self, shown: int, now: int, *, running: bool, follows: bool) -> None:
        """The instant on the screen, and the end of what is known."""
        self.run_method("status", shown, now, running, follows)

    def show(self, t: int) -> None:
        """Puts the cursor at an instant, and brings it into sight."""
        self.run_method("show", t)

    def fit(self) -> None:
        """All of the run fills the width."""
        self.run_method("fit")

    def zoom(self, factor: float) -> None:
        """Shows so many times more time than before, about the cursor."""
        self.run_method("zoom", factor)

    def forget(self) -> None:
        """Another run is shown: what was drawn is not of it."""
        self.run_method("forget")
