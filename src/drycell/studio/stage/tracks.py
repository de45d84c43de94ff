"""Tracks: the signals of a run and its journal, read alike while it goes on and after."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, overload

from drycell.kernel import JournalLine, Signal

Change = tuple[int, bool | int | float | str, str]  # time in ticks, value, writer


class SignalTrack(Protocol):
    """A signal as it was up to now."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str:
        """``bool``, ``int``, ``float`` or ``str``."""

    @property
    def unit(self) -> str: ...

    @property
    def changes(self) -> Sequence[Change]:
        """All changes in order, the initial value first."""


class LiveTrack:
    """A signal of a cell at work. Its list of changes is the signal's own: it grows, and is never to be written."""

    __slots__ = ("name", "signal")

    def __init__(self, name: str, signal: Signal[Any]) -> None:
        self.name, self.signal = name, signal

    @property
    def type(self) -> str:
        return self.signal.value_type.__name__

    @property
    def unit(self) -> str:
        return self.signal.unit

    @property
    def changes(self) -> Sequence[Change]:
        return self.signal.history


class LiveTracks(Mapping[str, SignalTrack]):
    """All signals of a cell, those that are made in the run included."""

    def __init__(self, signals: Mapping[str, Signal[Any]]) -> None:
        self._signals = signals

    def __getitem__(self, name: str) -> SignalTrack:
        return LiveTrack(name, self._signals[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._signals)

    def __len__(self) -> int:
        return len(self._signals)


class LiveJournal(Sequence[JournalLine]):
    """The journal so far: what was released, and then what still may get company of earlier records."""

    def __init__(self, released: list[JournalLine], pending: Sequence[JournalLine]) -> None:
        self._released, self._pending = released, pending

    def __len__(self) -> int:
        return len(self._released) + len(self._pending)

    @overload
    def __getitem__(self, place: int) -> JournalLine: ...
    @overload
    def __getitem__(self, place: slice) -> list[JournalLine]: ...

    def __getitem__(self, place: int | slice) -> JournalLine | list[JournalLine]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        count = len(self._released)
        return self._released[place] if place < count else self._pending[place - count]
