"""Atomic file writing: into a temporary file in the same folder, which is renamed when it is complete."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from drycell.base.errors import DrycellError


@contextmanager
def beside(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder. It replaces the file if the block succeeds, and is removed otherwise.

    A missing folder is created.
    """
    target = Path(path)
    refuse_folder(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Keep the extension: writers of pictures and meshes choose the format by it.
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}.", suffix=target.suffix)
    os.close(handle)
    try:
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o644)
        yield Path(name)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def folder_to_write(path: str | Path) -> Path:
    """Check that a folder is writable, before long work begins; create it if it is missing.

    Raises:
        DrycellError: if the folder cannot be created or written to.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        taken = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "a file is in its place" if taken else error.strerror or error
        raise DrycellError(f"cannot write to the folder {folder}: {reason}", hint="choose another folder") from None


def file_to_write(path: str | Path) -> Path:
    """Check that a file can be written, before long work begins; create its folder if it is missing.

    Raises:
        DrycellError: if the path is a folder, or its folder cannot be written to.
    """
    target = Path(path)
    if target.is_dir():
        raise DrycellError(f"{target} is a folder, not a file", hint="choose a file in it")
    folder_to_write(target.parent)
    return target


def refuse_folder(path: Path) -> None:
    """Raise IsADirectoryError if a path is a folder: renaming a file to it would fail only after the work is done."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def seen_from(folder: Path, file: str, old: Path) -> str:
    """Convert a file name relative to one folder (``old``) to one relative to another. Absolute names stay.

    Links are resolved first, because ``..`` starts from the target of a link.
    """
    source, target = old.resolve(), folder.resolve()
    if os.path.isabs(file) or source == target:
        return file
    return Path(os.path.relpath(source / file, target)).as_posix()


@contextmanager
def text_beside(path: str | Path) -> Iterator[TextIO]:
    """Yield an open text file that is written like with ``beside``: UTF-8, with ``\\n`` line ends on every system."""
    with beside(path) as written, open(written, "w", encoding="utf-8", newline="\n") as file:
        yield file
