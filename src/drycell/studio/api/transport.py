"""Transport: run, pause, step, speed, stop; and the past: seek, play, hold, follow. See ``host/transport``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from drycell.studio.api.errors import ErrorReport

Mode = Literal["empty", "bench", "live", "ended", "recorded", "emula"]
RunState = Literal["ready", "running", "paused", "ended"]


@dataclass(frozen=True, slots=True)
class ProcessStatus:
    """A program of the cell: where it is, and what it waits for."""

    name: str
    file: str | None
    line: int | None
    state: Literal["ready", "running", "waiting", "ended"]
    waits_for: str | None = None


@dataclass(frozen=True, slots=True)
class StopPlace:
    """The program line a run was stopped at. ``number`` counts the stops: a loop reaches one line many times."""

    process: str
    file: str
    line: int
    number: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """How a run ended. A recording knows the ending and the reason only."""

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
class Status:
    """What the page shows all the time; sent as an event whenever it changes. Times are in microseconds."""

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
    version: int = 0
    records: int = 0
    processes: tuple[ProcessStatus, ...] = ()
    stopped_at: StopPlace | None = None
    summary: RunSummary | None = None
    error: ErrorReport | None = None


class TransportApi(ABC):
    """Steers the run, and which instant is shown."""

    @abstractmethod
    async def status(self) -> Status:
        """How far it is."""

    @abstractmethod
    async def run(self) -> Status:
        """Lets the cell run, or go on; lets a recording be played."""

    @abstractmethod
    async def pause(self) -> Status:
        """Holds the run before its next event; holds a recording."""

    @abstractmethod
    async def step(self, by: Literal["event", "line", "cycle"], back: bool = False) -> Status:
        """One event, one line of a program, or one part on, and stop there.

        A cycle ends when a part reaches a store or a sink; in a cell that keeps no parts it is one period of the sensor
        or device that samples most often. A run that is over is stepped from one instant in the journal to the next,
        and backwards if wanted; a recording has no lines.
        """

    @abstractmethod
    async def run_to(self, t: int) -> Status:
        """Lets the run go on to an instant, including it, and pauses there; shows the instant if it is past."""

    @abstractmethod
    async def set_breakpoints(self, file: str, lines: tuple[int, ...]) -> None:
        """Replaces all breakpoints of a file."""

    @abstractmethod
    async def set_speed(self, factor: float | None) -> Status:
        """Times real time, of the run and of what is played; None: as fast as possible."""

    @abstractmethod
    async def stop(self) -> Status:
        """Ends the run where it is."""

    @abstractmethod
    async def seek(self, t: int) -> Status:
        """Shows an instant of the past."""

    @abstractmethod
    async def play(self, factor: float | None = None) -> Status:
        """Plays the past from what is shown on; backwards if the factor is negative."""

    @abstractmethod
    async def hold(self) -> Status:
        """Stays at the instant that is shown; a run goes on meanwhile."""

    @abstractmethod
    async def follow(self) -> Status:
        """Shows the run as it goes on; of what is over, its end."""

    @abstractmethod
    async def next_event(self, t: int, by: Literal[-1, 1]) -> int | None:
        """The nearest instant of the journal before or after one; None where there is none."""
