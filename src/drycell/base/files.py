"""Files that are written completely or not at all, and read only if they are regular files."""

import errno
import fcntl
import io
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from drycell.base.errors import WriteError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_MOST_LINKS: Final = 40  # the limit of the Linux kernel
_STALE: Final = re.compile(r"\..*\.drycell-[0-9a-f]{16}(\.[^.]*)?")
_LONGEST_STEM: Final = 40  # characters of the name that the temporary file repeats: names are limited to 255 bytes


class PendingFile:
    """A file that is written under a temporary name in the folder of its target, and renamed when it is complete.

    Links are followed. A device or a pipe is not replaced: the temporary file is copied into it. The temporary file is
    locked, so that other processes do not mistake it for a leftover of a killed process.

    Raises:
        WriteError: if the file cannot be created. It names the target.
    """

    def __init__(self, path: str | Path) -> None:
        self.target = Path(path)
        with write_errors(self.target):
            self._final = _followed(self.target)
            self._stream = _is_stream(self._final)
            folder = Path(tempfile.gettempdir()) if self._stream else self._final.parent
            if not self._stream:
                if self._final.is_dir():  # otherwise only renaming would fail, after all the work
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                folder.mkdir(parents=True, exist_ok=True)
                _remove_stale(folder)
            self.path, lock = _locked_file(folder, self._final)
            self._lock: int | None = lock
            if not self._stream and self._final.exists():
                os.fchmod(lock, self._final.stat().st_mode & 0o777)

    @property
    def folder(self) -> Path:
        """The path of the temporary file."""
        return self.path.parent

    def open(self) -> io.BufferedWriter:
        """Open the temporary file for writing. Its errors name the target."""
        return io.BufferedWriter(_NamedFile(self.path, self.target))

    def commit(self) -> None:
        """Replace the target with the temporary file, whose content is flushed to disk before the renaming."""
        try:
            with write_errors(self.target):
                if self._stream:
                    with open(self.path, "rb") as source, _open_stream(self._final, self.target) as sink:
                        shutil.copyfileobj(source, sink)
                    self.path.unlink()
                else:
                    _sync(self.path)
                    os.replace(self.path, self._final)
                    with suppress(OSError):  # some file systems cannot sync a folder
                        _sync(self._final.parent)
        except BaseException:
            self.discard()
            raise
        self._unlock()

    def discard(self) -> None:
        """Remove the temporary file, unless it has been committed. The target does not change."""
        self.path.unlink(missing_ok=True)
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@contextmanager
def beside(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder. It replaces the file if the block succeeds, and is removed otherwise.

    A missing folder is created. The extension is kept, because writers of pictures and meshes choose the format by it.

    Raises:
        WriteError: if the file cannot be written.
    """
    pending = PendingFile(path)
    try:
        yield pending.path
    except OSError as error:
        pending.discard()
        # Errors of writes have no file name; an error that names another file is about that file.
        if isinstance(error, WriteError) or error.filename not in (None, str(pending.path)):
            raise
        raise _write_error(pending.target, error) from error
    except BaseException:
        pending.discard()
        raise
    pending.commit()


@contextmanager
def text_beside(path: str | Path) -> Iterator[TextIO]:
    """Yield an open text file that is written like with ``beside``: UTF-8, with ``\\n`` line ends on every system.

    Output to a device or a pipe appears there immediately, not only at the end.
    """
    target = Path(path)
    with write_errors(target):
        final = _followed(target)
        stream = _open_stream(final, target) if _is_stream(final) else None
    if stream is not None:
        with io.TextIOWrapper(stream, encoding="utf-8", newline="\n", line_buffering=True) as text:
            yield text
        return
    pending = PendingFile(target)
    try:
        with io.TextIOWrapper(pending.open(), encoding="utf-8", newline="\n") as text:
            yield text
    except BaseException:
        pending.discard()
        raise
    pending.commit()


@contextmanager
def write_errors(target: Path) -> Iterator[None]:
    """Convert errors of the file system to a WriteError that names the file.

    A closed pipe is not an error: its reader simply stopped reading.
    """
    try:
        yield
    except (WriteError, BrokenPipeError):
        raise
    except OSError as error:
        raise _write_error(target, error) from error


def _write_error(target: Path, error: OSError) -> WriteError:
    kept = "; the file keeps its previous content" if _exists(target) else ""
    return WriteError(f"cannot write {target}: {error.strerror or error}{kept}", hint=_HINTS.get(error.errno, _HINT))


_HINT: Final = "choose a file in a folder that you can write to"
_HINTS: Final[dict[int | None, str]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space, or choose a file on another disk"),
    errno.EFBIG: "raise the limit on file sizes (ulimit -f), or choose a file on another disk",
    errno.EISDIR: "choose a file in it",
    errno.ENAMETOOLONG: "choose a shorter name: most file systems allow 255 bytes",
}


class _NamedFile(io.FileIO):
    """A temporary file whose errors name its target."""

    def __init__(self, file: Path | int, target: Path) -> None:
        super().__init__(file, "w")
        self._target = target

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write bytes."""
        with write_errors(self._target):
            return super().write(data)


def _followed(path: Path) -> Path:
    """Follow links to the file itself, but not the links to open files of a process.

    /dev/stdout links to /proc/self/fd/1, which links to the file that the shell opened. Replacing that file would lose
    all later output.
    """
    for _ in range(_MOST_LINKS):
        path = Path(os.path.realpath(path.parent)) / path.name
        if _is_descriptor(path) or not path.is_symlink():
            return path
        path = path.parent / os.readlink(path)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def _is_descriptor(path: Path) -> bool:
    return path.parts[1:2] == ("proc",) and path.parent.name == "fd"


def _is_stream(final: Path) -> bool:
    """Whether a file must be written in place, not replaced: a device, a pipe, or an open file of a process."""
    try:
        mode = os.stat(final).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    return _is_descriptor(final) or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_stream(path: str | Path) -> bool:
    """Whether a file is written in place: a device, a pipe, or an open file of a process."""
    with write_errors(Path(path)):
        return _is_stream(_followed(Path(path)))


def _open_stream(final: Path, target: Path) -> io.BufferedWriter:
    if final.parent == Path(f"/proc/{os.getpid()}/fd") and final.name.isdecimal():
        sys.stdout.flush()  # earlier output comes first
        handle = os.dup(int(final.name))  # reopening it would overwrite the beginning of the file
    else:
        handle = os.open(final, os.O_WRONLY)
    return io.BufferedWriter(_NamedFile(handle, target))


def _locked_file(folder: Path, final: Path) -> tuple[Path, int]:
    """Create a file with a new name, with the permissions that the umask allows, and lock it."""
    while True:
        name = f".{final.stem[:_LONGEST_STEM]}.drycell-{secrets.token_hex(8)}{final.suffix[:_LONGEST_STEM]}"
        handle = os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        with suppress(OSError):  # some network file systems have no locks; on those, no file counts as stale
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return folder / name, handle
        os.close(handle)  # another process considered it stale before it was locked


def _remove_stale(folder: Path) -> None:
    """Remove temporary files whose process was killed: they are no longer locked."""
    with suppress(OSError):
        stale = [each.path for each in os.scandir(folder) if _STALE.fullmatch(each.name)]
        for path in stale:
            with suppress(OSError):
                handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(path)
                finally:
                    os.close(handle)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long
        return False


def folder_to_write(path: str | Path) -> Path:
    """Check that a folder is writable, before long work begins; create it if it is missing.

    Raises:
        WriteError: if the folder cannot be created or written to.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        taken = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "a file with that name exists" if taken else error.strerror or error
        raise WriteError(f"cannot write to the folder {folder}: {reason}", hint="choose another folder") from None


def file_to_write(path: str | Path) -> Path:
    """Check that a file can be written, before long work begins; create its folder if it is missing.

    Raises:
        WriteError: if the path is a folder, or its folder cannot be written to.
    """
    target = Path(path)
    with write_errors(target):
        final = _followed(target)
        if final.is_dir():
            raise WriteError(f"{target} is a folder, not a file", hint="choose a file in it")
        if not _is_stream(final):
            folder_to_write(final.parent)
    return target


def seen_from(folder: Path, file: str, old: Path) -> str:
    """Convert a file name relative to one folder (``old``) to a name relative to another. Absolute names do not change.

    Links are resolved first, because ``..`` is relative to the target of a link.
    """
    source, target = old.resolve(), folder.resolve()
    if os.path.isabs(file) or source == target:
        return file
    return Path(os.path.relpath(source / file, target)).as_posix()


def open_regular(path: str | Path) -> io.BufferedReader:
    """Open a regular file for reading. A pipe would block and a device may be endless.

    Raises:
        OSError: if the file is not a regular file, or cannot be read.
    """
    # Without O_NONBLOCK, opening a pipe waits until something writes to it.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a regular file", str(path))
        return open(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: str | Path, most: int = -1) -> bytes:
    """Read a regular file, or its first ``most`` bytes.

    Raises:
        OSError: if the file is not a regular file, or cannot be read.
    """
    with open_regular(path) as file:
        return file.read(most)
