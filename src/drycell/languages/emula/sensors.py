"""Sensors: each has a number and one real value, which its functions compute; and the guards that watch them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from drycell.base import ProgramError, UnknownName
from drycell.languages.emula.sensor_functions import NOTHING, Look, ReadWhen, SensorFunction

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
    """One sensor. Its value is the largest of the values of its functions."""

    def __init__(self, number: int, emulation: "Emulation") -> None:
        self.number = number
        self._emulation = emulation
        self.functions: list[SensorFunction] = []
        self.limit = _INITIAL_LIMIT
        self.value = 0.0
        self.what = ""
        self._quiet: dict[SensorFunction, int] = {}  # the tick before which a function can only give 0

    def begin(self, cycles: int, watched: bool) -> None:
        """Prepare for a move."""
        self.void()
        for function in self.functions:
            function.begin(cycles, watched)

    def void(self) -> None:
        """Discard the predictions of when values can change."""
        self._quiet.clear()

    def read(self, cycle: int, tick: int, when: Sequence[ReadWhen]) -> None:
        """Call the functions of these kinds; the others keep their last values."""
        for function in self.functions:
            if function.read_when in when:
                if tick < self._quiet.get(function, tick):
                    function.answer = NOTHING
                else:
                    last = function.answer.value
                    look = Look(self.number, self.limit, last, cycle, tick, self._emulation)
                    function.answer = function.read(look)
                    if function.answer.value:
                        self._quiet[function] = tick + 1
        self.combine()

    def combine(self) -> None:
        """Set the value to the largest of the functions' last values; 0 without a function."""
        best = max((each.answer for each in self.functions), key=lambda answer: answer.value, default=NOTHING)
        self.value, self.what = best

    def due(self, tick: int, end: int, when: Sequence[ReadWhen]) -> int:
        """The first tick after ``tick`` at which it must be read again if all motions continue."""
        first = end + 1
        for function in self.functions:
            if function.read_when in when:
                quiet = self._quiet.get(function, tick)
                if quiet <= tick:
                    quiet = self._quiet[function] = function.quiet_until(tick, end)
                first = min(first, quiet)
        return first


class SensorBoard:
    """All sensors of the robot, by number."""

    def __init__(self, names: Sequence[str], emulation: "Emulation") -> None:
        self.known = {int(name): EmulatedSensor(int(name), emulation) for name in names if name.isdigit()}
        self._pending: tuple[int, int] | None = None  # cycle and tick at which functions of the world are still unread

    def sensor(self, number: int) -> EmulatedSensor:
        """The sensor with a number."""
        found = self.known.get(number)
        if found is None:
            raise UnknownName("sensor", str(number), [str(each) for each in self.known])
        return found

    def check(self, guard: SensorGuard) -> None:
        """Check that the sensors of a guard exist."""
        for number in guard.sensors:
            self.sensor(number)

    def attach(self, number: int, function: SensorFunction) -> None:
        """Add a function to a sensor."""
        self.sensor(number).functions.append(function)

    def detach(self, number: int, name: str | None) -> None:
        """Remove the functions with a name, or all functions, from a sensor; without a function it reads 0."""
        sensor = self.sensor(number)
        if name is not None and all(each.name.casefold() != name.casefold() for each in sensor.functions):
            if not sensor.functions:
                raise ProgramError(f"sensor {number} has no function attached")
            raise UnknownName(f"function on sensor {number}", name, [each.name for each in sensor.functions])
        sensor.functions = [
            each for each in sensor.functions if name is not None and each.name.casefold() != name.casefold()
        ]
        sensor.combine()

    # ---------------------------------------------------------------- in a move

    def begin(self, guard: SensorGuard | None, cycles: int) -> None:
        """Prepare for a move."""
        self._pending = None
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
            if not sensor.functions:
                continue
            watched = guard is not None and number in guard.sensors
            sensor.read(cycle, tick, _WATCHED if watched else _UNWATCHED)
            if tripped is None and guard is not None and watched and sensor.value >= guard.limit:
                tripped = sensor
        if guard is not None and tripped is None:
            # A sensor without a function reads 0, which trips a limit of 0 or less.
            idle = [number for number in sorted(guard.sensors) if not self.known[number].functions]
            if idle and guard.limit <= 0.0:
                tripped = self.known[idle[0]]
        self._pending = (cycle, tick)
        return tripped

    def leave(self, cycle: int, tick: int) -> None:
        """Note that a move ended in a cycle in which the sensors were not read."""
        self._pending = (cycle, tick)

    def due(self, guard: SensorGuard | None, tick: int, end: int) -> int:
        """The first tick after ``tick`` at which a sensor must be read again; later than ``end`` if none must."""
        if guard is not None and guard.limit <= 0.0:
            return tick + 1  # even a sensor that reads 0 is at such a limit
        first = end + 1
        for number, sensor in self.known.items():
            if sensor.functions:
                watched = guard is not None and number in guard.sensors
                first = min(first, sensor.due(tick, end, _WATCHED if watched else _UNWATCHED))
        return first

    def settle(self) -> None:
        """Read the functions that are still unread since the last cycle, before something changes."""
        if self._pending is not None:
            cycle, tick = self._pending
            self._pending = None
            for sensor in self.known.values():
                if sensor.functions:
                    sensor.void()
                    sensor.read(cycle, tick, (ReadWhen.ASKED,))
