"""The outbox: what goes to the server, written by a thread of its own so that the cell never waits for the wire."""

import os
from collections import deque
from threading import Condition, Thread

from drycell.studio.api.codec import Json
from drycell.studio.host.wire import packed


class Outbox:
    """Messages on their way. Of frames only the newest is kept."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._waiting: deque[bytes] = deque()
        self._frame: bytes | None = None
        self._condition = Condition()
        Thread(target=self._write, name="drycell outbox", daemon=True).start()

    def send(self, head: dict[str, Json], payload: bytes = b"") -> None:
        """Puts a message on its way. Any thread may."""
        message = packed(head, payload)
        with self._condition:
            self._waiting.append(message)
            self._condition.notify()

    def send_frame(self, head: dict[str, Json], payload: bytes) -> None:
        """The same for a frame: one that has not gone yet is left out for it."""
        message = packed(head, payload)
        with self._condition:
            self._frame = message
            self._condition.notify()

    def _write(self) -> None:
        while True:
            with self._condition:
                while not self._waiting and self._frame is None:
                    self._condition.wait()
                if self._waiting:
                    message = self._waiting.popleft()
                else:
                    message, self._frame = self._frame or b"", None
            try:
                _write_all(self._file, message)
            except OSError:
                return  # the server is gone: whoever reads from it ends this process


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]
