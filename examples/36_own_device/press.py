"""A press: your own kind of device, complete in one file next to the cell."""

from drycell import Box, mm
from drycell.cell import Cell, Device, Duration, Live
from drycell.world import LiveBody


class Press(Device, kind="press", icon="compress", example={"takes": "5 s"}):
    """Presses the part that lies on it."""

    takes: Duration
    """How long a stroke takes."""

    def signals(self) -> tuple[str, ...]:
        return ("start", "ready")

    def build(self, cell: Cell, name: str) -> "LivePress":
        return LivePress(cell, name, self)


class LivePress(Live[Press]):
    """A press in a run: a rising edge on ``start`` begins a stroke, and ``ready`` turns on at its end."""

    def __init__(self, cell: Cell, name: str, model: Press) -> None:
        super().__init__(cell, name, model)
        self.bed: LiveBody = self.stand(Box(200 * mm, 200 * mm, 100 * mm))
        self.start, self.ready = self.signal("start", False), self.signal("ready", False)
        self.start.subscribe(self._started)
        self.enter("idle")

    def _started(self, on: bool) -> None:
        if on:
            self.note("presses", parts=[part.name for part in self.bed.children if part.part])
            self.enter("working")  # set the state first, then the signals that report it
            self.ready.set(False)
            self.later(self.model.takes, self._done)

    def _done(self) -> None:
        self.enter("idle")
        self.ready.set(True)
