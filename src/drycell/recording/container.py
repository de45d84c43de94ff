"""The container of a recording: a zip that is the same to the byte for the same content, and is read with limits."""

import json
import math
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from drycell.base import DrycellError, RecordingError, refuse_folder
from drycell.recording.document import Json, Node

LEVEL: Final = 6  # fixed: another level gives other bytes
STAMP: Final = (1980, 1, 1, 0, 0, 0)  # the first date a zip can hold
MOST_BYTES: Final = 2 << 30  # unpacked, unless the reader asks for more: a small file may claim to hold anything
MOST_DOCUMENT: Final = 256 << 20  # a document costs about ten times its size in memory
MOST_MEMBERS: Final = 100_000

_NAME: Final = re.compile(r"[a-z0-9_]+(/[a-z0-9_]+)*\.(json|jsonl|npy)\Z")
# The head of an npy file as numpy writes it. numpy's own reader evaluates it as Python and then makes an array of the
# size it claims; this takes the one form there is.
_ARRAY: Final = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([^']{1,8})', 'fortran_order': False, 'shape': \(([0-9, ]{1,60})\), \} *\n",
    re.DOTALL,
)
_BROKEN = (
    ArithmeticError,
    AttributeError,
    BadZipFile,
    DrycellError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    RuntimeError,
    TypeError,
    ValueError,
    zlib.error,
)


@contextmanager
def reading(path: Path, member: str = "") -> Iterator[None]:
    """Whatever goes wrong inside comes out as a RecordingError that names the file and the member."""
    try:
        yield
    except FileNotFoundError as error:
        raise RecordingError(f"{path}: there is no such file", hint="look for its name: ls *.dry") from error
    except _BROKEN as error:
        about = error.what if isinstance(error, DrycellError) else f"{error}" or type(error).__name__
        if about.startswith(f"{path}: "):
            raise
        hint = error.hint if isinstance(error, RecordingError) and error.hint else None
        raise RecordingError(
            f"{path}: " + (f"member {member!r}: " if member else "") + about,
            hint=hint or "the file is damaged, cut short or no recording of drycell; record the run again",
        ) from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What the disk refuses comes out as a RecordingError that names the file."""
    try:
        yield
    except OSError as error:
        raise RecordingError(
            f"{path}: cannot be written: {error.strerror or error}",
            hint="name a file in a folder that you may write to, on a disk with room",
        ) from error


class ContainerWriter:
    """Writes beside the file it is to become; ``finish`` renames, so a half-written file never has its name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.part = path.with_name(path.name + ".part")
        with writing(path):
            refuse_folder(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._zip = ZipFile(self.part, "w", ZIP_DEFLATED)

    @contextmanager
    def member(self, name: str, size: int) -> Iterator[IO[bytes]]:
        """A member to be written, of a size known beforehand."""
        info = ZipInfo(name, STAMP)
        info.compress_type = ZIP_DEFLATED
        info._compresslevel = LEVEL  # type: ignore[attr-defined]  # public from Python 3.13 on
        info.external_attr = 0o644 << 16
        info.create_system = 3  # else it would tell the machine it was written on
        info.file_size = size
        with self._zip.open(info, "w") as target:
            yield target

    def document(self, name: str, content: Json) -> None:
        """A JSON document; floats come back to the last bit."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        # surrogatepass: a file name of the source may hold bytes that are no text
        data = text.encode("utf-8", "surrogatepass") + b"\n"
        with self.member(name, len(data)) as target:
            target.write(data)

    def finish(self) -> None:
        """Gives the file its name."""
        self._zip.close()
        os.replace(self.part, self.path)

    def discard(self) -> None:
        """Leaves nothing behind."""
        try:
            with suppress(OSError):  # on a full disk not even the end can be written
                self._zip.close()
        finally:
            self.part.unlink(missing_ok=True)


class ContainerReader:
    """Reads members with every size, type and shape checked before anything is unpacked."""

    def __init__(self, path: Path, most: int = MOST_BYTES) -> None:
        self.path = path
        with reading(path):
            self._zip = ZipFile(path)
            try:
                self._members = self._checked(most)
            except BaseException:
                self._zip.close()
                raise

    def _checked(self, most: int) -> dict[str, ZipInfo]:
        infos = self._zip.infolist()
        if len(infos) > MOST_MEMBERS:
            raise RecordingError(f"it has {len(infos)} members, at most {MOST_MEMBERS} are read")
        members: dict[str, ZipInfo] = {}
        for info in infos:
            if not _NAME.match(info.filename) or info.filename in members:
                raise RecordingError(f"it has a member {info.filename[:80]!r}, which no recording has")
            members[info.filename] = info
        total = sum(info.file_size for info in infos)
        if total > most:
            raise RecordingError(
                f"it unpacks to {total:,} bytes, at most {most:,} are read",
                hint=f"if you trust the file: Recording.open(path, most={total})",
            )
        return members

    @property
    def names(self) -> list[str]:
        """The members, in the order of the file."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """A member's bytes, their checksum compared."""
        with reading(self.path, name):
            if name not in self._members:
                raise RecordingError("it is missing")
            return self._zip.read(self._members[name])

    def document(self, name: str) -> Node:
        """A JSON document."""
        with reading(self.path, name):
            if name in self._members and self._members[name].file_size > MOST_DOCUMENT:
                size = self._members[name].file_size
                raise RecordingError(f"it has {size:,} bytes, at most {MOST_DOCUMENT:,} are read")
            return Node(json.loads(self.read(name).decode("utf-8", "surrogatepass")))

    def array(self, name: str, dtype: str, tail: tuple[int, ...]) -> NDArray[np.generic]:
        """An array of a type and of rows of a shape known beforehand: what the member says of itself must agree."""
        with reading(self.path, name):
            data = self.read(name)
            head = _ARRAY.match(data)
            if head is None or int.from_bytes(head[1], "little") != head.end() - 10:
                raise RecordingError("it is no array in npy format 1.0")
            found = head[2].decode()
            shape = tuple(map(int, head[3].decode().replace(",", " ").split()))
            if found != dtype or len(shape) != 1 + len(tail) or shape[1:] != tail:
                wanted = ", ".join(["rows", *map(str, tail)])
                raise RecordingError(f"it holds {found} of shape {shape}, wanted {dtype} of shape ({wanted})")
            size = np.dtype(dtype).itemsize * math.prod(shape)
            if len(data) - head.end() != size:
                raise RecordingError(f"it holds {len(data) - head.end()} bytes, {dtype} of shape {shape} takes {size}")
            return np.frombuffer(data, dtype, offset=head.end()).reshape(shape)

    def close(self) -> None:
        """Lets go of the file."""
        self._zip.close()
