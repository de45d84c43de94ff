"""Guarded moves: sensors and collision checks of a running move, at the ends of its basic cycles.

The robot moves by itself; a guarded move only observes it. Cycles in which no sensor and no collision check can change
are skipped: time then passes in one step.
"""

from typing import TYPE_CHECKING, Protocol

from drycell.handling import Gripper
from drycell.kernel import Kernel, Signal, seconds, wait
from drycell.languages.emula.sensors import EmulatedSensor, MoveReport, SensorGuard
from drycell.world import LiveBody, World

if TYPE_CHECKING:
    from drycell.languages.emula.emulation import Emulation


class WakeSignal:
    """Lets programs of a session sleep until a time, or until a motion or an attachment changes."""

    def __init__(self, kernel: Kernel, world: World, name: str) -> None:
        # It is not registered among the signals of the cell.
        self._signal: Signal[bool] = Signal(kernel, f"{name} stirred", False, quiet=True)
        self._kernel = kernel
        self._sleepers = 0
        world.subscribe(self._changed)

    def sleep_until(self, tick: int) -> bool:
        """Sleep until a time; return True if it was woken before."""
        ahead = tick - self._kernel.now
        if ahead <= 0:
            return False
        self._sleepers += 1
        try:
            return wait(self._signal.changes(), timeout=seconds(ahead))
        finally:
            self._sleepers -= 1

    def wake(self) -> None:
        """Wake the sleeping programs: their predictions no longer hold."""
        if self._sleepers:
            self._signal.set(not self._signal.peek())

    def _changed(self, body: LiveBody) -> None:
        self.wake()


class Stoppable(Protocol):
    """What moves: the arm, or a gripper with a motor of its own."""

    @property
    def moving(self) -> bool:
        """Whether it moves now."""

    def stop(self) -> None:
        """Stop it, as soon as it can."""


class Jaws:
    """The jaws of a gripper that is a device of its own, not a motor of the arm."""

    def __init__(self, gripper: Gripper) -> None:
        self.gripper = gripper

    @property
    def moving(self) -> bool:
        """Whether the jaws move now."""
        return self.gripper.moving.peek()

    def stop(self) -> None:
        """Stop the jaws at once."""
        self.gripper.stop()


class GuardedMove:
    """One move. Create it when the move starts."""

    def __init__(
        self,
        emulation: "Emulation",
        motors: int,
        guard: SensorGuard | None,
        cycle: int,
        end: int,
        mover: Stoppable | None = None,
    ) -> None:
        self._emulation, self._kernel = emulation, emulation.cell.kernel
        self.mover: Stoppable = mover or emulation.robot
        self._motors, self._guard = motors, guard
        self._start, self._cycle, self._end = self._kernel.now, cycle, end
        self.cycles = round((end - self._start) / cycle)
        emulation.board.begin(guard, self.cycles)
        emulation.checks.void()

    @property
    def cycle(self) -> int:
        """The length of its cycles, in ticks."""
        return self._cycle

    @property
    def start(self) -> int:
        """The time at which it started, in ticks."""
        return self._start

    def sample(self) -> None:
        """Read the requested sensors, as of the end of the last complete cycle."""
        cycle = (self._kernel.now - self._start) // self._cycle
        if 0 < cycle <= self.cycles:
            self._emulation.board.sample(cycle, self._start + cycle * self._cycle)

    def wait(self) -> MoveReport:
        """Wait for the end of the move, or stop it when a sensor trips."""
        emulation, kernel = self._emulation, self._kernel
        done = 0  # cycles
        while done < self.cycles:
            if emulation.wake_signal.sleep_until(self._start + self._next(done) * self._cycle):
                emulation.board.void()
                emulation.checks.void()
                done = (kernel.now - self._start) // self._cycle if self.mover.moving else done
            else:
                done = (kernel.now - self._start) // self._cycle
                tripped = self._look(done)
                if tripped is not None:
                    self.mover.stop()
                    return self._report(done, tripped)
            if not self.mover.moving and kernel.now < self._end:
                if self.mover is emulation.robot:  # another program has stopped it
                    done = -(-(kernel.now - self._start) // self._cycle)
                    break
                # The jaws have met something: this cycle is the last, and sensors are read at its end.
                self.cycles = min(self.cycles, (kernel.now - self._start) // self._cycle + 1)
        return self._report(done, None)

    def _next(self, done: int) -> int:
        """The number of the next cycle at the end of which something may have changed."""
        emulation = self._emulation
        if emulation.look_every_cycle:
            return done + 1
        now = self._kernel.now
        first = min(emulation.checks.due(now, self._end), emulation.board.due(self._guard, now, self._end))
        return min(max(done + 1, -(-(first - self._start) // self._cycle)), self.cycles)

    def _look(self, cycle: int) -> EmulatedSensor | None:
        emulation, now = self._emulation, self._kernel.now
        for collision in emulation.checks.look(now, self._end):
            emulation.collided(collision)
        return emulation.board.read(self._guard, cycle, now)

    def _report(self, cycles: int, tripped: EmulatedSensor | None) -> MoveReport:
        lasted = seconds(self._kernel.now - self._start)
        if tripped is None:
            return MoveReport(self._motors, lasted, cycles)
        return MoveReport(self._motors, lasted, cycles, tripped.number, tripped.value, tripped.what)
