"""The worker's side: read a job, work, write the answer, until the process that started the worker is gone.

Messages are lines of JSON on a socket of their own, because programs print to standard output.
"""

import json
import os
import queue
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from drycell.base import DrycellError

Work = Callable[[Any], Any]
"""Takes a job, returns the answer; both are plain JSON data."""
RETRY: Final = 75
"""The exit code of a worker that gives up its job so that another worker repeats it (EX_TEMPFAIL)."""


class GiveUp(Exception):
    """Raised by the work when the job must be repeated by another worker, for example after a signal."""


def serve(prepare: Callable[[Any], Work]) -> None:
    """Serve the process that started this one, and exit. The number of the socket is the only argument of the process.

    Args:
        prepare: Takes the setup of the pool and returns the function that does the work.
    """
    line = socket.socket(fileno=int(sys.argv[1])).makefile("rwb")
    jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # A thread reads, so that the worker ends at once when its supervisor is gone, even in the middle of a long run.
    threading.Thread(target=_read, args=(line, jobs), daemon=True).start()
    try:
        work = prepare(jobs.get())
    except DrycellError as error:
        _write(line, {"refused": str(error)})
        return
    _write(line, {"ready": os.getpid()})
    while True:
        try:
            answer = work(jobs.get())
        except (GiveUp, KeyboardInterrupt):
            os._exit(RETRY)
        _write(line, {"answer": answer})


def _read(line: Any, jobs: "queue.SimpleQueue[Any]") -> None:
    try:
        for text in line:
            jobs.put(json.loads(text))
    finally:  # a supervisor that was killed ends the line with an error if it had not read everything
        os._exit(0)


def _write(line: Any, message: Any) -> None:
    line.write(json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n")
    line.flush()
