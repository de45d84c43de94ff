"""The supervisor's side: a pool of worker processes that stay warm. A worker that dies is replaced, and its job is done
again.

The processes are started anew and not forked, and not by ``multiprocessing``: both would run or copy the user's script.
"""

import contextlib
import fcntl
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from drycell.base import DrycellError

_DEATHS: Final = 3
"""The number of workers that may die of one job."""
_WORDS: Final = 2000  # characters of the error output of a worker that died
_MOST_WORDS: Final = 1 << 20  # bytes
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Answer:
    """A job that is done: ``value`` is the worker's answer, or None if its worker died repeatedly; then ``deaths`` says
    how. ``worker`` is the process that did it."""

    job: Any
    value: Any
    worker: int = 0
    deaths: str = ""


@dataclass(slots=True)
class _Job:
    data: Any
    deaths: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    process: "subprocess.Popen[bytes]"
    socket: socket.socket
    words: Any
    read: bytes = b""
    """What it has written so far of its next message."""
    ready: bool = False
    job: _Job | None = field(default=None)


class WorkerPool:
    """Processes that each do one job at a time.

    >>> with WorkerPool("drycell.campaign.worker", setup, count=2) as pool:  # doctest: +SKIP
    ...     for answers in pool.answers(jobs):
    ...         print([each.value for each in answers])

    Args:
        module: The module that a worker runs; it calls :func:`~drycell.workers.serve`.
        setup: What every worker gets before its first job, as plain JSON data.
        count: The number of workers.
    """

    def __init__(self, module: str, setup: Any, count: int) -> None:
        self.count = count
        self._module, self._setup = module, setup
        self._workers: list[_Worker] = []
        self._again: deque[_Job] = deque()
        self._ready = selectors.DefaultSelector()
        self._started = False

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def processes(self) -> list[int]:
        """The process numbers of the workers."""
        return [each.process.pid for each in self._workers]

    @property
    def busy(self) -> int:
        """The number of jobs that are not done."""
        return len(self._again) + sum(each.job is not None for each in self._workers)

    @property
    def free(self) -> int:
        """The number of jobs that can be started now."""
        return self.count - self.busy

    def start(self, job: Any) -> None:
        """Give a job, plain JSON data, to a free worker."""
        self._give(_Job(job))

    def answers(self, jobs: Iterator[Any]) -> Iterator[list[Answer]]:
        """Do jobs and yield the answers as they arrive. A job is taken from the iterator only when a worker is free."""
        while True:
            while self.free and (job := next(jobs, None)) is not None:
                self.start(job)
            if not self.busy:
                return
            yield self.wait()

    def wait(self) -> list[Answer]:
        """Wait until at least one job is done, and return all that are. Empty if nothing has been started."""
        found: list[Answer] = []
        while self.busy and not found:
            for key, _ in self._ready.select():
                worker: _Worker = key.data
                alive = self._read(worker)
                for message in _messages(worker):
                    found += self._take(worker, message)
                if not alive:
                    found += self._died(worker)
            while self._again and (waiting := self._waiting()) is not None:
                self._send(waiting, self._again.popleft())
        return found

    def close(self) -> None:
        """End all workers now. Jobs that are not done are dropped."""
        for worker in self._workers:
            self._end(worker)
        self._workers.clear()
        self._again.clear()
        self._ready.close()
        self._ready = selectors.DefaultSelector()

    # ------------------------------------------------------------ workers

    def _give(self, job: _Job) -> None:
        worker = self._waiting()
        if worker is None and len(self._workers) < self.count:
            worker = self._new()
        if worker is None:
            self._again.append(job)
        else:
            self._send(worker, job)

    def _waiting(self) -> _Worker | None:
        return next((each for each in self._workers if each.job is None), None)

    def _new(self) -> _Worker:
        here, there = socket.socketpair()
        words = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the worker
        fcntl.fcntl(words, fcntl.F_SETFL, os.O_APPEND)  # so that it can be shortened while the worker writes
        # One thread each: the cores are busy with other workers. The kernel checks on long loops by CPU time.
        environment = {**os.environ, **dict.fromkeys(_THREADS, "1")}
        command = [sys.executable, "-X", "faulthandler", "-m", self._module, str(there.fileno())]
        with there:
            process = subprocess.Popen(
                command,
                env=environment,
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=words,
                start_new_session=True,  # Ctrl-C in a terminal must not reach the workers
            )
        worker = _Worker(process, here, words)
        self._workers.append(worker)
        self._ready.register(here, selectors.EVENT_READ, worker)
        self._write(worker, self._setup)
        return worker

    def _send(self, worker: _Worker, job: _Job) -> None:
        worker.job = job
        self._write(worker, job.data)

    def _write(self, worker: _Worker, message: Any) -> None:
        with contextlib.suppress(OSError):  # it has died, which reading will notice
            worker.socket.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _read(self, worker: _Worker) -> bool:
        """Read what a worker has written; return False if it is gone."""
        try:
            data = worker.socket.recv(1 << 20)
        except OSError:
            return False
        worker.read += data
        return bool(data)

    def _take(self, worker: _Worker, message: Any) -> list[Answer]:
        if "refused" in message:
            raise DrycellError(f"a worker process cannot do the work: {message['refused']}")
        if "ready" in message:
            worker.ready = True
        elif worker.job is not None:
            job, worker.job = worker.job, None
            _shorten(worker.words)
            return [Answer(job.data, message["answer"], worker.process.pid)]
        return []

    def _died(self, worker: _Worker) -> list[Answer]:
        """Replace a dead worker. Its job is done again, unless several workers have died of it."""
        self._workers.remove(worker)
        how = self._end(worker)
        job = worker.job
        if job is None:
            if not worker.ready:
                raise DrycellError(f"a worker process ended before it could work: {how}")
            return []
        job.deaths += 1
        if not worker.ready and job.deaths >= _DEATHS:
            raise DrycellError(f"worker processes end before they can work: {how}")
        if job.deaths >= _DEATHS:
            return [Answer(job.data, None, deaths=f"its process died {job.deaths} times: {how}")]
        self._give(job)
        return []

    def _end(self, worker: _Worker) -> str:
        """End a worker and return how it ended."""
        self._ready.unregister(worker.socket)
        worker.process.kill()
        code = worker.process.wait()
        worker.socket.close()
        worker.words.seek(0)
        words = worker.words.read().decode(errors="replace").strip()[-_WORDS:]
        worker.words.close()
        return _signal(-code) + (f"\n{words}" if words else "") if code < 0 else f"exit code {code}\n{words}".strip()


def _messages(worker: _Worker) -> list[Any]:
    """Return the complete messages that a worker has written."""
    *lines, rest = worker.read.split(b"\n")
    worker.read = rest
    return [json.loads(each) for each in lines]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _shorten(words: Any) -> None:
    """Forget what a worker has printed, so that thousands of runs do not fill the disk."""
    if os.fstat(words.fileno()).st_size > _MOST_WORDS:
        words.truncate(0)


def cores() -> int:
    """Return the number of cores that this process may use. In a container or a batch job, it is less than the machine
    has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
