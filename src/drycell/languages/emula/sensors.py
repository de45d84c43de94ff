"""Sensors: numbered, one real value each, made up by the functions attached to them; and the guards that watch them."""

from collections.abc import Sequence
from dataclasses import dataclass

from drycell.base import ProgramError, UnknownName
from drycell.languages.emula.sensor_functions import Look, Reads, SensorFunction, SensorValue, Surroundings


@dataclass(frozen=True, slots=True)
class SensorGuard:
    """``until sensors (1,2) exceed (10)``: any of the sensors at the limit or above stops the move.

    At the limit counts, because CONTACT and its kin return the limit itself to cause an event. A sensor that nothing
    is attached to reads 0.
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
    """What became of a move.

    ``motors`` is how many were commanded to move, ``cycles`` how many basic cycles it took (1 in complete mode).
    ``tripped`` is the sensor that stopped it with ``value``, and ``what`` says why: "finger1 touches parta".
    """

    motors: int
    seconds: float
    cycles: int
    tripped: int | None = None
    value: float = 0.0
    what: str = ""


UNWATCHED = 1.0  # the limit of a sensor that no guard has watched yet


class EmulatedSensor:
    """One sensor. Several functions on it are combined: the greatest value counts."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.functions: list[SensorFunction] = []
        self.limit = UNWATCHED
        self.value = 0.0
        self.what = ""
        self._quiet: dict[SensorFunction, int] = {}  # the tick before which a function can only give 0

    def begin(self, cycles: int, watched: bool) -> None:
        """A move begins."""
        self.void()
        for function in self.functions:
            function.begin(cycles, watched)

    def void(self) -> None:
        """Nothing is known of the future any more."""
        self._quiet.clear()

    def read(self, cycle: int, tick: int, around: Surroundings, kinds: Sequence[Reads]) -> None:
        """Reads the functions of these kinds; the others keep to what they said last."""
        for function in self.functions:
            if function.reads in kinds:
                if tick < self._quiet.get(function, tick):
                    function.answer = SensorValue(0.0)
                else:
                    last = function.answer.value
                    function.answer = function.read(Look(self.number, self.limit, last, cycle, tick, around))
                    if function.answer.value:
                        self._quiet[function] = tick + 1
        self.combine()

    def combine(self) -> None:
        """The greatest of what the functions said last is the value; without a function, 0."""
        best = max((each.answer for each in self.functions), key=lambda answer: answer.value, default=SensorValue(0.0))
        self.value, self.what = best

    def due(self, tick: int, end: int, kinds: Sequence[Reads]) -> int:
        """The first tick after ``tick`` at which it must be read again, as everything moves now."""
        first = end + 1
        for function in self.functions:
            if function.reads in kinds:
                quiet = self._quiet.get(function, tick)
                if quiet <= tick:
                    quiet = self._quiet[function] = function.quiet_until(tick, end)
                first = min(first, quiet)
        return first


class SensorBoard:
    """All sensors of the robot, by number."""

    def __init__(self, names: Sequence[str]) -> None:
        self.known = {int(name): EmulatedSensor(int(name)) for name in names if name.isdigit()}
        self._pending: tuple[int, int] | None = None  # cycle and tick that nobody has read the world's functions at

    def sensor(self, number: int) -> EmulatedSensor:
        """The sensor of a number."""
        found = self.known.get(number)
        if found is None:
            raise UnknownName("sensor", str(number), [str(each) for each in self.known])
        return found

    def check(self, guard: SensorGuard) -> None:
        """Refuses a guard on a sensor that is not there."""
        for number in guard.sensors:
            self.sensor(number)

    def attach(self, number: int, function: SensorFunction) -> None:
        """Adds a function to a sensor."""
        self.sensor(number).functions.append(function)

    def detach(self, number: int, name: str | None) -> None:
        """Takes the functions of a name, or all, off a sensor; with none left it reads 0."""
        sensor = self.sensor(number)
        if name is not None and all(each.name.casefold() != name.casefold() for each in sensor.functions):
            if not sensor.functions:
                raise ProgramError(f"nothing is attached to sensor {number}")
            raise UnknownName(f"function on sensor {number}", name, [each.name for each in sensor.functions])
        sensor.functions = [
            each for each in sensor.functions if name is not None and each.name.casefold() != name.casefold()
        ]
        sensor.combine()

    # ---------------------------------------------------------------- in a move

    def begin(self, guard: SensorGuard | None, cycles: int) -> None:
        """A move begins."""
        self._pending = None
        for number, sensor in self.known.items():
            watched = guard is not None and number in guard.sensors
            if guard is not None and watched:
                sensor.limit = guard.limit
            sensor.begin(cycles, watched)

    def void(self) -> None:
        """Something was moved or attached otherwise."""
        for sensor in self.known.values():
            sensor.void()

    def read(self, guard: SensorGuard | None, cycle: int, tick: int, around: Surroundings) -> EmulatedSensor | None:
        """Reads all sensors at the end of a cycle, in order; the first that the guard watches and that trips it."""
        tripped: EmulatedSensor | None = None
        for number, sensor in self.known.items():
            if not sensor.functions:
                continue
            watched = guard is not None and number in guard.sensors
            sensor.read(cycle, tick, around, _WATCHED if watched else _UNWATCHED)
            if tripped is None and guard is not None and watched and sensor.value >= guard.limit:
                tripped = sensor
        if guard is not None and tripped is None:
            # A sensor that nothing is attached to reads 0, which is at its limit when that is 0 or less.
            idle = [number for number in sorted(guard.sensors) if not self.known[number].functions]
            if idle and guard.limit <= 0.0:
                tripped = self.known[idle[0]]
        self._pending = (cycle, tick)
        return tripped

    def leave(self, cycle: int, tick: int) -> None:
        """A move has ended where nobody looked."""
        self._pending = (cycle, tick)

    def due(self, guard: SensorGuard | None, tick: int, end: int) -> int:
        """The first tick after ``tick`` at which a sensor must be read again; past ``end`` if none must."""
        if guard is not None and guard.limit <= 0.0:
            return tick + 1  # even a sensor at rest is at such a limit
        first = end + 1
        for number, sensor in self.known.items():
            if sensor.functions:
                watched = guard is not None and number in guard.sensors
                first = min(first, sensor.due(tick, end, _WATCHED if watched else _UNWATCHED))
        return first

    def settle(self, around: Surroundings) -> None:
        """Reads what has been left unread since the last cycle, before something changes or because it is asked for."""
        if self._pending is not None:
            cycle, tick = self._pending
            self._pending = None
            for sensor in self.known.values():
                if sensor.functions:
                    sensor.void()
                    sensor.read(cycle, tick, around, (Reads.WHEN_ASKED,))


_WATCHED = (Reads.WHEN_ASKED, Reads.WHEN_WATCHED, Reads.EVERY_CYCLE)
_UNWATCHED = (Reads.EVERY_CYCLE,)
