"""Progress of long work: a bar for a run that takes longer than a moment, one for work that tells its share, and a line
for work that has no end in sight."""

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


class Progress:
    """Watches the clock of a running cell from a thread of its own; it only reads."""

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
        from rich.console import Console
        from rich.progress import BarColumn, Progress as Bar, TaskProgressColumn, TextColumn

        pace = TextColumn("{task.fields[pace]}")
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), pace)
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(self._cell.name, total=self._until, pace="")
            while not self._over.wait(_BEAT):
                cell_time = seconds(self._cell.kernel.now)  # cell.time would be a read of the run's own
                wall = time.perf_counter() - self._started
                bar.update(
                    task,
                    completed=cell_time,
                    description=f"{self._cell.name}, {format_time(cell_time)}, seed {self._cell.seed}",
                    pace=f"{wall:.1f} s ({cell_time / wall:.0f} × real time)",
                )


class Line:
    """One line on the terminal that tells how far a search or a training has come, and is gone when it has ended."""

    def __init__(self) -> None:
        self._quiet = not sys.stderr.isatty()
        self._started = self._shown = time.monotonic()

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *error: object) -> None:
        self._write("")

    def show(self, text: str) -> None:
        """Something has got further; shown a few times a second, with how long it has taken."""
        now = time.monotonic()
        if now - self._shown >= _BEAT:
            self._shown = now
            self._write(f"{text}, {now - self._started:.0f} s")

    def _write(self, text: str) -> None:
        if not self._quiet:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


@contextmanager
def share_bar(name: str) -> Iterator[Callable[[float], None] | None]:
    """A bar, on a terminal, that fills as it is told which share of the work is done; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress as Bar, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=1.0)
        yield lambda share: bar.update(task, completed=share)
