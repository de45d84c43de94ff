"""Messages as fixed records of 68 bytes, for programs that count microseconds. Little-endian.

======  ======  ==========================================================================================
offset  bytes   what
======  ======  ==========================================================================================
0       4       DC 44 52 59: no line of text begins so
4       1       version, 1
5       1       flags: 1 has a sequence number, 2 is a refusal
6       5       five characters; of a refusal its code, filled with zeros
11      1       zero
12      4       sequence number, unsigned; 0 without one
16      48      six reals, IEEE 754 doubles; of a refusal its text in ASCII, cut or filled with zeros
64      4       CRC-32 (as of zlib) of bytes 0 … 63
======  ======  ==========================================================================================
"""

import struct
from typing import Final
from zlib import crc32

from drycell.effector.link.text import plain_text
from drycell.effector.messages import Answer, Code, Malformed, Message, MessageRefused, Refusal, refuse

MAGIC: Final = b"\xdcDRY"
VERSION: Final = 1
SIZE: Final = 68
_NUMBERED: Final = 1
_REFUSAL: Final = 2
_HEAD: Final = struct.Struct("<4sBB5sxI")
_REALS: Final = struct.Struct("<6d")
_CHECK: Final = struct.Struct("<I")


def encode(answer: Answer) -> bytes:
    """A message or a refusal as a record."""
    flags = 0 if answer.sequence is None else _NUMBERED
    if isinstance(answer, Refusal):
        flags |= _REFUSAL
        name, body = answer.code.value, plain_text(answer.what).encode()[: _REALS.size].ljust(_REALS.size, b"\0")
    else:
        name, body = answer.characters, _REALS.pack(*answer.reals)
    record = _HEAD.pack(MAGIC, VERSION, flags, name.encode(), answer.sequence or 0) + body
    return record + _CHECK.pack(crc32(record))


def decode(record: bytes) -> Answer:
    """What a record says. Raises MessageRefused when it says nothing that can be served."""
    if len(record) != SIZE or not record.startswith(MAGIC):
        raise refuse(Code.SHAPE, f"{len(record)} bytes that are no record of {SIZE} bytes")
    (check,) = _CHECK.unpack_from(record, SIZE - _CHECK.size)
    found = crc32(record[: -_CHECK.size])
    if check != found:
        raise refuse(Code.CHECKSUM, f"CRC-32 is {found:08x}, the record says {check:08x}")
    _, version, flags, name, number = _HEAD.unpack_from(record)
    sequence = number if flags & _NUMBERED else None
    if version != VERSION:
        raise refuse(Code.VERSION, f"version {version} where {VERSION} is spoken", sequence)
    if flags & ~(_NUMBERED | _REFUSAL) or record[11] or (number and sequence is None):
        raise refuse(Code.SHAPE, f"flags {flags:#x} or zeros are not as they must be", sequence)
    if not name.isascii():
        raise refuse(Code.CHARACTERS, f"{name!r} is not five characters of A–Z and 0–9", sequence)
    if flags & _REFUSAL:
        return _refusal(name, record[_HEAD.size : -_CHECK.size], sequence)
    return Message.of(name.decode(), _REALS.unpack_from(record, _HEAD.size), sequence)


class BinaryDecoder:
    """Bytes as they come, turned into messages. Holds no more than one record, however much comes.

    After bytes that are no record it looks for the next one; such a stretch is one error, however long it is.
    """

    def __init__(self) -> None:
        self._pending = b""
        self._lost = False

    @property
    def partial(self) -> bool:
        """Whether half a message has come."""
        return bool(self._pending)

    def feed(self, data: bytes) -> list[Answer | Malformed]:
        """What the bytes complete, in order; a Malformed stands where something came that is no message."""
        found: list[Answer | Malformed] = []
        data = self._pending + data
        at = 0
        while True:
            start = _next(data, at)
            if start > at and not self._lost:
                self._lost = True
                what = f"bytes that are no record: {data[at : min(at + 16, start)].hex(' ')}"
                found.append(Malformed(Refusal(Code.SHAPE, what)))
            at = start
            if len(data) - at < SIZE:
                break
            try:
                found.append(decode(data[at : at + SIZE]))
            except MessageRefused as error:
                found.append(Malformed(error.refusal))
                if error.refusal.code is Code.CHECKSUM:  # it may be half a record, and the next one begin within it
                    self._lost = True
                    at += 1
                    continue
            self._lost = False
            at += SIZE
        self._pending = data[at:]
        return found


def _next(data: bytes, at: int) -> int:
    """Where the next record begins, or may begin when more has come; the end when nothing looks like one."""
    start = data.find(MAGIC, at)
    if start >= 0:
        return start
    for length in range(len(MAGIC) - 1, 0, -1):
        if len(data) - at >= length and data.endswith(MAGIC[:length]):
            return len(data) - length
    return len(data)


def _refusal(name: bytes, body: bytes, sequence: int | None) -> Refusal:
    code = name.rstrip(b"\0").decode()
    try:
        return Refusal(Code(code), body.rstrip(b"\0").decode("ascii", "replace"), sequence)
    except ValueError:
        raise refuse(Code.COMMAND, f"there is no refusal {code!r}", sequence) from None
