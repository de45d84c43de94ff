"""The record of a run: all its tracks. The record of a running cell grows; a record read from a file is complete."""

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from drycell.kernel import Changes, Kernel, Spans, Track, Tracks
from drycell.record.parts import Flow
from drycell.world import World

FAULT_STATES: Final = ("begins", "ends", "strikes")
"""The content of a row in a fault track: a fault begins, ends, or affects a single sample."""


@dataclass(frozen=True, slots=True)
class FaultCount:
    """A fault of a signal: whether it is active, and how many times it has occurred."""

    fault: str
    active: bool
    times: int


class Faults:
    """Reads the fault track of one signal as it grows; every row is counted once."""

    def __init__(self, track: Track[tuple[str, str]]) -> None:
        self._track = track
        self._read = 0
        self._struck: dict[str, array[int]] = {}  # the times at which each fault began or affected a sample
        self._over: dict[str, array[int]] = {}  # the times at which it ended

    def read(self) -> None:
        """Read the new rows."""
        for row in range(self._read - self._track.dropped, len(self._track)):
            t, (fault, state) = self._track.times[row], self._track.values[row]
            struck, over = self._struck.setdefault(fault, array("q")), self._over.setdefault(fault, array("q"))
            if state != "ends":
                struck.append(t)
            if state != "begins":
                over.append(t)  # a fault of a single sample ends at once
        self._read = self._track.rows

    def counts(self, t: int) -> list[FaultCount]:
        """Return all faults up to a time, in the order in which they first occurred."""
        found = []
        for fault, struck in self._struck.items():
            times = bisect_right(struck, t)
            if times:
                found.append(FaultCount(fault, times > bisect_right(self._over[fault], t), times))
        return found


class Record(ABC):
    """What happened: ``tracks`` of states, waits, moves, parts, collisions and near misses, ``signals`` as they were
    published, and the motions of the bodies of ``world``. Times are ticks.

    Data read from a track is cached here, so a query costs only the rows that are new since the last one.
    """

    def __init__(self) -> None:
        self._flow: Flow | None = None
        self._moving: dict[str, tuple[Spans, int]] = {}
        self._faults: dict[str, Faults] = {}
        self._encounters: dict[str, tuple[list[int], tuple[Any, ...]]] = {}

    @property
    @abstractmethod
    def tracks(self) -> Tracks:
        """States of devices, waits of programs, moves of robots, fates of parts, collisions and near misses."""

    @property
    @abstractmethod
    def signals(self) -> Mapping[str, Changes[Any]]:
        """The changes of every signal, by name."""

    @property
    @abstractmethod
    def world(self) -> World:
        """The bodies, each with its motions."""

    @property
    @abstractmethod
    def end(self) -> int:
        """The end of the record, in ticks."""

    @property
    def looked(self) -> int:
        """The time up to which collisions and near misses are known; they are found with a delay."""
        return self.end if self.tracks.checked is None else min(self.tracks.checked, self.end)

    @property
    def settled(self) -> int:
        """The time up to which results are final. After it, collisions may be unchecked, and whether a polling program
        waits may be unknown."""
        return self.looked

    @property
    def checked(self) -> bool:
        """Whether collisions are checked at all."""
        return self.tracks.checked is not None

    @property
    def flow(self) -> Flow:
        """The flow of parts, read up to its last row."""
        if self._flow is None:
            self._flow = Flow(self.tracks.track("parts"))
        self._flow.read()
        return self._flow

    def faults(self, signal: str) -> Faults:
        """Return the faults of a signal, read up to the last row."""
        found = self._faults.get(signal)
        if found is None:
            found = self._faults[signal] = Faults(self.tracks.track("faults", signal))
        found.read()
        return found

    def encounters(self, table: str, t: int) -> tuple[Any, ...]:
        """Return the collisions or near misses that all monitors knew at a time, in chronological order."""
        tracks = self.tracks.named(table).values()
        counts = [track.count(t) for track in tracks]
        known = self._encounters.get(table)
        if known is None or known[0] != counts:
            # Each track is nearly sorted, so sorting takes one pass.
            found = [each for track, count in zip(tracks, counts, strict=True) for each in track.values[:count]]
            known = self._encounters[table] = (
                counts,
                tuple(sorted(found, key=lambda each: (each.time, each.a, each.b))),
            )
        return known[1]

    def moving(self, robot: str) -> Spans:
        """Return the intervals in which a robot moved; an unfinished move is open."""
        track = self.tracks.track("moves", robot)
        spans, read = self._moving.get(robot) or (Spans(), 0)
        while read < len(track) and track.values[read].end is not None:
            move = track.values[read]
            if not spans.is_open:
                spans.open(move.start)
            spans.close(move.end)
            read += 1
        if read < len(track) and not spans.is_open:
            spans.open(track.values[read].start)
        self._moving[robot] = (spans, read)
        return spans


class LiveRecord(Record):
    """The record of a running cell."""

    def __init__(self, kernel: Kernel, world: World) -> None:
        super().__init__()
        self._kernel, self._world = kernel, world
        self._signals = _Signals(kernel)
        self._measured: dict[str, int] = {}  # the number of moves whose distance is known, including removed ones

    @property
    def tracks(self) -> Tracks:
        return self._kernel.tracks

    @property
    def signals(self) -> Mapping[str, Changes[Any]]:
        return self._signals

    @property
    def world(self) -> World:
        return self._world

    @property
    def end(self) -> int:
        return self._kernel.now

    @property
    def settled(self) -> int:
        polls = (process.waits.polls_since for process in self._kernel.processes.living())
        return min(self.looked, *(since for since in polls if since is not None), self.end)

    def forget(self, kept: int, *, all_but_figures: bool) -> None:
        """Remove data that is older than ``span`` ticks and not needed for figures. Useful in runs that last hours or
        days.

        Motions are kept for ``span`` before the instant up to which collisions were checked. At earlier times, bodies
        are where their first remaining motion begins. With ``all_but_figures``, the rows of states, waits and faults
        are also counted and removed: figures of earlier times are then unknown.
        """
        before = self.end - kept
        for name, track in self.tracks.named("moves").items():
            known = self._measured.get(name, 0)
            while known < len(track) and track.values[known].done:
                track.values[known].measure()
                known += 1
            self._measured[name] = known
        for name, track in self.tracks.named("faults").items() if all_but_figures else ():
            self.faults(name)  # counted first
            track.forget(before)
        for table in ("states", "waits") if all_but_figures else ():
            for track in self.tracks.named(table).values():
                track.by_value()  # counted first
                track.forget(before)
        for track in self.tracks.named("courses").values() if all_but_figures else ():
            track.forget(before)
        self._world.forget(self.looked - kept)
        for signal in self._kernel.signals.values():
            signal.history.forget(before)


class _Signals(Mapping[str, Changes[Any]]):
    """The changes of all signals of a kernel, including signals that are added during the run."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __getitem__(self, name: str) -> Changes[Any]:
        return self._kernel.signals[name].history

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernel.signals)

    def __len__(self) -> int:
        return len(self._kernel.signals)
