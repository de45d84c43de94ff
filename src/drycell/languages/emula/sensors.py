"""Sensors, each with a number and one real value, which its functions compute, and the guards that watch them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drycell.base import ProgramError, UnknownName
from drycell.languages.emula.sensor_functions import NOTHING, ReadWhen, SensorCall, SensorFunction, SignalFunction

if TYPE_CHECKING:
    from drycell.languages.emula.emulation import Emulation

_WATCHED: Final = (ReadWhen.ASKED, ReadWhen.WATCHED, ReadWhen.EVERY_CYCLE)
_UNWATCHED: Final = (ReadWhen.EVERY_CYCLE,)
_INITIAL_LIMIT: Final = 1.0
"""The limit of a sensor that no guard has watched yet."""


@dataclass(frozen=True, slots=True)
class SensorGuard:
    """``until sensors (1,2) exceed (10)``: the move stops when any of the sensors is at the limit or above it.

    Being at the limit is enough, because CONTACT and similar functions return the limit itself to cause an event. A
    sensor without a function reads 0.
    """

    sensors: tuple[int, ...]
    limit: float

    def __post_init__(self) -> None:
        if not self.sensors:
            raise ProgramError("a guard needs a sensor to watch", hint="until sensors (1) exceed (10)")
        if self.limit != self.limit:
            raise ProgramError("the limit of a guard must be a number")


@dataclass(frozen=True, slots=True)
class MoveReport:
    """The result of a move.

    ``motors`` is the number of motors that were commanded to move, and ``cycles`` the number of basic cycles (1 in
    complete mode). ``tripped`` is the sensor that stopped the move with ``value``; ``what`` is the cause, such as
    "finger1 touches parta".
    """

    motors: int
    seconds: float
    cycles: int
    tripped: int | None = None
    value: float = 0.0
    what: str = ""


class EmulatedSensor:
    """One sensor. Its value is that of the function attached to it, or 0 without one."""

    def __init__(self, number: int, emulation: "Emulation", label: str = "") -> None:
        self.number = number
        self.label = label or str(number)
        """Its name in messages: its number, or the signal of the cell that it reads."""
        self._emulation = emulation
        self.function: SensorFunction | None = None
        self.limit = _INITIAL_LIMIT
        self.polled = 0
        """The basic cycle at rest in which a program polled it last; 0: not yet since the last move."""
        self._quiet: int | None = None  # the tick before which the function can only give 0

    @property
    def value(self) -> float:
        """The last value."""
        return 0.0 if self.function is None else self.function.answer.value

    @property
    def what(self) -> str:
        """The cause of the last value, as text."""
        return "" if self.function is None else self.function.answer.what

    def begin(self, cycles: int, watched: bool) -> None:
        """Prepare for a move."""
        self.void()
        if self.function is not None:
            self.function.begin(cycles, watched)

    def void(self) -> None:
        """Discard the prediction of when the value can change."""
        self._quiet = None

    def read(self, cycle: int, tick: int, when: Sequence[ReadWhen]) -> None:
        """Call the function if it is of these kinds; otherwise the value does not change."""
        function = self.function
        if function is None or function.read_when not in when:
            return
        if self._quiet is not None and tick < self._quiet:
            function.answer = NOTHING
            return
        last = function.answer.value
        function.answer = function.read(SensorCall(self.number, self.limit, last, cycle, tick, self._emulation))
        if function.answer.value:
            self._quiet = tick + 1

    def due(self, tick: int, end: int, when: Sequence[ReadWhen]) -> int:
        """The first tick after ``tick`` at which it must be read again if all motions continue."""
        if self.function is None or self.function.read_when not in when:
            return end + 1
        if self._quiet is None or self._quiet <= tick:
            self._quiet = self.function.quiet_until(tick, end)
        return min(end + 1, self._quiet)


class SensorBoard:
    """All sensors of the robot, by number, and the basic cycles that pass while the arm is at rest."""

    def __init__(self, names: Sequence[str], emulation: "Emulation") -> None:
        self._emulation = emulation
        self.known = {int(name): EmulatedSensor(int(name), emulation) for name in names if name.isdigit()}
        self._rests_since = 0  # the tick at which the last move ended

    def sensor(self, number: int) -> EmulatedSensor:
        """The sensor with a number."""
        found = self.known.get(number)
        if found is None:
            raise UnknownName("sensor", str(number), [str(each) for each in self.known])
        return found

    def of_signal(self, name: str) -> EmulatedSensor:
        """The sensor that reads a signal of the cell; it is added when a program first names the signal."""
        found = next((each for each in self.known.values() if each.label == name), None)
        if found is None:
            function = SignalFunction(self._emulation, name)
            found = EmulatedSensor(max(self.known, default=0) + 1, self._emulation, name)
            found.function = function
            self.known[found.number] = found
        return found

    def check(self, guard: SensorGuard) -> None:
        """Check that the sensors of a guard exist."""
        for number in guard.sensors:
            self.sensor(number)

    def attach(self, number: int, function: SensorFunction) -> None:
        """Attach a function to a sensor, in place of the one it has."""
        sensor = self.sensor(number)
        sensor.function, sensor.polled = function, 0
        sensor.void()

    def detach(self, number: int, name: str | None) -> None:
        """Detach the function of a sensor, which must have the name if one is given; the sensor then reads 0."""
        sensor = self.sensor(number)
        if name is not None:
            if sensor.function is None:
                raise ProgramError(f"sensor {number} has no function attached")
            if sensor.function.name.casefold() != name.casefold():
                raise UnknownName(f"function on sensor {number}", name, [sensor.function.name])
        sensor.function = None

    # ---------------------------------------------------------------- in a move

    def begin(self, guard: SensorGuard | None, cycles: int) -> None:
        """Prepare for a move."""
        for number, sensor in self.known.items():
            watched = guard is not None and number in guard.sensors
            if guard is not None and watched:
                sensor.limit = guard.limit
            sensor.begin(cycles, watched)

    def void(self) -> None:
        """Discard all predictions, because something was moved or attached."""
        for sensor in self.known.values():
            sensor.void()

    def read(self, guard: SensorGuard | None, cycle: int, tick: int) -> EmulatedSensor | None:
        """Read all sensors at the end of a cycle, in order; return the first one that trips the guard."""
        tripped: EmulatedSensor | None = None
        for number, sensor in self.known.items():
            if sensor.function is None:
                continue
            watched = guard is not None and number in guard.sensors
            sensor.read(cycle, tick, _WATCHED if watched else _UNWATCHED)
            if tripped is None and guard is not None and watched and sensor.value >= guard.limit:
                tripped = sensor
        if guard is not None and tripped is None:
            # A sensor without a function reads 0, which trips a limit of 0 or less.
            idle = [number for number in sorted(guard.sensors) if self.known[number].function is None]
            if idle and guard.limit <= 0.0:
                tripped = self.known[idle[0]]
        return tripped

    def due(self, guard: SensorGuard | None, tick: int, end: int) -> int:
        """The first tick after ``tick`` at which a sensor must be read again; later than ``end`` if none must."""
        if guard is not None and guard.limit <= 0.0:
            return tick + 1  # even a sensor that reads 0 is at such a limit
        first = end + 1
        for number, sensor in self.known.items():
            watched = guard is not None and number in guard.sensors
            first = min(first, sensor.due(tick, end, _WATCHED if watched else _UNWATCHED))
        return first

    def sample(self, cycle: int, tick: int) -> None:
        """Read the functions that depend only on the world, because their values were requested."""
        for sensor in self.known.values():
            sensor.void()
            sensor.read(cycle, tick, (ReadWhen.ASKED,))

    # ---------------------------------------------------------------- at rest

    def rest(self, tick: int) -> None:
        """Note that the arm has stopped: the basic cycles are counted from now."""
        self._rests_since = tick
        for sensor in self.known.values():
            sensor.polled = 0

    def cycles_at_rest(self, tick: int, cycle: int) -> int:
        """The number of complete basic cycles since the arm stopped."""
        return (tick - self._rests_since) // cycle

    def next_cycle(self, tick: int, cycle: int) -> int | None:
        """The end of the running basic cycle at rest; None if no function needs to be called then."""
        if all(each.function is None or each.function.read_when not in _UNWATCHED for each in self.known.values()):
            return None
        return self._rests_since + (self.cycles_at_rest(tick, cycle) + 1) * cycle

    def read_at_rest(self, tick: int, cycle: int) -> None:
        """Call the functions that are called in every basic cycle."""
        for sensor in self.known.values():
            sensor.void()
            sensor.read(self.cycles_at_rest(tick, cycle), tick, _UNWATCHED)

    def poll(self, sensor: EmulatedSensor, tick: int, cycle: int) -> None:
        """Read a sensor for a program at rest. This counts as watching it: it is read once per basic cycle."""
        count = self.cycles_at_rest(tick, cycle)
        if sensor.function is None or count <= sensor.polled:
            return
        if sensor.function.read_when is ReadWhen.WATCHED:
            if not sensor.polled:
                sensor.function.begin(0, True)
            sensor.void()
            sensor.read(count, tick, (ReadWhen.WATCHED,))
        sensor.polled = count
