"""Part tracking: every part from its arrival to its end, and what carries it, with nothing unaccounted for."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from drycell.kernel import Kernel, Signal, Track
from drycell.world.body import LiveBody
from drycell.world.contact import ContactSignal
from drycell.world.gravity import Gravity
from drycell.world.motion import FOREVER
from drycell.world.world import World

Happening = Literal["arrives", "carried", "machined", "stored", "unstored", "sunk", "lost", "found", "gone"]


class PartStep(NamedTuple):
    """What happens to a part. Parts are numbered in the order of arrival; a name may be used again.

    ``place`` is where it came from, what carries it from now on, who machined it, or where it was stored or sunk.
    ``lost`` is a part that falls with nothing below it, ``found`` one that something came below after all, ``gone`` one
    that was taken out of the cell by nobody who keeps records.
    """

    part: int
    step: Happening
    place: str = ""
    name: str = ""
    kind: str = ""


class PartTracking:
    """Where sources, machines, stores and sinks write down what happens to parts."""

    def __init__(self, kernel: Kernel, world: World, gravity: Gravity) -> None:
        self._kernel, self._world = kernel, world
        self._track: Track[PartStep] = kernel.tracks.track("parts")
        self._here: dict[LiveBody, _Here] = {}
        self._arrived = 0
        self._numbers: dict[str, int] = {}
        self._signals: list[Signal[Any]] = []
        self._contacts: list[Signal[Any]] = []
        self._known = 0  # how many signals the cell had when the contacts among them were looked up
        gravity.may_write = self.may_change
        gravity.on_lost = self._lost
        world.subscribe(self._changed)

    # ---------------------------------------------------------------- writing

    def keep(self) -> None:
        """Somebody in the cell brings parts, or takes them."""
        self._kernel.tracks.flow = True

    def next_name(self, kind: str) -> str:
        """A name for the next part of a kind, that no part has ever had: ``plate1``, ``plate2``…"""
        while True:
            number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
            if f"{kind}{number}" not in self._world.bodies:
                return f"{kind}{number}"

    def enter(self, bodies: Iterable[LiveBody]) -> None:
        """Parts among these that nobody brought: they are there."""
        for body in bodies:
            if body.part and body.gone == FOREVER:
                self._entry(body)

    def arrives(self, part: LiveBody, kind: str, source: str) -> None:
        """A part comes into the cell; told before it is in the world, so that what carries it comes next."""
        here = self._here[part] = _Here(self._arrived, kind)
        self._arrived += 1
        self._write(here, "arrives", source, part.name, kind)

    def machined(self, part: LiveBody, by: str) -> None:
        """A machine has done its work on a part."""
        here = self._entry(part)
        here.machined = (*here.machined, by)
        self._write(here, "machined", by)

    def machined_by(self, part: LiveBody) -> tuple[str, ...]:
        """Who has worked on a part, in order."""
        here = self._here.get(part)
        return () if here is None else here.machined

    def stored(self, part: LiveBody, store: str) -> None:
        """A part lies in a store."""
        self._write(self._entry(part), "stored", store)

    def unstored(self, part: LiveBody) -> None:
        """A part was taken out of a store again."""
        here = self._here.get(part)  # a store may notice later than others that a part has left it, or the cell
        if here is not None:
            self._write(here, "unstored")
            if here.lost:
                self._write(here, "lost")

    def sunk(self, part: LiveBody, sink: str) -> None:
        """A sink takes a part out of the cell."""
        self._write(self._entry(part), "sunk", sink)
        del self._here[part]

    def kind_of(self, part: LiveBody) -> str:
        """The kind of a part."""
        return self._entry(part).kind

    def _entry(self, part: LiveBody) -> "_Here":
        here = self._here.get(part)
        if here is None:
            self.arrives(part, part.name.rstrip("0123456789"), "")
            here = self._here[part]
            self._carried(part, here)
        return here

    def _changed(self, body: LiveBody) -> None:
        if body.gone != FOREVER:
            for each in self._world.subtree(body):
                here = self._here.pop(each, None)
                if here is not None and not here.lost:
                    self._write(here, "gone")
            return
        here = self._here.get(body)
        if here is not None:
            self._carried(body, here)

    def _carried(self, part: LiveBody, here: "_Here") -> None:
        parent = part.parent if part.history else None
        by = "" if parent is None else parent.name
        if by != here.by:
            here.by = by
            self._write(here, "carried", by)

    def _lost(self, body: LiveBody, lost: bool) -> None:
        here = self._here.get(body)
        if here is not None:
            here.lost = lost
            self._write(here, "lost" if lost else "found")

    def _write(self, here: "_Here", step: Happening, place: str = "", name: str = "", kind: str = "") -> None:
        self._track.append(self._kernel.now, PartStep(here.number, step, place, name, kind))

    # ---------------------------------------------------------------- who depends on where parts go

    def concerns(self, *signals: Signal[Any]) -> None:
        """These signals change by themselves when parts come to certain places."""
        self._signals.extend(signals)

    def may_change(self, *own: Signal[Any]) -> list[Signal[Any]]:
        """What a timer that moves parts may write: its own signals, those that depend on where parts are, contacts."""
        known = self._kernel.signals
        if len(known) != self._known:
            self._known = len(known)
            self._contacts = [signal for signal in known.values() if isinstance(signal, ContactSignal)]
        return [*own, *self._signals, *self._contacts]


class _Here:
    """What must be known of a part while it is in the cell."""

    __slots__ = ("by", "kind", "lost", "machined", "number")

    def __init__(self, number: int, kind: str) -> None:
        self.number, self.kind = number, kind
        self.by = ""
        self.machined: tuple[str, ...] = ()
        self.lost = False
