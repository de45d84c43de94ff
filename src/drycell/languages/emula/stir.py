"""Stir: a way to sleep until a time, or until something in the world is moved or attached otherwise than it was."""

from drycell.kernel import Kernel, Signal, seconds, wait
from drycell.world import LiveBody, World


class Stir:
    """Wakes programs of one session."""

    def __init__(self, kernel: Kernel, world: World, name: str) -> None:
        # Not among the cell's signals: it is no signal of the cell's.
        self._signal: Signal[bool] = Signal(kernel, f"{name} stirred", False, quiet=True)
        self._kernel = kernel
        self._sleepers = 0
        world.subscribe(self._changed)

    def sleep_until(self, tick: int) -> bool:
        """Sleeps until a time; True if it was woken before."""
        ahead = tick - self._kernel.now
        if ahead <= 0:
            return False
        self._sleepers += 1
        try:
            return wait(self._signal.changes(), timeout=seconds(ahead))
        finally:
            self._sleepers -= 1

    def wake(self) -> None:
        """Wakes who sleeps: what they went by no longer holds."""
        if self._sleepers:
            self._signal.set(not self._signal.peek())

    def _changed(self, body: LiveBody) -> None:
        self.wake()
