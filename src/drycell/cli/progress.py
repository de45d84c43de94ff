"""Progress of long work: a bar for a run, a bar for work that reports its fraction, and a line for a search without a
known end."""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from drycell.base import format_time
from drycell.kernel import seconds

if TYPE_CHECKING:
    from drycell.cell import Cell

_MOMENT = 1.0  # seconds of wall time before anything is shown
_BEAT = 0.2
_WIDTH = 30  # width of a bar in characters


class Progress:
    """Shows the clock of a running cell, from a thread that only reads it."""

    def __init__(self, cell: "Cell", until: float | None, *, quiet: bool) -> None:
        self._cell, self._until, self._quiet = cell, until, quiet
        self._started = time.perf_counter()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> "Progress":
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if not self._quiet:
            self._thread.join()

    def _show(self) -> None:
        if self._over.wait(_MOMENT):
            return
        with ProgressLine() as line:
            while not self._over.wait(_BEAT):
                cell_time = seconds(self._cell.kernel.now)  # cell.time would count as a read by the run
                wall = time.perf_counter() - self._started
                share = f" {_bar(cell_time / self._until)}" if self._until else ""
                line.write(
                    f"{self._cell.name}, {format_time(cell_time)}, seed {self._cell.seed}{share} "
                    f"{wall:.1f} s ({cell_time / wall:.0f} × real time)"
                )


class ProgressLine:
    """A line on the terminal with the progress of a search or a training; it is erased at the end."""

    def __init__(self) -> None:
        self._quiet = not sys.stderr.isatty()
        self._started = self._shown = time.monotonic()

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *error: object) -> None:
        self.write("")

    def show(self, text: str) -> None:
        """Show progress with the elapsed time, at most a few times per second."""
        now = time.monotonic()
        if now - self._shown >= _BEAT:
            self._shown = now
            self.write(f"{text}, {now - self._started:.0f} s")

    def write(self, text: str) -> None:
        """Show text immediately, cut to the width of the terminal."""
        if not self._quiet:
            room = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:room]}", end="", file=sys.stderr, flush=True)


@contextmanager
def share_bar(name: str) -> Iterator[Callable[[float], None] | None]:
    """Yield a function that fills a bar to a fraction of the work; None if there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with ProgressLine() as line:
        line.write(f"{name} {_bar(0.0)}")
        yield lambda share: line.show(f"{name} {_bar(share)}")


def _bar(share: float) -> str:
    """``━━━━╌╌╌╌  50%``"""
    share = min(max(share, 0.0), 1.0)
    full = int(share * _WIDTH)
    return f"{'━' * full}{'╌' * (_WIDTH - full)} {share:4.0%}"
