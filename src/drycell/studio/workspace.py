"""The workspace: the folder of the open cell, its text files, their drafts, and changes by other programs.

Nothing typed is lost: drafts are kept on disk until they are saved, a file that another program has changed is not
overwritten without asking, and a discarded version is set aside.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from drycell.base import FileError, beside
from drycell.studio.breakpoints import BreakpointStore
from drycell.studio.drafts import DraftStore, TextDraft

LANGUAGES: Final = {
    ".py": "python",
    ".pas": "pascal",
    ".arl": "arla",
    ".eml": "emula",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".toml": "toml",
    ".md": "markdown",
    ".txt": "text",
    ".csv": "text",
}
"""The suffixes of text files, and the language of each."""
LARGEST: Final = 500_000
"""The size limit of a file, in bytes."""
MOST_FILES: Final = 500
_DEEPEST: Final = 4  # levels of nested folders that are searched
_MOST_ENTRIES: Final = 5000
_SKIPPED: Final = ("__pycache__", "node_modules", "out", "build", "dist")


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as it is on disk, with plain line ends, and a stamp that identifies its content."""

    name: str
    text: str
    stamp: str
    language: str


class ChangedOnDisk(FileError):
    """A file was not saved because it has changed on disk. ``disk`` is the version on disk."""

    def __init__(self, name: str, disk: FileText | None) -> None:
        super().__init__(
            f"{name} has changed on disk since it was opened",
            hint="keep your version, take the one on disk, or compare them",
        )
        self.disk = disk


Listener = Callable[[str, str | None], None]
"""Called with the name and the stamp of a file that has changed on disk; None: it was deleted."""


class Workspace:
    """The open folder. Files are named by their path below it, with ``/``."""

    def __init__(self, path: Path | None = None, *, drafts: DraftStore | None = None) -> None:
        self.drafts = DraftStore() if drafts is None else drafts
        self.folder: Path | None = None
        self.main: str | None = None
        """The file that was opened, if it is a text file."""
        self.breakpoints = BreakpointStore(self.drafts.folder.parent / "breaks")
        self._seen: dict[str, tuple[int, int, str]] = {}
        self._listeners: list[Listener] = []
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """Open the folder of a cell file, a Python file or a recording, or a folder itself."""
        found = Path(path).resolve()
        self.folder = found if found.is_dir() else found.parent
        mains = [found] if not found.is_dir() else [found / name for name in ("cell.yaml", "cell.yml", "cell.py")]
        text = next((each for each in mains if each.is_file() and each.suffix.lower() in LANGUAGES), None)
        self.main = None if text is None else text.name
        self._seen.clear()
        self.breakpoints.open(self.folder)

    # ---------------------------------------------------------------- files

    def files(self) -> list[str]:
        """The text files: the opened one first, then by name, files in subfolders last."""
        if self.folder is None:
            return []
        found: list[str] = []
        waiting, entries = [(self.folder, 0)], 0
        while waiting and len(found) < MOST_FILES and entries < _MOST_ENTRIES:
            folder, depth = waiting.pop(0)
            try:
                listed = sorted(os.scandir(folder), key=lambda each: each.name)
            except OSError:
                continue
            for each in listed:
                entries += 1
                if each.name.startswith(".") or each.is_symlink():
                    continue
                if each.is_dir():
                    if depth < _DEEPEST and each.name not in _SKIPPED:
                        waiting.append((Path(each.path), depth + 1))
                elif Path(each.name).suffix.lower() in LANGUAGES:
                    found.append(Path(each.path).relative_to(self.folder).as_posix())
        return sorted(found[:MOST_FILES], key=lambda name: (name != self.main, name.count("/"), name.lower()))

    def name_of(self, file: str | Path) -> str | None:
        """The name of a file in the folder; None if it is elsewhere."""
        if self.folder is None:
            return None
        try:
            return Path(os.path.realpath(file)).relative_to(self.folder).as_posix()
        except ValueError:
            return None

    def path_of(self, name: str) -> Path:
        """The path of a file. Raises FileError if it is outside the folder, also by .. or by a link."""
        if self.folder is None:
            raise FileError("nothing is open", hint="open a cell first")
        pure = PurePosixPath(name)
        if not name or "\0" in name or "\\" in name or pure.is_absolute() or ".." in pure.parts or len(name) > 1000:
            raise FileError(f"{name!r} is not a file of this folder", hint="name a file in the folder of the cell")
        path = Path(os.path.realpath(self.folder / pure))
        if not path.is_relative_to(self.folder):
            raise FileError(f"{name} is outside the folder {self.folder.name}", hint="copy the file into the folder")
        if path.suffix.lower() not in LANGUAGES:
            raise FileError(f"{name} is not a text file", hint=f"known suffixes: {', '.join(LANGUAGES)}")
        return path

    def read(self, name: str) -> FileText:
        """Read a file. All listeners are called if it has changed since it was last read."""
        path = self.path_of(name)
        status, content = _read(path, name)
        text, stamp = _decoded(content, name)
        self._note(name, status, stamp)
        return FileText(name, text, stamp, LANGUAGES[path.suffix.lower()])

    def save(self, name: str, text: str, base: str | None) -> FileText:
        """Write a file and delete its draft.

        Args:
            name: The file.
            text: Its new text.
            base: The stamp of the version that the text is based on. With None the file is overwritten in any case,
                and a different version is set aside.

        Raises:
            ChangedOnDisk: The version on disk is not ``base``. Nothing is written.
        """
        path = self.path_of(name)
        before = _read(path, name)[1] if path.exists() else b""
        stamp = _stamp(before) if path.exists() else ""
        if base is not None and stamp != base:
            raise ChangedOnDisk(name, self.read(name) if path.exists() else None)
        content = _encoded(text, before)
        if len(content) > LARGEST:
            raise FileError(f"{name} has {len(content)} bytes: the limit is {LARGEST}", hint="split the file")
        if base is None and before and before != content:
            self.drafts.set_aside(path, _decoded(before, name)[0], stamp)
        with beside(path) as written:
            written.write_bytes(content)
            status = written.stat()
        self.drafts.discard(path)
        made, new = _stamp(content), name not in self._seen
        self._note(name, status, made)
        if new:
            self._notify(name, made)
        return FileText(name, text, made, LANGUAGES[path.suffix.lower()])

    # ---------------------------------------------------------------- drafts

    def type(self, name: str, text: str, base: str) -> None:
        """Keep the typed text as a draft, unless it equals the file on disk."""
        path = self.path_of(name)
        if len(text) > LARGEST:
            raise FileError(f"{name} has {len(text)} characters: the limit is {LARGEST}", hint="split the file")
        disk = _read(path, name)[1] if path.exists() else None
        if disk is not None and _encoded(text, disk) == disk:
            self.drafts.discard(path)
        else:
            self.drafts.keep(path, text, base)

    def draft(self, name: str) -> TextDraft | None:
        """The unsaved text of a file; None if there is none."""
        return self.drafts.find(self.path_of(name))

    def discard(self, name: str) -> FileText:
        """Set the draft aside and return the version on disk."""
        path = self.path_of(name)
        draft = self.drafts.find(path)
        if draft is not None:
            self.drafts.set_aside(path, draft.text, draft.base)
            self.drafts.discard(path)
        return self.read(name)

    def unsaved(self) -> list[str]:
        """The files that have drafts."""
        return [name for name in self.files() if self.draft(name) is not None]

    # ---------------------------------------------------------------- changes on disk

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call back when a file that was read here changes. Returns a function that stops it."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def known(self, name: str) -> str | None:
        """The stamp of the version that was last read or saved."""
        return self._seen[name][2] if name in self._seen else None

    def poll(self) -> None:
        """Check the files that were read for changes. Each page calls it about once a second."""
        for name, (modified, size, _) in list(self._seen.items()):
            try:
                path = self.path_of(name)
                status = path.stat()
                if (status.st_mtime_ns, status.st_size) == (modified, size):
                    continue
                status, content = _read(path, name)
                now: str | None = _stamp(content)
            except (OSError, FileError):
                now = None
            if now is not None:
                self._note(name, status, now)
            elif self._seen.pop(name, None) is not None:
                self._notify(name, None)

    def _note(self, name: str, status: os.stat_result, stamp: str) -> None:
        known = self._seen.get(name)
        self._seen[name] = (status.st_mtime_ns, status.st_size, stamp)
        if known is not None and known[2] != stamp:
            self._notify(name, stamp)

    def _notify(self, name: str, stamp: str | None) -> None:
        for listener in list(self._listeners):
            listener(name, stamp)


def _read(path: Path, name: str) -> tuple[os.stat_result, bytes]:
    """The status and content of a file. A write between the two is noticed at the next check."""
    try:
        if not path.is_file():
            raise FileError(f"there is no file {name}", hint="check the name; the file may have been renamed")
        status = path.stat()
        if status.st_size > LARGEST:
            raise FileError(f"{name} is too large for the editor", hint=f"the limit is {LARGEST} bytes")
        return status, path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror}", hint="check its permissions") from None


def _stamp(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:24]


def _decoded(content: bytes, name: str) -> tuple[str, str]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{name} is not UTF-8 text (byte {error.start})", hint="save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n"), _stamp(content)


def _encoded(text: str, before: bytes) -> bytes:
    """A text as bytes, with the line ends and the byte-order mark that the file had before."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if b"\r\n" in before:
        plain = plain.replace("\n", "\r\n")
    try:
        return (b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b"") + plain.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FileError(f"character {error.start + 1} cannot be written as UTF-8", hint="remove it") from None
