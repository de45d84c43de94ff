"""The tables of a run: parts, machines, waits, cycle times, stores and sinks, sensors. Host: ``host/tables``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from drycell.studio.api.signals import SignalValue


@dataclass(frozen=True, slots=True)
class MachinedBy:
    """A machining step of a part: by which machine, and when."""

    by: str
    time_s: float


@dataclass(frozen=True, slots=True)
class PartTableRow:
    """A part and its state; times are in seconds."""

    name: str
    kind: str
    source: str
    arrived_s: float
    machined: tuple[MachinedBy, ...]
    end: str
    where: str
    time_s: float | None
    through_s: float | None
    cycle_s: float | None


@dataclass(frozen=True, slots=True)
class PartsTable:
    """The counts of parts by state, and a row for each of the latest parts."""

    kept: bool
    arrived: int
    machined: int
    stored: int
    sunk: int
    inside: int
    lost: int
    rows: tuple[PartTableRow, ...]


@dataclass(frozen=True, slots=True)
class MachineRow:
    """How busy a machine or robot was, in total and in each interval of ``step_s`` seconds."""

    name: str
    kind: str
    busy: float
    busy_s: float
    cycles: int
    step_s: float
    shares: tuple[float, ...]
    broken_s: float | None = None
    failures: int | None = None


@dataclass(frozen=True, slots=True)
class LongestWait:
    """The longest wait of a program."""

    process: str
    seconds: float
    condition: str
    at: str
    file: str | None
    line: int | None
    over: bool
    daemon: bool


@dataclass(frozen=True, slots=True)
class WaitRow:
    """All waits at one line of a program."""

    process: str
    condition: str
    at: str
    file: str | None
    line: int | None
    count: int
    total_s: float
    longest_s: float


@dataclass(frozen=True, slots=True)
class CycleRow:
    """A finished part. ``span_s`` is the time since the previous one."""

    time_s: float
    part: str
    where: str
    span_s: float | None


@dataclass(frozen=True, slots=True)
class CycleTable:
    """The times between finished parts. A bar of the histogram has lower limit, upper limit and count."""

    mean_s: float | None
    shortest_s: float | None
    longest_s: float | None
    count: int
    rows: tuple[CycleRow, ...]
    histogram: tuple[tuple[float, float, int], ...]


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A store or a sink."""

    name: str
    kind: str
    count: int
    slots: int | None
    kinds: dict[str, int]
    first_s: float | None
    last_s: float | None


@dataclass(frozen=True, slots=True)
class EncounterRow:
    """A collision with its depth, or a near miss with its distance."""

    time_s: float
    kind: str
    a: str
    b: str
    depth_m: float | None = None
    distance_m: float | None = None


@dataclass(frozen=True, slots=True)
class EncounterTable:
    """The numbers of collisions and near misses, and the latest ones. ``checked``: the cell has a collision check."""

    checked: bool
    collisions: int
    near_misses: int
    closest_m: float | None
    rows: tuple[EncounterRow, ...]


@dataclass(frozen=True, slots=True)
class SensorFaultCount:
    """A fault: whether it is active, and how many times it has occurred."""

    fault: str
    active: bool
    times: int


@dataclass(frozen=True, slots=True)
class SensorRow:
    """A sensor, or another signal that has had a fault."""

    name: str
    model: str | None
    value: SignalValue | None
    unit: str
    changes: int
    faults: tuple[SensorFaultCount, ...]


@dataclass(frozen=True, slots=True)
class RunTables:
    """All tables at time ``t``."""

    t: int
    parts: PartsTable
    machines: tuple[MachineRow, ...]
    longest_waits: tuple[LongestWait, ...]
    waits: tuple[WaitRow, ...]
    cycle: CycleTable
    places: tuple[PlaceRow, ...]
    encounters: EncounterTable
    sensors: tuple[SensorRow, ...]
    notes: tuple[str, ...]


class TablesApi(ABC):
    """Figures of the run."""

    @abstractmethod
    async def at(self, t: int | None = None) -> RunTables:
        """All tables at a time; by default at the time that is shown."""
