"""The workspace: the folder of the open cell, its text files, what is typed in them, and what others do to them.

Nothing typed is lost: drafts are kept on disk until they are saved, a file that somebody else has written meanwhile is
never overwritten unasked, and whichever of two versions is given up is set aside.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from drycell.base import FileError, beside
from drycell.studio.break_points import BreakPoints
from drycell.studio.drafts import Draft, Drafts

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
"""The endings of text files, and the language that each is shown in."""
LARGEST: Final = 500_000
"""Bytes of a file that is opened or saved."""
MOST_FILES: Final = 500
_DEEPEST: Final = 4  # folders inside each other that are looked through
_MOST_ENTRIES: Final = 5000
_SKIPPED: Final = ("__pycache__", "node_modules", "out", "build", "dist")


@dataclass(frozen=True, slots=True)
class Text:
    """A file as it is on disk: with plain line ends, and the stamp of its content."""

    name: str
    text: str
    stamp: str
    language: str


class Changed(FileError):
    """A file that was not saved: its version on disk is not the one that was read. ``disk`` is that version."""

    def __init__(self, name: str, disk: Text | None) -> None:
        super().__init__(
            f"{name} has changed on disk since it was opened",
            hint="keep yours, take the one on disk, or compare them first",
        )
        self.disk = disk


Listener = Callable[[str, str | None], None]
"""Is told the name of a file that has another content on disk, and its stamp; None: it is gone."""


class Workspace:
    """Files are called by their paths below the folder, written with /."""

    def __init__(self, path: Path | None = None, *, drafts: Drafts | None = None) -> None:
        self.drafts = Drafts() if drafts is None else drafts
        self.folder: Path | None = None
        self.main: str | None = None
        """The file that was opened, if it is a text."""
        self.breaks = BreakPoints(self.drafts.folder.parent / "breaks")
        self._seen: dict[str, tuple[int, int, str]] = {}
        self._listeners: list[Listener] = []
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """Another cell: a cell file, a Python file, a folder, or a recording, whose folder it is then."""
        found = Path(path).resolve()
        self.folder = found if found.is_dir() else found.parent
        mains = [found] if not found.is_dir() else [found / name for name in ("cell.yaml", "cell.yml", "cell.py")]
        text = next((each for each in mains if each.is_file() and each.suffix.lower() in LANGUAGES), None)
        self.main = None if text is None else text.name
        self._seen.clear()
        self.breaks.open(self.folder)

    # ---------------------------------------------------------------- files

    def files(self) -> list[str]:
        """The text files, the opened one first, then by name; those of folders below come last."""
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
        """What a file is called here; None if it is not in the folder."""
        if self.folder is None:
            return None
        try:
            return Path(os.path.realpath(file)).relative_to(self.folder).as_posix()
        except ValueError:
            return None

    def path_of(self, name: str) -> Path:
        """Where a file is. A name that leads out of the folder, by .. or by a link, is refused."""
        if self.folder is None:
            raise FileError("nothing is open", hint="open a cell first")
        pure = PurePosixPath(name)
        if not name or "\0" in name or "\\" in name or pure.is_absolute() or ".." in pure.parts or len(name) > 1000:
            raise FileError(f"{name!r} is no file of this folder", hint="name a file in the folder of the cell")
        path = Path(os.path.realpath(self.folder / pure))
        if not path.is_relative_to(self.folder):
            raise FileError(f"{name} leads out of the folder {self.folder.name}", hint="copy the file into the folder")
        if path.suffix.lower() not in LANGUAGES:
            raise FileError(f"{name} is no text that can be edited here", hint=f"endings are {', '.join(LANGUAGES)}")
        return path

    def read(self, name: str) -> Text:
        """A file as it is on disk. Who has read another version is told, not only whoever asks now."""
        path = self.path_of(name)
        status, content = _read(path, name)
        text, stamp = _decoded(content, name)
        self._note(name, status, stamp)
        return Text(name, text, stamp, LANGUAGES[path.suffix.lower()])

    def save(self, name: str, text: str, base: str | None) -> Text:
        """Writes a file whole or not at all; its draft is no longer needed then.

        ``base`` is the stamp of the version that the text began from: if there is another on disk, :class:`Changed` is
        raised and nothing is written. With None it is overwritten all the same, and the other one set aside.
        """
        path = self.path_of(name)
        before = _read(path, name)[1] if path.exists() else b""
        stamp = _stamp(before) if path.exists() else ""
        if base is not None and stamp != base:
            raise Changed(name, self.read(name) if path.exists() else None)
        content = _encoded(text, before)
        if len(content) > LARGEST:
            raise FileError(f"{name} would have {len(content)} bytes, {LARGEST} are the most", hint="divide it")
        if base is None and before and before != content:
            self.drafts.set_aside(path, _decoded(before, name)[0], stamp)
        with beside(path) as written:
            written.write_bytes(content)
            status = written.stat()
        self.drafts.discard(path)
        made, new = _stamp(content), name not in self._seen
        self._note(name, status, made)
        if new:
            self._tell(name, made)
        return Text(name, text, made, LANGUAGES[path.suffix.lower()])

    # ---------------------------------------------------------------- drafts

    def type(self, name: str, text: str, base: str) -> None:
        """Keeps what has been typed; a text that is again the one on disk needs no draft."""
        path = self.path_of(name)
        if len(text) > LARGEST:
            raise FileError(f"{name} has {len(text)} signs, {LARGEST} are the most", hint="divide it")
        disk = _read(path, name)[1] if path.exists() else None
        if disk is not None and _encoded(text, disk) == disk:
            self.drafts.discard(path)
        else:
            self.drafts.keep(path, text, base)

    def draft(self, name: str) -> Draft | None:
        """What was typed and not saved."""
        return self.drafts.find(self.path_of(name))

    def give_up(self, name: str) -> Text:
        """Takes the version on disk; the draft is set aside."""
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
        """Tells of files read here whose content becomes another one, by whomever; returns what ends that."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def known(self, name: str) -> str | None:
        """The stamp of the version that was read or saved last, by whomever."""
        return self._seen[name][2] if name in self._seen else None

    def poll(self) -> None:
        """Looks at the files that were read. To be called about once a second, by as many pages as there are."""
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
                self._tell(name, None)

    def _note(self, name: str, status: os.stat_result, stamp: str) -> None:
        known = self._seen.get(name)
        self._seen[name] = (status.st_mtime_ns, status.st_size, stamp)
        if known is not None and known[2] != stamp:
            self._tell(name, stamp)

    def _tell(self, name: str, stamp: str | None) -> None:
        for listener in list(self._listeners):
            listener(name, stamp)


def _read(path: Path, name: str) -> tuple[os.stat_result, bytes]:
    """A file, and what it was like just before: whoever writes it meanwhile is noticed the next time."""
    try:
        if not path.is_file():
            raise FileError(f"there is no file {name}", hint="look at the name; it may have been renamed")
        status = path.stat()
        if status.st_size > LARGEST:
            raise FileError(f"{name} is too long to be edited here", hint=f"{LARGEST} bytes are the most")
        return status, path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror}", hint="look at its permissions") from None


def _stamp(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:24]


def _decoded(content: bytes, name: str) -> tuple[str, str]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{name} is no text in UTF-8 (byte {error.start})", hint="save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n"), _stamp(content)


def _encoded(text: str, before: bytes) -> bytes:
    """A text as bytes, with the line ends and the mark at the beginning that the file has had so far."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if b"\r\n" in before:
        plain = plain.replace("\n", "\r\n")
    try:
        return (b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b"") + plain.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FileError(f"sign {error.start + 1} of the text cannot be written as UTF-8", hint="take it out") from None
