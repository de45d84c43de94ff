"""Bundles: a copy of everything that can affect the runs of a cell, and the identity of the software that runs it.

A campaign runs from its own copy of the cell, so editing the cell while it runs changes nothing, and any run can be
repeated later. A bundle is equal byte for byte for equal files, so it can be compared and sent to other machines.
"""

import hashlib
import io
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError, folder_to_write, read_regular, write_errors
from drycell.recording import versions

if TYPE_CHECKING:
    from drycell.cell import CellSource

MOST_BYTES: Final = 256 << 20
MOST_FILES: Final = 5_000
PLAN: Final = "plan.json"
"""The file that marks the folder of a campaign. Such folders are not part of a bundle."""
_PROGRAMS: Final = "_programs"
_NOT_READ: Final = (".md", ".dry", ".html", ".svg", ".png", ".jpg", ".mp4", ".gif", ".pyc", ".log")
"""The endings of files that describe a cell or come from its runs: they are not part of a bundle."""
_STAMP: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a cell by their paths relative to its folder, and the path of the cell's own file."""

    cell: str
    files: Mapping[str, bytes]

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of each file."""
        return {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}

    @property
    def digest(self) -> str:
        """Identifies the contents of the bundle."""
        whole = hashlib.sha256(self.cell.encode())
        for name, each in self.hashes.items():
            whole.update(f"\0{name}\0{each}".encode())
        return whole.hexdigest()

    def packed(self) -> bytes:
        """Return the bundle as a zip file."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.comment = self.cell.encode()
            for name, data in self.files.items():
                packed.writestr(zipfile.ZipInfo(name, _STAMP), data, zipfile.ZIP_DEFLATED, 6)
        return out.getvalue()

    @classmethod
    def unpacked(cls, packed: bytes) -> "Bundle":
        """Read a zip file that :meth:`packed` has made.

        Raises:
            DrycellError: A path leaves the bundle, or it is too large.
        """
        with zipfile.ZipFile(io.BytesIO(packed)) as opened:
            infos = opened.infolist()
            if len(infos) > MOST_FILES or sum(each.file_size for each in infos) > MOST_BYTES:
                raise DrycellError("the bundle of the cell is too large")
            for each in infos:
                _check_inside(each.filename)
            return cls(opened.comment.decode(), {each.filename: opened.read(each) for each in infos})

    def write(self, folder: Path) -> Path:
        """Write the files to a folder, which is replaced as a whole, and return the path of the cell there."""
        folder_to_write(folder.parent)
        with write_errors(folder):
            beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
            try:
                for name, data in self.files.items():
                    _check_inside(name)
                    target = beside / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(data)
                if folder.exists():
                    shutil.rmtree(folder)
                beside.rename(folder)
            finally:
                shutil.rmtree(beside, ignore_errors=True)
        return folder / self.cell

    def is_at(self, folder: Path) -> bool:
        """Whether a folder holds these files unchanged."""
        try:
            return all(read_regular(folder / name) == data for name, data in self.files.items())
        except OSError:
            return False


def _check_inside(name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or not path.parts:
        raise DrycellError(f"the bundle of the cell has a file {name!r}, which is outside of it")


def bundle_of(source: "CellSource", programs: Mapping[str, Path] | None = None) -> tuple[Bundle, dict[str, str]]:
    """Collect the files of a cell: those in and below its folder, and programs from elsewhere.

    Args:
        source: The cell.
        programs: Files of programs, by the text that names them.

    Returns:
        The bundle, and the path in it for each text.

    Raises:
        DrycellError: The folder holds too much, or a file cannot be read.
    """
    folder = source.path.parent
    files: dict[str, bytes] = {}
    size = 0
    for path in _files(folder):
        files[path.relative_to(folder).as_posix()] = data = _read(path)
        size += len(data)
        if size > MOST_BYTES or len(files) > MOST_FILES:
            raise DrycellError(
                f"folder {folder} holds more than {MOST_BYTES >> 20} MB or {MOST_FILES:,} files, and a campaign copies "
                "the folder of its cell",
                hint="move the cell with its files to a folder of its own",
            )
    files.setdefault(source.path.name, _read(source.path))
    placed: dict[str, str] = {}
    root = folder.resolve()
    for text, path in (programs or {}).items():
        if path.resolve().is_relative_to(root):
            placed[text] = path.resolve().relative_to(root).as_posix()
        else:
            data = _read(path)
            placed[text] = f"{_PROGRAMS}/{hashlib.sha256(data).hexdigest()[:8]}/{path.name}"
            files[placed[text]] = data
        files.setdefault(placed[text], _read(path))
    return Bundle(source.path.name, dict(sorted(files.items()))), placed


def _read(path: Path) -> bytes:
    try:
        return read_regular(path)
    except OSError as error:
        raise DrycellError(
            f"{path} cannot be read: {error.strerror or error}", hint="a campaign copies the folder of its cell"
        ) from error


def _files(folder: Path) -> list[Path]:
    """Return the files below a folder, without hidden ones, results of runs, and the folders of campaigns."""
    found: list[Path] = []
    for here, folders, names in os.walk(folder):
        if PLAN in names and "rows.jsonl" in names:
            folders.clear()
            continue
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each != "__pycache__")
        for name in sorted(names):
            path = Path(here, name)
            if not name.startswith(".") and path.suffix.lower() not in _NOT_READ and stat.S_ISREG(path.stat().st_mode):
                found.append(path)
        if len(found) > MOST_FILES:
            break
    return found


@cache
def identity() -> dict[str, str]:
    """Return what must be equal on all machines and when a campaign is resumed: drycell, its code, and libraries."""
    version, libraries = versions()
    root = Path(__file__).parents[1]
    code = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            code.update(f"{path.relative_to(root).as_posix()}\0".encode())
            code.update(hashlib.sha256(path.read_bytes()).digest())
    plug_ins = {each.dist.name: each.dist.version for each in metadata.entry_points(group="drycell.kinds") if each.dist}
    return {"drycell": version, "drycell's files": code.hexdigest()[:16], **libraries, **dict(sorted(plug_ins.items()))}


def differences(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return what differs between two mappings: ``robot.py changed``, ``numpy 2.2.0 → 2.3.1``, ``b.py is new``."""
    found = []
    for name in sorted({*was, *now}):
        before, after = was.get(name), now.get(name)
        if before == after:
            continue
        if before is None or after is None:
            found.append(f"{name} is {'new' if before is None else 'missing'}")
        elif len(before) >= 16 or len(after) >= 16:  # a hash
            found.append(f"{name} changed")
        else:
            found.append(f"{name} {before or 'none'} → {after or 'none'}")
    return found
