"""Files written whole or not at all: beside their place first, and renamed when complete; places tried beforehand."""

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
    """A path in the same folder to write to; it takes the file's name when the block ends well, else it is removed.

    The folder is made if it is not there.
    """
    target = Path(path)
    refuse_folder(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    # The ending is kept: writers of pictures and meshes go by it.
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
    """A folder that files can be written to, made if it is not there: long work asks for it before it begins."""
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
    """A file that can be written, its folder made if it is not there: long work asks for it before it begins."""
    target = Path(path)
    if target.is_dir():
        raise DrycellError(f"{target} is a folder, not a file", hint="choose a file in it")
    folder_to_write(target.parent)
    return target


def refuse_folder(path: Path) -> None:
    """Raises what renaming a file to that of a folder would, before the work is done that it is to hold."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def seen_from(folder: Path, file: str, old: Path) -> str:
    """The name of a file, which is relative to an old folder, relative to another one; an absolute one stays.

    Folders are resolved first: ``..`` leads from where a link points to, not from the link.
    """
    source, target = old.resolve(), folder.resolve()
    if os.path.isabs(file) or source == target:
        return file
    return Path(os.path.relpath(source / file, target)).as_posix()


@contextmanager
def text_beside(path: str | Path) -> Iterator[TextIO]:
    """As ``beside``, but an open text file, UTF-8 with plain line ends on every system."""
    with beside(path) as written, open(written, "w", encoding="utf-8", newline="\n") as file:
        yield file
