"""What the studio remembers between its runs: recent files, and how each browser likes its page.

One small JSON file of the user's own. Losing it costs nothing but splitters at their places, so that a file that cannot
be read or written is as good as none.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any, Final

from drycell.base import text_beside

_RECENT: Final = 12  # files
_BROWSERS: Final = 40  # the longest unseen are forgotten
_LARGEST: Final = 64_000  # characters of one browser's settings


def memory_path() -> Path:
    """Where it is kept: ``$XDG_STATE_HOME/drycell/studio.json``."""
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(home).expanduser() / "drycell" / "studio.json"


class Memory:
    """Recent files, newest first, and settings by browser. Written at most once a second, and at the end."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = memory_path() if path is None else path
        self._changed = False
        self._written = 0.0
        self.recent: list[str] = []
        self._browsers: dict[str, dict[str, Any]] = {}
        self._read()

    def opened(self, path: Path) -> None:
        """Puts a file first among the recent ones."""
        name = str(path)
        self.recent = [name, *(each for each in self.recent if each != name)][:_RECENT]
        self.touch()

    def browser(self, name: str) -> "Keeps":
        """The settings of a browser; what is changed in them is remembered."""
        settings = self._browsers.pop(name, {})
        self._browsers[name] = settings  # last: the most recently seen
        while len(self._browsers) > _BROWSERS:
            del self._browsers[next(iter(self._browsers))]
        return Keeps(settings, self)

    def touch(self) -> None:
        """Something changed: writes it, unless that was done a moment ago."""
        self._changed = True
        self.settle()

    def settle(self) -> None:
        """Writes what changed in the last moment. Called now and then by whoever has a page open."""
        if time.monotonic() - self._written > 1.0:
            self.write()

    def write(self) -> None:
        """Writes what changed."""
        if not self._changed:
            return
        self._changed, self._written = False, time.monotonic()
        kept = {name: each for name, each in self._browsers.items() if each and len(json.dumps(each)) <= _LARGEST}
        with contextlib.suppress(OSError), text_beside(self._path) as file:
            json.dump({"recent": self.recent, "browsers": kept}, file, indent=1)

    def _read(self) -> None:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        if not isinstance(found, dict):
            return
        recent, browsers = found.get("recent"), found.get("browsers")
        if isinstance(recent, list):
            self.recent = [each for each in recent if isinstance(each, str)][:_RECENT]
        if isinstance(browsers, dict):
            self._browsers = {name: each for name, each in browsers.items() if isinstance(each, dict)}


class Keeps(MutableMapping[str, Any]):
    """Settings of one browser, JSON values by name, remembered when they are set."""

    def __init__(self, settings: dict[str, Any], memory: Memory) -> None:
        self._settings = settings
        self._memory = memory

    def __getitem__(self, name: str) -> Any:
        return self._settings[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._settings or self._settings[name] != value:
            self._settings[name] = value
            self._memory.touch()

    def __delitem__(self, name: str) -> None:
        del self._settings[name]
        self._memory.touch()

    def __iter__(self) -> Iterator[str]:
        return iter(self._settings)

    def __len__(self) -> int:
        return len(self._settings)
