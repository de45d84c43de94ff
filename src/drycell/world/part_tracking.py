"""Part tracking: records every part from its arrival to its end, and what carries it."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from drycell.kernel import Kernel, Signal, Track
from drycell.world.body import LiveBody
from drycell.world.contact import ContactSignal
from drycell.world.gravity import Gravity
from drycell.world.motion import FOREVER
from drycell.world.world import World

StepKind = Literal["arrives", "carried", "machined", "stored", "unstored", "sunk", "lost", "found", "gone"]


class PartStep(NamedTuple):
    """One event in the life of a part. Parts are numbered in order of arrival; names can be reused.

    ``place`` is the source, the new carrier, the machine, the store or the sink. ``lost`` means that the part falls
    with nothing below it, ``found`` that something came below it after all, and ``gone`` that it was removed from the
    cell by something other than a sink.
    """

    part: int
    step: StepKind
    place: str = ""
    name: str = ""
    kind: str = ""


class PartTracking:
    """Records what sources, machines, stores and sinks do to parts."""

    def __init__(self, kernel: Kernel, world: World, gravity: Gravity) -> None:
        self._kernel, self._world = kernel, world
        self._track: Track[PartStep] = kernel.tracks.track("parts")
        self._here: dict[LiveBody, _Here] = {}
        self.kinds: dict[str, None] = {}
        """The kinds of parts that sources can bring, or have brought."""
        self._arrived = 0
        self._numbers: dict[str, int] = {}
        self._signals: list[Signal[Any]] = []
        self._contacts: list[Signal[Any]] = []
        self._known = 0  # number of signals when the contact signals were last collected
        gravity.may_write = self.may_change
        gravity.on_lost = self._lost
        world.subscribe(self._changed)

    # ---------------------------------------------------------------- writing

    def keep(self) -> None:
        """Mark the cell as having sources, sinks or stores of parts."""
        self._kernel.tracks.flow = True

    def next_name(self, kind: str) -> str:
        """A new name for the next part of a kind: ``plate1``, ``plate2``…"""
        while True:
            number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
            if f"{kind}{number}" not in self._world.bodies:
                return f"{kind}{number}"

    def enter(self, bodies: Iterable[LiveBody]) -> None:
        """Record the given bodies that are parts and did not come from a source."""
        for body in bodies:
            if body.part and body.gone == FOREVER:
                self._entry(body)

    def arrives(self, part: LiveBody, kind: str, source: str) -> None:
        """Record the arrival of a part. Call it before the part is added to the world."""
        here = self._here[part] = _Here(self._arrived, kind)
        self._arrived += 1
        self.kinds[kind] = None
        self._write(here, "arrives", source, part.name, kind)

    def machined(self, part: LiveBody, by: str) -> None:
        """Record that a machine has worked on a part."""
        here = self._entry(part)
        here.machined = (*here.machined, by)
        self._write(here, "machined", by)

    def machined_by(self, part: LiveBody) -> tuple[str, ...]:
        """The machines that have worked on a part, in order."""
        here = self._here.get(part)
        return () if here is None else here.machined

    def stored(self, part: LiveBody, store: str) -> None:
        """Record that a part was put into a store."""
        here = self._entry(part)
        here.kept_by = store
        self._write(here, "stored", store)

    def unstored(self, part: LiveBody) -> None:
        """Record that a part was taken out of a store."""
        here = self._here.get(part)  # the part may have left the cell already
        if here is not None:
            here.kept_by = ""
            self._write(here, "unstored")
            if here.lost:
                self._write(here, "lost")

    def sunk(self, part: LiveBody, sink: str) -> None:
        """Record that a sink removes a part from the cell."""
        self._write(self._entry(part), "sunk", sink)
        del self._here[part]

    def kind_of(self, part: LiveBody) -> str:
        """The kind of a part, which is recorded as a part of the cell."""
        return self._entry(part).kind

    def kind_named(self, part: LiveBody) -> str:
        """The kind of a part: that of its source, or its name without the number at the end. Records nothing."""
        here = self._here.get(part)
        return part.name.rstrip("0123456789") if here is None else here.kind

    def kept_by(self, part: LiveBody) -> str:
        """The store or pallet that keeps a part; empty if none does."""
        here = self._here.get(part)
        return "" if here is None else here.kept_by

    def _entry(self, part: LiveBody) -> "_Here":
        here = self._here.get(part)
        if here is None:
            self.arrives(part, self.kind_named(part), "")
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

    def _write(self, here: "_Here", step: StepKind, place: str = "", name: str = "", kind: str = "") -> None:
        self._track.append(self._kernel.now, PartStep(here.number, step, place, name, kind))

    # ---------------------------------------------------------------- signals that depend on parts

    def concerns(self, *signals: Signal[Any]) -> None:
        """Register signals that change when parts move."""
        self._signals.extend(signals)

    def may_change(self, *own: Signal[Any]) -> list[Signal[Any]]:
        """The signals that may change when something moves parts: ``own``, registered ones and contact signals."""
        known = self._kernel.signals
        if len(known) != self._known:
            self._known = len(known)
            self._contacts = [signal for signal in known.values() if isinstance(signal, ContactSignal)]
        return [*own, *self._signals, *self._contacts]


class _Here:
    """The data of a part while it is in the cell."""

    __slots__ = ("by", "kept_by", "kind", "lost", "machined", "number")

    def __init__(self, number: int, kind: str) -> None:
        self.number, self.kind = number, kind
        self.by = self.kept_by = ""
        self.machined: tuple[str, ...] = ()
        self.lost = False
