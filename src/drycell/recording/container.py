"""The file of a recording: a zip of JSON documents and plain columns, with identical bytes for identical content.

Reading checks every value: the getters of :class:`DocumentNode` report which entry is wrong and what was expected.
Columns hold data that grows during a run, one plain array each, buffered on disk.
"""

import json
import math
import os
import re
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Final, Union
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from drycell.base import DrycellError, PendingFile, Pose, RecordingError, Vector, open_regular, write_errors

Json = Union[None, bool, int, float, str, list["Json"], dict[str, "Json"]]  # noqa: UP007  # recursive: needs the strings

_ENDLESS = {"inf": math.inf, "-inf": -math.inf}


class DocumentNode:
    """A value in a document, with its path for error messages: ``bodies[3].shape.radius``."""

    __slots__ = ("value", "way")

    def __init__(self, value: object, way: str = "") -> None:
        self.value, self.way = value, way

    def __getitem__(self, key: str) -> "DocumentNode":
        value = self.value
        if not isinstance(value, dict):
            raise self.wrong("an object")
        way = f"{self.way}.{key}" if self.way else key
        if key not in value:
            raise RecordingError(f"{way!r} is missing")
        return DocumentNode(value[key], way)

    def optional(self, key: str) -> "DocumentNode | None":
        """Return the value of a key, or None if there is none."""
        return self[key] if isinstance(self.value, dict) and key in self.value else None

    def __iter__(self) -> Iterator["DocumentNode"]:
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return (DocumentNode(value, f"{self.way}[{place}]") for place, value in enumerate(self.value))

    def items(self) -> Iterator[tuple[str, "DocumentNode"]]:
        """Yield the keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return ((str(key), DocumentNode(value, f"{self.way}.{key}")) for key, value in self.value.items())

    def wrong(self, wanted: str) -> RecordingError:
        """Return an error with the expected and the actual value."""
        found = repr(self.value)
        return RecordingError(f"{self.way!r} is {found if len(found) <= 60 else found[:59] + '…'}, expected {wanted}")

    @property
    def empty(self) -> bool:
        """Whether the value is null."""
        return self.value is None

    @property
    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.wrong("a string")
        return self.value

    @property
    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    @property
    def number(self) -> float:
        """A float; infinity is written as the text ``inf`` or ``-inf``."""
        value = self.value
        if isinstance(value, str) and value in _ENDLESS:
            return _ENDLESS[value]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong("a number")
        return float(value)

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high`` - 1."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value < high:
            raise self.wrong(f"a whole number of {low}…{high - 1}")
        return self.value

    def numbers(self, count: int) -> list[float]:
        """Return ``count`` floats."""
        found = [node.number for node in self]
        if len(found) != count:
            raise self.wrong(f"{count} numbers")
        return found

    @property
    def vector(self) -> Vector:
        """Three floats."""
        x, y, z = self.numbers(3)
        return (x, y, z)

    @property
    def pose(self) -> Pose:
        """Twelve floats: the rows of a pose."""
        a, b, c, x, d, e, f, y, g, h, i, z = self.numbers(12)
        return Pose.of_rows((a, b, c, x, d, e, f, y, g, h, i, z))


def json_number(value: float) -> Json:
    """Return a float as the document stores it: its shortest exact decimals, or a string for infinity."""
    return value if math.isfinite(value) else str(float(value))


def json_numbers(values: Iterable[float]) -> Json:
    """Return floats as the document stores them."""
    return [json_number(value) for value in values]


# ---------------------------------------------------------------- the zip

LEVEL: Final = 6  # fixed, because another level gives different bytes
STAMP: Final = (1980, 1, 1, 0, 0, 0)  # the first date a zip can hold
MOST_BYTES: Final = 2 << 30  # default limit when unpacked: a small file may claim any size
SMALL: Final = 32 << 20  # a recording that unpacks to more is limited by its size
MOST_UNPACKED: Final = 60  # times the size of the file; real recordings unpack to 2 to 20 times
MOST_DOCUMENT: Final = 256 << 20  # in memory, a document takes 10 to 26 times its size
SMALL_DOCUMENT: Final = 4 << 20  # a larger document is limited by its compressed size
MOST_RATIO: Final = 80  # times the compressed size; real documents have 2 to 45 times
SMALL_VALUES: Final = 500_000  # a document with more values is limited by the size of the file
MOST_VALUES: Final = 1  # per byte of the file: a value takes 40 to 100 bytes in memory
MOST_LINE: Final = 16 << 20
MOST_MEMBERS: Final = 100_000

_NAME: Final = re.compile(r"[a-z0-9_]+(/[a-z0-9_]+)*\.(json|jsonl|npy)\Z")
# The header of an npy file as numpy writes it. numpy's own reader evaluates the header as Python and allocates whatever
# size it states; this pattern accepts only the one valid form.
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
    """Convert every exception inside to a RecordingError that names the file and the member."""
    try:
        yield
    except FileNotFoundError as error:
        raise RecordingError(f"{path}: there is no such file", hint="list the recordings here: ls *.dry") from error
    except _BROKEN as error:
        about = error.what if isinstance(error, DrycellError) else f"{error}" or type(error).__name__
        if isinstance(error, OSError) and error.strerror:
            about = error.strerror
        if about.startswith(f"{path}: "):
            raise
        hint = error.hint if isinstance(error, RecordingError) and error.hint else None
        raise RecordingError(
            f"{path}: " + (f"member {member!r}: " if member else "") + about,
            hint=hint or "the file is damaged, incomplete or not a drycell recording; record the run again",
        ) from error


class ContainerWriter:
    """Writes a temporary file, which ``finish`` renames, so that an incomplete file never has the final name."""

    def __init__(self, path: Path) -> None:
        self._pending = PendingFile(path)
        self._file = self._pending.open()
        self._zip = ZipFile(self._file, "w", ZIP_DEFLATED)

    @property
    def folder(self) -> Path:
        """The folder of the temporary file, where other temporary files can go."""
        return self._pending.folder

    @contextmanager
    def member(self, name: str, size: int) -> Iterator[IO[bytes]]:
        """Open a new member for writing; its size must be known."""
        info = ZipInfo(name, STAMP)
        info.compress_type = ZIP_DEFLATED
        info._compresslevel = LEVEL  # type: ignore[attr-defined]  # public from Python 3.13 on
        info.external_attr = 0o644 << 16
        info.create_system = 3  # otherwise the file would depend on the operating system
        info.file_size = size
        with self._zip.open(info, "w") as target:
            yield target

    def document(self, name: str, content: Json) -> None:
        """Write a JSON document; floats are exact."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        # surrogatepass: names of source files may contain bytes that are not text
        data = text.encode("utf-8", "surrogatepass") + b"\n"
        with self.member(name, len(data)) as target:
            target.write(data)

    def finish(self) -> None:
        """Rename the temporary file to its final name."""
        self._zip.close()
        self._file.close()
        self._pending.commit()

    def discard(self) -> None:
        """Remove the temporary file."""
        self._zip.fp = None  # the zip cannot be completed: the disk may be full
        with suppress(OSError):
            self._file.close()
        self._pending.discard()


class ContainerReader:
    """Reads members; checks every size, type and shape before anything is unpacked."""

    def __init__(self, path: Path, most: int | None = None) -> None:
        self.path = path
        with reading(path):
            with open_regular(path) as file:  # ZipFile would wait for a pipe
                self._size = os.fstat(file.fileno()).st_size
            self._zip = ZipFile(path)
            try:
                self._members = self._checked(most)
            except BaseException:
                self._zip.close()
                raise

    def _checked(self, most: int | None) -> dict[str, ZipInfo]:
        if most is None:
            most = min(MOST_BYTES, max(SMALL, MOST_UNPACKED * self._size))
        infos = self._zip.infolist()
        if len(infos) > MOST_MEMBERS:
            raise RecordingError(f"it has {len(infos)} members; the limit is {MOST_MEMBERS}")
        members: dict[str, ZipInfo] = {}
        for info in infos:
            if not _NAME.match(info.filename) or info.filename in members:
                raise RecordingError(f"it has a member {info.filename[:80]!r}, which recordings do not have")
            members[info.filename] = info
        total = sum(info.file_size for info in infos)
        if total > most:
            raise RecordingError(
                f"it unpacks from {self._size:,} to {total:,} bytes; the limit is {most:,}",
                hint=f"if you trust the file: Recording.open(path, most={total})",
            )
        return members

    @property
    def names(self) -> list[str]:
        """The names of the members, in the order of the file."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """Return the bytes of a member; the checksum is verified."""
        with reading(self.path, name):
            if name not in self._members:
                raise RecordingError("it is missing")
            return self._zip.read(self._members[name])

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a member, unpacking one at a time; the checksum is verified at the end."""
        with reading(self.path, name):
            if name not in self._members:
                raise RecordingError("it is missing")
            with self._zip.open(self._members[name]) as file:
                while line := file.readline(MOST_LINE):
                    if len(line) == MOST_LINE:
                        raise RecordingError(f"it has a line of {MOST_LINE:,} bytes or more")
                    yield line.decode().removesuffix("\n")

    def document(self, name: str) -> DocumentNode:
        """A JSON document."""
        with reading(self.path, name):
            if name in self._members:
                size, packed = self._members[name].file_size, self._members[name].compress_size
                most = min(MOST_DOCUMENT, max(SMALL_DOCUMENT, MOST_RATIO * packed))
                if size > most:
                    raise RecordingError(f"it unpacks from {packed:,} to {size:,} bytes; the limit is {most:,}")
            data = self.read(name)
            values, most = sum(map(data.count, (b",", b"[", b"{"))), max(SMALL_VALUES, MOST_VALUES * self._size)
            if values > most:
                raise RecordingError(
                    f"it has {values:,} values in a file of {self._size:,} bytes; the limit is {most:,}"
                )
            return DocumentNode(json.loads(data.decode("utf-8", "surrogatepass")))

    def array(self, name: str, dtype: str, tail: tuple[int, ...]) -> NDArray[np.generic]:
        """Return an array; its type and the shape of its rows must be as given."""
        with reading(self.path, name):
            data = self.read(name)
            head = _ARRAY.match(data)
            if head is None or int.from_bytes(head[1], "little") != head.end() - 10:
                raise RecordingError("it is not an array in npy format 1.0")
            found = head[2].decode()
            shape = tuple(map(int, head[3].decode().replace(",", " ").split()))
            if found != dtype or len(shape) != 1 + len(tail) or shape[1:] != tail:
                wanted = ", ".join(["rows", *map(str, tail)])
                raise RecordingError(f"expected {dtype} of shape ({wanted}), got {found} of shape {shape}")
            size = np.dtype(dtype).itemsize * math.prod(shape)
            if len(data) - head.end() != size:
                raise RecordingError(
                    f"it holds {len(data) - head.end()} bytes, but {dtype} of shape {shape} takes {size}"
                )
            return np.frombuffer(data, dtype, offset=head.end()).reshape(shape)

    def close(self) -> None:
        """Close the file."""
        self._zip.close()


# ---------------------------------------------------------------- columns

Form = tuple[str, tuple[int, ...]]  # type, shape of a row

_INT: Final[Form] = ("<i4", ())
_TIME: Final[Form] = ("<i8", ())
_KIND: Final[Form] = ("|u1", ())
_FLOAT: Final[Form] = ("<f8", ())
_VECTOR: Final[Form] = ("<f8", (3,))
_POSE: Final[Form] = ("<f8", (12,))

# docs/recording.md describes each column.
FORMS: Final[dict[str, Form]] = {
    "segments/body": _INT,
    "segments/start": _TIME,
    "segments/parent": _INT,
    "segments/kind": _KIND,
    "rest/pose": _POSE,
    "travel/start": _TIME,
    "travel/end": _TIME,
    "travel/pose": _POSE,
    "travel/velocity": _VECTOR,
    "fall/start": _TIME,
    "fall/end": _TIME,
    "fall/pose": _POSE,
    "fall/velocity": _VECTOR,
    "fall/gravity": _VECTOR,
    "sampled/count": _INT,
    "samples/time": _TIME,
    "samples/pose": _POSE,
    "link/linkage": _INT,
    "link/index": _INT,
    "along/start": _TIME,
    "along/end": _TIME,
    "along/path": _INT,
    "along/place": _FLOAT,
    "along/speed": _FLOAT,
    "along/offset": _POSE,
    "paths/count": _INT,
    "paths/begin": _FLOAT,
    "paths/closed": _KIND,
    "path_pieces/pose": _POSE,
    "path_pieces/length": _FLOAT,
    "path_pieces/curvature": _FLOAT,
    "trajectories/linkage": _INT,
    "trajectories/start": _TIME,
    "trajectories/end": _TIME,
    "trajectories/curve": _INT,
    "curves/pieces": _INT,
    "curves/breaks": _FLOAT,
    "curves/coefficients": _FLOAT,
    "tracks/track": _INT,
    "tracks/time": _TIME,
    "tracks/value": _INT,
    **{
        f"signals_{kind}/{column}": form
        for kind, value in (("bool", _KIND), ("int", _TIME), ("float", _FLOAT), ("str", _INT))
        for column, form in (("signal", _INT), ("time", _TIME), ("writer", _INT), ("value", value))
    },
}

_FARTHEST: Final = 1e9  # limit of poses (m) and velocities (m/s): cells are smaller, and pictures cannot show more
_CODES: Final = {"<i4": "i", "<i8": "q", "|u1": "B", "<f8": "d"}
_STAGED: Final = 4096  # number of values buffered before conversion to bytes
_IN_MEMORY: Final = 256 << 10  # size of a column in bytes before it is written to disk


class Spool:
    """A growing buffer of bytes: in memory while it is small, then in an unnamed file beside the recording."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._file = SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))  # noqa: SIM115  # closed by close()

    def write(self, data: bytes) -> None:
        """Append bytes."""
        with write_errors(self._path):
            self._file.write(data)

    def copy(self, container: ContainerWriter, name: str, head: bytes = b"") -> None:
        """Write a head and all bytes as a member of the container."""
        with write_errors(self._path):  # flush the buffer
            size = self._file.tell()
            self._file.seek(0)
        with container.member(name, len(head) + size) as target:
            target.write(head)
            while block := self._file.read(1 << 20):
                target.write(block)

    def close(self) -> None:
        """Discard the bytes."""
        with suppress(OSError):  # if the disk is full, closing fails again, but the file is closed anyway
            self._file.close()


class ColumnWriter:
    """A column being written."""

    def __init__(self, form: Form, path: Path, folder: Path) -> None:
        self._type, self._tail = form
        self._staged: array[float] = array(_CODES[self._type])
        self._spool = Spool(path, folder)
        self._bytes = 0

    def append(self, value: float) -> None:
        """Append one value."""
        self._staged.append(value)
        if len(self._staged) >= _STAGED:
            self._unload()

    def extend(self, values: Iterable[float]) -> None:
        """Append one or more rows."""
        self._staged.extend(values)
        if len(self._staged) >= _STAGED:
            self._unload()

    def _unload(self) -> None:
        if sys.byteorder == "big":
            self._staged.byteswap()
        data = self._staged.tobytes()
        self._spool.write(data)
        self._bytes += len(data)
        del self._staged[:]

    def copy(self, container: ContainerWriter, name: str) -> int:
        """Write the column as a member of the container, unless it is empty; return the number of rows."""
        self._unload()
        rows = self._bytes // (np.dtype(self._type).itemsize * int(np.prod(self._tail)))
        if rows:
            head = BytesIO()
            shape = (rows, *self._tail)
            npy.write_array_header_1_0(head, {"descr": self._type, "fortran_order": False, "shape": shape})
            self._spool.copy(container, f"{name}.npy", head.getvalue())
        return rows

    def close(self) -> None:
        """Discard the values."""
        self._spool.close()


class ColumnWriters:
    """All columns of the recording that is written to ``path``, by name; ``folder`` holds buffers of large columns."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._columns = {name: ColumnWriter(form, path, folder) for name, form in FORMS.items()}

    def __getitem__(self, name: str) -> ColumnWriter:
        return self._columns[name]

    def copy(self, container: ContainerWriter) -> dict[str, int]:
        """Write every column that is not empty as a member; return the numbers of rows."""
        rows = {name: column.copy(container, name) for name, column in self._columns.items()}
        return {name: count for name, count in rows.items() if count}

    def close(self) -> None:
        """Discard everything."""
        for column in self._columns.values():
            column.close()


class ColumnTable:
    """Columns of equal length that are read together; ``rows`` has the length of each column from the header."""

    def __init__(self, container: ContainerReader, rows: dict[str, int], name: str) -> None:
        self.name = name
        self._container, self._rows = container, rows
        columns = [column for column in FORMS if column.startswith(f"{name}/")]
        counts = {column: rows.get(column, 0) for column in columns}
        self.length = counts[columns[0]]
        # The columns of curves have different lengths, which are checked where they are split.
        if name != "curves" and len(set(counts.values())) > 1:
            with reading(container.path, "header.json"):
                raise RecordingError(f"the columns of {name!r} differ in length: {counts}")

    def __getitem__(self, column: str) -> NDArray[np.generic]:
        name = f"{self.name}/{column}"
        dtype, tail = FORMS[name]
        wanted = self._rows.get(name, 0)
        if not wanted:
            return np.zeros((0, *tail), dtype)
        found = self._container.array(f"{name}.npy", dtype, tail)
        if len(found) != wanted:
            with reading(self._container.path, f"{name}.npy"):
                raise RecordingError(f"it has {len(found)} rows, but the header says {wanted}")
        if FORMS[name] in (_POSE, _VECTOR) and not np.all(np.abs(found.astype(float)) <= _FARTHEST):  # also rejects NaN
            with reading(self._container.path, f"{name}.npy"):
                raise RecordingError(f"it has a number beyond ±{_FARTHEST:g}, which no cell has")
        return found
