"""Signals: their traces and values, forcing them, and faults on them. Implemented in ``host/signals``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated

from drycell.studio.api.codec import Within

SignalValue = bool | int | float | str
Names = Annotated[tuple[str, ...], Within(most=500)]


@dataclass(frozen=True, slots=True)
class TraceWindow:
    """A signal in a stretch of time, thinned to the columns of a picture without hiding any change.

    ``before`` is the value when the window begins (None: there was none yet). Of each column with changes in it: ``t``
    and ``u`` of the first and the last, their number ``n``, the value ``v`` after the last and who wrote it (``w``, an
    index of ``writers``); of numbers the least ``lo`` and the greatest ``hi`` that came up. ``extent`` is the least and
    the greatest number of the whole run.
    """

    type: str
    before: SignalValue | None
    t: tuple[int, ...] = ()
    u: tuple[int, ...] = ()
    n: tuple[int, ...] = ()
    v: tuple[bool | int | float | str | None, ...] = ()
    w: tuple[int, ...] = ()
    writers: tuple[str, ...] = ()
    lo: tuple[float | None, ...] | None = None
    hi: tuple[float | None, ...] | None = None
    extent: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class SignalTraces:
    """Traces by name of signal. ``until`` is up to when anything is known; many signals come on fewer columns."""

    signals: dict[str, TraceWindow] = field(default_factory=dict)
    t0: int = 0
    t1: int = 0
    width: int = 0
    until: int = 0


@dataclass(frozen=True, slots=True)
class SignalAt:
    """The value of a signal at an instant, who wrote it and when; None before there was one."""

    value: SignalValue | None
    since: int | None
    writer: str


@dataclass(frozen=True, slots=True)
class SignalFault:
    """A fault on a signal; ``number`` identifies it."""

    number: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SignalRow:
    """A signal, and what is done to it.

    ``quiet`` signals are drycell's own. ``forced`` is the value it is to be forced to; that is ``settled``, or comes
    when a paused run goes on. ``locked`` says why it cannot be forced.
    """

    name: str
    type: str
    unit: str
    group: str
    quiet: bool
    changes: int
    forced: SignalValue | None
    settled: bool
    faults: tuple[SignalFault, ...]
    locked: str | None


@dataclass(frozen=True, slots=True)
class SignalList:
    """All signals, and the kinds of faults there are, with the fields of each."""

    signals: tuple[SignalRow, ...]
    faults: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Intervention:
    """What was done to a signal; ``later``: the run is paused, and it comes into force when that goes on."""

    signal: str
    later: bool = False


class SignalsApi(ABC):
    """Looks at signals, and interferes with them."""

    @abstractmethod
    async def overview(self) -> SignalList:
        """All signals, and what is done to them."""

    @abstractmethod
    async def traces(self, names: Names, t0: int, t1: int, width: int) -> SignalTraces:
        """The traces of signals from ``t0`` to ``t1`` on so many columns."""

    @abstractmethod
    async def values(self, names: Names, t: int) -> dict[str, SignalAt]:
        """The values of signals at an instant."""

    @abstractmethod
    async def next_edge(self, signal: str, t: int, forward: bool) -> int | None:
        """When the signal changes next after an instant, or last before it; None: never."""

    @abstractmethod
    async def force(self, signal: str, value: SignalValue) -> Intervention:
        """Holds a signal at a value of its type, until it is released."""

    @abstractmethod
    async def release(self, signal: str) -> Intervention:
        """Lets a forced signal go."""

    @abstractmethod
    async def put_fault(self, signal: str, kind: str, fields: dict[str, SignalValue]) -> Intervention:
        """Puts a fault on a signal; its fields are those of its kind in ``drycell.sensors``, times in seconds."""

    @abstractmethod
    async def clear_fault(self, signal: str, number: int | None = None) -> int:
        """Ends one fault of a signal, or all of them; returns how many."""
