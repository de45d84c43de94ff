"""Takes pictures of a running cell from other threads. What is seen is read by the cell's own thread.

A picture is posted like everything that comes from outside: it is taken at the cell time that is shown at that moment,
not at that of the last event.
"""

import time
from collections.abc import Callable
from threading import Event, Lock
from typing import Final

from drycell.kernel import Kernel

Json = dict[str, float | int | bool | str | list[float] | None]
PERIOD: Final = 0.04
"""Seconds between two pictures, 25 in a second; several who watch share them."""
_PATIENCE: Final = 0.5  # seconds in which a cell that is not over answers


class Camera:
    """Takes pictures of a device: ``picture`` reads its state now, on the cell's thread, and changes nothing."""

    def __init__(self, kernel: Kernel, picture: Callable[[], Json]) -> None:
        self._kernel, self._picture = kernel, picture
        self._lock = Lock()
        self._taken = float("-inf")
        self._last: Json | None = None
        self._over = Event()

    def close(self) -> None:
        """Nothing will be seen any more."""
        self._over.set()

    @property
    def over(self) -> bool:
        """Whether nothing will be seen any more."""
        return self._over.is_set()

    def take(self) -> Json | None:
        """The state now, or a moment ago; None when the run is over. Blocks; from any thread but the cell's."""
        with self._lock:
            if self.over or time.monotonic() - self._taken < PERIOD / 2:
                return None if self.over else self._last
            seen, done = list[Json](), Event()

            def look() -> None:
                if not done.is_set():
                    seen.append({"time": self._kernel.now / 1e6, **self._picture()})
                    done.set()

            self._kernel.post(look, "a picture")
            if not done.wait(_PATIENCE):
                done.set()  # it came to nothing: whoever looks later need not
                return None if self.over else self._last
            self._last, self._taken = seen[0], time.monotonic()
            return self._last
