"""A thread of its own for a line: jobs are done there in order, so that waiting for a controller blocks nobody else."""

import queue
from collections.abc import Callable
from threading import Thread
from typing import Final

Job = Callable[[], object]
Told = Callable[[object, BaseException | None], None]
_PATIENCE: Final = 10.0


class Worker:
    """Does one job after the other, and tells what came of each: a value, or an error."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[tuple[Job, Told] | None] = queue.SimpleQueue()
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Job, told: Told) -> None:
        """Have a job done; ``told`` is called on the worker's thread."""
        self._jobs.put((job, told))

    def close(self) -> None:
        """Ends when all jobs so far are done."""
        self._jobs.put(None)
        self._thread.join(_PATIENCE)

    def _work(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, told = item
            try:
                result = job()
            except BaseException as error:  # whatever it is, it is told where the job was ordered
                told(None, error)
            else:
                told(result, None)
