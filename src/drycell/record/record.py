"""The record of a run: all its tracks. That of a run at work grows; that of a file is whole."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from drycell.kernel import Changes, Kernel, Spans, Tracks
from drycell.record.parts import Flow
from drycell.world import World


class Record(ABC):
    """What happened: ``tracks`` of states, waits, moves, parts and encounters, ``signals`` as they were published, and
    the motions of the bodies of ``world``. Times are ticks.

    What is read of a track is kept here, so that a question costs what is new since the last one.
    """

    def __init__(self) -> None:
        self._flow: Flow | None = None
        self._moving: dict[str, tuple[Spans, int]] = {}

    @property
    @abstractmethod
    def tracks(self) -> Tracks:
        """States of devices, waits of programs, moves of robots, what became of parts, crashes and near misses."""

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
    def settled(self) -> int:
        """Up to when everything is known: crashes and near misses are found by looking back. What was before does not
        change any more."""
        return self.end if self.tracks.checked is None else min(self.tracks.checked, self.end)

    @property
    def checked(self) -> bool:
        """Whether crashes are looked for at all."""
        return self.tracks.checked is not None

    @property
    def flow(self) -> Flow:
        """What became of parts, read up to its last row."""
        if self._flow is None:
            self._flow = Flow(self.tracks.track("parts"))
        self._flow.read()
        return self._flow

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

    def forget(self, kept: int, *, all_but_figures: bool) -> None:
        """Lets go of what is longer ago than so many ticks and no figure needs: for runs of hours and days.

        Motions are known for that long before the instant up to which crashes have been looked for. Asked about an
        earlier one, bodies are where the first motion that is still known begins. With ``all_but_figures``, states and
        waits are counted, and their rows let go of, too: figures of a time so long ago are no longer known then.
        """
        before = self.end - kept
        for name, track in self.tracks.named("moves").items():
            known = self._measured.get(name, 0)
            while known < len(track) and track.values[known].done:
                track.values[known].measure()
                known += 1
            self._measured[name] = known
        for table in ("states", "waits") if all_but_figures else ():
            for track in self.tracks.named(table).values():
                track.by_value()  # counted first
                track.forget(before)
        self._world.forget(self.settled - kept)
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
