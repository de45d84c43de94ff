"""The record of a run: all its tracks. That of a run at work grows; that of a file is whole."""

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
"""What a row of the track of faults says: one came into force, is over, or struck a single sample."""


@dataclass(frozen=True, slots=True)
class FaultCount:
    """A fault of a signal: whether it is in force, and how often it struck."""

    fault: str
    active: bool
    times: int


class Faults:
    """Reads the track of one signal's faults as it grows: what was counted once is not counted again."""

    def __init__(self, track: Track[tuple[str, str]]) -> None:
        self._track = track
        self._read = 0
        self._struck: dict[str, array[int]] = {}  # of each fault, when it began or struck
        self._over: dict[str, array[int]] = {}  # when it ended

    def read(self) -> None:
        """Counts what is new."""
        for row in range(self._read - self._track.dropped, len(self._track)):
            t, (fault, state) = self._track.times[row], self._track.values[row]
            struck, over = self._struck.setdefault(fault, array("q")), self._over.setdefault(fault, array("q"))
            if state != "ends":
                struck.append(t)
            if state != "begins":
                over.append(t)  # what strikes a single sample is over at once
        self._read = self._track.rows

    def counts(self, t: int) -> list[FaultCount]:
        """All faults that had struck at a time, in the order in which they first did."""
        found = []
        for fault, struck in self._struck.items():
            times = bisect_right(struck, t)
            if times:
                found.append(FaultCount(fault, times > bisect_right(self._over[fault], t), times))
        return found


class Record(ABC):
    """What happened: ``tracks`` of states, waits, moves, parts and encounters, ``signals`` as they were published, and
    the motions of the bodies of ``world``. Times are ticks.

    What is read of a track is kept here, so that a question costs what is new since the last one.
    """

    def __init__(self) -> None:
        self._flow: Flow | None = None
        self._moving: dict[str, tuple[Spans, int]] = {}
        self._faults: dict[str, Faults] = {}
        self._encounters: dict[str, tuple[list[int], tuple[Any, ...]]] = {}

    @property
    @abstractmethod
    def tracks(self) -> Tracks:
        """States of devices, waits of programs, moves of robots, what became of parts, collisions and near misses."""

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
        """Up to when it goes."""

    @property
    def looked(self) -> int:
        """Up to when collisions and near misses are known, which are found by looking back."""
        return self.end if self.tracks.checked is None else min(self.tracks.checked, self.end)

    @property
    def settled(self) -> int:
        """Up to when everything is known, and what was before does not change any more. Behind the end are collisions
        that nobody has looked for yet, and programs of which only time will tell whether they waited."""
        return self.looked

    @property
    def checked(self) -> bool:
        """Whether collisions are looked for at all."""
        return self.tracks.checked is not None

    @property
    def flow(self) -> Flow:
        """What became of parts, read up to its last row."""
        if self._flow is None:
            self._flow = Flow(self.tracks.track("parts"))
        self._flow.read()
        return self._flow

    def faults(self, signal: str) -> Faults:
        """The faults of a signal, read up to the last row."""
        found = self._faults.get(signal)
        if found is None:
            found = self._faults[signal] = Faults(self.tracks.track("faults", signal))
        found.read()
        return found

    def encounters(self, table: str, t: int) -> tuple[Any, ...]:
        """The collisions or near misses that all monitors knew of at an instant, in the order of time."""
        tracks = self.tracks.named(table).values()
        counts = [track.count(t) for track in tracks]
        known = self._encounters.get(table)
        if known is None or known[0] != counts:
            # Each track is nearly in this order: sorting takes one pass.
            found = [each for track, count in zip(tracks, counts, strict=True) for each in track.values[:count]]
            known = self._encounters[table] = (
                counts,
                tuple(sorted(found, key=lambda each: (each.time, each.a, each.b))),
            )
        return known[1]

    def moving(self, robot: str) -> Spans:
        """When a robot moved, one that still does included as begun."""
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
    """The record of a run at work."""

    def __init__(self, kernel: Kernel, world: World) -> None:
        super().__init__()
        self._kernel, self._world = kernel, world
        self._signals = _Signals(kernel)
        self._measured: dict[str, int] = {}  # of how many moves the distance is known, whatever is forgotten

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
        """Lets go of what is longer ago than so many ticks and no figure needs: for runs of hours and days.

        Motions are known for that long before the instant up to which collisions have been looked for. Asked about an
        earlier one, bodies are where the first motion that is still known begins. With ``all_but_figures``, states,
        waits and faults are counted, and their rows let go of, too: figures of a time so long ago are no longer known.
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
        self._world.forget(self.looked - kept)
        for signal in self._kernel.signals.values():
            signal.history.forget(before)


class _Signals(Mapping[str, Changes[Any]]):
    """The changes of all signals of a kernel, those that are made in the run included."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __getitem__(self, name: str) -> Changes[Any]:
        return self._kernel.signals[name].history

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernel.signals)

    def __len__(self) -> int:
        return len(self._kernel.signals)
