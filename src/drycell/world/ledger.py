"""The ledger of a cell: every part from its arrival to its end, with nothing unaccounted for."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from drycell.errors import UnknownName
from drycell.kernel import Kernel, Signal, seconds
from drycell.world.body import Body
from drycell.world.contact_signal import ContactSignal
from drycell.world.gravity import Gravity
from drycell.world.world import World

End = Literal["stored", "sunk", "inside", "lost"]


@dataclass(frozen=True, slots=True)
class Machining:
    """Work done on a part: by which machine, and when it was done, in seconds."""

    by: str
    time: float


@dataclass(frozen=True, slots=True)
class PartRecord:
    """One part: where it came from and when, what was done to it, and what has become of it, when and where.

    ``end`` is ``stored``, ``sunk`` (taken out by a sink), ``lost`` or ``inside``. In the last case ``time`` is that of
    the question, and ``where`` what carries it.
    """

    name: str
    kind: str
    source: str
    arrived: float
    machined: tuple[Machining, ...]
    end: End
    where: str
    time: float


@dataclass(frozen=True, slots=True)
class Parts:
    """All parts of a run: how many came, and what has become of them. arrived = stored + sunk + inside + lost."""

    records: tuple[PartRecord, ...] = ()
    kept: bool = False
    """Whether the cell has devices that parts come from or go to."""

    @property
    def arrived(self) -> int:
        """How many there ever were."""
        return len(self.records)

    @property
    def machined(self) -> int:
        """How many were worked on, wherever they are now."""
        return sum(bool(each.machined) for each in self.records)

    @property
    def stored(self) -> int:
        """How many lie in a store."""
        return self._count("stored")

    @property
    def sunk(self) -> int:
        """How many a sink has taken out."""
        return self._count("sunk")

    @property
    def inside(self) -> int:
        """How many are elsewhere in the cell."""
        return self._count("inside")

    @property
    def lost(self) -> int:
        """How many fell out of the cell, or were taken out of it by nobody who keeps records."""
        return self._count("lost")

    def __getitem__(self, name: str) -> PartRecord:
        for each in self.records:
            if each.name == name:
                return each
        raise UnknownName("part", name, [each.name for each in self.records])

    def _count(self, end: End) -> int:
        return sum(each.end == end for each in self.records)


@dataclass(slots=True)
class _Entry:
    """What is known of a part while the run goes on."""

    part: Body
    kind: str
    source: str
    arrived: int
    machined: list[Machining] = field(default_factory=list)
    end: End = "inside"
    where: str = ""
    time: int = 0


class Ledger:
    """Where sources, machines, stores and sinks write down what happens to parts."""

    def __init__(self, kernel: Kernel, world: World, gravity: Gravity) -> None:
        self._kernel, self._world, self._gravity = kernel, world, gravity
        self._entries: dict[Body, _Entry] = {}
        self._numbers: dict[str, int] = {}
        self._signals: list[Signal[Any]] = []
        self._contacts: list[Signal[Any]] = []
        self._known = 0  # how many signals the cell had when the contacts among them were looked up
        self.kept = False
        """Whether somebody keeps it."""
        self.ended = 0
        """How often a part has come to a store or a sink."""
        gravity.may_write = self.may_change

    # ---------------------------------------------------------------- writing

    def next_name(self, kind: str) -> str:
        """A name for the next part of a kind, that no part has ever had: ``plate1``, ``plate2``…"""
        while True:
            number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
            if f"{kind}{number}" not in self._world.bodies:
                return f"{kind}{number}"

    def arrives(self, part: Body, kind: str, source: str) -> None:
        """A part has come into the cell."""
        self._entries[part] = _Entry(part, kind, source, self._kernel.now)

    def machined(self, part: Body, by: str) -> None:
        """A machine has done its work on a part."""
        self._entry(part).machined.append(Machining(by, seconds(self._kernel.now)))

    def machined_by(self, part: Body) -> tuple[str, ...]:
        """Who has worked on a part, in order."""
        entry = self._entries.get(part)
        return () if entry is None else tuple(each.by for each in entry.machined)

    def stored(self, part: Body, store: str) -> None:
        """A part lies in a store."""
        self._ends(part, "stored", store)

    def unstored(self, part: Body) -> None:
        """A part was taken out of a store again."""
        self._entry(part).end = "inside"

    def sunk(self, part: Body, sink: str) -> None:
        """A sink has taken a part out of the cell."""
        self._ends(part, "sunk", sink)

    def kind_of(self, part: Body) -> str:
        """The kind of a part."""
        return self._entry(part).kind

    def _ends(self, part: Body, end: End, where: str) -> None:
        entry = self._entry(part)
        entry.end, entry.where, entry.time = end, where, self._kernel.now
        self.ended += 1

    def _entry(self, part: Body) -> _Entry:
        """What is known of a part; one that no source brought was there when it was born."""
        entry = self._entries.get(part)
        if entry is None:
            entry = self._entries[part] = _Entry(part, part.name.rstrip("0123456789"), "", max(part.born, 0))
        return entry

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

    # ---------------------------------------------------------------- reading

    def parts(self, loose: Iterable[Body] = ()) -> Parts:
        """All parts as they are now; ``loose`` are bodies that may not have been entered, such as those there first."""
        for body in loose:
            if body.part:
                self._entry(body)
        lost = set(self._gravity.gone)
        records = [self._record(entry, entry.part in lost) for entry in self._entries.values()]
        return Parts(tuple(sorted(records, key=lambda each: each.arrived)), self.kept)

    def _record(self, entry: _Entry, lost: bool) -> PartRecord:
        part, end, where, time = entry.part, entry.end, entry.where, entry.time
        if end in ("inside", "stored"):
            here = self._world.bodies.get(part.name) is part
            if lost or not here:
                end, where, time = "lost", "", self._kernel.now if here else part.gone
            elif end == "inside":
                where, time = "" if part.parent is None else part.parent.name, self._kernel.now
        return PartRecord(
            part.name,
            entry.kind,
            entry.source,
            seconds(entry.arrived),
            tuple(entry.machined),
            end,
            where,
            seconds(time),
        )
