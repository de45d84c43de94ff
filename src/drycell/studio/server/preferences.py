"""What the studio remembers: recent files, and the settings of each browser's page.

It is one small JSON file. If it cannot be read or written, the defaults apply.
"""

import contextlib
import json
import time
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any, Final

from drycell.base import text_beside
from drycell.studio.drafts import state_folder

_RECENT: Final = 12  # files
_BROWSERS: Final = 40  # those not seen for the longest time are dropped
_LARGEST: Final = 64_000  # characters of one browser's settings


class Preferences:
    """Recent files, newest first, and settings by browser. Written at most once a second, and at the end.

    The file is ``$XDG_STATE_HOME/drycell/studio.json`` by default.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = state_folder() / "studio.json" if path is None else path
        self._changed = False
        self._written = 0.0
        self.recent: list[str] = []
        self._browsers: dict[str, dict[str, Any]] = {}
        self._read()

    def opened(self, path: Path) -> None:
        """Put a file first in the list of recent files."""
        name = str(path)
        self.recent = [name, *(each for each in self.recent if each != name)][:_RECENT]
        self.touch()

    def browser(self, name: str) -> "BrowserSettings":
        """The settings of a browser. Changes are saved."""
        settings = self._browsers.pop(name, {})
        self._browsers[name] = settings  # last: the most recently seen
        while len(self._browsers) > _BROWSERS:
            del self._browsers[next(iter(self._browsers))]
        return BrowserSettings(settings, self)

    def touch(self) -> None:
        """Note a change, and write it unless the file was written less than a second ago."""
        self._changed = True
        self.settle()

    def settle(self) -> None:
        """Write pending changes. Called regularly by open pages."""
        if time.monotonic() - self._written > 1.0:
            self.write()

    def write(self) -> None:
        """Write changes at once."""
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


class BrowserSettings(MutableMapping[str, Any]):
    """Settings of one browser: JSON values by name, saved when they are set."""

    def __init__(self, settings: dict[str, Any], preferences: Preferences) -> None:
        self._settings = settings
        self._preferences = preferences

    def __getitem__(self, name: str) -> Any:
        return self._settings[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._settings or self._settings[name] != value:
            self._settings[name] = value
            self._preferences.touch()

    def __delitem__(self, name: str) -> None:
        del self._settings[name]
        self._preferences.touch()

    def __iter__(self) -> Iterator[str]:
        return iter(self._settings)

    def __len__(self) -> int:
        return len(self._settings)
