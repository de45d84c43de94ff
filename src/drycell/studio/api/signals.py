"""Signals: traces, values, forcing and faults. Host: ``host/signals``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated

from drycell.studio.api.codec import Within

SignalValue = bool | int | float | str
Names = Annotated[tuple[str, ...], Within(most=500)]


@dataclass(frozen=True, slots=True)
class TraceWindow:
    """A signal in a time window, reduced to the pixel columns of a diagram without hiding any change.

    ``before`` is the value at the start of the window (None: there was none yet). Each column with changes has the
    times ``t`` and ``u`` of the first and the last change, their number ``n``, the value ``v`` after the last and its
    writer (``w``, an index of ``writers``), and for numbers the lowest and highest value ``lo`` and ``hi``. ``extent``
    is the lowest and highest value of the whole run.
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
    """Traces by name of signal. ``until`` is the end of the known data; for many signals ``width`` is reduced."""

    signals: dict[str, TraceWindow] = field(default_factory=dict)
    t0: int = 0
    t1: int = 0
    width: int = 0
    until: int = 0


@dataclass(frozen=True, slots=True)
class SignalAt:
    """The value of a signal at a time, its writer, and when it was written; None before the first value."""

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
    """A signal, and whether it is forced or has faults.

    ``quiet`` signals are internal to drycell. ``forced`` is the value that was requested; it is ``settled`` once it is
    in force, which in a paused run is when the run continues. ``locked`` is the reason why the signal cannot be forced.
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
    """All signals of a scene, and the kinds of faults with the fields of each."""

    signals: tuple[SignalRow, ...]
    faults: dict[str, tuple[str, ...]]
    scene: int = 0


@dataclass(frozen=True, slots=True)
class Intervention:
    """A signal that was forced, released or given a fault. ``later``: it takes effect when the paused run continues."""

    signal: str
    later: bool = False


class SignalsApi(ABC):
    """Reads signals, forces them, and puts faults on them."""

    @abstractmethod
    async def overview(self) -> SignalList:
        """All signals, with forced values and faults."""

    @abstractmethod
    async def traces(self, names: Names, t0: int, t1: int, width: int) -> SignalTraces:
        """The traces of signals from ``t0`` to ``t1``, reduced to ``width`` columns."""

    @abstractmethod
    async def values(self, names: Names, t: int) -> dict[str, SignalAt]:
        """The values of signals at a time."""

    @abstractmethod
    async def next_edge(self, signal: str, t: int, forward: bool) -> int | None:
        """The time of the next change after ``t``, or of the last change before it; None: there is none."""

    @abstractmethod
    async def force(self, signal: str, value: SignalValue) -> Intervention:
        """Force a signal to a value of its type until it is released."""

    @abstractmethod
    async def release(self, signal: str) -> Intervention:
        """Release a forced signal."""

    @abstractmethod
    async def put_fault(self, signal: str, kind: str, fields: dict[str, SignalValue]) -> Intervention:
        """Put a fault on a signal. The fields are those of its kind in ``drycell.sensors``; times are in seconds."""

    @abstractmethod
    async def clear_fault(self, signal: str, number: int | None = None) -> int:
        """Remove one fault of a signal, or all of them. Returns the number of removed faults."""
