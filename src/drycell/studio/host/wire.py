"""The connection between server and host: JSON lines, each optionally followed by raw bytes, with size limits."""

import json
import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Final

from drycell.base import DrycellError
from drycell.studio.api.codec import Json

MOST_LINE: Final = 4 << 20
MOST_BYTES: Final = 256 << 20


class WireError(DrycellError):
    """Data that is not a valid message arrived: the two ends no longer understand each other."""


@dataclass(frozen=True, slots=True)
class WireMessage:
    """One message: a JSON object, and the bytes that came with it."""

    head: dict[str, Json]
    payload: bytes = b""


def packed(head: dict[str, Json], payload: bytes = b"") -> bytes:
    """Pack a message for the wire. Raises WireError if it is longer than the limits allow."""
    sent = {**head, "bytes": len(payload)} if payload else head
    line = json.dumps(sent, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
    if len(line) > MOST_LINE:
        raise WireError(
            f"a message of {len(line):,} bytes is too long: the limit is {MOST_LINE:,} bytes",
            hint="ask for less at a time",
        )
    if len(payload) > MOST_BYTES:
        raise WireError(f"a message has {len(payload):,} bytes attached: the limit is {MOST_BYTES:,} bytes")
    return line + payload


class Unpacker:
    """Extracts messages from a stream of bytes. Buffers at most one message."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: dict[str, Json] | None = None
        self._wanted = 0
        self._searched = 0  # bytes that are known to contain no newline

    def feed(self, data: bytes) -> Iterator[WireMessage]:
        """Add bytes, and yield all messages that are complete now. Raises WireError for invalid data."""
        self._buffer += data
        while True:
            if self._head is None and not self._take_line():
                return
            if len(self._buffer) < self._wanted:
                return
            payload = bytes(memoryview(self._buffer)[: self._wanted]) if self._wanted else b""
            del self._buffer[: self._wanted]
            head, self._head, self._wanted = self._head, None, 0
            assert head is not None  # only for the type checker
            yield WireMessage(head, payload)

    def _take_line(self) -> bool:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0 or end >= MOST_LINE:
            self._searched = len(self._buffer)
            if end >= 0 or len(self._buffer) > MOST_LINE:
                raise WireError(f"received a line of more than {MOST_LINE:,} bytes")
            return False
        line = bytes(memoryview(self._buffer)[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        self._head = _head(line)
        wanted = self._head.pop("bytes", 0)
        if type(wanted) is not int or not 0 <= wanted <= MOST_BYTES:
            raise WireError(f"a message claims to have {wanted!r} bytes attached: the limit is {MOST_BYTES:,} bytes")
        self._wanted = wanted
        return True


def _head(line: bytes) -> dict[str, Json]:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"received a line that is not JSON: {error}") from None
    if not isinstance(head, dict):
        raise WireError(f"a message must be a JSON object, not {type(head).__name__}")
    return head


class Outbox:
    """Messages to the server, written by a separate thread so that the cell never waits for the connection.

    If a frame has not been sent when the next one is ready, only the newer one is sent.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self._waiting: deque[bytes] = deque()
        self._frame: bytes | None = None
        self._condition = Condition()
        Thread(target=self._write, name="drycell outbox", daemon=True).start()

    def send(self, head: dict[str, Json], payload: bytes = b"") -> None:
        """Queue a message. Can be called from any thread."""
        message = packed(head, payload)
        with self._condition:
            self._waiting.append(message)
            self._condition.notify()

    def send_frame(self, head: dict[str, Json], payload: bytes) -> None:
        """Queue a frame; it replaces a frame that has not been sent yet."""
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
                rest = memoryview(message)
                while rest:
                    rest = rest[os.write(self._file, rest) :]
            except OSError:
                return  # the server is gone: the thread that reads requests ends this process
