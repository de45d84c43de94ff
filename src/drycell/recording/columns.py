"""Columns: what a run grows by, a plain array each, kept on disk while the run goes on."""

import sys
from array import array
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from drycell.base import RecordingError
from drycell.recording.container import ContainerReader, ContainerWriter, reading, writing

Form = tuple[str, tuple[int, ...]]  # type, shape of a row

_INT: Final[Form] = ("<i4", ())
_TIME: Final[Form] = ("<i8", ())
_KIND: Final[Form] = ("|u1", ())
_FLOAT: Final[Form] = ("<f8", ())
_VECTOR: Final[Form] = ("<f8", (3,))
_POSE: Final[Form] = ("<f8", (12,))

# docs/recording.md says what each column means.
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

_CODES: Final = {"<i4": "i", "<i8": "q", "|u1": "B", "<f8": "d"}
_STAGED: Final = 4096  # values kept as such before they become bytes
_IN_MEMORY: Final = 256 << 10  # bytes of a column before it goes to disk


class Spool:
    """Bytes that pile up: in memory while they are few, then in an unnamed file beside the recording."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = SpooledTemporaryFile(_IN_MEMORY, dir=str(path.parent))  # noqa: SIM115  # closed by close()

    def write(self, data: bytes) -> None:
        """Adds at the end."""
        with writing(self._path):
            self._file.write(data)

    def copy(self, container: ContainerWriter, name: str, head: bytes = b"") -> None:
        """Makes all of it a member of the container, after a head."""
        size = self._file.tell()
        self._file.seek(0)
        with container.member(name, len(head) + size) as target:
            target.write(head)
            while block := self._file.read(1 << 20):
                target.write(block)

    def close(self) -> None:
        """Drops the bytes."""
        self._file.close()


class Column:
    """A column being written."""

    def __init__(self, form: Form, path: Path) -> None:
        self._type, self._tail = form
        self._staged: array[float] = array(_CODES[self._type])
        self._spool = Spool(path)
        self._bytes = 0

    def append(self, value: float) -> None:
        """One value."""
        self._staged.append(value)
        if len(self._staged) >= _STAGED:
            self._unload()

    def extend(self, values: Iterable[float]) -> None:
        """A row, or several."""
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
        """Makes the column a member of the container, unless it is empty; returns the number of rows."""
        self._unload()
        rows = self._bytes // (np.dtype(self._type).itemsize * int(np.prod(self._tail)))
        if rows:
            head = BytesIO()
            shape = (rows, *self._tail)
            npy.write_array_header_1_0(head, {"descr": self._type, "fortran_order": False, "shape": shape})
            self._spool.copy(container, f"{name}.npy", head.getvalue())
        return rows

    def close(self) -> None:
        """Drops the values."""
        self._spool.close()


class Columns:
    """All columns of a recording being written, by name; what is too much for memory waits beside ``path``."""

    def __init__(self, path: Path) -> None:
        self._columns = {name: Column(form, path) for name, form in FORMS.items()}

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def copy(self, container: ContainerWriter) -> dict[str, int]:
        """Makes every column that holds something a member; returns their numbers of rows."""
        rows = {name: column.copy(container, name) for name, column in self._columns.items()}
        return {name: count for name, count in rows.items() if count}

    def close(self) -> None:
        """Drops everything."""
        for column in self._columns.values():
            column.close()


class Table:
    """Columns of equal length that are read together; ``rows`` is what the header says of each column."""

    def __init__(self, container: ContainerReader, rows: dict[str, int], name: str) -> None:
        self.name = name
        self._container, self._rows = container, rows
        columns = [column for column in FORMS if column.startswith(f"{name}/")]
        counts = {column: rows.get(column, 0) for column in columns}
        self.length = counts[columns[0]]
        # What hangs together by counts of its own (the values of curves) is checked where it is taken apart.
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
                raise RecordingError(f"it has {len(found)} rows, the header says {wanted}")
        return found
