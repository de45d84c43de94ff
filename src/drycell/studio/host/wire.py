"""The wire between server and host: JSON lines, each perhaps followed by raw bytes, read with limits."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from drycell.base import DrycellError
from drycell.studio.api.codec import Json

MOST_LINE: Final = 4 << 20
MOST_BYTES: Final = 256 << 20


class WireError(DrycellError):
    """What came over the wire is no message: the two ends no longer understand each other."""


@dataclass(frozen=True, slots=True)
class WireMessage:
    """One message: what it says, and the bytes that came with it."""

    head: dict[str, Json]
    payload: bytes = b""


def packed(head: dict[str, Json], payload: bytes = b"") -> bytes:
    """A message as it goes over the wire."""
    told = {**head, "bytes": len(payload)} if payload else head
    line = json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
    if len(line) > MOST_LINE:
        raise WireError(
            f"a message of {len(line):,} bytes is too long for the wire, at most {MOST_LINE:,} go",
            hint="ask for less at a time",
        )
    if len(payload) > MOST_BYTES:
        raise WireError(f"a message comes with {len(payload):,} bytes, at most {MOST_BYTES:,} go")
    return line + payload


class Unpacker:
    """Takes bytes as they come and gives the messages in them; never holds more than one message may have."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: dict[str, Json] | None = None
        self._wanted = 0
        self._looked = 0  # bytes that are known to hold no end of a line

    def feed(self, data: bytes) -> Iterator[WireMessage]:
        """All messages that are complete with these bytes. What is no message raises WireError."""
        self._buffer += data
        while True:
            if self._head is None and not self._take_line():
                return
            if len(self._buffer) < self._wanted:
                return
            payload = bytes(memoryview(self._buffer)[: self._wanted]) if self._wanted else b""
            del self._buffer[: self._wanted]
            head, self._head, self._wanted = self._head, None, 0
            assert head is not None  # for the type checker alone
            yield WireMessage(head, payload)

    def _take_line(self) -> bool:
        end = self._buffer.find(b"\n", self._looked)
        if end < 0 or end >= MOST_LINE:
            self._looked = len(self._buffer)
            if end >= 0 or len(self._buffer) > MOST_LINE:
                raise WireError(f"a line of more than {MOST_LINE:,} bytes came over the wire")
            return False
        line = bytes(memoryview(self._buffer)[:end])
        del self._buffer[: end + 1]
        self._looked = 0
        self._head = _head(line)
        wanted = self._head.pop("bytes", 0)
        if type(wanted) is not int or not 0 <= wanted <= MOST_BYTES:
            raise WireError(f"a message claims to come with {wanted!r} bytes, at most {MOST_BYTES:,} go")
        self._wanted = wanted
        return True


def _head(line: bytes) -> dict[str, Json]:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"a line came over the wire that is no JSON: {error}") from None
    if not isinstance(head, dict):
        raise WireError(f"a message is a JSON object, not {type(head).__name__}")
    return head
