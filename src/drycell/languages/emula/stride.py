"""Strides: a move under way, looked at on the boundaries of its basic cycles.

The arm moves by itself; here only looks are made. A look that cannot show anything is skipped: between two cycles at
which a sensor or a collision check could say something new, time passes in one go.
"""

from collections.abc import Callable
from dataclasses import dataclass

from drycell.kernel import Kernel, seconds
from drycell.languages.emula.collision_check import Collision, CollisionCheck
from drycell.languages.emula.functions.look import Surroundings
from drycell.languages.emula.guard import Guard, MoveReport
from drycell.languages.emula.sensor import Sensor, Sensors
from drycell.languages.emula.stir import Stir
from drycell.robots import LiveRobot


@dataclass(slots=True)
class Stage:
    """What all strides of a session share."""

    kernel: Kernel
    robot: LiveRobot
    sensors: Sensors
    collisions: CollisionCheck
    stir: Stir
    around: Surroundings
    collided: Callable[[Collision], None]
    cycle: Callable[[], int]  # the length of the basic cycle now, in ticks
    every_cycle: bool = False  # look even where nothing can show: for testing that it makes no difference


class Stride:
    """One move from its start, at which it is made, to its end."""

    def __init__(self, stage: Stage, motors: int, guard: Guard | None, cycle: int, end: int) -> None:
        self._stage, self._motors, self._guard = stage, motors, guard
        self._start, self._cycle, self._end = stage.kernel.now, cycle, end
        self.cycles = round((end - self._start) / cycle)
        stage.sensors.begin(guard, self.cycles)
        stage.collisions.void()

    @property
    def cycle(self) -> int:
        """The length of its cycles, in ticks."""
        return self._cycle

    @property
    def begun(self) -> int:
        """When it began, in ticks."""
        return self._start

    def catch_up(self) -> None:
        """Has sensors that are read when asked be read as of the cycle that ended last."""
        cycle = (self._stage.kernel.now - self._start) // self._cycle
        if 0 < cycle <= self.cycles:
            self._stage.sensors.leave(cycle, self._start + cycle * self._cycle)

    def see_through(self) -> MoveReport:
        """Waits for the end of the move, or stops it when a sensor trips."""
        stage, kernel = self._stage, self._stage.kernel
        done = 0  # cycles
        while done < self.cycles:
            if stage.stir.sleep_until(self._start + self._next(done) * self._cycle):
                stage.sensors.void()
                stage.collisions.void()
                done = (kernel.now - self._start) // self._cycle if stage.robot.moving else done
            else:
                done = (kernel.now - self._start) // self._cycle
                tripped = self._look(done)
                if tripped is not None:
                    stage.robot.stop()
                    return self._report(done, tripped)
            if not stage.robot.moving and kernel.now < self._end:  # somebody else has stopped it
                done = -(-(kernel.now - self._start) // self._cycle)
                stage.sensors.leave(done, kernel.now)
                break
        return self._report(done, None)

    def _next(self, done: int) -> int:
        """The number of the next cycle at whose end there may be something to see."""
        stage = self._stage
        if stage.every_cycle:
            return done + 1
        now = stage.kernel.now
        first = min(stage.collisions.due(now, self._end), stage.sensors.due(self._guard, now, self._end))
        return min(max(done + 1, -(-(first - self._start) // self._cycle)), self.cycles)

    def _look(self, cycle: int) -> Sensor | None:
        stage, now = self._stage, self._stage.kernel.now
        for collision in stage.collisions.look(now, self._end):
            stage.collided(collision)
        return stage.sensors.read(self._guard, cycle, now, stage.around)

    def _report(self, cycles: int, tripped: Sensor | None) -> MoveReport:
        lasted = seconds(self._stage.kernel.now - self._start)
        if tripped is None:
            return MoveReport(self._motors, lasted, cycles)
        return MoveReport(self._motors, lasted, cycles, tripped.number, tripped.value, tripped.what)
