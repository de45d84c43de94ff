"""The trace of one run, for its story: who did what in which step, and which of them went first of a tie."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from drycell.kernel import Kernel, Location, Pending, ReplayingChooser, Step
from drycell.verify.causality import Footprint


@dataclass(slots=True)
class Deed:
    """One step as a person would tell it."""

    index: int
    time: int
    owner: str
    rivals: tuple[str, ...]
    """Who else could have gone first."""
    unusual: bool
    """Whether it went before its turn, or drew something else than the lower limit."""
    program: bool = False
    woke_at: Location | None = None
    waits_at: Location | None = None
    waits_for: str = ""
    wanted: tuple[str, ...] = ()
    """The signals it waits for."""
    sets: list[tuple[str, object]] = field(default_factory=list)
    drew: list[tuple[str, object]] = field(default_factory=list)
    footprint: Footprint = field(default_factory=dict)


class Tracer(ReplayingChooser):
    """Repeats choices, and writes down every step."""

    def __init__(self, choices: Sequence[int]) -> None:
        super().__init__(choices)
        self.deeds: list[Deed] = []
        self._stood: dict[str, Location] = {}
        self._next: Deed | None = None
        self._known: dict[str, int] = {}
        self._kernel: Kernel | None = None

    def bind(self, kernel: Kernel) -> None:
        """Before the run, when the cell has been built."""
        self._kernel = kernel
        self._known = {name: len(signal.history) for name, signal in kernel.signals.items()}

    def pick(self, pending: Sequence[Pending]) -> int:
        place = super().pick(pending)
        event = pending[place]
        rivals = tuple(other.owner for other in pending if other is not event)
        self._next = Deed(len(self.deeds), event.time, event.owner, rivals, place > 0)
        return place

    def value(self, name: str, count: int) -> int:
        number = super().value(name, count)
        self._drew(name, f"option {number + 1} of {count}", number > 0)
        return number

    def interval(self, name: str, low: float, high: float) -> float:
        value = super().interval(name, low, high)
        self._drew(name, f"{value:.6f}".rstrip("0").rstrip("."), value != low)
        return value

    def after(self, step: Step) -> None:
        deed, kernel = self._next, self._kernel
        if deed is None or kernel is None:
            return
        self.deeds.append(deed)
        deed.footprint = step.footprint
        for name, written in step.footprint.items():
            if written and name in kernel.signals:
                history = kernel.signals[name].history
                deed.sets.extend((name, value) for _, value, _ in history[self._known.get(name, 1) :])
                self._known[name] = len(history)
        deed.program = f"process:{deed.owner}" in step.footprint
        for process in kernel.processes.living():
            if process.name == deed.owner:
                deed.program = True
                deed.woke_at = self._stood.get(deed.owner)
                deed.waits_at = self._stood[deed.owner] = process.where()
                waiter = process.fibre.waiter
                if waiter is not None:
                    deed.waits_for = waiter.text
                    deed.wanted = tuple(signal.name for signal in waiter.signals)
                return
        deed.woke_at = self._stood.get(deed.owner)

    def _drew(self, name: str, what: object, unusual: bool) -> None:
        if self._next is not None:
            self._next.drew.append((name, what))
            self._next.unusual = self._next.unusual or unusual
