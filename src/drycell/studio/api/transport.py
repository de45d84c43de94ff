"""Transport: run, pause, step, speed, stop; and for the past: seek, play, hold, follow. Host: ``host/transport``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from drycell.studio.api.errors import ErrorReport
from drycell.studio.api.problems import RunProblem

Mode = Literal["empty", "ready", "live", "ended", "recorded"]
"""What is open: nothing, a cell before, during or after its run, or a recording."""
RunState = Literal["ready", "running", "paused", "ended"]


@dataclass(frozen=True, slots=True)
class ProcessStatus:
    """A program of the cell, its current line, and the condition it waits for."""

    name: str
    file: str | None
    line: int | None
    state: Literal["ready", "running", "waiting", "ended"]
    waits_for: str | None = None


@dataclass(frozen=True, slots=True)
class StopPlace:
    """The program line at which a run is stopped. ``number`` counts the stops: a loop stops at one line repeatedly."""

    process: str
    file: str
    line: int
    number: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """How a run ended. For a recording only the ending and the reason are known."""

    ending: str
    reason: str = ""
    clean: bool | None = None
    checked: bool = False
    collisions: int = 0
    near_misses: int = 0
    lost: tuple[str, ...] = ()
    parts: int = 0
    stored: int = 0
    sunk: int = 0
    cycle_s: float | None = None
    journal_hash: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The status of the session, sent as an event whenever it changes. Times are in microseconds.

    ``t`` is the end of what is known and ``shown`` the time that is shown; ``following`` says that they move together.
    ``end`` is when the run ends, if that is known. ``factor`` is the speed of a run and ``playing`` that of a replay,
    in multiples of real time. ``scene`` is a different number for every cell, and for every edit of a cell;
    ``version`` changes with the bodies of the scene. ``outdated`` says that the files of the cell have a mistake now
    (``error``), and what is shown is the last cell without one. ``moves`` changes when something is moved before the
    run. With ``stops_at_collision`` the run is paused where its next collision begins; ``collision`` is the one at
    which it is paused.
    """

    mode: Mode = "empty"
    state: RunState = "ready"
    t: int = 0
    shown: int = 0
    following: bool = True
    end: int | None = None
    factor: float | None = 1.0
    playing: float | None = None
    seed: int | None = 0
    name: str = ""
    path: str | None = None
    scene: int = 0
    version: int = 0
    outdated: bool = False
    moves: int = 0
    records: int = 0
    processes: tuple[ProcessStatus, ...] = ()
    stopped_at: StopPlace | None = None
    stops_at_collision: bool = False
    collision: RunProblem | None = None
    summary: RunSummary | None = None
    error: ErrorReport | None = None


class TransportApi(ABC):
    """Controls the run, and the time that is shown."""

    @abstractmethod
    async def status(self) -> HostStatus:
        """The current status."""

    @abstractmethod
    async def run(self) -> HostStatus:
        """Start or continue the run; play a recording."""

    @abstractmethod
    async def pause(self) -> HostStatus:
        """Pause the run before its next event; pause a recording."""

    @abstractmethod
    async def step(self, by: Literal["event", "line", "cycle"], back: bool = False) -> HostStatus:
        """Advance by one event, one program line or one cycle, then stop.

        A cycle ends when a part reaches a store or a sink; in a cell without part tracking it is one period of the
        fastest sensor or device. A finished run or a recording is stepped from one time in the journal to the next,
        or with ``back`` to the previous one; it has no program lines.
        """

    @abstractmethod
    async def run_to(self, t: int) -> HostStatus:
        """Run up to and including time ``t``, then pause; show that time if it is in the past."""

    @abstractmethod
    async def set_breakpoints(self, file: str, lines: tuple[int, ...]) -> None:
        """Replace all breakpoints of a file."""

    @abstractmethod
    async def set_speed(self, factor: float | None) -> HostStatus:
        """Set the speed of runs and replays in multiples of real time; None: as fast as possible."""

    @abstractmethod
    async def stop_at_collision(self, on: bool) -> HostStatus:
        """Set whether the run pauses at the instant at which its next collision begins."""

    @abstractmethod
    async def stop(self) -> HostStatus:
        """End the run now."""

    @abstractmethod
    async def seek(self, t: int) -> HostStatus:
        """Show a time in the past."""

    @abstractmethod
    async def play(self, factor: float | None = None) -> HostStatus:
        """Replay from the time that is shown; backwards if the factor is negative."""

    @abstractmethod
    async def hold(self) -> HostStatus:
        """Stop the replay at the time that is shown. A run continues."""

    @abstractmethod
    async def follow(self) -> HostStatus:
        """Follow the run, or show the end of a finished run or recording."""

    @abstractmethod
    async def next_event(self, t: int, by: Literal[-1, 1]) -> int | None:
        """The nearest time in the journal before (-1) or after (1) ``t``; None: there is none."""
