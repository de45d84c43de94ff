"""Drafts: unsaved text, kept on disk outside the cell's folder so that nothing is lost.

There is one small JSON file per text file, readable only by its owner. It also holds the latest texts that were
discarded: the user took the version on disk instead, or overwrote what another program had written.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from drycell.base import beside

MOST_DRAFTS: Final = 500
"""Files with drafts. Beyond that the oldest drafts are deleted."""
MOST_ASIDE: Final = 5
"""Discarded texts that are kept per file."""
_LARGEST: Final = 32_000_000


def state_folder() -> Path:
    """The folder for drycell's state: ``$XDG_STATE_HOME/drycell``."""
    return Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "drycell"


@dataclass(frozen=True, slots=True)
class TextDraft:
    """An unsaved text. ``base`` is the stamp of the version on disk that it is based on."""

    text: str
    base: str
    time: float


class DraftStore:
    """The drafts of a user, by the absolute path of their file.

    Two studios may have the same file open: a draft that the other one has written is set aside, not lost.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder if folder is not None else state_folder() / "drafts"
        self._known: dict[str, float | None] = {}  # when each draft was last written, as far as this studio knows

    def keep(self, file: Path, text: str, base: str) -> None:
        """Store the text typed so far."""
        self._spare_others(file, text)
        made = TextDraft(text, base, time.time())
        self._write(file, draft=made, aside=self.aside(file))
        self._known[os.path.abspath(file)] = made.time
        self._bound()

    def find(self, file: Path) -> TextDraft | None:
        """The unsaved text of a file; None if there is none."""
        found = _draft(self._read(file).get("draft"))
        self._known.setdefault(os.path.abspath(file), None if found is None else found.time)
        return found

    def discard(self, file: Path) -> None:
        """Delete the draft of a file."""
        if self.find(file) is None:
            return
        self._spare_others(file)
        kept = self.aside(file)
        if kept:
            self._write(file, draft=None, aside=kept)
        else:
            self._path(file).unlink(missing_ok=True)

    def set_aside(self, file: Path, text: str, base: str) -> None:
        """Keep a discarded text, so that it can be restored."""
        others = [each for each in self.aside(file) if each.text != text]
        kept = [TextDraft(text, base, time.time()), *others][:MOST_ASIDE]
        self._write(file, draft=self.find(file), aside=kept)

    def aside(self, file: Path) -> list[TextDraft]:
        """The discarded texts of a file, newest first."""
        found = self._read(file).get("aside")
        return [each for each in map(_draft, found) if each is not None] if isinstance(found, list) else []

    # ---------------------------------------------------------------- inside

    def _spare_others(self, file: Path, text: str | None = None) -> None:
        """Set aside a draft that another studio has written in the meantime, if its text differs."""
        found = self.find(file)
        if found is not None and found.time != self._known[os.path.abspath(file)] and found.text != text:
            self.set_aside(file, found.text, found.base)

    def _path(self, file: Path) -> Path:
        return self.folder / f"{hashlib.sha256(os.fsencode(os.path.abspath(file))).hexdigest()[:32]}.json"

    def _read(self, file: Path) -> dict[str, Any]:
        path = self._path(file)
        try:
            if path.stat().st_size > _LARGEST:
                return {}
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # there is none yet, or it is damaged
            return {}
        return found if isinstance(found, dict) and found.get("file") == os.path.abspath(file) else {}

    def _write(self, file: Path, draft: TextDraft | None, aside: list[TextDraft]) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = {
            "file": os.path.abspath(file),
            "draft": None if draft is None else asdict(draft),
            "aside": [asdict(each) for each in aside],
        }
        with beside(self._path(file)) as written:
            os.chmod(written, 0o600)
            with open(written, "w", encoding="utf-8") as stream:
                json.dump(kept, stream)
                stream.flush()
                os.fsync(stream.fileno())  # a crash of the machine must not leave an empty file behind the new name

    def _bound(self) -> None:
        files = list(self.folder.glob("*.json"))
        if len(files) > MOST_DRAFTS:
            for _, old in sorted(_dated(files))[: len(files) - MOST_DRAFTS]:
                old.unlink(missing_ok=True)


def _dated(files: list[Path]) -> Iterator[tuple[float, Path]]:
    for each in files:
        with contextlib.suppress(OSError):
            yield each.stat().st_mtime, each


def _draft(found: object) -> TextDraft | None:
    if not isinstance(found, dict):
        return None
    text, base, at = found.get("text"), found.get("base"), found.get("time")
    if isinstance(text, str) and isinstance(base, str) and isinstance(at, (int, float)):
        return TextDraft(text, base, float(at))
    return None
